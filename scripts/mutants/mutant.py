"""A change to one file of the package, and which of them are known to make no difference."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from changes import Change, changes
from tree import PACKAGE, ROOT


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change to one file."""

    file: str  # relative to the package
    change: Change
    before: str
    after: str

    @property
    def diff(self) -> tuple[str, str]:
        """The first line that differs, before and after."""
        lines = zip(self.before.splitlines(), self.after.splitlines(), strict=False)
        old, new = next((pair for pair in lines if pair[0] != pair[1]), ("", ""))
        return old.strip(), new.strip()

    @property
    def key(self) -> list[str]:
        """What names it from one run to the next, while lines move."""
        return [self.file, self.change.function, self.change.operator, *self.diff]

    def __str__(self) -> str:
        old, new = self.diff
        where = f"{PACKAGE}/{self.file}:{self.change.line}"
        return f"{where} [{self.change.operator}]\n  - {old}\n  + {new}"


def known_equivalent() -> set[tuple[str, str, str]]:
    """File, line before and line after of the changes that make no difference."""
    path = Path(__file__).with_name("equivalent.toml")
    known = tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]
    return {(k["file"], k["before"], k["after"]) for k in known}


def tested_elsewhere() -> set[str]:
    """The adapters of frameworks that `make test-frameworks` installs, each on its own."""
    return {f"adapters/{p.name}" for p in (ROOT / "tests" / "adapters" / "others").glob("*.py")}


def mutants(files: list[str]) -> list[Mutant]:
    """Every change to these files that a test here could notice."""
    equivalent, elsewhere = known_equivalent(), tested_elsewhere()
    here = [file for file in files if file not in elsewhere]
    return [m for file in here for m in made(file) if (file, *m.diff) not in equivalent]


def made(file: str) -> list[Mutant]:
    """Every change to a file."""
    text = (ROOT / PACKAGE / file).read_text(encoding="utf-8")
    return [Mutant(file, change, text, change.apply(text)) for change in changes(text)]
