"""A saved query shows what is new."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kensaku import Document, Hit, Outcome, Query, Response
from kensaku.errors import ConfigError, InvalidQuery, UnknownName
from kensaku.search import watch
from kensaku.search.watch import MAX_SEEN, Watch, Watches
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
    """Nobody misses news because a provider was down, though the index had something near."""
    k, question = make_client("tavily", "local"), "what is the capital of Mongolia"
    near = "https://near.example/"
    await k.index.add([Document(near, "Letters", "Capital letters")])
    upstream.fails("tavily", faults.status(500))
    failed = await k.watch(question)
    upstream.heals("tavily")
    upstream.answers("tavily", [Hit(near, "Letters", "the capital of Mongolia")])
    found = await k.watch(question)

    assert failed.outcome is Outcome.UNAVAILABLE
    assert [h.url for h in failed.response.hits] == [near]
    assert failed.new == ()
    assert [h.url for h in found.new] == [near]
    assert found.since is None


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


def test_the_oldest_are_forgotten_one_for_one() -> None:
    """A query that is asked for years does not grow without end."""
    saved = Watch("otters", seen={str(n): float(n) for n in range(MAX_SEEN)})

    saved.take(Response(Query("otters"), Outcome.FOUND, (A,)))

    assert len(saved.seen) == MAX_SEEN
    assert "0" not in saved.seen


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
    (folder,) = (tmp_path / "new" / "home" / "watches").iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700


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
    assert "kensaku watch --remove" in damaged.value.remedy
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
