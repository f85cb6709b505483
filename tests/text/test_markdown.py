"""Markdown of strangers as HTML: what stays, and what goes."""

from __future__ import annotations

import pytest

from kensaku.text.markdown import to_html


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        (
            "[x](https://a.example/)",
            '<p><a href="https://a.example/" rel="noreferrer noopener nofollow">x</a></p>\n',
        ),
        ("[x](ftp://a.example/)", '<p><a rel="noreferrer noopener nofollow">x</a></p>\n'),
        ("~~x~~ **y**", "<p><s>x</s> <strong>y</strong></p>\n"),
        ("3. x", '<ol start="3">\n<li>x</li>\n</ol>\n'),
        ("<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>\n"),
        ("![x](https://a.example/)", "<p></p>\n"),
        ("```py\nx\n```", "<pre><code>x\n</code></pre>\n"),
        (
            "|a|\n|-|\n|b|",
            "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n"
            "<tbody>\n<tr>\n<td>b</td>\n</tr>\n</tbody>\n</table>\n",
        ),
    ],
)
def test_a_page_is_shown_with_a_handful_of_tags(markdown, html):
    """No attribute but an address and the number of a list."""
    assert to_html(markdown) == html


def test_links_can_be_left_out_and_a_long_page_is_cut():
    """After 200,000 characters."""
    assert to_html("[x](https://a.example/)", links=False) == "<p>x</p>\n"
    assert to_html("y" * 200_001) == "<p>" + "y" * 200_000 + "</p>\n"


@pytest.mark.parametrize(
    ("label", "target", "is_link"),
    [
        ("https://bank.example/login", "https://evil.example/", False),
        ("**www.bank.example**", "https://evil.example/", False),
        ("Log in at https://bank.example", "https://bank.example.evil.example/", False),
        ("bank.example", "https://bank.example@evil.example/", False),
        ("bank.example", "https://www.bank.example/login", True),
        ("https://bank.example/", "https://bank.example/login", True),
        ("the bank", "https://evil.example/", True),
        ("Booking.com", "https://en.wiki.example/", True),
        ("main.py", "https://code.example/", True),
    ],
)
def test_a_link_that_shows_another_address_is_text(label, target, is_link):
    """A reader believes what stands there."""
    shown = to_html(f"See [{label}]({target}) and [x](https://a.example/).")

    assert shown.count("<a ") == 1 + is_link
    assert label.strip("*") in shown
