"""A saved query shows what is new."""

from __future__ import annotations

import json
import re
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kensaku import Hit, Outcome, Query, Response
from kensaku.errors import ConfigError, InvalidQuery, UnknownName
from kensaku.search import watch
from kensaku.search.watch import MAX_SEEN, News, Watch, Watches
from kensaku.testing import FakeUpstream, faults

A, B = Hit("https://a.example/", "A", "otters"), Hit("https://b.example/", "B", "otters too")


async def test_only_what_is_new_comes_back(make_client: Any, upstream: FakeUpstream) -> None:
    """Past the cache; the same page by another spelling of its address is not new."""
    k = make_client("tavily")
    upstream.answers("tavily", [A])
    first = await k.watch("otters")
    upstream.answers("tavily", [Hit("https://A.example/#top", "A", "otters"), B])
    second = await k.watch(" otters ")
    third = await k.watch("otters")

    assert [h.title for h in first.new] == ["A"]
    assert first.since is None
    assert [h.title for h in second.new] == ["B"]
    assert second.since is not None
    assert third.new == ()
    assert third.outcome is Outcome.FOUND


async def test_a_failed_search_marks_nothing(make_client: Any, upstream: FakeUpstream) -> None:
    """Nobody misses news because a provider was down."""
    k = make_client("tavily")
    upstream.answers("tavily", [A])
    await k.watch("otters")
    upstream.fails("tavily", faults.status(500))
    failed = await k.watch("otters")
    upstream.heals("tavily")
    upstream.answers("tavily", [A, B])

    assert failed.outcome is Outcome.UNAVAILABLE
    assert [h.title for h in (await k.watch("otters")).new] == ["B"]


async def test_options_are_saved(make_client: Any, upstream: FakeUpstream) -> None:
    """The next time needs the query alone."""
    upstream.answers("tavily", [A])
    k = make_client("tavily", "wikipedia")
    await k.watch("otters", route="tavily", max_results=1)
    await k.watch("otters")
    assert [r.json["max_results"] for r in upstream.asked("tavily")] == [1, 1]


def test_files_are_private_and_can_be_removed(tmp_path: Path) -> None:
    """One query, one file."""
    watches = Watches(tmp_path)
    watches.save(Watch("otters"))
    (file,) = (tmp_path / "watches" / "own").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert watches.list() == [("otters", None)]
    watches.remove("otters")
    with pytest.raises(UnknownName):
        watches.remove("otters")
    with pytest.raises(InvalidQuery):
        watches.open("  ", {})


def test_tenants_are_apart(tmp_path: Path) -> None:
    """Whatever their names."""
    Watches(tmp_path, "../x").save(Watch("otters"))
    assert Watches(tmp_path).list() == []
    assert Watches(tmp_path, "../x").list() == [("otters", None)]
    assert not (tmp_path.parent / "x").exists()


# --- by themselves


def found(*hits: Hit, outcome: Outcome = Outcome.FOUND) -> Response:
    return Response(Query("otters"), outcome, hits)


def test_what_was_shown_is_remembered_with_when() -> None:
    """In the order of the response; the same page twice is one piece of news."""
    saved, response = Watch("otters"), found(A, Hit("https://a.example/#x", "A again"), B)

    first = saved.take(response, now=1_000.0)
    again = saved.take(found(B), now=2_000.0)

    assert first == News("otters", (Hit("https://a.example/#x", "A again"), B), response, None)
    assert again == News("otters", (), found(B), datetime.fromtimestamp(1_000.0, UTC))
    assert list(saved.seen.values()) == [1_000.0, 1_000.0]
    assert all(re.fullmatch("[0-9a-f]{32}", digest) for digest in saved.seen)
    assert saved.last == 2_000.0


def test_without_a_search_nothing_changes() -> None:
    """Neither what was seen, nor when it last ran."""
    saved = Watch("otters", seen={"x": 1.0}, last=1_000.0)
    failed = found(A, outcome=Outcome.UNAVAILABLE)

    news = saved.take(failed, now=2_000.0)

    assert news == News("otters", (), failed, datetime.fromtimestamp(1_000.0, UTC))
    assert (saved.seen, saved.last) == ({"x": 1.0}, 1_000.0)


def test_nothing_found_is_a_search() -> None:
    """Its time is the time of now, unless another one is given."""
    before = time.time()
    saved = Watch("otters")

    assert saved.take(found(outcome=Outcome.EMPTY)).new == ()
    assert before <= saved.last <= time.time()
    assert (Watch("x").options, Watch("x").seen, Watch("x").last) == ({}, {}, None)


