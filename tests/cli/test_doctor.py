"""`kensaku doctor` finds what is broken, and says what to do."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import sys
from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from kensaku import Settings
from kensaku.cli.doctor.local import find_sunsets
from kensaku.testing import FakeUpstream, faults

from .conftest import Cli

KEY = "tvly-0123456789-secret"
USAGE = {"key": {"usage": 150, "limit": 1000}, "account": {"plan_usage": 150, "plan_limit": 1000}}
ALONE = {"WEB_SEARCH_PROVIDER": "tavily"}


def _usage(up: FakeUpstream, body: object, status: int = 200) -> None:
    up.serves("/tavily/usage", json.dumps(body), "application/json", status)


def _about(subject: str, report: str) -> list[str]:
    """What a report says of one subject: each mark, and the text behind the name."""
    lines = (line.partition(f" {subject}: ") for line in report.splitlines())
    return [f"{mark} {text}" for mark, name, text in lines if name]


def test_all_is_well(up: FakeUpstream, cli: Cli, library: Path) -> None:
    """Nothing is spent: no search is sent (S4-55)."""
    _usage(up, USAGE)
    done = cli("doctor")

    assert done.status == 0
    assert "✓ tavily: the key is accepted, 150 of 1000 credits used" in done.out
    assert "✓ local index: documents: default 1" in done.out
    assert "✗" not in done.out
    assert not [seen for seen in up.requests if seen.path.endswith("/search")]
    assert KEY not in done.out + done.err


@pytest.mark.parametrize(
    ("status", "said", "nobody_can_search"),
    [
        (401, "✗ it does not take this key.* → check TAVILY_API_KEY", True),
        (432, "✗ the quota of this key is used up.* → add another key", True),
        (429, "! ", False),
        (500, "✗ ", False),
    ],
)
def test_what_a_refusal_means(
    status: int, said: str, nobody_can_search: bool, up: FakeUpstream, cli: Cli, library: Path
) -> None:
    """A refused or exhausted key cannot be used; a limit passes (S4-55)."""
    _usage(up, {"detail": {"error": "Unauthorized"}}, status)
    done = cli("doctor", **ALONE)
    reached, refused = _about("tavily", done.out)

    assert (done.status, reached) == (int(said[0] == "✗"), "✓ it can be reached")
    assert re.match(said, refused)
    assert ("only the local index can answer" in done.out) is nobody_can_search


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"key": {"usage": 1000, "limit": 1000}}, "✗ 1000 of 1000 credits are used → add a key"),
        ({"key": {"usage": 5}}, "✓ the key is accepted, 5 credits used"),
        (
            {"key": {"usage": 5}, "account": {"plan_usage": 7, "plan_limit": 9}},
            "✓ the key is accepted, 7 of 9 credits used",
        ),
        ({"key": {"usage": "5", "limit": 6}}, "✓ the key is accepted"),
        (["otter"], "✓ the key is accepted"),
    ],
)
def test_a_quota_is_read(body: object, said: str, up: FakeUpstream, cli: Cli) -> None:
    """That of the key, else that of the account; what cannot be read is no failure."""
    _usage(up, body)

    assert _about("tavily", cli("doctor", **ALONE).out)[1] == said


def test_a_keyed_provider_out_of_reach_is_broken(up: FakeUpstream, cli: Cli, library: Path) -> None:
    """A keyless one is not this machine's fault."""
    up.fails("tavily", faults.reset())
    up.fails("wikipedia", faults.reset())
    done = cli("doctor")

    assert done.status == 1
    assert "✗ tavily: " in done.out
    assert "! wikipedia: " in done.out
    assert _about("tavily", cli("doctor", "--timeout", "0", **ALONE).out) == [
        "✗ it does not answer → check the network and its address"
    ]
    up.heals()
    up.fails("wikipedia", faults.status(403))
    assert "! wikipedia: " in cli("doctor", "--live").out


def test_a_search_has_an_end(up: FakeUpstream, cli: Cli) -> None:
    """The time of --timeout is for each check."""
    up.fails("tavily", faults.hang(), when=lambda seen: seen.method == "POST")
    done = cli("doctor", "--live", "--timeout", "3", **ALONE)

    assert _about("tavily", done.out) == ["✗ it took longer than 3 s"]


