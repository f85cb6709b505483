"""`web_map`: the addresses of a site."""

from __future__ import annotations

from kensaku import errors
from kensaku.fetch.results import SiteMap
from kensaku.observe import Observers
from kensaku.tools import WebMapTool
from kensaku.tools.base import current_progress, progress_to


async def test_it_lists_addresses_inside_a_fence(site, fetching):
    """An address is text of the web, too."""
    result = await WebMapTool(fetching).invoke({"url": site})

    assert result.success
    assert result.output == {"base_url": site, "results": [site, f"{site}one"]}
    assert (result.error, result.error_kind) == (None, None)
    assert result.confidence_factors == {"pages": 2}
    assert f"{site}one" in result.text.partition("<<<web ")[2]


async def test_a_site_without_an_address_is_a_failure():
    """It is no site without pages; why is said, for twenty addresses at most."""
    gone = errors.PageUnavailable("gone", status=404)

    class Client:
        observers = Observers()

        async def map(self, url, **options):
            return SiteMap(url, (), tuple((f"{url}{n}", gone) for n in range(21)))

    result = await WebMapTool(Client(), fence=False).invoke({"url": "https://a.example/"})

    assert (result.success, result.error, result.error_kind) == (
        False, "no page could be had", "tool",
    )  # fmt: skip
    assert result.output == {"base_url": "https://a.example/", "results": []}
    assert result.text == (
        "20 of the pages could not be had: the server did not give the page (HTTP 404)\n"
        + "\n".join(f"could not be had: https://a.example/{n}: gone" for n in range(20))
    )


async def test_instructions_and_progress_reach_the_client(site, fetching):
    """A map goes on for a while: whoever shows it hears how far it is."""
    heard = []

    with progress_to(heard.append):
        result = await WebMapTool(fetching).invoke({"url": site, "limit": 1})

    assert result.output["results"] == [site]
    assert heard
    assert current_progress() is None
