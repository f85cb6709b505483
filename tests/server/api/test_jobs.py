"""Jobs by the page's API: of the tenant alone, watched until all have ended."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kensaku.errors import InvalidQuery
from kensaku.server.api import jobs
from kensaku.server.auth import Principal
from kensaku.server.page import jobs as view
from kensaku.server.page.render import render
from tests.server.page.page_request import api_key

ANN = Principal("ann", "t1", key=api_key("ann", tenant="t1"))


class Jobs:
    """Notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    async def list(self, **given: Any) -> Any:
        self.asked.append(("list", given))
        return [Job("a"), Job("b")]

    async def cancel(self, id: str, **given: Any) -> Any:
        self.asked.append(("cancel", id, given))
        return Job(id)

    async def resume(self, id: str, **given: Any) -> Any:
        self.asked.append(("resume", id, given))
        return Job(id)

    async def submit(self, kind: str, arguments: Any, **given: Any) -> str:
        self.asked.append(("submit", kind, arguments, given))
        return "job-1"


class Job:
    def __init__(self, id: str) -> None:
        self.id = id

    def to_dict(self) -> dict[str, str]:
        return {"id": self.id}


@pytest.fixture
def asked(monkeypatch, state) -> list[Any]:
    """What the jobs of the state were asked."""
    made = Jobs()

    async def of_state() -> Jobs:
        return made

    monkeypatch.setattr(state, "jobs", of_state)
    return made.asked


async def test_jobs_are_those_of_the_tenant(make_call, asked):
    """Listed, cancelled, resumed; nobody reaches those of another."""
    call = make_call(principal=ANN, id="job-7")

    assert await jobs.listed(call) == {"jobs": [{"id": "a"}, {"id": "b"}]}
    assert await jobs.cancel(call) == {"id": "job-7"}
    assert await jobs.resume(call) == {"id": "job-7"}
    assert asked == [
        ("list", {"tenant": "t1", "limit": 50}),
        ("cancel", "job-7", {"tenant": "t1"}),
        ("resume", "job-7", {"tenant": "t1"}),
    ]


async def test_a_site_is_crawled_within_bounds(make_call, asked):
    """Three links deep, 500 pages, and no other site."""
    call = make_call({"url": "https://a.example/"}, principal=ANN, name="docs")

    told = await jobs.crawl(call)

    assert told == {"id": "job-1", "said": call.page.words("job.begun", id="job-1")}
    arguments = {
        "max_depth": 3, "limit": 500, "allow_external": False, "sitemap": True,
        "url": "https://a.example/", "collection": "docs",
    }  # fmt: skip
    assert asked == [("submit", "crawl", arguments, {"tenant": "t1", "key_id": "id-ann"})]
    for url in ("", "x" * 8_001):
        with pytest.raises(InvalidQuery, match="1 to 8,000"):
            await jobs.crawl(make_call({"url": url}, name="docs"))
    await jobs.crawl(make_call({"url": "x" * 8_000}, name="docs"))


def shown(progress: str, can_cancel: bool) -> view.JobView:
    return view.JobView(
        id="job-1", kind="crawl", about="x", status="running", tone="accent", share=1.0,
        progress=progress, created="", error="", can_cancel=can_cancel, can_resume=False,
    )  # fmt: skip


@pytest.fixture
def looks(monkeypatch) -> list[list[view.JobView]]:
    """What each look at the jobs finds; the last is found again."""
    found: list[list[view.JobView]] = []

    async def listed(page: Any) -> list[view.JobView]:
        return found.pop(0) if len(found) > 1 else found[0]

    monkeypatch.setattr(view, "listed", listed)
    return found


async def test_jobs_are_watched_until_all_have_ended(make_call, looks, monkeypatch):
    """The list is sent when it has changed; else a word, so that a browser that has gone is seen."""
    assert (jobs.POLL, jobs.WATCHED) == (1.0, 1_800.0)
    monkeypatch.setattr(jobs, "POLL", 1e-6)
    one, two, ended = shown("1 page", True), shown("2 pages", True), shown("2 pages", False)
    looks += [[one], [one], [two, ended], [ended]]
    call = make_call()

    events = [e async for e in jobs.watch(call)]

    html = [render(call.page, "_jobs.html", jobs=j) for j in ([one], [two, ended], [ended])]
    assert events == [
        ("jobs", {"html": html[0]}), ("same", {}), ("jobs", {"html": html[1]}),
        ("jobs", {"html": html[2]}),
    ]  # fmt: skip


async def test_a_watch_ends_with_the_server(make_call, looks):
    """It does not wait for the jobs."""
    looks += [[shown("1 page", True)]]
    of = SimpleNamespace(draining=True)

    assert [name async for name, _ in jobs.watch(make_call(of=of))] == ["jobs"]


async def test_a_page_that_stays_open_asks_again_after_half_an_hour(make_call, looks, monkeypatch):
    """A look each second."""
    monkeypatch.setattr(jobs, "WATCHED", 4e-6)
    monkeypatch.setattr(jobs, "POLL", 1e-6)
    looks += [[shown("1 page", True)]]

    names = [name async for name, _ in jobs.watch(make_call())]

    assert names == ["jobs", "same", "same", "same"]
