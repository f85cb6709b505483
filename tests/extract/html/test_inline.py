"""The text of a block in Markdown: links, code, emphasis, lists and code blocks."""

from __future__ import annotations

import pytest

from kensaku.extract.html.markdown import render
from kensaku.extract.html.tree import parse_html
from kensaku.extract.main.builder import blocks_of


def marked(body: str) -> str:
    """The Markdown of all that is visible."""
    return render(blocks_of(parse_html(f"<body>{body}</body>")), "https://a.example/")[1]


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("a <b>bold</b> <i>word</i>", "a **bold** *word*"),
        ("<b>two</b> <b>words</b>", "**two words**"),
        (
            "<a href=/x>one</a> <a href=/x>two</a>",
            "[one](https://a.example/x) [two](https://a.example/x)",
        ),
        ("<a href=/x><b>x</b></a> y", "[**x**](https://a.example/x) y"),
        ("<b>“bold”</b>, x", "“**bold**”, x"),
        ("<b>…</b> x <b>--</b>", "**…** x --"),
        ("<i>“Quoted.”</i> He", "“*Quoted*.” He"),
        ("<b>Note:</b>this", "**Note**:this"),
        ("s<b>pli</b>t and 1<b>,5</b>", "split and 1,5"),
        ("<code>a  b</code> x", "`a b` x"),
        ("<code>a``b</code> x", "```a``b``` x"),
        ("<code>`a</code> x", "`` `a `` x"),
        ("wow!<a href=/x>x</a>", "wow\\![x](https://a.example/x)"),
        ("<a href='/a(b)<c>\\'>x</a>", "[x](https://a.example/a%28b%29%3Cc%3E%5C)"),
        ("<a href=/x>[1] a</a>", "[\\[1\\] a](https://a.example/x)"),
        ("<a href=javascript:x>word</a> y", "word y"),
        (f"x <b>{'b' * 300}</b>", f"x **{'b' * 300}**"),
        (f"x <b>{'b' * 301}</b>", f"x {'b' * 301}"),
        (f"x <code>{'b' * 301}</code>", f"x `{'b' * 301}`"),
        ("x <b>a<br>b</b>", "x **a**\n**b**"),
        ("x <a href=/x>a<br>b</a>", "x [a](https://a.example/x)\n[b](https://a.example/x)"),
        ("a*b* _c_ [d](e) &lt;b&gt; &amp;amp;", "a\\*b\\* \\_c\\_ \\[d\\](e) \\<b> \\&amp;"),
    ],
)
def test_a_line_is_marked_where_the_page_marks_it(html: str, markdown: str) -> None:
    """And escaped where it only looks like Markdown."""
    assert marked(f"<p>{html}</p>") == markdown


def test_a_heading_has_no_emphasis_of_its_own() -> None:
    """It is emphasised as a whole."""
    assert marked("<h2>The <b>otter</b></h2>") == "## The otter"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<ol start=4><li>a<li value=9>b<li>c</ol>", "4. a\n9. b\n6. c"),
        ("<ol start=x><li value=-1>a</ol>", "1. a"),
        ("<ol start=12345678><li>a</ol>", "12345678. a"),
        ("<ol start=123456789><li>a</ol>", "1. a"),
        ("<ol><li>a<ul><li>b</ul></ol>", "1. a\n   - b"),
        ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"),
        ("<ul><li><h3>a</h3><p>x</p><li><h3>b</h3></ul>", "### a\n\nx\n\n### b"),
        ("<pre data-lang=Rust>a</pre>", "```rust\na\n```"),
        ("<pre><div>a<br>b</div><div> c </div></pre>", "```\na\nb\n c\n```"),
        ("<div class=highlight-js><div><pre>a</pre></div></div>", "```js\na\n```"),
        ("<div class=highlight-js><div><div><pre>a</pre></div></div></div>", "```\na\n```"),
        ("<h2>The <b>otter</b></h2>", "## The otter"),
    ],
)
def test_lists_quotes_and_code_are_written_as_markdown(html: str, markdown: str) -> None:
    """Numbers as the page counts them, items without empty lines, code with its language."""
    assert marked(html) == markdown
