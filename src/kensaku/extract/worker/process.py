"""The worker process: reads documents from its input, writes pages to its output.

    frame = 4 bytes of length + that many bytes; request = header (JSON), then the document;
    reply = JSON: {"page": …} or {"error": …}, then the page's text, then its Markdown
    before the first request: READY, as soon as the parsers are loaded

Started by `ParsePool`, never by hand. It limits its own memory before it reads anything.
"""

from __future__ import annotations

import gc
import json
import os
import struct
import sys
from typing import Any, BinaryIO

from kensaku.errors import FetchError, KensakuError, TooLarge, Unparsable
from kensaku.messages import msg

READY = b"+"


def main() -> None:
    """Parse documents until the input ends."""
    limit = int(sys.argv[1])
    _limit_memory(limit)
    # The output of a library must not end up between two frames.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _warm_up()
    out.write(READY)
    out.flush()
    while (header := read_frame(sys.stdin.buffer)) is not None:
        data = read_frame(sys.stdin.buffer)
        for part in parse(json.loads(header), data or b""):
            out.write(struct.pack(">I", len(part)) + part)
        out.flush()


def read_frame(stream: BinaryIO) -> bytes | None:
    """Read the next frame; return None at the end."""
    length = stream.read(4)
    if len(length) < 4:
        return None
    return stream.read(struct.unpack(">I", length)[0])


def parse(header: dict[str, str], data: bytes) -> tuple[bytes, bytes, bytes]:
    """Parse a document: the three parts of the reply."""
    from kensaku.extract.document import extract

    try:
        page = extract(data, url=header["url"], content_type=header["content_type"])
        fields: dict[str, Any] = page.to_dict() | {"text": "", "markdown": ""}
        fields["needs_browser"] = page.needs_browser
        # Texts are sent as they are: parsing 10 MB of JSON would block the event loop.
        return json.dumps({"page": fields}).encode(), _bytes(page.text), _bytes(page.markdown)
    except (MemoryError, RecursionError):
        error: KensakuError = TooLarge(msg("the document needs more memory than a parser may take"))
    except KensakuError as typed:
        error = typed
    except Exception as untyped:
        # The document is hostile or odd. The process is still usable; the caller gets the error.
        error = Unparsable(
            msg("the parser failed on the document ({name})", name=type(untyped).__name__)
        )
    kind = type(error).__name__ if isinstance(error, FetchError) else "Unparsable"
    reply = {"type": kind, "message": error.message, "remedy": error.remedy}
    return json.dumps({"error": reply}).encode(), b"", b""


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _limit_memory(limit: int) -> None:
    try:
        import resource
    except ImportError:  # pragma: no cover - Windows has no such limits
        return
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _warm_up() -> None:
    """Load the parser and the model before the first document, not with it."""
    from kensaku.extract.html.page import extract_html

    # Long enough for the model: a page of few words is selected by a rule.
    extract_html("<p>Otters sleep in groups and hold on to kelp.</p>" * 20)
    gc.freeze()  # the collector need not scan the loaded modules for every page


if __name__ == "__main__":
    main()
