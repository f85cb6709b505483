"""`kensaku map`: the URLs of a site."""

from __future__ import annotations

from kensaku.testing import FakeUpstream

from .conftest import Cli
from .examples import OTTERS, fetch_count, page


def test_a_map_is_a_list_of_addresses(site: str, up: FakeUpstream, cli: Cli) -> None:
    """One a line; the leaves are not fetched for it."""
    done = cli("map", site, "--no-external")

    assert done.status == 0
    assert set(done.out.split()) == {site, f"{site}a", f"{site}b"}
    assert fetch_count(up, "/site/b") == 0
    assert cli("map", site, "--no-external", "--json").json["base_url"] == site


def test_no_escape_sequence_of_a_link_reaches_the_terminal(up: FakeUpstream, cli: Cli) -> None:
    """An address is what somebody else wrote, too."""
    site = up.serves("/site/", page("Root", OTTERS, "/red\x1b[31m", "/blue\x9b34m"))
    done = cli("map", site)

    assert done.status == 0
    assert not {"\x1b", "\x9b"} & set(done.out + done.err)
