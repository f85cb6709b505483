"""Markdown that says what the page says, read back by a Markdown parser that is not ours."""

from __future__ import annotations

import random
import re

import pytest
from markdown_it import MarkdownIt

from kensaku.extract import extract_html
from kensaku.extract.html.markdown import render
from kensaku.extract.html.tree import parse_html
from kensaku.extract.main.builder import blocks_of
from tests.growth import growth

BASE = "https://example.org/notes/"
SENTENCE = "The otter swims on its back and opens shells with a stone that it keeps under its arm. "


def markdown(body: str) -> str:
    return extract_html(f"<main><p>{SENTENCE}</p>{body}</main>", BASE).markdown.partition("\n\n")[2]


def text(body: str) -> str:
    return extract_html(f"<main><p>{SENTENCE}</p>{body}</main>", BASE).text.partition("\n\n")[2]


def read_back(marked: str) -> str:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(marked)


def test_tables_keep_their_columns() -> None:
    """A value in the wrong column is a wrong value."""
    table = (
        "<table><tr><th>Animal</th><th>Length</th><th>Weight</th></tr>"
        "<tr><td>River otter</td><td></td><td>9 kg</td></tr>"
        "<tr><td>a | b</td><td>1.5 m</td><td></td></tr></table>"
    )

    assert markdown(table).split("\n") == [
        "| Animal | Length | Weight |",
        "| --- | --- | --- |",
        "| River otter |  | 9 kg |",
        "| a \\| b | 1.5 m |  |",
    ]
    assert text(table).split("\n") == [
        "Animal | Length | Weight",
        "River otter |  | 9 kg",
        "a | b | 1.5 m |",
    ]


def test_spans_are_expanded() -> None:
    """Each row of a Markdown table has as many cells as its head."""
    table = (
        "<table><tr><th rowspan=2>Animal</th><th colspan=2>Size</th></tr>"
        "<tr><th>Length</th><th>Weight</th></tr>"
        "<tr><td rowspan=2>Otter</td><td>1 m</td><td>9 kg</td></tr><tr><td>2 m</td><td>20 kg</td></tr>"
        "<tr><td colspan=3>All of them swim</td></tr></table>"
    )

    assert markdown(table).split("\n") == [
        "| Animal | Size | Size |",
        "| --- | --- | --- |",
        "| Animal | Length | Weight |",
        "| Otter | 1 m | 9 kg |",
        "| Otter | 2 m | 20 kg |",
        "| All of them swim |  |  |",
    ]
    assert text(table).count("Otter") == 1


def test_a_table_with_a_head_may_have_long_cells() -> None:
    """Without a head, a long cell is the column of a page."""
    row = f"<tr><td>Monday</td><td>{SENTENCE * 5}</td></tr>"

    assert "| Day | Notes |" in markdown(f"<table><tr><th>Day</th><th>Notes</th></tr>{row}</table>")
    assert "|" not in markdown(f"<table><tr><td>Day</td><td>Notes</td></tr>{row}</table>")


def test_a_hostile_span_does_not_grow_the_table() -> None:
    """A page may ask for a billion columns."""
    rows = "<tr><td colspan=999999999 rowspan=99999>a</td><td>b</td></tr>" * 1_100

    assert len(markdown(f"<table>{rows}</table>")) < 1_000_000


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ('<pre><code class="language-python">x</code></pre>', "python"),
        ('<pre class="language-js"><code>x</code></pre>', "js"),
        ('<pre data-lang="go">x</pre>', "go"),
        ('<div class="highlight highlight-source-rust"><pre>x</pre></div>', "rust"),
        (
            '<div class="highlight-c++ notranslate"><div class="highlight"><pre>x</pre></div></div>',
            "c++",
        ),
        ('<pre class="brush: sql; toolbar: false">x</pre>', "sql"),
        ('<pre><code class="hljs bash">x</code></pre>', "bash"),
        ('<pre lang="en"><code class="code-block">x</code></pre>', ""),
    ],
)
def test_code_names_its_language(code: str, language: str) -> None:
    """As the common highlighters write it."""
    assert markdown(code) == f"```{language}\nx\n```"


