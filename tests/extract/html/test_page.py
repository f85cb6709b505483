"""A page → title, text, Markdown and what it says of itself."""

from __future__ import annotations

import sys
from types import FrameType

import pytest

from kensaku.errors import Unparsable
from kensaku.extract import extract_html
from kensaku.extract.html.tree import parse_html
from kensaku.extract.main.builder import blocks_of

URL = "https://example.org/notes/otters"


SENTENCE = "The otter swims on its back and opens shells with a stone that it keeps under its arm. "


ARTICLE = f"""<!DOCTYPE html><html lang="en-GB"><head>
<title>Otters and their tools | The River Journal</title>
<meta name="author" content="By Ada Brook">
<meta property="article:published_time" content="2024-05-03T09:00:00+02:00">
<link rel="canonical" href="/notes/otters?page=1"><link rel="icon" href="/favicon.png">
</head><body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/about">About us</a></li></ul></nav>
<main><article><h1>Otters and their tools</h1>
<p>{SENTENCE * 2}</p><p>{SENTENCE}See <a href="shells">the shells</a> and
<a href="javascript:alert(1)">this</a>, or <a href="data:text/html,x">that</a>. {SENTENCE}</p>
<h2>What they eat</h2><p>{SENTENCE * 2}</p>
<ul><li>{SENTENCE}</li><li>Crabs, which they find between the stones of the river bed.</li></ul>
<ol><li>First they dive down to the ground of the river.</li><li>Then they come up again.</li></ol>
<table><tr><th>Animal</th><th>Length of the body</th></tr><tr><td>River otter</td><td>one metre</td></tr>
<tr><td>Sea otter</td><td>a metre and a half</td></tr></table>
<pre><code>def dive(depth):
    return depth * 2</code></pre>
<blockquote>An otter is never in a hurry, and it is never late for its dinner either.</blockquote>
<p>{SENTENCE}<img src="/otter.jpg" alt="an otter"></p></article></main>
<footer><p>© 2024 The River Journal. All rights reserved. <a href="/privacy">Privacy</a></p></footer>
</body></html>"""


def test_an_article_is_told_from_what_surrounds_it() -> None:
    """Menus and footers are noise to a model, and cost tokens."""
    page = extract_html(ARTICLE, URL)

    assert "The otter swims" in page.text
    assert "never late for its dinner" in page.text
    assert "About us" not in page.text
    assert "All rights reserved" not in page.text


def test_a_page_says_who_wrote_it_and_when() -> None:
    """These become the fields of a citation."""
    page = extract_html(ARTICLE, URL)

    assert page.title == "Otters and their tools"
    assert page.author == "Ada Brook"
    assert page.published == "2024-05-03T09:00:00+02:00"
    assert page.language == "en"
    assert page.canonical_url == "https://example.org/notes/otters?page=1"
    assert page.favicon == "https://example.org/favicon.png"
    assert page.images == ("https://example.org/otter.jpg",)
    assert "https://example.org/notes/shells" in page.links
    assert all(link.startswith("https://example.org/") for link in page.links)


def test_markdown_keeps_headings_lists_tables_code_quotes_and_links() -> None:
    """A model reads structure, and a citation needs its link."""
    marked = extract_html(ARTICLE, URL).markdown

    assert "## What they eat" in marked
    assert "- Crabs, which they find" in marked
    assert "1. First they dive" in marked
    assert "2. Then they come up" in marked
    assert "| Animal | Length of the body |\n| --- | --- |\n| River otter | one metre |" in marked
    assert "```\ndef dive(depth):\n    return depth * 2\n```" in marked
    assert "> An otter is never" in marked
    assert "[the shells](https://example.org/notes/shells)" in marked


def test_links_that_run_something_are_words_only() -> None:
    """A chat window would make them clickable; images would be loaded, and tell on the reader."""
    page = extract_html(ARTICLE, URL)

    assert "javascript:" not in page.markdown
    assert "data:" not in page.markdown
    assert "![" not in page.markdown
    assert not any(link.startswith(("javascript", "data")) for link in page.links)


def test_japanese_and_arabic_pages_are_read() -> None:
    """Words are counted without spaces too."""
    html = (
        "<html><body><nav><a href=/>ホーム</a><a href=/a>会社概要</a></nav><h1>検索の仕組み</h1>"
        "<p>検索エンジンは、ウェブ上の文書を集めて索引を作り、利用者が入力した言葉に合う文書を探し出します。"
        "順位は、文書の内容と質問の言葉の近さで決まります。</p><p>索引を作るには、文章を単語に分ける必要があります。"
        "日本語には空白がないので、形態素解析器を使います。</p></body></html>"
    )
    page = extract_html(html)

    assert page.language == "ja"
    assert "形態素解析器" in page.text


@pytest.mark.parametrize("html", ["", b"", "   ", "\x00\x00"])
def test_nothing_is_not_a_page(html: bytes | str) -> None:
    """An empty body is an error of the fetch, not an empty page."""
    with pytest.raises(Unparsable):
        extract_html(html)


@pytest.mark.parametrize(
    "html",
    ["plain words only", "<", "<p", "<html>", "<p>\ud800 lone</p>", "<a href='http://['>x y z</a>",
     "<p>" + "&#x110000;&#0;&bogus;" + " words</p>", "<svg/onload=x><p>words</p>", "<title>only a title</title>"],
)  # fmt: skip
def test_odd_markup_gives_a_page_and_no_crash(html: str) -> None:
    """What the web sends is not what the standard says."""
    assert isinstance(extract_html(html, "not a url").text, str)


def _calls(rows: int) -> int:
    """Count the calls of functions while a table is read: work, whatever the clock says."""
    row = "<tr><td>Otter</td><td>12</td><td>kelp</td></tr>"
    html = f"<h1>Otters</h1><table>{row * rows}</table>"
    count = 0

    def seen(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call" or event == "c_call"

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        extract_html(html)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("rows", [200, 3_500])
@pytest.mark.usefixtures("volume")
def test_twice_the_rows_of_a_table_are_twice_the_work(rows: int) -> None:
    """With the model, and above the number of blocks where a rule takes its place."""
    _calls(60)  # loads the model

    assert _calls(2 * rows) < 2.5 * _calls(rows)


@pytest.mark.parametrize(
    "end", ["</body></html>", "</BODY ></HTML\n>", "</body></html><html><body>"]
)
def test_text_after_the_end_of_the_page_is_read(end: str) -> None:
    """Sites close the page after its menu; browsers show what follows, and libxml2 drops it."""
    blocks = blocks_of(parse_html(f"<html><body><p>before</p>{end}<div>after</div></body></html>"))

    assert [block.text for block in blocks] == ["before", "after"]


def test_an_end_of_the_page_inside_of_a_tag_makes_no_other_tag() -> None:
    """Else a tag could be put together that the check of the markup has not seen."""
    root = parse_html("<p>otter</p><scr</body>ipt>hidden</script><em</html>bed>")

    assert [e.tag for e in root.iter("script", "embed")] == []
