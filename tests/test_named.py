"""What the documentation and the messages name is there: settings, extras, commands."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from kensaku.cli._main import COMMANDS
from kensaku.config.settings import Settings
from kensaku.locale.po import read

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
# Words that stand behind the name of a section and are no settings: modules, files, methods.
SETTING = re.compile(
    r"(?<![\w./\-])(?:assistant|cache|fetch|index|llm|rank|scrub)\.[a-z_]+(?![\w(/]|\.\w)"
)
CODE = re.compile(r"```.*?```", re.DOTALL)


def _texts() -> Iterator[tuple[str, str]]:
    for path in PAGES:
        yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
    for entry in read(ROOT / "src" / "kensaku" / "locale" / "ja.po")[1:]:
        yield entry.one[:60], "\n".join([entry.one, entry.many, *entry.strings])


def test_every_extra_that_is_named_can_be_installed() -> None:
    """`pip` ignores an unknown one with a warning that nobody reads."""
    known = set(PROJECT["project"]["optional-dependencies"])
    named = {
        (where, extra.strip())
        for where, text in _texts()
        for extras in re.findall(r"kensaku-search\[([\w, -]+)\]", text)
        for extra in extras.split(",")
    }

    assert named
    assert sorted((where, extra) for where, extra in named if extra not in known) == []


def test_every_setting_that_is_named_can_be_set() -> None:
    """In the prose of the pages, and in remedies."""
    known = {row[0] for row in Settings.load().described()}
    files = {path.stem for path in (ROOT / "src" / "kensaku").rglob("*.py")} | {"py", "md", "toml"}
    wrong = sorted(
        (where, name)
        for where, text in _texts()
        if "decisions" not in where
        for name in SETTING.findall(CODE.sub("", text))
        if name not in known and name.rpartition(".")[2] not in files
    )

    assert wrong == []


def test_every_command_that_is_named_can_be_run() -> None:
    """A remedy that cannot be followed is none."""
    named = {
        (where, command)
        for where, text in _texts()
        for command in re.findall(r"`kensaku ([a-z]+)", text)
    }

    assert named
    assert sorted((where, command) for where, command in named if command not in COMMANDS) == []