def test_code_keeps_its_lines_and_fences() -> None:
    """The first line's indentation, lines in elements of their own, and fences inside."""
    assert markdown("<pre>\n    if x:\n        y()\n\n    z</pre>") == (
        "```\n    if x:\n        y()\n\n    z\n```"
    )
    lines = (
        "<pre><code><div class=l>def f():</div><div class=l>    return <b>1</b></div></code></pre>"
    )
    assert markdown(lines) == "```\ndef f():\n    return 1\n```"
    assert markdown("<pre>```\na\n````\n</pre>") == "`````\n```\na\n````\n`````"
    assert markdown("<p>Call <code>a`b</code> now</p>") == "Call ``a`b`` now"
    spans = "<p>Use <code><span>os</span><span>.path</span></code></p>"
    assert markdown(spans) == "Use `os.path`"


def test_lists_in_quotes_and_code_in_lists() -> None:
    """Read back, the structure is that of the page."""
    body = (
        "<blockquote><p>She said:</p><ul><li>one</li><li>two<ul><li>deep</li></ul></li></ul></blockquote>"
        '<ol start="3"><li>Install it:<pre>pip install x\npip check</pre></li><li>Run it</li>'
        '<li value="9">Nine</li></ol>'
    )
    marked = markdown(body)

    assert marked == (
        "> She said:\n>\n> - one\n> - two\n>   - deep\n\n"
        "3. Install it:\n\n   ```\n   pip install x\n   pip check\n   ```\n\n4. Run it\n9. Nine"
    )
    html = read_back(marked)
    assert re.search(r"<blockquote>.*<li>two\s*<ul>\s*<li>deep", html, re.DOTALL)
    assert '<ol start="3">' in html
    assert "<pre><code>pip install x\npip check\n</code></pre>" in html


def test_raised_and_lowered_characters_are_told_from_ordinary_ones() -> None:
    """x² is not x2."""
    body = (
        "<p>E = mc<sup>2</sup>, H<sub>2</sub>O, 10<sup>-6</sup>, x<sup>k+1</sup>, a<sub>ij</sub>, "
        'the 1<sup>st</sup>, Kensaku<sup>™</sup>, said<sup><a href="#n1">4</a></sup>, '
        f"y<sup>{'long' * 10}</sup>, z<sub>{'longer' * 7}</sub></p>"
    )
    wanted = "E = mc², H₂O, 10⁻⁶, x^(k+1), a_ij, the 1st, Kensaku™, said[4], "
    wanted += f"y^{'long' * 10}, z{'longer' * 7}"

    assert text(body) == wanted
    assert read_back(markdown(body)) == f"<p>{wanted}</p>\n"


HOSTILE = [
    "![x](https://evil.example/p.png)", "[x](https://evil.example)", "<img src=https://evil.example>",
    "[x]: https://evil.example", "[x][y]", "<https://evil.example>", "*a* _b_ **c** __d__ ~~e~~",
    "# heading", "> quote", "- item", "+ item", "* item", "1. item", "2) item", "---", "***", "===",
    "`code`", "```", "~~~", "&lt;b&gt; &amp;amp;", "\\[x](https://evil.example)", "a\\", "| a | b |",
    "snake_case_name", "2 * 3 * 4", "f(x)[0]", "array[i](j)", "    indented", "<script>", "&copy; 2024",
    "![", "](https://evil.example)", "[", "]", "(https://evil.example)", "!", "<", "*", "_", "`", "\\",
]  # fmt: skip
LIVE = re.compile(
    r"<(?!/?(?:p|br ?/?|li|ul|strong|em|a|code)\b)[a-z]|<a href=\"(?!https://ok\.example)"
)


def _escaped(words: str) -> str:
    return words.replace("&", "&amp;").replace("<", "&lt;")


