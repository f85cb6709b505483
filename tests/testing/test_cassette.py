"""What was recorded is played again, and gives nothing away."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kensaku import Kensaku, Settings
from kensaku.errors import (
    ConfigError,
    FetchError,
    KeyRefused,
    NotAllowed,
    Outage,
    PageUnavailable,
    RateLimited,
    UsageError,
)
from kensaku.models import Hit, Outcome, Page, Query, Response
from kensaku.providers.base import Findings, Provider, Transport
from kensaku.testing import FakeUpstream, faults
from kensaku.testing._redaction import Redactor
from kensaku.testing.cassette import Cassette, NotRecorded
from kensaku.transport.http import HttpClient

QUERY = "Red Panda 好物"
ECHO = [
    Hit(
        url="https://a.example/?q=Red%20Panda%20%E5%A5%BD%E7%89%A9&k=tavily-test-key",
        title=f"{QUERY} - all about it",
        content=f"You searched for red panda 好物 ⟦query⟧ with tavily-test-key: {QUERY.upper()}",
    ),
    Hit(url="https://b.example/", title="Bamboo", content="Something else"),
]


def _client(
    upstream: FakeUpstream, home: Path, cassette: Cassette, *, keys: bool = True
) -> Kensaku:
    env = upstream.environment("tavily", "brave", "wikipedia", keys=keys)
    env |= {"KENSAKU_HOME": str(home), "KENSAKU_STATE_URL": "memory:"}
    settings = Settings.load(environ=env, cache_enabled=False)
    return Kensaku(settings, cassette=cassette)


async def _search(client: Kensaku, query: str = QUERY, **options: Any) -> Response:
    async with client as k:
        return await k.search(query, **{"route": ["tavily", "brave"], **options})


def _seen(response: Response) -> list[tuple[str, str, str]]:
    return [(h.url, h.title, h.content) for h in response.hits]


async def test_a_replay_gives_the_same_hits_and_sends_nothing(tmp_path: Path) -> None:
    """Found once, found again, without a network and without a key (S4-54)."""
    file = tmp_path / "cassette.json"
    async with FakeUpstream() as upstream:
        upstream.answers("tavily", ECHO)
        recorded = await _search(_client(upstream, tmp_path, Cassette(file, mode="record")))
        sent = len(upstream.requests)
        played = await _search(_client(upstream, tmp_path, Cassette(file), keys=False))

        assert len(upstream.requests) == sent == 1
    assert recorded.outcome is played.outcome is Outcome.FOUND
    shown = [(h.url, h.title, h.content) for h in ECHO]
    assert _seen(recorded) == shown
    assert _seen(played) == [
        tuple(text.replace("tavily-test-key", "…") for text in hit) for hit in shown
    ]


async def test_no_key_and_no_query_are_in_the_file(tmp_path: Path) -> None:
    """Not even where the upstream repeats them, in other letters or percent-encoded."""
    file = tmp_path / "cassette.json"
    async with FakeUpstream() as upstream:
        upstream.answers("tavily", ECHO)
        upstream.fails("brave", faults.status(401, {"error": f"brave-test-key: no {QUERY}"}))
        client = _client(upstream, tmp_path, Cassette(file, mode="record"))
        await _search(client, mode="all")
    text = file.read_text(encoding="utf-8").lower()

    for secret in ("tavily-test-key", "brave-test-key", "red panda", "red%20panda", "red+panda"):
        assert secret not in text
    assert "好物" not in text
    assert "something else" in text


async def test_typed_errors_are_played_with_all_they_say(tmp_path: Path) -> None:
    """A refusal stays a refusal, with its status and the time to wait (S1-11, S1-12)."""
    file = tmp_path / "cassette.json"
    wait = faults.status(429, headers={"Retry-After": "30"})
    async with FakeUpstream() as upstream:
        upstream.fails("tavily", faults.status(401))
        upstream.fails("brave", wait)
        recorded = await _search(_client(upstream, tmp_path, Cassette(file, mode="record")))
        played = await _search(_client(upstream, tmp_path, Cassette(file)))

    assert recorded.outcome is played.outcome is Outcome.UNAVAILABLE
    said = [a.error.to_dict() for a in recorded.attempts if a.sent and a.error]
    assert [a.error.to_dict() for a in played.attempts if a.sent and a.error] == said
    assert [type(a.error) for a in played.attempts if a.sent] == [KeyRefused, RateLimited]


async def test_what_was_not_recorded_is_said_and_not_sent(tmp_path: Path) -> None:
    """Strict: another query, or another limit, is another request."""
    file = tmp_path / "cassette.json"
    async with FakeUpstream() as upstream:
        await _search(_client(upstream, tmp_path, Cassette(file, mode="record")))
        sent = len(upstream.requests)
        for query, limit in (("otter", 5), (QUERY, 3)):
            played = await _search(
                _client(upstream, tmp_path, Cassette(file)), query, max_results=limit
            )

            assert played.outcome is Outcome.UNAVAILABLE
            assert {type(a.error) for a in played.attempts} == {NotRecorded}
        assert len(upstream.requests) == sent


async def test_the_same_query_plays_its_recordings_in_order(tmp_path: Path) -> None:
    """The first, the second, and from then on the last."""
    file = tmp_path / "cassette.json"
    async with FakeUpstream() as upstream:
        provider = _client(upstream, tmp_path, Cassette(file, mode="record"))
        for title in ("one", "two"):
            upstream.answers("tavily", [Hit(url="https://a.example/", title=title)])
            await provider.search(QUERY, route="tavily")
        await provider.close()
        async with _client(upstream, tmp_path, Cassette(file)) as k:
            titles = [(await k.search(QUERY, route="tavily")).hits[0].title for _ in range(4)]

    assert titles == ["one", "two", "two", "two"]


async def test_recording_again_replaces_what_was_asked_again(tmp_path: Path) -> None:
    """The rest of the file stays as it was."""
    file = tmp_path / "cassette.json"
    async with FakeUpstream() as upstream:
        for title in ("old", "new"):
            upstream.answers("tavily", [Hit(url="https://a.example/", title=title)])
            await _search(_client(upstream, tmp_path, Cassette(file, mode="record")))
            if title == "old":
                await _search(_client(upstream, tmp_path, Cassette(file, mode="record")), "otter")
        again = await _search(_client(upstream, tmp_path, Cassette(file)))
        other = await _search(_client(upstream, tmp_path, Cassette(file)), "otter")

    assert [again.hits[0].title, other.hits[0].title] == ["new", "old"]


async def test_the_order_of_recording_makes_no_difference(tmp_path: Path) -> None:
    """Everyone at once, played in any order."""
    file = tmp_path / "cassette.json"
    async with FakeUpstream() as upstream:
        upstream.fails("tavily", faults.delay(0.05))
        client = _client(upstream, tmp_path, Cassette(file, mode="record"))
        route = ["tavily", "brave", "wikipedia"]
        recorded = await _search(client, route=route, mode="all", max_results=20)
        for order in (route, route[::-1]):
            cassette = Cassette(file)
            played = await _search(
                _client(upstream, tmp_path, cassette, keys=False),
                route=order,
                mode="all",
                max_results=20,
            )
            assert {h.url for h in played.hits} == {h.url for h in recorded.hits}
    whole = json.loads(file.read_text(encoding="utf-8"))

    assert list(whole["asked"]) == sorted(whole["asked"])
    assert sorted(cassette.providers) == sorted(route)


async def test_the_file_is_whole_at_every_moment(tmp_path: Path) -> None:
    """It is replaced, never written over; nothing else is left beside it."""
    file = tmp_path / "deep" / "cassette.json"
    Cassette(file, mode="record")

    assert json.loads(file.read_text(encoding="utf-8"))["asked"] == {}
    assert [p.name for p in file.parent.iterdir()] == ["cassette.json"]


async def test_pages_are_recorded_and_played(tmp_path: Path) -> None:
    """Pages and what went wrong with them, and nothing else is fetched (S1-28)."""
    file = tmp_path / "pages.json"
    page = Page(url="https://a.example/", title="A", text="words", links=("https://b.example/",))
    recorder = Cassette(file, mode="record")
    await recorder.record_page(page.url, page)
    await recorder.record_page("https://c.example/", NotAllowed("robots.txt says no"))
    player = Cassette(file)

    assert player.page(page.url) == page
    with pytest.raises(NotAllowed, match=r"robots\.txt says no"):
        player.page("https://c.example/")
    with pytest.raises(PageUnavailable, match="not in the recording"):
        player.page("https://d.example/")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"kensaku cassette": 99}', "\x00"])
def test_a_file_that_is_no_recording_is_named(tmp_path: Path, text: str) -> None:
    """One sentence with the path, before anything is sent."""
    file = tmp_path / "odd.json"
    file.write_text(text)

    with pytest.raises(ConfigError, match=r"odd\.json"):
        Cassette(file)
    with pytest.raises(ConfigError, match=r"odd\.json"):
        Cassette(file, mode="record")  # a file of somebody else's is not written over


def test_a_missing_recording_and_a_wrong_mode_are_said() -> None:
    """With what to do about it."""
    with pytest.raises(ConfigError, match="--record"):
        Cassette("nowhere.json")
    with pytest.raises(UsageError, match="record or replay"):
        Cassette("nowhere.json", mode="rewind")  # type: ignore[arg-type]


LETTERS = "RedPandéÉß检索 +&%.*([x⟦⟧"
QUERIES = st.text(LETTERS, min_size=1, max_size=12).map(str.strip).filter(bool)
PIECES = st.sampled_from(["⟦⟧", "⟦query⟧", "⟦key⟧", "⟦query^ff⟧"]) | st.text(LETTERS)
WRITTEN = st.sampled_from([str, str.upper, str.lower, str.title, quote, quote_plus])


@given(QUERIES, st.lists(PIECES | WRITTEN, max_size=6))
@example("Straße İ", [str, str.upper, quote])
def test_hiding_and_showing_gives_the_same_text(query: str, parts: list[Any]) -> None:
    """In whatever letters the upstream repeats the query; marks of its own survive."""
    text = "".join(part if isinstance(part, str) else part(query) for part in parts)
    redactor = Redactor(query, ["sekrit"])
    hidden = redactor.redact({"a": [text, 1, None]})

    assert redactor.restore(hidden) == {"a": [text, 1, None]}
    assert query.lower() not in hidden["a"][0].lower() or len(query) < 3


def test_another_query_gets_the_text_with_its_own_words() -> None:
    """The mark stands for the query of whoever replays."""
    hidden = Redactor("Red Panda").redact("About Red Panda")

    assert Redactor("Sea Otter").restore(hidden) == "About Sea Otter"


class Theirs(Provider):
    """Somebody else's provider: it finds one thing, or fails in its own words."""

    name = "theirs"

    async def ask(self, query: Query, key: str, http: Transport) -> Findings:
        if query.text == "down":
            raise Odd(self.name, "down")
        hit = Hit("https://a.example/", "", f"About {query.text} ({key})", score=0.5)
        return Findings([hit], f"{query.text}!", 0.25, ("cut",))


