"""`kensaku search`: results on stdout, everything else on stderr, and an honest exit status."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from kensaku.cli.search import merge
from kensaku.dialects import DIALECTS
from kensaku.errors import NotConfigured, Timeout
from kensaku.models import Attempt, Hit, Outcome, Query, Response
from kensaku.testing import FakeUpstream, faults

from .conftest import Run

OTTER = Hit(
    url="https://otter.example/a", title="Sea otters", content="They hold hands.", score=0.9
)
KEY = "tvly-0123456789-secret"


def test_results_are_on_stdout_and_nothing_else(up: FakeUpstream, run: Run) -> None:
    """Found: exit 0, and a quiet stderr (S2-04)."""
    body = {"results": [{"title": OTTER.title, "url": OTTER.url, "content": OTTER.content}]}
    up.answers("tavily", body=body)
    done = run("search", "sea", "otters")

    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout == (
        'Results for "sea otters" (1)\n'
        "\n"
        "1. Sea otters\n"
        "   https://otter.example/a\n"
        "   tavily\n"
        "   They hold hands.\n"
    )


def test_nothing_found_is_no_failure(up: FakeUpstream, run: Run) -> None:
    """Empty: exit 0, and it says who searched (S2-05)."""
    up.answers("tavily", [])
    done = run("search", "otter", "--route", "tavily")

    assert done.returncode == 0
    assert done.stdout.startswith('Nothing was found for "otter".\nSearched by tavily.')


def test_nobody_could_search_is_a_failure(up: FakeUpstream, run: Run) -> None:
    """Unavailable: exit 1, every provider with its reason, and no key anywhere (S2-06, S4-54)."""
    up.fails("tavily", faults.status(401, {"detail": {"error": f"bad key {KEY}"}}))
    up.fails("brave", faults.status(429, headers={"Retry-After": "30"}))
    done = run("search", "otter", "--route", "tavily,brave,serper", BRAVE_API_KEY="b" * 20)

    assert done.returncode == 1
    assert done.stdout.startswith('Nobody could search for "otter".')
    for name in ("tavily", "brave", "serper"):
        assert f"{name}: " in done.stdout
    assert "it has no key; set SERPER_API_KEY" in done.stdout
    assert KEY not in done.stdout


@pytest.mark.parametrize("dialect", ["plain", "markdown", "compact", "json", "term", "search_web"])
def test_a_reason_is_printed_once(dialect: str, up: FakeUpstream, run: Run) -> None:
    """In the text if the dialect has it, else on stderr; JSON is for programs and has both."""
    done = run("search", "otter", "--route", "serper", "--dialect", dialect)
    expected = {"json": (1, 1), "term": (0, 1), "search_web": (1, 1)}.get(dialect, (1, 0))

    assert done.returncode == 1
    assert (done.stdout.count("SERPER_API_KEY"), done.stderr.count("SERPER_API_KEY")) == expected


@pytest.mark.parametrize(
    "words",
    [
        ["-n", "99"], ["-n", "x"], ["--timeout", "0"], ["--route", "tavly"], ["--mode", "fast"],
        ["--dialect", "tavly"], ["--dialect", "term:ja"], ["--depth", "deep"], ["--country", "xx"],
        ["--start-date", "2026-02-30"], ["--start-date", "2026-02-02", "--end-date", "2026-02-01"],
        ["--time-range", "day", "--start-date", "2026-02-01"], ["--include-domain", "a b"],
        ["--config", "/no/such/file.toml"], ["--replay", "/no/such/file.json"],
        ["--record", "a", "--replay", "b"], ["--record", "/proc/no/such/place.json"],
        ["--nonsense"], ["--collection", "../up"],
    ],
)  # fmt: skip
def test_wrong_use_is_told_before_anything_is_sent(
    words: list[str], up: FakeUpstream, run: Run
) -> None:
    """Exit 2, one sentence, empty stdout (S2-07)."""
    done = run("search", "otter", *words)

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1].startswith("kensaku")
    assert up.requests == []


@pytest.mark.parametrize("query", [[], [""], ["  "], ["x" * 2001]])
def test_an_empty_or_endless_query_is_wrong_use(
    query: list[str], up: FakeUpstream, run: Run
) -> None:
    """(S2-07)"""
    assert run("search", *query).returncode == 2
    assert up.requests == []


def test_words_need_no_quotes_and_options_may_stand_between(up: FakeUpstream, run: Run) -> None:
    """Also words that look like options, after `--`."""
    run("search", "sea", "-n", "3", "otter", "--no-cache", "--", "-n", "--json")

    assert up.asked("tavily")[0].json["query"] == "sea otter -n --json"
    assert up.asked("tavily")[0].json["max_results"] == 3


def test_a_dash_reads_stdin(up: FakeUpstream, run: Run) -> None:
    """`echo otters | kensaku search -`."""
    run("search", "-", stdin="sea\notters\n")

    assert up.asked("tavily")[0].json["query"] == "sea otters"


def test_every_option_reaches_the_provider(up: FakeUpstream, run: Run) -> None:
    """What Tavily can do, the command line can ask for (S0-27)."""
    run(
        "search", "otter", "--depth", "advanced", "--start-date", "2026-01-01", "--end-date",
        "2026-02-01", "--include-domain", "a.example", "--include-domain", "b.example",
        "--exclude-domain", "c.example", "--country", "Japan", "--language", "ja", "--answer",
    )  # fmt: skip
    run("search", "otter", "--include-domains", "a.example,b.example", "--include-answer")
    sent, alias = (seen.json for seen in up.asked("tavily")[:2])

    assert sent["search_depth"] == "advanced"
    assert (sent["start_date"], sent["end_date"]) == ("2026-01-01", "2026-02-01")
    assert sent["include_domains"] == ["a.example", "b.example"]
    assert sent["exclude_domains"] == ["c.example"]
    assert (sent["country"], sent["language"]) == ("japan", "ja")
    assert sent["include_answer"] is alias["include_answer"] is True
    assert alias["include_domains"] == ["a.example", "b.example"]


def test_topic_and_time_range_reach_the_provider(up: FakeUpstream, run: Run) -> None:
    """(S0-27)"""
    run("search", "otter", "--topic", "news", "--time-range", "week")
    sent = up.asked("tavily")[0].json

    assert (sent["topic"], sent["time_range"]) == ("news", "week")


def test_json_has_the_promised_members(up: FakeUpstream, run: Run) -> None:
    """One line in a pipe, whatever the outcome."""
    up.answers("tavily", [OTTER])
    found = run("search", "otter", "--json")
    up.fails("tavily", faults.status(500))
    failed = run("search", "other", "--json", "--route", "tavily")

    assert found.stdout.count("\n") == 1
    body = json.loads(found.stdout)
    assert body["outcome"] == "found"
    assert {"title", "url", "content", "score", "published", "provider"} <= set(body["hits"][0])
    assert {"query", "answer", "attempts", "confidence", "elapsed_ms"} <= set(body)
    assert failed.returncode == 1
    broken = json.loads(failed.stdout)
    assert broken["outcome"] == "unavailable"
    assert {"provider", "outcome", "error", "elapsed_ms"} <= set(broken["attempts"][0])


@pytest.mark.parametrize("dialect", [*DIALECTS, "plain:ja"])
def test_every_dialect_can_be_asked_for(dialect: str, up: FakeUpstream, run: Run) -> None:
    """As an option or as a setting, with one newline at the end."""
    up.answers("tavily", [OTTER])
    asked = run("search", "otter", "--dialect", dialect)
    again = run("search", "otter", KENSAKU_DIALECT=dialect)

    assert "Sea otters" in asked.stdout
    assert asked.stdout.endswith("\n")
    if dialect != "json":
        assert asked.stdout == again.stdout


def test_the_literal_dialects_keep_their_last_byte(up: FakeUpstream, run: Run) -> None:
    """A text that ends in a newline gets no second one (S4-31)."""
    up.answers("tavily", [OTTER])

    assert run("search", "otter", "--dialect", "term").stdout.endswith("\n\n---\n")


def test_the_local_index_is_named_when_it_answered(run: Run, library: Path) -> None:
    """Once: in the text if the dialect has it, else on stderr; with the reason of the others."""
    plain = run("search", "otters", "--route", "serper,local")
    term = run("search", "otters", "--route", "serper,local", "--dialect", "term")

    assert plain.returncode == 0
    assert "https://local.example/" in plain.stdout
    assert plain.stdout.count("from the local index") == 1
    assert plain.stderr == "serper: not asked: it has no key; set SERPER_API_KEY\n"
    assert "local index" not in term.stdout
    assert term.stderr.count("The local index answered") == 1


def test_the_keyless_pool_is_announced_once(up: FakeUpstream, run: Run, library: Path) -> None:
    """Queries then go to others' hosts, and people are told which, and how to turn it off."""
    first = run("search", "otter", TAVILY_API_KEY=None)
    second = run("search", "otters", TAVILY_API_KEY=None)

    assert "127.0.0.1" in first.stderr
    assert "KENSAKU_KEYLESS=0" in first.stderr
    assert "KENSAKU_KEYLESS=0" not in second.stderr
    assert "KENSAKU_KEYLESS" not in first.stdout


