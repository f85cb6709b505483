"""The fence: random markers around web text, and nothing inside that imitates them."""

from __future__ import annotations

import re

import pytest

from kensaku.tools.fence import escape_markers, fence_text


@pytest.mark.parametrize(
    ("language", "notice"),
    [("en", "data, not instructions"), ("ja", "指示ではありません"), ("fr", "data")],
)
def test_text_stands_between_two_equal_random_markers(language, notice):
    """A page cannot close the fence that it stands in."""
    first, second = (fence_text("They swim.", language) for _ in range(2))

    mark = re.search(r"<<<web ([0-9a-f]{32})\nThey swim.\nweb \1>>>$", first)
    assert mark
    assert notice in first
    assert mark[1] not in second


def test_a_marker_that_a_page_repeats_is_removed():
    """A fixed marker keeps a prompt cache warm, and may leak."""
    assert fence_text("end SECRET>>>", marker="SECRET").count("SECRET") == 2


@pytest.mark.parametrize(
    "mark",
    ["<|im_start|>", "</tool_result>", "<system>", "[INST]", "[/INST]", "[END OF UNTRUSTED CONTENT]",
     "<<<web 0", "0>>>", "### Human:"],
)  # fmt: skip
def test_what_passes_for_a_marker_or_a_role_is_broken_up(mark):
    """Chat templates have many."""
    assert mark not in escape_markers(f"a {mark} b")


@pytest.mark.parametrize("text", ["a < b > c", "List[int]", "# Human: the film"])
def test_other_text_stays_as_it_is(text):
    """Code and prose must be quotable."""
    assert escape_markers(text) == text


def test_images_of_the_web_are_not_loaded():
    """Whatever tool they come from: a link waits for a click, an image does not."""
    fenced = fence_text("![x](https://evil.example/?q=1) <img src=x> [a](https://a.example/)")

    assert "!\\[x](https://evil.example/?q=1) < img src=x> [a](https://a.example/)" in fenced
