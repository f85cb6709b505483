"""What `kensaku doctor` says of each provider, of the clock and of the route, word by word."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from kensaku import Kensaku, Settings
from kensaku.cli.doctor.network import ProviderCheck, check_clock
from kensaku.testing import FakeUpstream, faults
from tests.conftest import MakeClient

USAGE = {"key": {"usage": 150, "limit": 1000}}
Said = list[tuple[str, str, str]]


async def checked(k: Kensaku, name: str, **options: Any) -> tuple[Said, bool]:
    """What is said of a provider: mark, message and remedy; and whether it can be used."""
    check = ProviderCheck(k, name, **{"pooled": False, "live": False, "seconds": 60.0, **options})
    await check.run()
    assert {r.subject for r in check.results} <= {name}
    return [(r.mark, r.message, r.remedy) for r in check.results], check.usable


def serve_usage(upstream: FakeUpstream, body: object, status: int = 200) -> None:
    upstream.serves("/tavily/usage", json.dumps(body), "application/json", status)


async def test_a_key_is_looked_at_where_that_is_free(
    make_client: MakeClient, upstream: FakeUpstream
) -> None:
    """With the key itself; others are only reached."""
    serve_usage(upstream, USAGE)
    k = make_client("tavily", "brave")

    assert await checked(k, "tavily") == (
        [
            ("✓", "it can be reached", ""),
            ("✓", "the key is accepted, 150 of 1000 credits used", ""),
        ],
        True,
    )
    assert await checked(k, "brave") == ([("✓", "it can be reached", "")], True)
    (asked,) = [seen for seen in upstream.requests if seen.path == "/tavily/usage"]
    (key,) = k.settings.provider("tavily").keys
    assert asked.headers["authorization"] == f"Bearer {key.reveal()}"
    assert len(upstream.asked("brave")) == 1


@pytest.mark.parametrize(
    ("status", "pooled", "mark", "usable"),
    [(401, False, "✗", False), (401, True, "!", False), (429, False, "!", True),
     (432, False, "✗", False), (500, False, "✗", True)],
)  # fmt: skip
async def test_what_a_refusal_means(
    status: int,
    pooled: bool,
    mark: str,
    usable: bool,
    make_client: MakeClient,
    upstream: FakeUpstream,
) -> None:
    """A refused or exhausted key cannot be used; a limit passes; a shared service is not ours."""
    serve_usage(upstream, {"detail": {"error": "no"}}, status)
    said, can_be_used = await checked(make_client("tavily"), "tavily", pooled=pooled)

    assert [m for m, *_ in said] == ["✓", mark]
    assert can_be_used is usable


@pytest.mark.parametrize(("pooled", "mark"), [(False, "✗"), (True, "!")])
async def test_a_host_out_of_reach(
    pooled: bool, mark: str, make_client: MakeClient, upstream: FakeUpstream
) -> None:
    """Nothing more is tried."""
    upstream.fails("brave", faults.reset())
    k = make_client("brave")
    ((first, message, remedy),), usable = await checked(k, "brave", pooled=pooled, live=True)

    assert (first, remedy, usable) == (mark, "check the network and its address", False)
    assert message
    assert message != "it does not answer"  # which would hide the reason
    assert await checked(k, "brave", pooled=pooled, seconds=0) == (
        [(mark, "it does not answer", "check the network and its address")],
        False,
    )


async def test_a_check_has_an_end(make_client: MakeClient, upstream: FakeUpstream) -> None:
    """The time of --timeout is for each."""
    upstream.fails("tavily", faults.hang(), when=lambda seen: seen.method == "POST")
    said, _ = await checked(make_client("tavily"), "tavily", live=True, seconds=1)

    assert said == [("✗", "it took longer than 1 s", "")]


@pytest.mark.parametrize(
    ("name", "env", "remedy"),
    [("brave", {"BRAVE_API_KEY": ""}, "set BRAVE_API_KEY"), ("google", {}, "set GOOGLE_CX")],
)
async def test_what_is_not_configured_is_not_asked(
    name: str, env: dict[str, str], remedy: str, make_client: MakeClient, upstream: FakeUpstream
) -> None:
    """It says which setting is missing."""
    k = make_client("tavily", env={"GOOGLE_API_KEY": "g" * 20, **env})

    assert await checked(k, name) == ([("!", "it is not configured", remedy)], False)
    assert upstream.requests == []


async def test_a_missing_package_is_named(
    make_client: MakeClient, upstream: FakeUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only for the provider that needs it."""
    monkeypatch.setitem(sys.modules, "ddgs", None)
    k = make_client("duckduckgo", "brave")

    assert await checked(k, "duckduckgo") == (
        [("!", "a package is missing", 'pip install "kensaku-search[ddgs]"')],
        False,
    )
    assert (await checked(k, "brave"))[1]
    monkeypatch.undo()
    assert (await checked(k, "duckduckgo"))[0][0] == ("✓", "it can be reached", "")