def test_the_keyless_pool_is_announced_when_a_key_fails(up: FakeUpstream, run: Run) -> None:
    """With a key that works, nobody hears of it; when the pool has to stand in, they do."""
    quiet = run("search", "otter")
    up.fails("tavily", faults.status(401))
    told = run("search", "otters")

    assert quiet.stderr == ""
    assert "KENSAKU_KEYLESS=0" in told.stderr


def test_the_keyless_pool_can_be_turned_off(up: FakeUpstream, run: Run, library: Path) -> None:
    """Then nothing leaves the machine."""
    done = run("search", "otters", TAVILY_API_KEY=None, KENSAKU_KEYLESS="0")

    assert up.requests == []
    assert "KENSAKU_KEYLESS" not in done.stderr
    assert "https://local.example/" in done.stdout


def test_notes_are_told(up: FakeUpstream, run: Run) -> None:
    """What a provider could not filter is said, once: in the text or beside it."""
    words = ["search", "otter", "--route", "wikipedia", "--topic", "news", "--dialect"]
    plain, compact, term = run(*words, "plain"), run(*words, "compact"), run(*words, "term")

    assert "cannot filter by topic" in plain.stdout
    assert "cannot filter by topic" not in plain.stderr
    assert "cannot filter by topic" in term.stderr
    assert "cannot filter by topic" not in compact.stdout
    assert "cannot filter by topic" in compact.stderr