@pytest.mark.parametrize("words", HOSTILE)
def test_text_that_looks_like_markdown_stays_text(words: str) -> None:
    """What a page shows as text must not become an image, a link or markup in a chat window."""
    html = read_back(markdown(f"<p>{_escaped(words)}</p>"))

    assert html == f"<p>{MarkdownIt().utils.escapeHtml(' '.join(words.split()))}</p>\n"


@pytest.mark.parametrize("seed", range(40))
def test_no_mixture_of_marks_becomes_live(seed: int) -> None:
    """Marks may be split over several elements, links and lines."""
    choose = random.Random(seed)
    for _ in range(20):
        parts = []
        for words in choose.choices(HOSTILE, k=6):
            inner = _escaped(words)
            tag = choose.choice(["", "", "b", "i", "code", "a", "br", "span"])
            link = ' href="https://ok.example/"' if tag == "a" else ""
            parts.append(
                f"<br>{inner}" if tag == "br" else f"<{tag}{link}>{inner}</{tag}>" if tag else inner
            )
        page = choose.choice(["", " "]).join(parts)
        html = read_back(markdown(f"<p>{page}</p>"))

        assert not LIVE.search(html), (page, html)


@pytest.mark.parametrize(
    "words",
    ["[", "[a", "]", "-", "- ", ":-", "| ", "*", "_", "~", "\\", "`", "&lt;", "&amp;", "1. ", "!["],
)
def test_long_rows_of_marks_are_escaped_in_linear_time(words: str) -> None:
    """A page may be made of them."""

    def write(size: int) -> None:
        assert markdown(f"<p>{words * size}</p><p>{(words + '<br>') * (size // 40)}</p>")

    assert growth(write, 10_000) < 10


def rows(*texts: str) -> str:
    """A table of two columns, the last row of which may be short."""
    pairs = [texts[at : at + 2] for at in range(0, len(texts), 2)]
    return f"<table>{''.join('<tr><td>' + '<td>'.join(pair) for pair in pairs)}</table>"


THREE = "| a | b |\n| --- | --- |\n| c |  |"


