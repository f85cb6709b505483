"""Rules are cached by name and attribute, and still match each element by itself."""

from __future__ import annotations

import pytest

from kensaku.errors import TooLarge
from kensaku.extract.html.tree import parse_html
from kensaku.extract.main.builder import blocks_of
from kensaku.extract.visible import css as css_module
from kensaku.extract.visible.css import StyleSheet, _RuleIndex, _rules, parse_declarations
from kensaku.extract.visible.media import at_rule_applies


@pytest.mark.parametrize(
    ("style", "first", "second"),
    [
        ("", '<div style="color:#fff">white</div>', '<div style="color:#fff">shown</div>'),
        (".a .b{display:none}", '<i class="a"><b class="b">off</b></i>', '<b class="b">shown</b>'),
        ("[data-x='1']{display:none}", '<p data-x="1">off</p>', '<p data-x="2">shown</p>'),
        (
            "[data-x]:not([lang]){display:none}",
            "<p data-x>off</p>",
            '<p data-x lang="en">shown</p>',
        ),
        (":is(.b):first-child{display:none}", '<i><b class="b">off</b></i>', "<b>shown</b>"),
        (":root{display:none}.x{display:none}", '<p class="x">off</p>', "<p>shown</p>"),
    ],
)
def test_alike_is_not_the_same(style: str, first: str, second: str) -> None:
    """Two elements of one style, class or attribute can differ by where they stand."""
    dark = f'<div style="background:#000">{second}</div>'
    html = f"<html><head><style>{style}</style></head><body>{first}{dark}</body></html>"

    for page in (html, html.replace(first + dark, dark + first)):
        assert [block.text for block in blocks_of(parse_html(page))] == ["shown"]


