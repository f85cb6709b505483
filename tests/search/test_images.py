"""Images: asked for where an upstream has them, cleaned, and kept with the response."""

from __future__ import annotations

import pytest

from kensaku import Image, Query, Response
from kensaku.providers import provider_class
from kensaku.search.route import Route

OTTER = {"url": "https://img.example/otter.jpg", "description": "An <b>otter</b>"}


def tavily(*images) -> dict:
    found = {"title": "Otters", "url": "https://a.example/", "content": "otters", "score": 0.9}
    return {"query": "otters", "images": list(images), "results": [found], "response_time": 1}


async def test_images_come_with_the_response_when_they_are_asked_for(make_client, upstream):
    """Also from the cache, and as JSON."""
    upstream.answers("tavily", body=tavily("https://img.example/1.png", OTTER))
    client = make_client("tavily")

    found = await client.search("otters", include_images=True)
    again = await client.search("otters", include_images=True)

    assert upstream.asked("tavily")[0].json["include_images"] is True
    assert found.images == (
        Image("https://img.example/1.png", provider="tavily"),
        Image("https://img.example/otter.jpg", "An otter", provider="tavily"),
    )
    assert again.cached
    assert again.images == found.images
    assert Response.from_dict(found.to_dict()).images == found.images


async def test_nobody_is_asked_for_images_unless_somebody_wants_them(make_client, upstream):
    """A reply that has some all the same gives none."""
    upstream.answers("tavily", body=tavily(OTTER))

    found = await make_client("tavily").search("otters")

    assert "include_images" not in upstream.asked("tavily")[0].json
    assert found.images == ()
    assert "images" not in found.to_dict()


@pytest.mark.parametrize(("name", "path"), [("serper", "/images"), ("brave", "/images/search")])
async def test_images_as_a_topic_are_searched_for(make_client, upstream, name, path):
    """The hits are the pages that show them."""
    found = await make_client(name).search("otters", topic="images")

    assert upstream.requests[-1].path.endswith(path)
    assert [h.url for h in found.hits] == ["https://otters.example/", "https://rakko.example/"]
    assert found.images[0] == Image(
        "https://img.example/otter.jpg", "Sea otter", "https://otters.example/", name
    )


async def test_an_upstream_without_images_says_so(make_client):
    """The topic was not applied."""
    found = await make_client("linkup").search("otters", topic="images")

    assert "linkup: it cannot filter by topic; that was not applied" in found.notes


def test_auto_asks_first_those_who_have_images():
    """A route that names its providers keeps its order."""
    names = ("linkup", "exa", "brave_context", "serper", "wikipedia", "local")
    query = Query("otters", topic="images")

    assert Route(names, auto=True).ordered_for(query).names == (
        "serper",
        "linkup",
        "exa",
        "brave_context",
        "wikipedia",
        "local",
    )
    assert Route(names).ordered_for(query).names == names
    assert Route(names, auto=True).ordered_for(Query("otters")).names == names


@pytest.mark.parametrize("images", [None, [None], [5], "text", {"a": 1}, [[]], [{"url": 5}]])
def test_images_of_another_form_lose_no_hits_silently(images):
    """The reply is unreadable, or the image is left out."""
    provider = provider_class("tavily")()
    body = tavily() | {"images": images}

    try:
        found = provider.images(body)
    except (TypeError, AttributeError):
        return
    assert all(isinstance(image.url, str) for image in found)
