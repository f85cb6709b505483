"""What readers do not see does not reach a model; what they see does (gate G4)."""

from __future__ import annotations

import pytest

from kensaku.extract import extract_html
from kensaku.extract.html.tree import parse_html
from kensaku.extract.main.builder import blocks_of
from tests.extract.visible.corpus import HIDDEN, HIDDEN_WORD, SEEN, SEEN_WORD, page


def test_the_corpus_is_as_large_as_the_gate() -> None:
    """The gate counts 72 techniques."""
    assert len(HIDDEN) >= 72
    assert len(SEEN) >= 40


@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_text_is_left_out_and_the_rest_kept(name: str) -> None:
    """Extractors leak 33 to 59 of 72 techniques; each leak is a way to give orders to an agent."""
    found = extract_html(page(HIDDEN[name]), "https://example.org/birds")

    for where in (found.title, found.text, found.markdown, found.author or "", *found.links):
        assert HIDDEN_WORD not in where
    for word in ("alphaword", "betaword", "gammaword"):
        assert word in found.text
        assert word in found.markdown


@pytest.mark.parametrize("name", SEEN)
def test_what_is_seen_is_kept(name: str) -> None:
    """A strip that takes too much would pass the other test."""
    found = extract_html(page(SEEN[name]), "https://example.org/birds")

    assert SEEN_WORD in found.text
    for word in ("alphaword", "betaword", "gammaword"):
        assert word in found.text


def test_a_page_that_is_covered_until_it_has_loaded_is_read() -> None:
    """Sites set `visibility:hidden` on everything until their scripts run."""
    body = "<p>" + "The heron stands in the river and waits for a fish. " * 40 + "</p>"
    html = f'<body><div style="visibility:hidden"><h1>Herons</h1>{body}</div></body>'

    assert "waits for a fish" in extract_html(html).text


def test_a_page_without_a_title_that_is_shown_by_its_scripts_is_read() -> None:
    """Shops hide nearly all of a page until a script has checked the visitor's country."""
    body = "<p>" + "The heron stands in the river and waits for a fish. " * 40 + "</p>"
    html = f'<body><p>Please wait.</p><div style="display:none">{body}</div></body>'

    assert "waits for a fish" in extract_html(html).text


def test_invisible_characters_are_removed_from_every_field() -> None:
    """Tags, zero width spaces and bidi controls hide words inside visible text."""
    html = page(
        "<p>Ducks\u200b are \u202ebirds\U000e0069\U000e0067 that swim on ponds and lakes.</p>"
    )
    found = extract_html(html.replace("Birds of the river", "Bir\u200bds of the river"))

    assert "Ducks are birds that swim" in found.text
    assert "Ducks are birds that swim" in found.markdown
    assert found.title == "Birds of the river"


