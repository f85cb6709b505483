"""Hidden parts that a reader gets to see: by a click, while scrolling, or once a page has loaded."""

from __future__ import annotations

import pytest

from kensaku.extract.html.tree import Element, parse_html
from kensaku.extract.visible.toggles import Toggles

PANEL = "<div id=x><p>text</p></div>"


def page_with(html: str) -> tuple[Toggles, Element]:
    """The toggles of a page, and its element `x`: by id, or by the attribute `x`."""
    root = parse_html(f"<html><body>{html}</body></html>")
    return Toggles(root), root.xpath("//*[@id='x' or @x]")[0]


def toggled(html: str) -> bool:
    toggles, element = page_with(html)
    return toggles.is_toggled(element, dict(element.items()))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"<a aria-controls='a x'>+</a><i></i>{PANEL}", True),
        (f"<a data-target='#x'>+</a><i></i>{PANEL}", True),
        (f"<a data-bs-target='#x'>+</a><i></i>{PANEL}", True),
        (f"<a role=tab href='#x'>+</a><i></i>{PANEL}", True),
        (f"<a href='#x'>+</a><i></i>{PANEL}", False),
        (f"<a aria-controls='y'>+</a><i></i>{PANEL}", False),
        ("<a aria-controls='X'>+</a><i></i><div x><p>text</p></div>", False),
        ("<a data-target='#Xy'>+</a><i></i><div x id=Xy><p>text</p></div>", True),
        ("<a data-target='#Xy'>+</a><i></i><div x id=y><p>text</p></div>", False),
        ("<div id=x role=tabpanel>text</div>", True),
        ("<div id=x role=tab>text</div>", False),
    ],
)  # fmt: skip
def test_a_control_names_what_it_shows(html: str, expected: bool) -> None:
    """By its id, in one of the attributes that frameworks use."""
    assert toggled(html) is expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h3>+</h3><p x class=accordion-body>text</p>", True),
        ("<h3>+</h3><p x id=faq-2>text</p>", True),
        ("<h3>+</h3><div><p x class=tabpane>text</p></div>", True),
        ("<section><div><p x class=tab-pane>text</p></div></section>", False),
        ("<h3>+</h3><section><div><p x class=tab-pane>text</p></div></section>", False),
        ("<h3>+</h3><p x class='tab pane'>text</p>", False),
        ("<h3>+</h3><p x class='slick-slide'>text</p>", True),
        ("<h3>+</h3><p x class='slick-slide slick-cloned'>text</p>", False),
        ("<h3>+</h3><p x class=note>text</p>", False),
    ],
)  # fmt: skip
def test_a_name_counts_when_something_stands_before(html: str, expected: bool) -> None:
    """A class is no evidence without a control, which is before the part or before its parent."""
    assert toggled(html) is expected


PARTS = "<b></b>" * 10


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"<button>+</button>{PANEL}", True),
        (f"<b>+</b>{PANEL}", False),
        (f"<h3 aria-expanded=false>+</h3>{PANEL}", True),
        (f"<h3>{PARTS}<b aria-expanded></b></h3>{PANEL}", True),  # the twelfth element
        (f"<h3>{PARTS}<b></b><b aria-expanded></b></h3>{PANEL}", False),
        ("<button>+</button><div id=x>text</div>", False),  # a hint for screen readers
        ("<button>+</button><div id=x role=menu><p>text</p></div>", False),
        ("<button>+</button><div id=x role=region><p>text</p></div>", True),
        (f"<button>+</button><style></style>{PANEL}", True),
        (f"<button>+</button><style></style><script></script><style></style>{PANEL}", True),
        (f"<button>+</button><hr>{PANEL}", False),
        (f"<button>+</button><div>{PANEL}</div>", True),
        (f"<button>+</button><div>{PANEL}<i>y</i></div>", False),
        (f"<button>+</button><div><div>{PANEL}</div></div>", False),
        (f"<button>+</button><div><b>y</b>{PANEL}</div>", False),
        (f"<b>+</b><section><button>+</button>{PANEL}</section>", True),
        (PANEL, False),
        (f"<nav><button>+</button>{PANEL}</nav>", False),
        (f"<form><div><button>+</button>{PANEL}</div></form>", False),
        (f"<aside><button>+</button>{PANEL}</aside>", True),
    ],
)  # fmt: skip
def test_a_part_behind_a_button_is_shown_by_it(html: str, expected: bool) -> None:
    """Directly behind it, or alone in an element that is, and not in a menu."""
    assert toggled(html) is expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<template id='B:1f'></template><p id='S:1f' x>text</p>", True),
        ("<template id='P:1f'></template><p id='S:1f' x>text</p>", True),
        ("<template id='X:1f'></template><p id='S:1f' x>text</p>", False),
        ("<template id='B:1'></template><p id='S:1f' x>text</p>", False),
        ("<template id='B:12345'></template><p id='S:12345' x>text</p>", False),
        ("<script src=a></script><script>$RC('b', \"S:2\")</script><p id='S:2' x>text</p>", True),
        ("<script src=a></script><script>$RC('b', \"S:22\")</script><p id='S:2' x>text</p>", False),
        ("<a aria-controls='S:2'>+</a><p id='S:2' x>text</p>", False),
    ],
)  # fmt: skip
def test_a_late_part_of_react_replaces_its_template(html: str, expected: bool) -> None:
    """Four hexadecimal digits at most number it."""
    assert toggled(html) is expected


@pytest.mark.parametrize(
    ("classes", "declared", "expected"),
    [
        ("a wow", {}, True),
        ("a wowed", {}, False),
        ("", {}, False),
        ("", {"transform": "translateY(9px)"}, True),
        ("", {"will-change": "opacity"}, True),
        ("", {"transform": "none", "transition": "", "animation": "none"}, False),
        ("", {"color": "red"}, False),
    ],
)
def test_a_part_that_fades_in_is_animated(
    classes: str, declared: dict[str, str], expected: bool
) -> None:
    """By a class of a page builder, or by what is declared for it."""
    toggles, _ = page_with(PANEL)

    assert toggles.is_animated({"class": classes}, declared) is expected
    assert classes or toggles.is_animated({}, declared) is expected


def words(count: int) -> str:
    return "word " * count


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"<div id=x><h1>{words(150)}</h1></div>", True),
        (f"<div id=x><h1>{words(149)}</h1></div>", False),
        (f"<div id=x><h1>{words(180)}</h1></div>{words(120)}", True),  # 60 % with a title
        (f"<div id=x><main>{words(180)}</main></div>{words(120)}", True),
        (f"<div id=x>{words(240)}</div>{words(60)}", True),  # 80 % without
        (f"<div><div id=x>{words(240)}</div></div>", True),
        (f"<div><div><div id=x>{words(240)}</div></div></div>", False),
        (f"<div><div><div id=x><h1>a</h1>{words(240)}</div></div></div>", True),
        (f"<div id=x>{words(140)}<script>{words(99)}</script></div>", False),
        (f"<div id=x>{words(160)}</div><style>{words(99)}</style>", True),
    ],
)  # fmt: skip
def test_the_page_itself_is_shown_once_it_has_loaded(html: str, expected: bool) -> None:
    """A part with nearly all of its words, of which there are at least 150."""
    toggles, element = page_with(html)

    assert [toggles.is_whole_page(element) for _ in range(2)] == [expected] * 2
