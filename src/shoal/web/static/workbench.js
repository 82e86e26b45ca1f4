// Adds uploads with progress, forms that save when they change, and copying. All else is forms, links and htmx.
"use strict";

document.addEventListener("change", (event) => {
  const form = event.target.closest("form.save-on-change");
  if (form) form.requestSubmit();
});

function upload(form, file) {
  const progress = form.querySelector("progress"), status = form.querySelector(".status");
  const request = new XMLHttpRequest();
  form.classList.remove("failed");
  progress.hidden = false;
  progress.value = 0;
  status.textContent = `Copying ${file.name} …`;
  request.upload.addEventListener("progress", (event) => { progress.value = event.loaded / event.total; });
  request.addEventListener("loadend", () => {
    progress.hidden = true;
    if (request.status !== 201) {
      form.classList.add("failed");
      status.textContent = request.responseText || "The workbench did not answer: is it still running?";
      return;
    }
    status.textContent = `${request.responseText} is in the workspace.`;
    const then = document.querySelector(form.dataset.then);
    if (!then) { window.location.search = form.dataset.query || ""; return; }
    const name = then.elements[form.dataset.name || "file"];
    if (name.tagName === "SELECT") name.add(new Option(request.responseText, request.responseText));
    name.value = request.responseText;
    then.requestSubmit();
  });
  request.open("POST", form.dataset.upload);
  request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
  request.send(file);
}

document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-upload]");
  if (form && event.target.type === "file" && event.target.files.length) upload(form, event.target.files[0]);
});
document.addEventListener("submit", (event) => {
  if (event.target.matches("form[data-upload]")) event.preventDefault();
});
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    const form = event.target.closest && event.target.closest("form[data-upload]");
    if (kind !== "dragleave") event.preventDefault(); // a file that misses the form must not replace the page
    if (!form) return;
    form.classList.toggle("over", kind === "dragover");
    if (kind === "drop" && event.dataTransfer.files.length) upload(form, event.dataTransfer.files[0]);
  });
}

// Forms that save when they change are replaced by the answer. What was typed meanwhile is kept, and saved after it.
const sent = new WeakMap();
let kept = [];
document.addEventListener("htmx:beforeRequest", (event) => {
  const form = event.target.closest("form");
  if (form) sent.set(form, new FormData(form));
});
document.addEventListener("htmx:beforeSwap", (event) => {
  kept = [];
  for (const field of event.detail.target.querySelectorAll("form[hx-trigger] :is(input:not([type=checkbox]), textarea)[id]")) {
    const known = sent.get(field.form), before = known ? known.get(field.name) : field.defaultValue;
    const focused = field === document.activeElement, edited = field.value !== before;
    // After Tab, the whole value is selected, and what is typed next replaces it. Fields of numbers do not tell.
    const whole = field.type === "number" || (field.selectionStart === 0 && field.selectionEnd === field.value.length);
    if (focused || edited) kept.push({ id: field.id, value: field.value, focused, edited, whole });
  }
});
document.addEventListener("htmx:afterSettle", () => {
  const fields = kept;
  kept = [];
  for (const { id, value, focused, edited, whole } of fields) {
    const field = document.getElementById(id);
    if (!field) continue;
    const changed = () => field.dispatchEvent(new Event("change", { bubbles: true }));
    if (edited) field.value = value;
    if (focused) {
      field.focus();
      if (edited) field.addEventListener("blur", changed, { once: true });
      else if (whole) field.select();
    } else if (edited) changed();
  }
});

// A workbench that has ended must not look alive.
function tell(text) {
  const message = document.getElementById("message"), box = document.createElement("div"), line = document.createElement("p");
  line.textContent = text;
  box.className = "error";
  box.append(line);
  message.replaceChildren(box);
  message.scrollIntoView({ block: "center" });
}
document.addEventListener("htmx:sendError", () => {
  tell("The workbench does not answer, so nothing more is saved. Is it still running? Start it again with: shoal serve");
});

// A message at the top of the page tells what is wrong with a form further down, which keeps what was typed.
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.target.id === "message") event.target.scrollIntoView({ block: "center" });
});

// Copies a text. Where the browser does not allow that, the text is selected.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) return;
  const text = document.getElementById(button.dataset.copy), status = button.parentElement.querySelector("[role=status]");
  try {
    await navigator.clipboard.writeText(text.textContent);
    status.textContent = "Copied.";
  } catch {
    window.getSelection().selectAllChildren(text);
    status.textContent = "Selected: copy it with Ctrl+C.";
  }
});

// Step Hierarchy: keep the label that is being changed marked and in sight.
document.addEventListener("htmx:afterSettle", (event) => {
  const frame = document.querySelector(".tree-frame"), chosen = frame && frame.querySelector(".chosen");
  if (chosen && !frame.contains(event.target)) frame.scrollTop = Math.max(0, chosen.offsetTop - frame.clientHeight / 3);
});
document.addEventListener("click", (event) => {
  const pick = event.target.closest && event.target.closest(".tree-pick");
  if (!pick) return;
  for (const old of document.querySelectorAll(".tree .chosen")) { old.classList.remove("chosen"); old.removeAttribute("aria-current"); }
  pick.parentElement.classList.add("chosen");
  pick.parentElement.setAttribute("aria-current", "true");
});