def test_explain_says_how_it_came_about(up: FakeUpstream, run: Run) -> None:
    """Attempts, confidence and places, beside the same results."""
    up.answers("tavily", [OTTER])
    usual, explained = run("search", "otter"), run("search", "otter", "--explain", "--no-cache")

    assert explained.stdout == usual.stdout
    assert "tavily with key 1: found, 1 hits" in explained.stderr
    assert "Confidence " in explained.stderr
    assert "1. tavily #1 (0.90)" in explained.stderr


def test_the_cache_answers_the_second_time(up: FakeUpstream, run: Run) -> None:
    """Unless it is told not to."""
    for words in (["otter"], ["otter"], ["otter", "--no-cache"]):
        run("search", *words)

    assert len(up.asked("tavily")) == 2


def test_a_search_can_be_recorded_and_replayed(up: FakeUpstream, run: Run, tmp_path: Path) -> None:
    """Same results, no key, nothing sent, on the route of the recording."""
    file = tmp_path / "otters.json"
    up.answers("brave", [OTTER])
    up.fails("tavily", faults.status(401))
    route = ["--route", "tavily,brave"]
    recorded = run("search", "otter", *route, "--record", str(file), BRAVE_API_KEY="b" * 20)
    sent = len(up.requests)
    replayed = run("search", "otter", "--replay", str(file), TAVILY_API_KEY=None)
    other = run("search", "badger", "--replay", str(file))

    assert len(up.requests) == sent
    assert replayed.stdout == recorded.stdout
    assert replayed.returncode == 0
    assert "b" * 20 not in file.read_text()
    assert other.returncode == 1
    assert "not in the recording; nothing was sent" in other.stdout