@pytest.mark.parametrize(
    ("html", "plain", "marked"),
    [
        ("<p>x</p><ul><li>a<li>b<ul><li>c</ul></ul><p>y</p><ul><li>d</ul>",
         "x\n\na\nb\nc\n\ny\n\nd", "x\n\n- a\n- b\n  - c\n\ny\n\n- d"),
        ("<ul><li>a</ul><ul><li>b</ul>", "a\nb", "- a\n\n- b"),
        ("<li>loose<li>two", "loose\ntwo", "- loose\n- two"),
        ("<ul><li><ul><li>deep</ul><li>b</ul>", "deep\nb", "- - deep\n- b"),
        ("<ul><li>a<p>b</p>c<li>d</ul>", "a\nb\nc\nd", "- a\n\n  b\n\n  c\n- d"),
        ("<ol><li>a<ol start=9><li>x<li>y</ol><li>b</ol>",
         "a\nx\ny\nb", "1. a\n   9. x\n   10. y\n2. b"),
        ("<ol><li>a<li><h2>t</h2>b</ol><h3><b>x</b> y</h3>",
         "a\n\nt\n\nb\n\nx y", "1. a\n\n## t\n\nb\n\n### x y"),
        ("<ul><li>a<pre>x\ny</pre><li>b</ul>",
         "a\n\nx\ny\nb", "- a\n\n  ```\n  x\n  y\n  ```\n\n- b"),
        (f"<ul><li>a<li>{rows('a', 'b', 'c')}<li>e</ul>",
         "a\n\na | b\nc |\ne", "- a\n\n- " + THREE.replace("\n", "\n  ") + "\n\n- e"),
        ("<blockquote>q</blockquote><blockquote>r</blockquote>", "q\n\nr", "> q\n\n> r"),
        ("<blockquote>a</blockquote><ul><li>b</ul>", "a\n\nb", "> a\n\n- b"),
        ("<blockquote><ul><li>a<li>b<blockquote>c</blockquote></ul></blockquote>",
         "a\nb\nc", "> - a\n> - b\n>\n>   > c"),
        ("<ul><li>a<blockquote>q<p>r</blockquote><li>s</ul>",
         "a\nq\nr\ns", "- a\n\n  > q\n  >\n  > r\n- s"),
        ("<blockquote><pre>a\n\nb</pre></blockquote>", "a\n\nb", "> ```\n> a\n>\n> b\n> ```"),
        (rows("a", "b", "c") + "<p>y</p>", "a | b\nc |\n\ny", THREE + "\n\ny"),
        (rows("a", "b", "c", "d") + "<p>y</p>", "a | b\nc | d\n\ny",
         THREE.replace("c |  ", "c | d ") + "\n\ny"),
        (rows("a", "b", "c") * 2 + "z", "a | b\nc |\n\na | b\nc |\n\nz",
         f"{THREE}\n\n{THREE}\n\nz"),
        ("<pre><div>a</div><div>b</div></pre><pre>c</pre><p>y</p>",
         "a\nb\n\nc\n\ny", "```\na\nb\n```\n\n```\nc\n```\n\ny"),
        ("<pre><div>a</div><div>b</div><div>c</div></pre><p>y</p><pre>d</pre>",
         "a\nb\nc\n\ny\n\nd", "```\na\nb\nc\n```\n\ny\n\n```\nd\n```"),
        ("<h1><a href=/x>t</a></h1><h2></h2><p><b> </b></p><h6>six</h6>",
         "t\n\nsix", "# [t](https://example.org/x)\n\n###### six"),
    ],
)  # fmt: skip
def test_the_whole_of_a_part_as_text_and_as_markdown(html: str, plain: str, marked: str) -> None:
    """Items stand one below the other; tables, code and headings have empty lines around them."""
    assert render(blocks_of(parse_html(f"<body>{html}")), BASE) == (plain, marked)


@pytest.mark.parametrize("depth", [11, 12, 13])
def test_what_is_nested_deeper_than_twelve_times_is_written_at_that_depth(depth: int) -> None:
    """A line of marks without a text helps nobody."""
    marked = render(blocks_of(parse_html("<blockquote>" * depth + "x")), BASE)[1]

    assert marked == "> " * min(depth, 12) + "x"


@pytest.mark.parametrize(
    ("body", "marked"),
    [("<h1>The <b>otter</b></h1><p>x", "# The otter\n\nx"), ("<h1>Otters</h1>", "# Otters")],
)
def test_a_headline_stands_above_the_rest(body: str, marked: str) -> None:
    """Alone, if there is no rest."""
    headline, *rest = blocks_of(parse_html(f"<body>{body}"))

    assert render(rest, BASE, headline) == (marked.partition("\n\n")[2], marked)


@pytest.mark.parametrize(
    ("title", "headings", "headline"),
    [
        ("Otters - Site", "<h1>Otters</h1>", "# Otters"),
        ("OTTERS - sleep | News", "<h1>Site</h1><h1>Otters, sleep!</h1>", "# Otters, sleep!"),
        ("Otters sleep", "<h1>Blog</h1><h1>How otters sleep at night</h1>", "# How otters sleep"),
        ("", "<h1>Blog</h1><h1>—</h1>", "# Blog"),
    ],
)
def test_the_headline_is_the_heading_that_is_the_title(
    title: str, headings: str, headline: str
) -> None:
    """Signs and case aside, either in the other; else the first. It stands in the Markdown once."""
    page = f"<title>{title}</title><header>{headings}</header><main><p>{SENTENCE}</p>"
    marked = extract_html(f"{page}<p>{SENTENCE * 8}</p>", BASE).markdown

    assert marked.startswith(headline)
    assert marked.count(headline) == 1
