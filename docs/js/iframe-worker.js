// Browsers start no workers for pages that were opened from disk (file:). The theme's search needs one. So a page from
// disk runs the worker's script in a hidden frame and passes messages on. A page from a server does not use this.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.srcdoc =
        "<script>self.importScripts = (...urls) => Promise.all(urls.map(url => new Promise((done, failed) => {" +
        "const s = document.createElement('script'); s.src = url; s.onload = done; s.onerror = failed;" +
        "document.head.append(s) }))); self.postMessage = data => parent.dispatchEvent(" +
        "new MessageEvent('shoal-worker', { data }));</" + "script>" +
        `<script src="${url}"></` + "script>";
      window.addEventListener("shoal-worker", (event) => {
        const message = new MessageEvent("message", { data: event.data });
        this.dispatchEvent(message);
        if (this.onmessage) this.onmessage(message);
      });
      frame.addEventListener("load", () => {
        this.frame = frame;
        this.waiting.splice(0).forEach((data) => this.postMessage(data));
      });
      document.body.append(frame);
    }
    postMessage(data) {
      if (!this.frame) this.waiting.push(data);
      else this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }
    terminate() {
      if (this.frame) this.frame.remove();
    }
  };
}
