"""Links are joined as `urljoin` joins them."""

from __future__ import annotations

from urllib.parse import urljoin

import pytest

from kensaku.extract.html.metadata import absolute


@pytest.mark.parametrize(
    "link",
    "/ /a /a/b.html /a//b /a?q=1 /a? /a#b /a# /../a /a/./b /a;b /a; /é /a:b //other.org/x /.hidden "
    "/a.b.c /a?x#y#z".split(),
)
def test_a_link_from_the_root_is_joined_as_any_other(link: str) -> None:
    """Most links need no more than the origin before them; which, `urljoin` says."""
    for base in ("https://example.org/x/y?z", "HTTP://u@Example.org:80", "https://[::1]/a"):
        assert absolute(link, base) == urljoin(base, link)
    assert absolute(link, "about:blank") is None or link.startswith("//")