async def test_a_provider_on_cooldown_says_why(
    make_client: MakeClient, upstream: FakeUpstream
) -> None:
    """And what ends it: the account where that can be read, or a search."""
    k = make_client("tavily", "brave")
    for name in ("tavily", "brave"):
        upstream.fails(name, faults.status(401))
        await k.search("otter", route=name)
    upstream.heals()
    serve_usage(upstream, USAGE)
    said, usable = await checked(k, "brave")

    assert said[0] == ("✓", "it can be reached", "")
    ((mark, message, remedy),) = said[1:]
    assert (mark, remedy, usable) == ("!", "wait, or: kensaku doctor --live", True)
    assert message.startswith("it is left alone for now: its key was refused")
    assert [mark for mark, *_ in (await checked(k, "tavily"))[0]] == ["✓", "✓"]
    assert [mark for mark, *_ in (await checked(k, "brave", live=True))[0]] == ["✓"]
    assert (await checked(k, "brave"))[0] == [("✓", "it can be reached", "")]


@pytest.mark.parametrize(
    ("skews", "said"),
    [
        ([], []),
        ([None], []),
        ([119.9], [("✓", "it agrees with the hosts that were asked", "")]),
        ([-119.9], [("✓", "it agrees with the hosts that were asked", "")]),
        ([120.0], [("✗", "it is 120 s ahead", "set it by the network")]),
        ([-120.0], [("✗", "it is 120 s behind", "set it by the network")]),
        ([0.0, 500.0], [("✗", "it is 500 s ahead", "set it by the network")]),
        ([900.0, 0.0, 1.0], [("✓", "it agrees with the hosts that were asked", "")]),
    ],
)
def test_the_clock(skews: list[float | None], said: Said) -> None:
    """Two minutes may be off; the one in the middle is believed."""
    found = check_clock(skews)

    assert [(r.mark, r.message, r.remedy) for r in found] == said
    assert {r.subject for r in found} <= {"clock"}


async def test_the_clock_of_a_host_is_kept(make_client: MakeClient, upstream: FakeUpstream) -> None:
    """Also that of a host that refuses; a date that is none says nothing."""
    for date, days in {"1970": 365, "2199": -365, "yesterday": 0}.items():
        said = f"Thu, 31 Jan {date} 11:00:00 GMT" if days else date
        upstream.fails("brave", faults.status(404, headers={"Date": said}))
        check = ProviderCheck(make_client("brave"), "brave", False, live=False, seconds=60)
        await check.run()
        upstream.heals("brave")

        assert (check.skew is None) is (days == 0)
        if check.skew is not None:
            assert check.skew / 86_400 / days > 1  # ahead is above zero


QUOTAS = [
    ({"key": {"usage": 999, "limit": 1000}}, "999 of 1000 credits used"),
    ({"key": {"usage": 5}}, "5 credits used"),
    ({"key": {"usage": 5}, "account": None}, "5 credits used"),
    ({"key": {"usage": 5}, "account": {"plan_usage": 7, "plan_limit": 9}}, "7 of 9 credits used"),
    ({"key": {"usage": 5}, "account": {"plan_limit": 9}}, "5 of 9 credits used"),
    ({"key": {"usage": 5, "limit": 6}, "account": {"plan_limit": 9}}, "5 of 6 credits used"),
    ({"key": {"usage": "5", "limit": 6}}, ""),
    ({"key": {"usage": 5, "limit": "6"}}, ""),
    ({"key": {}}, ""),
    ([], ""),
    ("otter", ""),
]


async def test_a_quota_is_read(make_client: MakeClient, upstream: FakeUpstream) -> None:
    """That of the key, else that of the account; what cannot be read is no failure."""
    k = make_client("tavily")
    for body, told in QUOTAS:
        serve_usage(upstream, body)
        said, _ = await checked(k, "tavily")

        assert said[1] == ("✓", "the key is accepted" + (f", {told}" if told else ""), ""), body


@pytest.mark.parametrize(
    ("name", "env", "address"),
    [
        ("brave", {"BRAVE_API_KEY": "b" * 20}, "https://api.search.brave.com"),
        ("wikipedia", {}, "https://en.wikipedia.org"),
        ("you", {}, "https://api.you.com"),
        ("you", {"YDC_API_KEY": "y" * 20}, "https://ydc-index.io"),
        ("you", {"YOU_BASE_URL": "https://own.example"}, "https://own.example"),
        ("tavily", {"TAVILY_BASE_URL": "https://own.example"}, "https://own.example"),
    ],
)
async def test_where_a_provider_is_reached(
    name: str, env: dict[str, str], address: str, machine: Path
) -> None:
    """At the host that searches would go to."""
    async with Kensaku(Settings.load(environ={"KENSAKU_HOME": str(machine), **env})) as k:
        assert ProviderCheck(k, name, False, live=False, seconds=1)._address == address
