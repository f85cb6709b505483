"""The worker process: frames in, frames out, and an error for whatever a document does."""

from __future__ import annotations

import io
import json
import struct
from typing import Any

import pytest

from kensaku.errors import ConfigError, KensakuError, Unparsable
from kensaku.extract import document
from kensaku.extract.worker.pool import _page_from, is_heavy
from kensaku.extract.worker.process import _bytes, _limit_memory, _parse, read_frame
from kensaku.models import Page

HEADER = {"url": "https://a.example/", "content_type": "text/html"}


def frame(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def test_frames_are_read_one_after_the_other() -> None:
    """Until the end, which may come in the middle of a length."""
    stream = io.BytesIO(frame(b"first") + frame(b"") + frame(b"x" * 300) + b"\x00\x00\x00")

    assert [read_frame(stream) for _ in range(4)] == [b"first", b"", b"x" * 300, None]


def test_a_page_is_sent_as_its_fields_its_text_and_its_markdown() -> None:
    """Texts by themselves: as JSON, 10 MB of them would block the event loop that reads them."""
    html = b"<title>Otters</title><body><div id=root></div><script src=a></script><h2>One</h2><p>two</p>"
    head, text, markdown = _parse(HEADER, html)
    fields = json.loads(head)["page"]

    assert (text, markdown) == (b"One\n\ntwo", b"## One\n\ntwo")
    assert (fields["text"], fields["markdown"]) == ("", "")
    assert (fields["url"], fields["title"]) == ("https://a.example/", "Otters")
    assert fields["needs_browser"] is True


@pytest.mark.parametrize(
    ("raised", "reply"),
    [
        (MemoryError(), ("TooLarge", "the document needs more memory than a parser may take")),
        (RecursionError(), ("TooLarge", "the document needs more memory than a parser may take")),
        (Unparsable("no text", remedy="look"), ("Unparsable", "no text")),
        (ConfigError("a setting"), ("Unparsable", "a setting")),
        (ZeroDivisionError("secret"), ("Unparsable", "the parser failed on the document (ZeroDivisionError)")),
    ],
)  # fmt: skip
def test_whatever_a_document_does_is_an_error_with_a_type(
    raised: Exception, reply: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process stays usable, and the caller gets a sentence."""

    def fail(*args: Any, **given: Any) -> Page:
        raise raised

    monkeypatch.setattr(document, "extract", fail)
    head, *texts = _parse(HEADER, b"<p>x</p>")
    error = json.loads(head)["error"]

    assert (error["type"], error["message"]) == reply
    assert set(error) == {"type", "message", "remedy"}
    assert texts == [b"", b""]
    if isinstance(raised, KensakuError):
        assert error["remedy"] == raised.remedy
    with pytest.raises(Unparsable if reply[0] == "Unparsable" else KensakuError) as caught:
        _page_from({"error": error})
    assert (type(caught.value).__name__, caught.value.message) == reply
    assert caught.value.remedy == error["remedy"]


def test_a_page_comes_back_as_it_was() -> None:
    """JSON has no tuples."""
    page = Page(
        url="https://a.example/", title="Otters", text="t", markdown="m", links=("b",), notes=("n",)
    )
    fields = page.to_dict() | {"needs_browser": page.needs_browser}

    assert _page_from({"page": json.loads(json.dumps(fields))}) == page
    assert isinstance(_page_from({"page": fields}).images, tuple)


def test_half_a_character_is_sent_as_a_question_mark() -> None:
    """What no encoding can write must not end the process."""
    assert _bytes("a\ud800é") == b"a?\xc3\xa9"


def test_memory_is_limited_and_no_core_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """A core would hold the pages of others."""
    resource = pytest.importorskip("resource", reason="Windows has no such limits")
    limits: dict[int, tuple[int, int]] = {}
    monkeypatch.setattr(resource, "setrlimit", limits.__setitem__)
    _limit_memory(5_000)

    assert limits == {resource.RLIMIT_AS: (5_000, 5_000), resource.RLIMIT_CORE: (0, 0)}


@pytest.mark.parametrize(
    ("data", "heavy"),
    [
        (b"x" * 262_144, False),
        (b"x" * 262_145, True),
        (b"x" * 1_019 + b"%PDF-", True),
        (b"x" * 1_020 + b"%PDF-", False),
        (b"xPK\x03\x04", False),
    ],
)
def test_how_much_is_heavy(data: bytes, heavy: bool) -> None:
    """256 KiB; the sign of a PDF stands in the first kilobyte, that of an archive at its start."""
    assert is_heavy(data) is heavy