def test_the_oldest_are_forgotten_one_for_one() -> None:
    """Five thousand are kept."""
    saved = Watch("otters", seen={str(n): float(n) for n in range(1, MAX_SEEN)})

    saved.take(found(A), now=9e9)
    full = dict(saved.seen)
    saved.take(found(B), now=9e9)

    assert MAX_SEEN == 5_000
    assert len(full) == len(saved.seen) == MAX_SEEN
    assert full.keys() - saved.seen.keys() == {"1"}


def test_a_saved_query_comes_back_as_it_was(tmp_path: Path) -> None:
    """Whatever blanks are in it; options that are given replace the saved ones."""
    watches = Watches(tmp_path / "new" / "home")
    saved = Watch("sea otters", {"max_results": 1, "route": "local"}, {"x": 1.5}, 2.5)
    watches.save(saved)
    watches.save(saved)

    again = watches.open(" sea \n otters ", {"max_results": 3})

    assert again == Watch("sea otters", {"max_results": 3, "route": "local"}, {"x": 1.5}, 2.5)
    assert watches.open("sea otters", {}) == saved
    assert watches.open("beavers", {"route": "local"}) == Watch("beavers", {"route": "local"})
    assert watches.list() == [("sea otters", datetime.fromtimestamp(2.5, UTC))]
    folder = tmp_path / "new" / "home" / "watches" / "own"
    assert folder.stat().st_mode & 0o777 == 0o700
    (file,) = folder.iterdir()
    assert re.fullmatch(r"[0-9a-f]{32}\.json", file.name)
    assert json.loads(file.read_text()) == {
        "query": "sea otters",
        "options": {"max_results": 1, "route": "local"},
        "seen": {"x": 1.5},
        "last": 2.5,
    }


def test_a_bounded_number_of_queries_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is saved already can be saved again."""
    assert watch.MAX_WATCHES == 1_000
    monkeypatch.setattr(watch, "MAX_WATCHES", 2)
    watches = Watches(tmp_path)
    for query in ("otters", "beavers", "otters"):
        watches.save(Watch(query))

    with pytest.raises(InvalidQuery) as full:
        watches.save(Watch("herons"))
    assert str(full.value) == "there are 2 saved queries; remove some"
    assert sorted(query for query, _ in watches.list()) == ["beavers", "otters"]


@pytest.mark.parametrize(
    "text",
    ["{", "[]", "{}", '{"options": 5, "seen": {}, "last": 1}', '{"seen": {}, "last": 1}', b"\xff"],
)
def test_every_damage_is_said_in_one_sentence(tmp_path: Path, text: str | bytes) -> None:
    """Others are still listed."""
    watches = Watches(tmp_path)
    watches.save(Watch("otters"))
    (file,) = (tmp_path / "watches" / "own").iterdir()
    watches.save(Watch("beavers"))
    file.write_bytes(text if isinstance(text, bytes) else text.encode())

    with pytest.raises(ConfigError) as damaged:
        watches.open("otters", {})
    assert str(damaged.value) == (
        "a saved query cannot be read; remove it: kensaku watch --remove QUERY"
    )
    assert watches.list() == [("beavers", None)]
    watches.remove(" otters")
    assert watches.open("otters", {}) == Watch("otters")


def test_a_query_that_is_not_saved_is_named_with_those_that_are(tmp_path: Path) -> None:
    """Also before any is; an empty one is refused."""
    watches = Watches(tmp_path)
    assert watches.list() == []
    watches.save(Watch("sea otters"))

    with pytest.raises(UnknownName) as unknown:
        watches.remove("sea  otter")
    assert str(unknown.value) == ("there is no saved query 'sea otter'; did you mean 'sea otters'?")
    with pytest.raises(InvalidQuery) as empty:
        watches.open(" \n", {})
    assert str(empty.value) == "the query is empty; say what to watch for"


async def test_a_watch_searches_past_the_cache(make_client: Any, upstream: FakeUpstream) -> None:
    """Also when somebody saved otherwise."""
    upstream.answers("tavily", [A])
    k = make_client("tavily", tenant="t1")
    await k.search("otters")

    news = await k.watch("otters", cache=True)

    assert [h.title for h in news.new] == ["A"]
    assert len(upstream.requests) == 2
    assert Watches(k.settings.home, "t1").list()[0][0] == "otters"
    assert Watches(k.settings.home).list() == []
