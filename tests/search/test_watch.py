"""A saved query shows what is new."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kensaku import Hit, Outcome
from kensaku.errors import ConfigError, InvalidQuery, UnknownName
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


def test_a_damaged_file_is_said(tmp_path: Path) -> None:
    """Everything would look new otherwise."""
    watches = Watches(tmp_path)
    watches.save(Watch("otters"))
    next((tmp_path / "watches" / "own").iterdir()).write_text("{")
    with pytest.raises(ConfigError, match="cannot be read"):
        watches.open("otters", {})
    assert watches.list() == []


def test_tenants_are_apart(tmp_path: Path) -> None:
    """Whatever their names."""
    Watches(tmp_path, "../x").save(Watch("otters"))
    assert Watches(tmp_path).list() == []
    assert Watches(tmp_path, "../x").list() == [("otters", None)]
    assert not (tmp_path.parent / "x").exists()


async def test_what_is_remembered_is_bounded(make_client: Any, upstream: FakeUpstream) -> None:
    """The oldest goes."""
    upstream.answers("tavily", [A])
    watch = Watch("otters", seen={str(n): float(n) for n in range(MAX_SEEN)}, last=1.0)
    watch.take(await make_client("tavily").search("otters"))
    assert len(watch.seen) == MAX_SEEN
    assert "0" not in watch.seen
