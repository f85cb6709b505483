"""The style sheets inside a page: what they hide is not read, and what they show is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kensaku.errors import TooLarge
from kensaku.extract import extract_html


def shown(page: str) -> list[str]:
    """The words of a page that its readers see."""
    return extract_html(page).text.split()


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
        assert shown(page) == ["shown"]


@pytest.mark.parametrize(
    "css",
    [
        ".a{display:none}" * 3_000,
        (".a,.b{" * 12 + "display:none" + "}" * 12) * 2_000,
        ".a" + ",.a" * 40_000 + "{display:none}",
        "a" * 3_000_000 + "{}" + "b" * 3_000_002 + "{}",
    ],
    ids=["rules times elements", "nested lists", "many rules", "long selectors"],
)
@pytest.mark.usefixtures("volume")
def test_a_sheet_that_would_take_too_long_is_refused(css: str) -> None:
    """Work without a bound; leaving rules out would show hidden text."""
    elements = '<div class="a b"><p>text</p></div>' * 200
    with pytest.raises(TooLarge):
        extract_html(f"<html><head><style>{css}</style></head><body>{elements}</body></html>")


def test_rules_for_what_a_page_does_not_have_are_free() -> None:
    """Sheets of whole sites stand in each of their pages."""
    css = "".join(f".z{n}{{display:none}}" for n in range(50_000))

    assert shown(f"<style>{css}.a{{display:none}}</style><p>seen</p><p class=a>off</p>") == ["seen"]


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
    page = f"<style>{prelude}{{.a{{display:none}}}}</style><p class=a>off</p><p>seen</p>"

    assert ("off" not in shown(page)) is applies


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
        (".a{font-size:0}", '<p class="a">x</p>', False),
        (".a{color:#fff}", '<p class="a">x</p>', False),
        (".a{background:#000}.b{color:#fff}", '<p class="a b">x</p>', True),
        (".a{-webkit-text-fill-color:#fff}", '<p class="a">x</p>', False),
        (".a{text-indent:-999px}", '<p class="a">x</p>', False),
        (".a{d\\69splay: NONE/**/}", '<p class="a">x</p>', False),
        (".a{broken;DISPLAY : None !IMPORTANT}", '<p class="a">x</p>', False),
        ("@import 'a.css';.a{display:none}", '<p class="a">x</p>', False),
        (".a{@media screen{display:none}}", '<p class="a">x</p>', False),
        (".a{@media print{display:none}}", '<p class="a">x</p>', True),
        (".a,.b{.c,&.d{display:none}}", '<div class="b"><p class="c">x</p></div>', False),
        (".a,.b{.c,&.d{display:none}}", '<p class="b d">x</p>', False),
        (".o{top:1px;.b{left:0}display:none}", '<p class="o">x</p>', False),
        ("[k='{']{color:red}.a{display:none}", '<p class="a">x</p>', False),
    ],
)  # fmt: skip
def test_the_rule_that_wins_decides(css: str, markup: str, seen: bool) -> None:
    """By importance, then by weight, then by order, as in a browser."""
    page = f"<html><head><style>{css}</style></head><body>{markup}<i>end</i></body></html>"

    assert ("x" in shown(page)) is seen


def escaped(word: str) -> st.SearchStrategy[str]:
    """The word as style sheets may write it: each letter plain, or by its number."""
    ways = [st.sampled_from([c, c.upper(), f"\\{ord(c):x} ", f"\\{ord(c):06x}"]) for c in word]
    return st.tuples(*ways).map("".join)


@settings(max_examples=40, deadline=None)
@given(name=escaped("display"), value=escaped("none"), kind=escaped("class"), tag=escaped("p"))
def test_an_escaped_name_hides_as_the_plain_one_does(
    name: str, value: str, kind: str, tag: str
) -> None:
    """A browser reads escapes everywhere: so does a reader of what is hidden."""
    for markup in (
        f'<p style="{name}:{value}">off</p>',
        f"<style>.a{{{name}:{value}}}</style><p class=a>off</p>",
        f"<style>{tag}[{kind}=a]{{display:none}}</style><p class=a>off</p>",
    ):
        assert shown(f"{markup}<div>seen</div>") == ["seen"]
