"""`kensaku doctor` finds what is broken, and says what to do."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta
from pathlib import Path

import pytest

from kensaku import Settings
from kensaku.cli.doctor.local import find_sunsets
from kensaku.testing import FakeUpstream, faults

from .conftest import Cli

KEY = "tvly-0123456789-secret"
USAGE = {"key": {"usage": 150, "limit": 1000}, "account": {"plan_usage": 150, "plan_limit": 1000}}


def _usage(up: FakeUpstream, body: object, status: int = 200) -> None:
    up.serves("/tavily/usage", json.dumps(body), "application/json", status)


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


def test_a_refused_key_is_broken(up: FakeUpstream, cli: Cli, library: Path) -> None:
    """With the variable to look at, and exit 1 (S4-55)."""
    _usage(up, {"detail": {"error": "Unauthorized"}}, 401)
    done = cli("doctor")

    assert done.status == 1
    assert "✗ tavily: it does not take this key" in done.out
    assert "→ check TAVILY_API_KEY" in done.out


def test_a_used_up_quota_is_broken(up: FakeUpstream, cli: Cli, library: Path) -> None:
    """Before the first search fails of it."""
    _usage(up, {"key": {"usage": 1000, "limit": 1000}})
    done = cli("doctor")

    assert done.status == 1
    assert "✗ tavily: 1000 of 1000 credits are used → add a key" in done.out


def test_a_keyed_provider_out_of_reach_is_broken(up: FakeUpstream, cli: Cli, library: Path) -> None:
    """A keyless one is not this machine's fault."""
    up.fails("tavily", faults.reset())
    up.fails("wikipedia", faults.reset())
    done = cli("doctor")

    assert done.status == 1
    assert "✗ tavily: " in done.out
    assert "! wikipedia: " in done.out


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
    up.heals()
    assert "its key was refused" in cli("providers", "tavily").out
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


def test_an_unwritable_home_is_broken(cli: Cli) -> None:
    """Index, cache and limits live there."""
    done = cli("doctor", KENSAKU_HOME="/proc/nowhere", KENSAKU_KEYLESS="0")

    assert done.status == 1
    assert "✗ home: /proc/nowhere cannot be written" in done.out


def test_an_index_that_does_not_open_is_broken(up: FakeUpstream, cli: Cli, machine: Path) -> None:
    """It is named, and what to do with it."""
    (machine / "index").mkdir(parents=True)
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
