"""Sources of one field: what their refusals mean, and what of them is special."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from kensaku.errors import BadQuery, Blocked, KeyRefused, ProviderError, RateLimited, Unreadable
from kensaku.models import Query
from kensaku.providers import provider_class
from kensaku.providers.base import Reply
from kensaku.testing.faults import Fault, status

ATOM = {"Content-Type": "application/atom+xml; charset=utf-8"}
ERROR_ENTRY = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><entry>
<id>http://arxiv.org/api/errors#max_results_must_be_an_integer</id><title>Error</title>
<summary>max_results must be an integer</summary></entry></feed>"""


def throttled(message: str, name: str = "throttle_violation") -> dict[str, object]:
    return {"error_id": 502, "error_message": message, "error_name": name}


CASES: list[tuple[str, Fault, type[ProviderError], float | None]] = [
    ("arxiv", Fault(200, ERROR_ENTRY.encode(), ATOM), BadQuery, None),
    ("arxiv", Fault(400, ERROR_ENTRY.encode(), ATOM), BadQuery, None),
    ("github", status(403, {"message": "Bad"}, {"Retry-After": "60"}), RateLimited, 60.0),
    ("github", status(403, {"message": "Bad"}, {"X-RateLimit-Remaining": "0"}), RateLimited, None),
    ("github", status(403, {"message": "No"}, {"X-RateLimit-Remaining": "9"}), KeyRefused, None),
    ("github_issues", status(422, {"message": "Validation Failed"}), BadQuery, None),
    (
        "stackexchange",
        status(400, throttled("too many requests from this IP, more requests available in 81455 seconds")),
        RateLimited,
        81_455.0,
    ),
    ("stackexchange", status(400, throttled("x", "bad_parameter")), BadQuery, None),
    (
        "stackexchange",
        status(400, throttled("`key` doesn't match a known application", "bad_parameter")),
        KeyRefused,
        None,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "fault", "kind", "wait"), CASES)
async def test_a_refusal_means_what_the_service_says(ask, name, fault, kind, wait):
    """Their statuses alone do not tell a limit from a wrong query."""
    with pytest.raises(ProviderError) as caught:
        await ask(name, fault)

    assert type(caught.value) is kind
    assert caught.value.retry_after == wait


async def test_github_says_when_its_window_opens(ask):
    """As a time of day; who asks again earlier is shut out for longer."""
    reset = int(datetime.now(UTC).timestamp()) + 40
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(reset)}

    with pytest.raises(RateLimited) as caught:
        await ask("github", status(403, {"message": "rate limit exceeded"}, headers))

    assert 0 <= caught.value.retry_after <= 40


FEED = '<feed xmlns="http://www.w3.org/2005/Atom">{}</feed>'
HOSTILE = {
    "entities": '<!DOCTYPE f [<!ENTITY a "b"><!ENTITY c "&a;&a;">]>' + FEED.format("&c;"),
    "external": '<!DOCTYPE f [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + FEED.format("&a;"),
    "deep": FEED.format("<a>" * 5_000 + "</a>" * 5_000),
    "cut off": FEED.format("<entry>")[:-5],
    "announced": FEED.format("<totalResults>3</totalResults>"),
    "no total": FEED.format(""),
    "another format": "<rss><channel/></rss>",
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_feed_is_unreadable(body):
    """No entity is expanded, nothing is loaded, and none of it is "nothing found"."""
    reply = Reply(
        200, {"content-type": "application/atom+xml"}, b"<?xml version='1.0'?>" + body.encode()
    )

    with pytest.raises(Unreadable):
        provider_class("arxiv")().read(reply)


def test_a_page_in_place_of_a_feed_is_a_block():
    """Also when it begins as XML does."""
    page = b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><p>robot?</p></html>'

    with pytest.raises(Blocked):
        provider_class("arxiv")().read(Reply(200, {"content-type": "application/xhtml+xml"}, page))


def test_arxiv_gets_no_operator_that_nobody_meant():
    """A colon names a field of its index, and an unknown field is an error."""
    sent = provider_class("arxiv")().request(Query("attention: is (all) you need"), "")

    assert sent.params["search_query"].split() == "attention is all you need".split()


def test_a_search_of_issues_says_what_it_looks_for():
    """GitHub refuses one that names neither issues nor pull requests."""
    sent = provider_class("github_issues")().request(Query("segfault"), "")

    assert sent.params["q"] == "segfault is:issue"


def test_stack_exchange_asks_the_site_of_the_settings():
    """Stack Overflow, unless somebody says otherwise."""
    cls = provider_class("stackexchange")

    assert cls().request(Query("otter"), "").params["site"] == "stackoverflow"
    assert (
        cls(None, {"site": "superuser"}).request(Query("otter"), "").params["site"] == "superuser"
    )


def test_ollama_is_asked_directly_or_by_a_daemon():
    """A daemon has another path, and needs no key."""
    cls = provider_class("ollama")

    assert cls().request(Query("otter"), "k").url == "https://ollama.com/api/web_search"
    local = cls("http://127.0.0.1:11434").request(Query("otter"), "")
    assert local.url == "http://127.0.0.1:11434/api/experimental/web_search"
    assert "Authorization" not in local.headers


@pytest.mark.parametrize(
    ("parts", "published"),
    [([[2019, 3, 4]], "2019-03-04"), ([[2019]], "2019"), ([[None]], None), ([], None), ("x", None)],
)
def test_crossref_knows_a_day_as_exactly_as_the_publisher_does(parts, published):
    """A year alone is no first of January."""
    row = {"URL": "https://doi.example/1", "title": ["A"], "issued": {"date-parts": parts}}

    (hit,) = provider_class("crossref")().hits({"message": {"items": [row]}})

    assert hit.published == published
