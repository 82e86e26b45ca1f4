"""Build the sdist and the wheel, and try the wheel in an empty environment: ``make wheel``.

The wheel is built from the sdist, so a file that the sdist lacks is noticed. The trial imports the package, asks for
its version, and anonymizes, verifies and reads three baskets, outside this folder.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "build" / "dist"

TRIAL = """
import shoal, shoal.kernels
assert "site-packages" in shoal.__file__, shoal.__file__
assert shoal.kernels.KIND == "native", "the wheel has no compiled kernels"
"""


def main() -> None:
    """Build, look inside, install, try."""
    DIST.mkdir(parents=True, exist_ok=True)
    for old in [*DIST.glob("*.whl"), *DIST.glob("*.tar.gz")]:
        old.unlink()
    run([sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT)], SHOAL_REQUIRE_NATIVE="1")
    (sdist,), (wheel,) = DIST.glob("*.tar.gz"), DIST.glob("*.whl")
    check_content(wheel)
    with tempfile.TemporaryDirectory() as folder:
        try_in(Path(folder), wheel)
    for file in (sdist, wheel):
        print(f"{file.name}: {file.stat().st_size / 1e6:.2f} MB")
    with zipfile.ZipFile(wheel) as archive:
        print(f"installed: {sum(entry.file_size for entry in archive.infolist()) / 1e6:.2f} MB")


def check_content(wheel: Path) -> None:
    """Raise unless the wheel has the types, the stubs, the templates and the compiled kernels."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    wanted = ["shoal/py.typed", "shoal/__init__.pyi", "shoal/kernels/_native."]
    missing = [name for name in wanted if not any(found.startswith(name) for found in names)]
    source = {
        path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src" / "shoal").rglob("*") if is_source(path)
    }
    if missing := [*missing, *sorted(source - set(names))]:
        raise SystemExit(f"The wheel lacks {', '.join(missing)}.")


def is_source(path: Path) -> bool:
    """Whether a file belongs to the package: not what Python, a build or an editor left there."""
    return path.is_file() and path.suffix in {".py", ".pyi", ".html", ".css", ".toml"} and "_native" not in path.name


def try_in(folder: Path, wheel: Path) -> None:
    """Install the wheel in a new environment, and use it there."""
    venv.create(folder / "env", with_pip=True)
    tools = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
    pip = [str(tools / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, str(wheel)])
    run([str(tools / "python"), "-c", TRIAL], cwd=folder)
    shoal = str(tools / "shoal")
    run([shoal, "--version"], cwd=folder)
    (folder / "in.basket").write_text("beer,milk\nbeer,milk\nbeer,wine\n", encoding="utf-8")
    (folder / "tree.csv").write_text("beer;drinks;*\nwine;drinks;*\nmilk;dairy;*\n", encoding="utf-8")
    anonymize = [shoal, "anonymize", "in.basket", "-o", "out.basket", "--hierarchy", "tree.csv", "--k", "2", "--m", "2"]
    run(anonymize, cwd=folder)
    run([shoal, "verify", "out.basket", "--k", "2", "--m", "2"], cwd=folder)


def run(command: list[str], cwd: Path = ROOT, **environment: str) -> None:
    """Run a command; end if it fails."""
    words = [Path(word).name if "/" in word else word.strip().partition("\n")[0] for word in command]
    print("$", *words, flush=True)
    if subprocess.run(command, cwd=cwd, env={**os.environ, **environment}, check=False).returncode:
        raise SystemExit("The command failed.")


if __name__ == "__main__":
    main()
