"""A reader's browser calls nobody but the documentation's own site: a hook of mkdocs checks it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from docs import offline

from tests import ROOT


@dataclass
class Source:
    src_path: str = "index.md"


@dataclass
class Page:
    file: Source


PAGE = Page(Source())


@pytest.mark.parametrize(
    "html",
    [
        '<script src="https://unpkg.com/mermaid"></script>',
        '<img alt="CI" src="//img.example/badge.svg">',
        '<link rel="stylesheet" href="https://fonts.example/css">',
        '<a href="https://github.com/a/b" data-md-component="source">GitHub</a>',
    ],
)
def test_a_page_that_calls_another_host_ends_the_build(html):
    """Stars and releases of the repository are one such call: the theme asks GitHub for them."""
    with pytest.raises(ValueError, match=r"index\.md calls another host"):
        offline.on_post_page(html, PAGE, None)


@pytest.mark.parametrize(
    "html",
    [
        '<a href="https://docs.python.org/">Python</a>',
        '<link rel="canonical" href="https://kensaku-search.github.io/kensaku/">',
        '<img src="../images/chat.svg"><script src="assets/bundle.js"></script>',
    ],
)
def test_links_and_own_files_are_fine(html):
    """A link calls nobody before it is clicked."""
    assert offline.on_post_page(html, PAGE, None) == html


def test_the_link_to_the_repository_is_a_plain_link():
    """The theme's own partial has the attribute that makes its script ask api.github.com."""
    partial = (ROOT / "docs/theme/partials/source.html").read_text(encoding="utf-8")
    _, _, markup = partial.partition("-#}")

    assert offline.on_post_page(markup, PAGE, None) == markup
