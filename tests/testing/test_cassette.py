"""What was recorded is played again, and gives nothing away."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest

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


@pytest.mark.parametrize(
    "text",
    ["", "⟦", "⟦⟧ ⟦query⟧ ⟦key⟧ ⟦query^ff⟧", "RED PANDA red panda Red pAnDa", "red%20panda+x",
     "Red+Panda", "no echo at all", "red pandared panda"],
)  # fmt: skip
@pytest.mark.parametrize("query", ["Red Panda", "red panda", "a", "検索", "Straße İ", "(.*)[x]"])
def test_hiding_and_showing_gives_the_same_text(text: str, query: str) -> None:
    """In whatever letters the upstream repeats the query; marks of its own survive."""
    redactor = Redactor(query, ["sekrit"])
    echoed = f"{text} {query} {query.upper()} {query.title()} {quote(query)} {quote_plus(query)}"
    hidden = redactor.redact({"a": [echoed, 1, None]})

    assert redactor.restore(hidden) == {"a": [echoed, 1, None]}
    if len(query) > 2:
        assert query.lower() not in hidden["a"][0].lower()


def test_another_query_gets_the_text_with_its_own_words() -> None:
    """The mark stands for the query of whoever replays."""
    hidden = Redactor("Red Panda").redact("About Red Panda")

    assert Redactor("Sea Otter").restore(hidden) == "About Sea Otter"


async def test_errors_of_other_people_are_played_as_the_nearest_of_ours(tmp_path: Path) -> None:
    """A recording needs nobody's classes but Kensaku's."""

    class Odd(Outage):
        pass

    class Theirs(Provider):
        name = "theirs"

        async def ask(self, query: Query, key: str, http: Transport) -> Findings:
            raise Odd(self.name, "down")

    file, http = tmp_path / "cassette.json", HttpClient(user_agent="test")
    with pytest.raises(Odd):
        await Cassette(file, mode="record").ask(Theirs(), Query("otter"), "", http)
    with pytest.raises(Outage, match="down"):
        await Cassette(file).ask(Theirs(), Query("otter"), "", http)


async def test_the_whole_file_as_people_read_it(tmp_path: Path) -> None:
    """What is empty is left out of a hit; the query and the key are marks."""
    file, http = tmp_path / "cassette.json", HttpClient(user_agent="test")

    class Theirs(Provider):
        name = "theirs"

        async def ask(self, query: Query, key: str, http: Transport) -> Findings:
            if query.max_results == 1:
                raise RateLimited("theirs", f"no {query.text}", status=429, retry_after=2.0)
            hit = Hit("https://a.example/", "", f"About {query.text} ({key})", score=0.0)
            return Findings([hit], f"{query.text}!", 0.25, ("cut",))

    recorder = Cassette(file, mode="record")
    assert not recorder.replays
    await recorder.ask(Theirs(), Query("otters"), "sekrit", http)
    with pytest.raises(RateLimited):
        await recorder.ask(Theirs(), Query("otters", max_results=1), "sekrit", http)
    await recorder.record_page("https://b.example/", PageUnavailable("gone", remedy="wait"))

    whole = json.loads(text := file.read_text(encoding="utf-8"))
    assert text == json.dumps(whole, ensure_ascii=False, indent=1) + "\n"
    assert list(whole) == ["kensaku cassette", "salt", "providers", "asked", "pages"]
    assert (whole["kensaku cassette"], len(whole["salt"])) == (1, 16)
    assert whole["providers"] == ["theirs"]
    slots = {slot.partition(" ")[0]: len(slot.partition(" ")[2]) for slot in whole["asked"]}
    assert slots == {"theirs": 24}
    assert sorted(whole["asked"].values(), key=str) == [
        [{"error": {"type": "RateLimited", "message": "no ⟦query⟧", "remedy": "", "status": 429,
                    "retry_after": 2.0, "request_id": None}}],
        [{"hits": [{"url": "https://a.example/", "content": "About ⟦query⟧ (⟦key⟧)"}],
          "answer": "⟦query⟧!", "cost": 0.25, "notes": ["cut"]}],
    ]  # fmt: skip
    assert whole["pages"] == {
        "https://b.example/": [
            {"error": {"type": "PageUnavailable", "message": "gone", "remedy": "wait"}}
        ]
    }

    player = Cassette(file)
    assert player.replays
    assert player.providers == ["theirs"]
    found = await player.ask(Theirs(), Query("otters"), "", http)
    assert found == Findings(
        [Hit("https://a.example/", "", "About otters (…)")], "otters!", 0.25, ("cut",)
    )
    with pytest.raises(PageUnavailable) as gone:
        player.page("https://b.example/")
    assert str(gone.value) == "gone; wait"
    with pytest.raises(PageUnavailable) as missing:
        player.page("https://c.example/")
    assert missing.value.remedy == "record it into cassette.json first"
    with pytest.raises(NotRecorded) as unknown:
        await player.ask(Theirs(), Query("pandas"), "", http)
    assert str(unknown.value) == (
        "theirs: this query is not in the recording; nothing was sent; "
        "record it into cassette.json first"
    )


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


@pytest.mark.parametrize(
    ("query", "text", "hidden"),
    [
        ("Red Panda", "a Red Panda", "a ⟦query⟧"),
        ("Red Panda", "a red PANDA", "a ⟦query^1f0⟧"),
        ("Red Panda", "a=Red+Panda&b=Red%20Panda", "a=⟦query+⟧&b=⟦query%⟧"),
        ("Red Panda", "red%20panda", "⟦query%^0⟧"),
        ("Red Panda", "Sekrit sekrit", "⟦key⟧ ⟦key⟧"),
        ("Red Panda", "⟦", "⟦⟧"),
        ("abc", "abc", "⟦query⟧"),
        ("ab", "ab", "ab"),  # two letters are in every sentence
        ("犬", "犬です", "⟦query⟧です"),
    ],
)
def test_a_mark_says_how_the_query_was_written(query: str, text: str, hidden: str) -> None:
    """Percent-encoded, with a plus, in capitals; short keys and short words stay."""
    redactor = Redactor(query, ["sekrit", "k2"])

    assert redactor.redact(text) == hidden
    assert redactor.redact("k2") == "k2"
    assert redactor.redact([text, {"a": text}, 1]) == [hidden, {"a": hidden}, 1]
    assert redactor.restore([hidden, {"a": hidden}, 1]) == (
        [text, {"a": text}, 1] if "key" not in hidden else ["… …", {"a": "… …"}, 1]
    )
