"""Read a catalogue: gettext's .po, the format that translators' tools open."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kensaku.errors import ConfigError
from kensaku.messages import msg

_DECODER = json.JSONDecoder(strict=False)  # a text of a catalogue is quoted as in JSON


@dataclass(frozen=True, slots=True)
class Translation:
    """A message with its texts, one for each plural form. The first entry is the header."""

    one: str
    strings: tuple[str, ...]
    many: str = ""
    context: str = ""
    comments: tuple[str, ...] = ()  # lines that begin with #

    @property
    def fuzzy(self) -> bool:
        """Whether a tool guessed the translation and nobody has looked at it."""
        return any(line.startswith("#,") and "fuzzy" in line for line in self.comments)

    def field(self, name: str) -> str:
        """Return a line of the header; "" when it is not there."""
        lines = (line.partition(":") for line in "".join(self.strings).split("\n"))
        return next((value.strip() for key, _, value in lines if key == name), "")


def read(path: Path) -> list[Translation]:
    """Return the entries of a catalogue, the header first. Raises `ConfigError`."""
    try:
        entries = [_translation(lines) for lines in _blocks(path.read_text(encoding="utf-8-sig"))]
        if not entries or entries[0].one:
            raise ValueError("it has no header")
        plural_rule(entries[0])
        return entries
    except (OSError, ValueError) as error:
        raise ConfigError(
            msg("{path} cannot be read as a catalogue ({error})", path=path, error=error),
            remedy=msg("check it with msgfmt --check, or move it away"),
        ) from None


def plural_rule(header: Translation) -> Callable[[int], int]:
    """Return which form a number takes, by the header; else as in English. Raises `ValueError`."""
    from gettext import c2py  # the rule is an expression of C: `(n != 1)`

    rule = header.field("Plural-Forms").partition("plural=")[2].strip(" ;")
    form: Callable[[int], int] = c2py(rule or "n != 1")
    return form


def _blocks(text: str) -> Iterator[list[str]]:
    """Yield the lines of each entry; obsolete ones (`#~`) are left out."""
    block: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line.strip():
            if not line.startswith("#~"):
                block.append(line)
        elif block:
            if not all(other.startswith("#") for other in block):
                yield block
            block = []


def _translation(lines: list[str]) -> Translation:
    comments, parts, name = [], dict[str, str](), ""
    for line in lines:
        if line.startswith("#"):
            comments.append(line)
            continue
        if not line.startswith('"'):
            name, _, line = line.partition(" ")
            parts[name] = ""
        parts[name] += _DECODER.decode(line)
    strings = tuple(text for name, text in parts.items() if name.startswith("msgstr"))
    if "msgid" not in parts or not strings:
        raise ValueError(f"no message in {lines[0]!r}")
    return Translation(
        parts["msgid"], strings, parts.get("msgid_plural", ""), parts.get("msgctxt", ""),
        tuple(comments),
    )  # fmt: skip
