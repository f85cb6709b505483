"""Files that come with a request: their text is a source like a page; text formats only."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from kensaku.errors import InvalidQuery
from kensaku.messages import msg
from kensaku.text.clean import one_line, visible

MAX_FILES = 5
MAX_WORDS = 80_000  # of all files together
MAX_CHARS = 1_000_000  # the same for scripts that write no spaces
MAX_NAME = 200
ENDINGS = (".txt", ".md", ".json")


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file's name and its text."""

    name: str
    text: str = field(repr=False)

    @property
    def url(self) -> str:
        """The address under which it is cited."""
        return f"file:{self.name}"

    def to_dict(self) -> dict[str, str]:
        """The attachment, ready for JSON."""
        return asdict(self)


def read_files(files: object) -> tuple[Attachment, ...]:
    """Decode and check files; each is an `Attachment`, or `{"name", "data" (base64)}`.

    Raises `InvalidQuery` for too many, too long or unreadable ones.
    """
    if isinstance(files, str | bytes | Mapping) or not isinstance(files, Iterable):
        raise InvalidQuery(msg('files must be a list of {"name": …, "data": base64}'))
    read = []
    for number, file in enumerate(files):
        if number == MAX_FILES:
            raise InvalidQuery(
                msg(
                    "there are more than {max_files} files; at most {max_files}",
                    max_files=MAX_FILES,
                )
            )
        read.append(file if isinstance(file, Attachment) else _read(file))
    for file in read:
        if not file.name.lower().endswith(ENDINGS) or len(file.name) > MAX_NAME:
            raise InvalidQuery(
                msg(
                    "the file {file!r} is not one of {endings}",
                    file=file.name[:60],
                    endings=", ".join(ENDINGS),
                ),
                remedy=msg("send its text as .txt"),
            )
    words, chars = sum(len(f.text.split()) for f in read), sum(len(f.text) for f in read)
    if words > MAX_WORDS or chars > MAX_CHARS:
        raise InvalidQuery(
            msg(
                "the files have {words:,} words and {chars:,} characters; at most {max_words:,} "
                "and {max_chars:,} are taken",
                words=words,
                chars=chars,
                max_words=MAX_WORDS,
                max_chars=MAX_CHARS,
            )
        )
    return tuple(read)


def _read(file: Any) -> Attachment:
    if not isinstance(file, Mapping) or not isinstance(file.get("name"), str):
        raise InvalidQuery(msg('a file is {"name": …, "data": base64}'))
    name, kind = one_line(file["name"]), file.get("type", "base64")
    if isinstance(file.get("text"), str):
        return Attachment(name, visible(file["text"]))
    data = file.get("data")
    if kind != "base64" or not isinstance(data, str):
        raise InvalidQuery(msg("the file {name!r} has no base64 data", name=name[:60]))
    if len(data) > 8 * MAX_CHARS:
        raise InvalidQuery(
            msg(
                "the file {name!r} is longer than {max_chars:,} characters",
                name=name[:60],
                max_chars=MAX_CHARS,
            )
        )
    try:
        text = base64.b64decode(data, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise InvalidQuery(
            msg("the file {name!r} is not base64 of UTF-8 text", name=name[:60])
        ) from None
    return Attachment(name, visible(text))