@pytest.mark.parametrize(
    "css",
    [
        ".a{display:none;color:red}" * 300,
        "".join(f"p:not(.z{n}){{display:none}}" for n in range(450)),
        (".a,.b{" * 12 + "display:none" + "}" * 12) * 2_000,
    ],
    ids=["many rules of one class", "many rules of one tag", "nested lists"],
)
def test_a_sheet_that_would_take_too_long_is_refused(
    css: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules times elements is work without a bound; leaving rules out would show hidden text."""
    monkeypatch.setattr(css_module, "MOST_TESTS", 4_000)
    elements = '<div class="a b"><p>text</p></div>' * 200
    root = parse_html(f"<html><head><style>{css}</style></head><body>{elements}</body></html>")

    with pytest.raises(TooLarge):
        blocks_of(root)


@pytest.mark.parametrize(
    ("prelude", "applies"),
    [
        ("@media screen", True),
        ("@media all", True),
        ("@media print", False),
        ("@media print, screen", True),
        ("@media not print", True),
        ("@media not screen", False),
        ("@media only screen and (min-width: 1280px)", True),
        ("@media only screen and (min-width: 1281px)", False),
        ("@media (max-width: 1280px)", True),
        ("@media (max-width:1279px)", False),
        ("@media(max-width:80em)", True),
        ("@media (max-width: 79.9rem)", False),
        ("@media (min-width: 80em) and (max-width: 90em)", True),
        ("@media (min-width: 80em) and (max-width: 70em)", False),
        ("@media (width >= 1280px)", True),
        ("@media (width > 1300px)", False),
        ("@media (width <= 1280px)", True),
        ("@media (width < 1000px)", False),
        ("@media (min-device-width: 9px)", True),
        ("@media (min-height: 100px)", True),
        ("@media (max-height: 100px)", False),
        ("@media (hover: hover)", True),
        ("@media (hover: none)", False),
        ("@media (pointer: fine)", True),
        ("@media (prefers-color-scheme: light)", True),
        ("@media (prefers-color-scheme: dark)", False),
        ("@media (prefers-reduced-motion: no-preference)", True),
        ("@media (orientation: landscape)", True),
        ("@media (orientation: portrait)", False),
        ("@media (scripting: enabled)", True),
        ("@media (scripting)", True),
        ("@media (inverted: enabled)", True),
        ("@media (hover:hover)", True),
        ("@media (forced-colors: active)", False),
        ("@document url(x)", True),
        ("@-moz-document url(x)", True),
        ("@supports (display: grid)", True),
        ("@supports not (display: grid)", False),
        ("@layer base", True),
        ("@scope (.a)", True),
        ("@keyframes x", False),
        ("@font-face", False),
        ("@container (min-width: 1px)", False),
    ],
)
def test_what_applies_on_a_desktop_screen(prelude: str, applies: bool) -> None:
    """A window of 1280 pixels, light, with a mouse and scripts."""
    assert at_rule_applies(prelude) is applies


@pytest.mark.parametrize(
    ("css", "markup", "seen"),
    [
        (".a{display:none}.b{display:block}", '<p class="a b">x</p>', True),
        (".b{display:block}.a{display:none}", '<p class="a b">x</p>', False),
        ("p.a{display:none}.b{display:block}", '<p class="a b">x</p>', False),
        ("#i{display:block}p.a.b{display:none}", '<p id="i" class="a b">x</p>', True),
        (".a{display:none !important}#i{display:block}", '<p id="i" class="a">x</p>', False),
        (".a{display:none}", '<p class="a" style="display:block">x</p>', True),
        (".a{display:none!important}", '<p class="a" style="display:block">x</p>', False),
        (".a{display:none!important}", '<p class="a" style="display:block!important">x</p>', True),
        (".a{visibility:hidden}.a{color:red}", '<p class="a">x</p>', False),
        (".a:hover{display:none}.a::before{display:none}", '<p class="a">x</p>', True),
        ("p{display:none}p{display:block}", "<p>x</p>", True),
        (".o{&.a{display:none}}", '<p class="o a">x</p>', False),
        (".o{.a &{display:none}}", '<div class="a"><p class="o">x</p></div>', False),
        (".o,.q{.a{display:none}}", '<div class="q"><p class="a">x</p></div>', False),
        (".o{.a{display:none}}", '<p class="a">x</p>', True),
        ("@media print{.a{display:none}}", '<p class="a">x</p>', True),
        ("@media screen{@media print{.a{display:none}}}", '<p class="a">x</p>', True),
        ("@layer x{@media screen{.a{display:none}}}", '<p class="a">x</p>', False),
        ("/*.a{display:none}*/", '<p class="a">x</p>', True),
        ('.b{content:"}.a{display:none}"}', '<p class="a">x</p>', True),
        (".a{display:none", '<p class="a">x</p>', True),  # never closed
        (".md\\:a{display:none}", '<p class="md:a">x</p>', False),
        ("[hidden-by]{display:none}", "<p hidden-by>x</p>", False),
        ("[data-k^=v]{display:none}", '<p data-k="vw">x</p>', False),
        ("*{display:none}p{display:block}", "<p>x</p>", True),
        ("*{display:none}", "<p>x</p>", False),
        ("P{display:none}", "<p>x</p>", False),
        (".b{cursor:help}.a{display:none}", '<p class="a b">x</p>', False),
        (".z{display:none}.a{display:none}", '<p class="a">x</p>', False),
        (".a,,.b{display:none}", '<p class="b">x</p>', False),
        (".z,.a{display:none}", '<p class="a">x</p>', False),
        ("}.a{display:none}", '<p class="a">x</p>', False),
        ("[data-k$='.z']{display:none}", '<p data-k="a.z">x</p>', False),
        ("[DATA-K]{display:none}", "<p data-k>x</p>", False),
        ("p[data-k]{display:none}", "<p data-k>x</p>", False),
        ("[data-k] + p{display:none}", "<b data-k></b><p>x</p>", False),
        (".a{display:none;.b{color:red}}", '<p class="a">x</p>', False),
        ("#i.a{display:none}", '<p id="i" class="a">x</p>', False),
        ("#I{display:none}", '<p id="i">x</p>', True),
        (".a{position:absolute}.b{z-index:-1}", '<p class="a b">x</p>', False),
        (".b{z-index:-1}", '<p class="b">x</p>', True),
        (".a{overflow:hidden}.b{height:0}", '<p class="a b">x</p>', False),
        (".a{overflow:hidden}.b{max-width:0}", '<p class="a b">x</p>', False),
        (".b{height:0}", '<p class="b">x</p>', True),
        (".a{overflow:hidden}", '<p class="a" style="height:0">x</p>', False),
        (".a{position:absolute}", '<p class="a" style="z-index:-1">x</p>', False),
        (".a{background-color:#000}", '<p class="a" style="color:#000">x</p>', False),
        (".a{background-color:#000}", '<p class="a" style="color:#eee">x</p>', True),
        (".a{opacity:0}", '<p class="a">x</p>', False),
        (".a{font-size:0}", '<p class="a">x</p>', False),
        (".a{color:#fff}", '<p class="a">x</p>', False),
        (".a{background:#000}.b{color:#fff}", '<p class="a b">x</p>', True),
        (".a{-webkit-text-fill-color:#fff}", '<p class="a">x</p>', False),
        (".a{bottom:-999px}", '<p class="a">x</p>', False),
        (".a{inset:-999px}", '<p class="a">x</p>', False),
        (".a{text-indent:-999px}", '<p class="a">x</p>', False),
        (".a{clip:rect(0,0,0,0)}", '<p class="a">x</p>', False),
        (".a{transform:scale(0)}", '<p class="a">x</p>', False),
        (".a{scale:0}", '<p class="a">x</p>', False),
        (".a{zoom:0}", '<p class="a">x</p>', False),
        (".a{filter:opacity(0)}", '<p class="a">x</p>', False),
        (".a{margin:-999px}", '<p class="a">x</p>', False),
        (".a{letter-spacing:-99px}", '<p class="a">x</p>', False),
        (".a{translate:-9999px}", '<p class="a">x</p>', False),
        (".a{mask-size:0}", '<p class="a">x</p>', False),
    ],
)  # fmt: skip
def test_the_rule_that_wins_decides(css: str, markup: str, seen: bool) -> None:
    """By importance, then by weight, then by order, as in a browser."""
    page = f"<html><head><style>{css}</style></head><body>{markup}<i>end</i></body></html>"
    texts = " ".join(block.text for block in blocks_of(parse_html(page))).split()

    assert ("x" in texts) is seen


LONG = "." + "a" * 998


@pytest.mark.parametrize(
    ("css", "rules"),
    [
        (".a{top:1px}.b,.c{top:2px}", [(".a", "top:1px"), (".b,.c", "top:2px")]),
        (".a{top:1px;.b{left:0}right:2px}", [(".a .b", "left:0"), (".a", "top:1px;right:2px")]),
        (".a,.b{.c,&.d{top:1px}}", [(".a .c,.a.d,.b .c,.b.d", "top:1px"), (".a,.b", ";")]),
        (".a{@media screen{top:1px}}", [(".a", "top:1px"), (".a", ";")]),
        (".a{@media print{top:1px}}", [(".a", ";")]),
        ("@media print{.a{top:1px}}.b{top:2px}", [(".b", "top:2px")]),
        ("@media screen{.a{top:1px}}", [(".a", "top:1px")]),
        ("@import 'a.css';.a{top:1px}", [(".a", "top:1px")]),
        (".a{top:1px/*}*/}.b/**/{}", [(".a", "top:1px "), (".b", "")]),
        ("[k='a,b']{}[k=\"X;\"]{}[k='X']{}", [('[k=""]', ""), ('[k=""]', ""), ("[k='X']", "")]),
        ("[k='{']{}[k='}']{}", [('[k=""]', ""), ('[k=""]', "")]),
        ("}.a{top:1px}} .b{", [(".a", "top:1px")]),
        (f"{LONG}{{{LONG}b{{}}}}", [(f"{LONG} {LONG}b", ""), (LONG, ";")]),  # 1,999 characters
        (f"{LONG}b{{{LONG}b{{}}}}", [(f"{LONG}b", ""), (f"{LONG}b", ";")]),  # 2,000
    ],
)  # fmt: skip
def test_a_sheet_is_read_as_selectors_with_their_bodies(
    css: str, rules: list[tuple[str, str]]
) -> None:
    """Nested ones with those around them; nothing that is for paper."""
    assert _rules(css) == rules


def test_the_selectors_of_a_sheet_have_six_million_characters_at_most() -> None:
    """Nesting multiplies them."""
    assert len(_rules("a" * 2_999_999 + "{}" + "b" * 3_000_001 + "{}")) == 2
    with pytest.raises(TooLarge):
        _rules("a" * 2_999_999 + "{}" + "b" * 3_000_002 + "{}")


def test_elements_are_tested_four_hundred_thousand_times_at_most() -> None:
    """Against rules; the error says so."""
    index = _RuleIndex()
    index._count_tests(399_999)
    index._count_tests(1)
    with pytest.raises(TooLarge, match="more than 400,000 tests"):
        index._count_tests(1)


@pytest.mark.parametrize(
    ("css", "markup", "tests"),
    [
        (".a{color:red}" * 3, '<p class="a">', 6),  # as candidates, then as rules
        (".a{color:red}" * 3, '<p class="a"><p class="a">', 9),  # candidates of a name are kept
        (".a{color:red}" * 3, '<p class="a"><p class="a" id="i">', 12),
        ("b.a{color:red}" * 3, '<p class="a">', 3),
        ("[lang=x]{color:red}" * 3, '<p lang="y"><p lang="z"><p lang="y">', 6),
        ("[lang=x]{color:red}" * 3, '<p lang="x"><p lang="x">', 9),
        ("p{color:red}#i{color:red}*{color:red}", '<p id="i">', 6),
    ],
)  # fmt: skip
def test_the_tests_of_a_page_are_counted(css: str, markup: str, tests: int) -> None:
    """Each candidate, and each rule that is tried on an element."""
    sheet = StyleSheet([css], {"a", "i"}, lambda _: True)
    for element in parse_html(f"<body>{markup}</body>").iter("p"):
        sheet.matching(element, "p", dict(element.items()))

    assert sheet._hiding._tests == tests


def test_declarations_are_read_in_lower_case_important_ones_apart() -> None:
    """Comments and escapes hide words from a reader of text, and not from a browser."""
    body = "COLOR : Red; d\\69splay: NONE/**/; top:1px !IMPORTANT;broken; : x; a:b:c"

    normal, important = parse_declarations(body)

    assert normal == {"color": "red", "display": "none", "": "x", "a": "b:c"}
    assert important == {"top": "1px"}


def test_a_page_has_forty_thousand_rules_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those for names that the page does not use are not counted."""
    with pytest.raises(TooLarge, match="more than 40,000 style rules"):
        StyleSheet([".a" + ",.a" * 40_000 + "{top:0}"], {"a"}, lambda _: False)

    monkeypatch.setattr(css_module, "MOST_RULES", 4)
    StyleSheet([".a,.a{top:0}" * 2 + ".z{top:0}"], {"a"}, lambda _: False)
    for sheet in (".a{top:0}" * 5, ".a{top:0}" * 3 + ".a,.a{top:0}"):
        with pytest.raises(TooLarge):
            StyleSheet([sheet], {"a"}, lambda _: False)