class Odd(Outage):
    """A class that is not Kensaku's."""


async def test_errors_of_other_people_are_played_as_the_nearest_of_ours(tmp_path: Path) -> None:
    """A recording needs nobody's classes but Kensaku's."""
    file, http = tmp_path / "cassette.json", HttpClient(user_agent="test")
    with pytest.raises(Odd):
        await Cassette(file, mode="record").ask(Theirs(), Query("down"), "", http)
    with pytest.raises(Outage, match="down"):
        await Cassette(file).ask(Theirs(), Query("down"), "", http)


async def test_findings_are_played_whole(tmp_path: Path) -> None:
    """The answer, the cost and the notes as well; the query is put back, and the key is not."""
    file, http = tmp_path / "cassette.json", HttpClient(user_agent="test")
    await Cassette(file, mode="record").ask(Theirs(), Query("otters"), "sekrit", http)

    found = await Cassette(file).ask(Theirs(), Query("otters"), "", http)

    hit = Hit("https://a.example/", "", "About otters (…)", score=0.5)
    assert found == Findings([hit], "otters!", 0.25, ("cut",))


async def test_pages_play_in_order_and_of_an_unknown_class(tmp_path: Path) -> None:
    """The last one repeats; fields and errors of a later version are no reason to fail."""
    file = tmp_path / "pages.json"
    recorder = Cassette(file, mode="record")
    for title in ("one", "two"):
        await recorder.record_page("https://a.example/", Page("https://a.example/", title))
    whole = json.loads(file.read_text())
    whole["pages"]["https://a.example/"][0]["page"]["later"] = 1
    whole["pages"]["https://b.example/"] = [
        {"error": {"type": "LaterError", "message": "m", "remedy": ""}}
    ]
    file.write_text(json.dumps(whole))
    player = Cassette(file)

    assert [player.page("https://a.example/").title for _ in range(3)] == ["one", "two", "two"]
    with pytest.raises(FetchError, match=r"^m$"):
        player.page("https://b.example/")


def test_a_path_that_cannot_be_written_is_said_at_once(tmp_path: Path) -> None:
    """Before anything is asked; no draft is left."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match=r"cassette\.json cannot be written: .*; check the path"):
        Cassette(tmp_path / "file" / "cassette.json", mode="record")

    (tmp_path / "dir.json").mkdir()
    with pytest.raises(ConfigError, match=r"dir\.json cannot be read: "):
        Cassette(tmp_path / "dir.json", mode="record")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["dir.json", "file"]