def test_what_is_not_configured_is_not_asked(
    up: FakeUpstream, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says which setting is missing, or which package."""
    monkeypatch.setitem(sys.modules, "ddgs", None)
    route = {"WEB_SEARCH_PROVIDER": "serper,google,duckduckgo", "GOOGLE_API_KEY": "g" * 20}
    out = cli("doctor", **route, GOOGLE_CX=None).out

    assert _about("serper", out) == ["! it is not configured → set SERPER_API_KEY"]
    assert _about("google", out)[-1] == "! it is not configured → set GOOGLE_CX"
    assert _about("duckduckgo", out) == [
        '! a package is missing → pip install "kensaku-search[ddgs]"'
    ]
    assert up.requests == []


def test_a_provider_is_reached_where_searches_would_go(up: FakeUpstream, cli: Cli) -> None:
    """Some have another host for searches without a key. A proxy sees which one is asked."""
    real = {f"{name}_BASE_URL": None for name in ("BRAVE", "WIKIPEDIA", "YOU")}
    route = {"WEB_SEARCH_PROVIDER": "brave,wikipedia,you", "BRAVE_API_KEY": "b" * 20}
    cli("doctor", KENSAKU_PROXY=up.url, **real, **route)
    cli("doctor", KENSAKU_PROXY=up.url, **real, WEB_SEARCH_PROVIDER="you", YDC_API_KEY="y" * 20)

    assert sorted(seen.target for seen in up.requests) == [
        "api.search.brave.com:443", "api.you.com:443", "en.wikipedia.org:443", "ydc-index.io:443",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("ahead", "said"),
    [
        ([100], ["✓ it agrees with the hosts that were asked"]),
        ([-100], ["✓ it agrees with the hosts that were asked"]),
        ([90_000_000], ["✗ it is 9000", " s ahead → set it by the network"]),
        ([-90_000_000], ["✗ it is ", " s behind → set it by the network"]),
        ([-90_000_000, 0, 0], ["✓ it agrees with the hosts that were asked"]),
        ([None], []),
    ],
)
def test_a_clock_that_is_wrong_is_broken(
    ahead: list[int | None], said: list[str], up: FakeUpstream, cli: Cli
) -> None:
    """The host in the middle is believed, also one that refuses; a date that is none is not."""
    names = ["tavily", "brave", "exa"][: len(ahead)]
    for name, seconds in zip(names, ahead, strict=True):
        then = datetime.now(UTC) - timedelta(seconds=seconds or 0)
        written = "yesterday" if seconds is None else format_datetime(then)
        up.fails(name, faults.status(404, headers={"Date": written}))
    keys = {"BRAVE_API_KEY": "b" * 20, "EXA_API_KEY": "e" * 20}
    found = _about("clock", cli("doctor", WEB_SEARCH_PROVIDER=",".join(names), **keys).out)

    assert len(found) == bool(said)
    assert all(part in found[0] for part in said)


def test_live_sends_one_search_with_each_key(up: FakeUpstream, cli: Cli, library: Path) -> None:
    """And only then."""
    done = cli("doctor", "--live", TAVILY_API_KEY="first-key-000000,second-key-11111")
    asked = [seen for seen in up.asked("tavily") if seen.method == "POST"]

    assert done.status == 0
    assert [seen.json["query"] for seen in asked] == ["kensaku", "kensaku"]
    assert {seen.json["max_results"] for seen in asked} == {1}
    assert "✓ tavily: key 2: it answered a search" in done.out


def test_what_works_again_need_not_wait(up: FakeUpstream, cli: Cli, library: Path) -> None:
    """A key was refused, somebody mended it, and a check clears the pause for everyone."""
    up.fails("tavily", faults.status(401))
    cli("search", "otter", "--route", "tavily")
    up.heals("tavily")
    up.fails("tavily", faults.status(404), when=lambda seen: seen.path == "/tavily/usage")
    assert "its key was refused" in cli("providers", "tavily").out
    left_alone = _about("tavily", cli("doctor").out)[-1]
    assert left_alone.startswith("! it is left alone for now: its key was refused")
    assert left_alone.endswith(" → wait, or: kensaku doctor --live")
    cli("doctor", "--live")

    assert "ready" in cli("providers", "tavily").out


def test_nobody_at_all_is_broken(up: FakeUpstream, cli: Cli, library: Path, tmp_path: Path) -> None:
    """No key, no keyless pool, no index; the local index is better than nothing."""
    alone = {"TAVILY_API_KEY": None, "KENSAKU_KEYLESS": "0"}
    done, local = cli("doctor", **alone, KENSAKU_HOME=str(tmp_path / "new")), cli("doctor", **alone)

    assert (done.status, local.status) == (1, 0)
    assert "✗ route: nobody can search" in done.out
    assert "! route: only the local index can answer → set a key, or go online" in local.out


def test_open_files_and_ignored_proxies_are_pointed_out(
    up: FakeUpstream, cli: Cli, library: Path
) -> None:
    """What others can read, and what is not looked at."""
    library.chmod(0o755)
    files = [library / "config.toml", library / "state.sqlite", library / "other.txt"]
    files[0].write_text("timeout = 5\n")
    for file in files:
        file.touch()
        file.chmod(0o640)
    done = cli("doctor", HTTPS_PROXY="http://proxy.example:3128")

    assert f"! home: {library} is open to others (755) → chmod 700 {library}" in done.out
    for file in files[:2]:
        assert f"! files: {file} can be read by others (640) → chmod 600 {file}" in done.out
    assert "other.txt" not in done.out
    assert "! proxy: HTTPS_PROXY is not looked at → set KENSAKU_PROXY" in done.out
    own = {"KENSAKU_PROXY": up.url, "NO_PROXY": "*"}
    assert "proxy: " not in cli("doctor", **own).out
    said = "✓ proxy: the one of the settings is used; HTTPS_PROXY is not looked at"
    assert said in cli("doctor", **own, HTTPS_PROXY="http://proxy.example:3128").out.splitlines()


def test_a_home_is_made_for_its_owner_alone(cli: Cli, tmp_path: Path) -> None:
    """Index, cache and limits live there: it is broken when it cannot be written."""
    home = tmp_path / "a" / "b"
    done = cli("doctor", KENSAKU_HOME=str(home), **ALONE)
    nowhere = cli("doctor", KENSAKU_HOME="/proc/nowhere", KENSAKU_KEYLESS="0")

    assert _about("home", done.out) == [f"✓ {home} is writable and private"]
    assert home.stat().st_mode & 0o777 == 0o700
    assert nowhere.status == 1
    assert "✗ home: /proc/nowhere cannot be written" in nowhere.out


def test_the_journal_of_an_old_sqlite_is_told(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is slower, and safe."""
    said = []
    for version in ((3, 51, 2), (3, 51, 3)):
        monkeypatch.setattr(sqlite3, "sqlite_version_info", version)
        monkeypatch.setattr(sqlite3, "sqlite_version", "3.x")
        said += _about("SQLite", cli("doctor", **ALONE).out)

    assert said == [
        "✓ 3.x; before 3.51.3 the slower, safe journal is used for the cache",
        "✓ 3.x",
    ]


def test_an_index_that_is_not_there_or_does_not_open(cli: Cli, machine: Path) -> None:
    """It is named, and what to do with it."""
    assert _about("local index", cli("doctor", **ALONE).out) == [
        "! there is none yet → the first search builds one, or: kensaku index add"
    ]
    (machine / "index").mkdir(parents=True, exist_ok=True)
    assert _about("local index", cli("doctor", **ALONE).out) == [
        "! it is empty → kensaku index add PATH"
    ]
    assert _about("local index", cli("doctor", "--timeout", "0", **ALONE).out) == [
        "✗ it did not open within 0 s → end the process that holds it, or move it away"
    ]
    shutil.rmtree(machine / "index")
    (machine / "index").mkdir()
    (machine / "index" / "collections").write_text("a file where a directory should be")
    done = cli("doctor", "--timeout", "1")

    assert "✗ local index: " in done.out
    assert done.status == 1


def test_broken_settings_are_the_only_finding(cli: Cli, tmp_path: Path) -> None:
    """The doctor does not fall ill of it; the same as JSON."""
    file = tmp_path / "mine.toml"
    file.write_text("timeout = 'soon'\n")
    done = cli("doctor", "--config", str(file))
    told = cli("doctor", "--config", str(file), "--json")

    assert (done.status, told.status) == (1, 1)
    assert done.out.startswith("✗ settings: ")
    assert [(finding["state"], finding["what"]) for finding in told.json] == [
        ("broken", "settings")
    ]


def test_the_report_as_json(cli: Cli, library: Path) -> None:
    """The same, a finding at a time."""
    library.chmod(0o700)
    no_google = {"GOOGLE_BASE_URL": None, "GOOGLE_CX": None}  # it ends one day, and says so
    done = cli("doctor", "--json", WEB_SEARCH_PROVIDER="serper,local", **no_google)
    names = [finding["what"] for finding in done.json]

    assert (done.status, names[:3]) == (0, ["python", "SQLite", "home"])
    assert done.json[3:] == [
        {"state": "look", "what": "serper", "said": "it is not configured",
         "next": "set SERPER_API_KEY"},
        {"state": "well", "what": "local index", "said": "documents: default 1", "next": ""},
        {"state": "look", "what": "route", "said": "only the local index can answer",
         "next": "set a key, or go online"},
    ]  # fmt: skip


def test_google_is_said_to_end(cli: Cli, library: Path) -> None:
    """A provider with a last day is pointed out."""
    done = cli("doctor", GOOGLE_API_KEY="g" * 20, GOOGLE_CX="cx")

    assert re.search("[!✗] google: the service end(s|ed) on 2027-01-01", done.out)


@pytest.mark.parametrize(("days", "mark", "verb"), [(1, "!", "ends"), (0, "✗", "ended")])
def test_an_end_is_a_warning_until_it_has_come(days: int, mark: str, verb: str) -> None:
    """While there is time, a successor can be planned."""
    day = date(2027, 1, 1)
    settings = Settings.load(environ={"GOOGLE_API_KEY": "g" * 20, "GOOGLE_CX": "cx"})

    (told,) = find_sunsets(settings, day - timedelta(days))

    assert (told.mark, told.subject) == (mark, "google")
    assert told.message == f"the service {verb} on {day}"