SEEN_AND_HIDDEN = [
    ('<p style="font-size:2.1px">x</p>', '<p style="font-size:2px">x</p>'),
    ('<p style="text-indent:-499px">x</p>', '<p style="text-indent:-500px">x</p>'),
    ('<p style="color:rgba(0,0,0,.06)">x</p>', '<p style="color:rgba(0,0,0,.04)">x</p>'),
    ('<div style="visibility:hidden"><p style="visibility:visible">x', '<p style="visibility:hidden">x'),
    ('<div style="font-size:0"><p style="font-size:9px">x', '<div style="font-size:0"><p>x'),
    ('<font color="Black">x', '<font color="White">x'),
    ('<b color="white">x', '<b style="color:White">x'),
    ('<p text="white">x', '<p style="visibility:collapse">x'),
    ('<table><td bgcolor="Black" style="color:#fff">x', '<table><td bgcolor="White" style="color:#fff">x'),
    ('<p style="font:12px/1 serif">x', '<p style="font:1px/1 serif">x'),
    ('<p style="color:#000;-webkit-text-fill-color:#000">x', '<p style="color:#000;-webkit-text-fill-color:#fff">x'),
    ('<p style="color:transparent;background-clip:text">x', '<p style="color:transparent;background-clip:border-box">x'),
    ('<del aria-hidden=true>x</del>', '<del hidden>x</del>'),
    ('<ins aria-hidden=true>x</ins>', '<b aria-hidden=true>x</b>'),
    ('<p aria-hidden>x', '<p popover>x'),
    ('<body inert><p>x', '<p inert>x'),
    ('<body style="display:none"><p>x', '<div style="display:none"><p>x'),
    ('<main style="visibility:hidden"><p>x', '<section style="visibility:hidden"><p>x'),
    ('<style media=all>b{color:red}</style><p style="color:#eee">x', '<style>b{color:red}</style><p style="color:#f9f9f9">x'),
    ('<p style="color:#111">a</p><p style="color:#111">x', '<p style="color:#fff">a</p><p style="color:#fff">x'),
    ('<h3>+</h3><p class=faq style="visibility:hidden">x', '<div style="visibility:hidden"><h3>+</h3><p class=faq style="visibility:hidden">x'),
    ('<div style="color:transparent"><p style="color:transparent;-webkit-background-clip:text">x', '<div style="color:transparent"><p>x'),
    ('<link rel=stylesheet href=a><div style="background:#fff"><p style="color:#fff">x', '<div style="background:#fff"><p style="color:#fff">x'),
    ('<body text="black"><p>x', '<body text="white"><p>x'),
    ('<body bgcolor="#eee"><p style="color:#fff">x', '<body bgcolor="#fff"><p style="color:#fff">x'),
    ('<p style="color:#fff;background:url(a.png)">x', '<p style="color:#fff;background:none">x'),
    ('<p style="color:#fff;background-image:linear-gradient(red,blue)">x', '<p style="color:#fff">x'),
    ('<p style="color:#fff;background:rgba(0,0,0,.5)">x', '<p style="color:#fff;background:rgba(255,255,255,.95)">x'),
    ('<p style="color:#fff;background:rgba(0,0,0,.95)">x', '<p style="color:#fff;background:rgba(0,0,0,0)">x'),
    ('<p style="color:transparent;-webkit-background-clip:text">x', '<p style="color:transparent">x'),
    ('<p style="color:#fff;-webkit-text-fill-color:#000">x', '<p style="-webkit-text-fill-color:#fff">x'),
    ('<link rel="Stylesheet" href=a><p style="color:#fff">x', '<link rel=icon href=a><p style="color:#fff">x'),
    ('<link rel=stylesheet href=a><p style="color:#fff;background:#000">x', '<link rel=stylesheet href=a><p style="color:#fff;background:#fff">x'),
    ('<style media=print>p{display:none}</style><p>x', '<style media=screen>p{display:none}</style><p>x'),
    ("<dialog open><p>x</dialog>", "<dialog><p>x</dialog>"),
    ('<p aria-hidden="false">x', '<p aria-hidden=" TRUE ">x'),
    ("<main hidden><p>x", "<p hidden>x"),
    ('<p style="opacity:0;transition:opacity 1s">x', '<p style="opacity:0;transition:none">x'),
    ('<p style="display:none;animation:in 1s;opacity:0" id=a>x<a aria-controls="b a">', '<p style="display:none;animation:in 1s" id=a>x'),
    ('<button data-bs-target="#a">+</button><p id=a hidden>x', '<button>+</button><p id=a hidden>x'),
    ('<a role=tab href="#a">+</a><p id=a hidden>x', '<a href="#a">+</a><p id=a hidden>x'),
    ("<p role=tabpanel hidden>x", "<p role=tab hidden>x"),
    ("<h3>+</h3><p class=faq-text hidden>x", "<h3>+</h3><p class=text hidden>x"),
    ("<h3>+</h3><div><p class=accordion-body hidden>x</div>", "<div><p class=accordion-body hidden>x</div>"),
    ("<button>+</button><div><div hidden><p>x</div></div>", "<button>+</button><div><i>y</i><div hidden><p>x</div></div>"),
    ('<template id="B:1"></template><p hidden id="S:1">x', '<p hidden id="S:1">x'),
    ('<template id="P:1f"></template><p hidden id="S:1f">x', '<template id="P:2f"></template><p hidden id="S:1f">x'),
    ('<script>$RC("B:2","S:2")</script><p hidden id="S:2">x', '<script>$RC("B:2","S:3")</script><p hidden id="S:2">x'),
    ('<p class="d-none d-md-block">x', '<p class="d-none d-print-block">x'),
    ('<p class="hidden min-[900px]:flex">x', '<p class="hidden">x'),
    ('<p class="invisible md:visible">x', '<p class="invisible">x'),
    ('<p class="sr-only md:not-sr-only">x', '<p class="sr-only">x'),
    ("<style>.d-none{display:block}</style><p class=d-none>x", "<style>.a{display:block}</style><p class=d-none>x"),
]  # fmt: skip


@pytest.mark.parametrize(("seen", "hidden"), SEEN_AND_HIDDEN)
def test_the_bound_between_what_is_seen_and_what_is_hidden(seen: str, hidden: str) -> None:
    """Two pages that differ by as little as they can."""
    assert "x" in [block.text for block in blocks_of(parse_html(seen))]
    assert "x" not in [block.text for block in blocks_of(parse_html(hidden))]


@pytest.mark.parametrize(("chars", "seen"), [(30_000, False), (30_001, True)])
def test_the_ground_of_a_page_with_much_css_is_not_known(chars: int, seen: bool) -> None:
    """A rule that is not understood may have made it dark."""
    sheets = f"<style>{' ' * 15_000}</style><style>{' ' * (chars - 15_000)}</style>"
    blocks = blocks_of(parse_html(f"{sheets}<p style='color:#fff'>x"))

    assert bool(blocks) is seen
