"""Failing cases on disk: one JSON file each, which ``python -m fuzz replay FILE`` and the default tests run again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "cases"


def save(part: str, kind: str, content: dict[str, Any], key: str, folder: Path = FOLDER) -> Path:
    """Write a case; the same case has the same name."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{part}-{key}.json"
    text = json.dumps({"part": part, "failure": kind, "case": content}, indent=1, ensure_ascii=True)
    path.write_text(text + "\n", encoding="utf-8")
    return path


def load(path: Path) -> tuple[str, dict[str, Any]]:
    """The part that a saved case is for, and the case."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return content["part"], content["case"]


def every(folder: Path = FOLDER) -> list[Path]:
    """All saved cases."""
    return sorted(folder.glob("*.json"))
