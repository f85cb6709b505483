"""Where the headings of a page stand in its plain text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kensaku import extract_html
from kensaku.text.headings import headings_in, marked_headings


def test_headings_are_found_without_their_marks():
    """Only the Markdown says what is a heading, and passages are cut from the text."""
    page = extract_html(
        "<article><h1>The <em>sea</em> otter</h1><p>It lives in the sea and eats urchins all day.</p>"
        "<h2>Diet &amp; <a href='https://e.org/'>food</a></h2><p>Urchins, crabs and clams.</p>"
        "<pre><code># no heading\nx = 1</code></pre><h2>Range*</h2><p>From Japan to Mexico.</p></article>"
    )

    found = headings_in(page.text, page.markdown)

    assert [(level, words) for _, level, words in found] == [
        (1, "The sea otter"),
        (2, "Diet & food"),
        (2, "Range*"),
    ]
    assert all(page.text[start:].startswith(words) for start, _, words in found)


def test_a_heading_that_the_text_does_not_have_stands_before_the_line_below_it():
    """A passage of a PDF is cited with its page, whose number is in the Markdown alone."""
    text = "Otters swim\n\nThey eat fish\nand crabs"

    found = headings_in(text, "## Page 1\n\nOtters swim\n\n## Page 2\n\nThey eat fish\nand crabs")

    assert found == [(0, 2, "Page 1"), (text.index("They"), 2, "Page 2")]


def test_a_comment_in_code_is_no_heading():
    """Somebody's own README: its passages would be cut and cited at "# install" of a shell."""
    text = "# Otter\n```sh\n# install\n```\n## Use\n~~~~\n# not closed\n~~~\n# still code"

    assert [words for _, _, words in marked_headings(text)] == ["Otter", "Use"]


@given(st.lists(st.tuples(st.sampled_from(["", "# ", "## "]), st.text("ab 見\n", max_size=8))))
def test_headings_are_lines_of_the_text_in_order(lines):
    """Whatever a page repeats, a heading is a place that is there, and none is found twice."""
    text = "\n".join(words for _, words in lines)

    found = headings_in(text, "\n".join(mark + words for mark, words in lines))

    starts = [start for start, _, _ in found]
    assert starts == sorted(starts)
    assert all(start == 0 or text[start - 1] == "\n" for start in starts)