def test_escape_sequences_of_a_page_never_reach_the_terminal(up: FakeUpstream, run: Run) -> None:
    """Titles, contents, answers and refusals are written by strangers."""
    evil = "\x1b]0;owned\x07\x1b[2Jx\x9b31my\x08\r\u202ez"
    body = {"results": [{"title": evil, "url": "https://a.example/", "content": evil}],
            "answer": evil}  # fmt: skip
    up.answers("tavily", body=body)
    up.fails("brave", faults.status(401, {"error": evil}))
    for dialect in DIALECTS:
        done = run(
            "search", "otter", "--route", "brave,tavily", "--dialect", dialect, "--answer",
            "--explain", "--no-cache", BRAVE_API_KEY="b" * 20,
        )  # fmt: skip
        for line in (done.stdout + done.stderr).split("\n"):
            assert line.isprintable() or "\u3000" in line, repr(line)


def test_a_pipe_that_closes_is_no_trouble(
    up: FakeUpstream, env: dict[str, str], tmp_path: Path
) -> None:
    """`kensaku search … | head -1`."""
    up.answers("tavily", [Hit(url="https://a.example/", title="A", content="x" * 400)] * 20)
    with subprocess.Popen(
        [sys.executable, "-m", "kensaku.cli", "search", "otter", "-n", "20", "--json"],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()

        assert process.stderr.read() == b""
        assert process.wait(120) == 0


def test_ctrl_c_ends_a_search_quietly(up: FakeUpstream, env: dict[str, str]) -> None:
    """130, as shells expect, and no traceback."""
    up.fails("tavily", faults.hang())
    with subprocess.Popen(
        [sys.executable, "-m", "kensaku.cli", "search", "otter", "--route", "tavily"],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        while not up.asked("tavily"):
            threading.Event().wait(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)

    assert (process.returncode, out, err) == (130, b"", b"")


def test_a_terminal_without_unicode_gets_numbers(up: FakeUpstream, run: Run) -> None:
    """Better than a traceback."""
    up.answers("tavily", [Hit(url="https://a.example/", title="検索")])
    done = run("search", "otter", PYTHONIOENCODING="ascii", PYTHONUTF8="0")

    assert done.returncode == 0
    assert "\\u691c\\u7d22" in done.stdout


def test_the_first_search_waits_for_the_starter_collection(run: Run) -> None:
    """On a fresh machine the index takes longer to build than a search may: it is waited for."""
    done = run("search", "cancel", "an", "asyncio", "task", "--route", "local", "--timeout", "0.3")

    assert done.returncode == 0, done.stderr
    assert "pydoc:asyncio.Task.cancel" in done.stdout
    assert "indexing pydocs" in done.stderr


def test_waiting_for_the_index_keeps_what_the_first_search_said(run: Run) -> None:
    """The second search, of the finished index, does not replace the attempts of the first."""
    words = ["search", "cancel", "an", "asyncio", "task", "--route", "serper,local"]
    done = run(*words, "--timeout", "5", "--json")
    attempts = json.loads(done.stdout)["attempts"]

    assert done.returncode == 0, done.stderr
    assert attempts[0]["provider"] == "serper"
    assert attempts[0]["error"] is not None  # it has no key, or on a busy machine no time
    assert attempts[-1]["provider"] == "local"
    assert attempts[-1]["outcome"] == "found"
    assert "serper: " in done.stderr
    assert "local: " not in done.stderr  # it answered in the end


def test_merged_responses_have_the_attempts_and_notes_of_both() -> None:
    """The result is the second's; who could not be asked before, and why, is kept."""
    query = Query("otter")
    refused = Attempt("serper", Outcome.UNAVAILABLE, NotConfigured("serper", "it has no key"))
    late = Attempt("local", Outcome.UNAVAILABLE, Timeout("local", "it took too long"))
    answered = Attempt("local", Outcome.FOUND, hits=1)
    first = Response(query, Outcome.UNAVAILABLE, attempts=(refused, late), notes=("a", "b"))
    second = Response(query, Outcome.FOUND, (OTTER,), attempts=(answered,), notes=("b", "c"))
    merged = merge(first, second)

    assert (merged.outcome, merged.hits) == (Outcome.FOUND, (OTTER,))
    assert merged.attempts == (refused, late, answered)
    assert merged.notes == ("a", "b", "c")
