"""The faults, as they stand in ``faults/*.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parent / "faults"


@dataclass(frozen=True)
class Fault:
    """A text of a source file that is replaced by another."""

    name: str
    file: str  # below src/shoal
    old: str  # occurs once
    new: str
    why: str  # what goes wrong for a user
    tests: list[str] = field(default_factory=list)  # those that should notice, beside the tests that mirror the file

    def applied(self, text: str) -> str:
        """The source with the fault."""
        if (count := text.count(self.old)) != 1:
            raise ValueError(f"{self.name}: the text to replace occurs {count} times in {self.file}, not once")
        return text.replace(self.old, self.new)

    def mirrored(self, root: Path) -> list[str]:
        """The tests of the file by the rule of the layout: tests/a/test_b.py, tests/a/test_b_*.py for a/b.py."""
        path = Path(self.file)
        name = path.parent.name if path.name == "__init__.py" else path.stem
        folder = root / "tests" / path.parent
        found = [*folder.glob(f"test_{name}.py"), *folder.glob(f"test_{name}_*.py")]
        return sorted(str(one.relative_to(root)) for one in found)

    def rounds(self, root: Path) -> list[list[str]]:
        """What to run, one after the other, until something fails; last the whole default suite."""
        near = list(dict.fromkeys([*self.tests, *self.mirrored(root)]))
        folder = str(Path("tests") / Path(self.file).parent)
        wider = [folder] if Path(self.file).parent != Path() and (root / folder).is_dir() else []
        return [some for some in (near, wider) if some] + [[]]


def load() -> list[Fault]:
    """All faults, in the order of the files."""
    found = [
        Fault(**one)
        for path in sorted(FOLDER.glob("*.toml"))
        for one in tomllib.loads(path.read_text(encoding="utf-8"))["fault"]
    ]
    names = [fault.name for fault in found]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"faults with the same name: {', '.join(sorted(twice))}")
    return found
