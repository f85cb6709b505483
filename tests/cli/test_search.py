"""`kensaku search`: results on stdout, everything else on stderr, and an honest exit status."""

from __future__ import annotations

import json
import signal
import webbrowser
from pathlib import Path

from kensaku.dialects import dialect_names
from kensaku.models import Hit
from kensaku.testing import FakeUpstream, faults

from .conftest import Cli, Run, Spawn, until_asked

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


def test_nothing_found_is_no_failure(up: FakeUpstream, cli: Cli) -> None:
    """Empty: exit 0, and it says who searched (S2-05)."""
    up.answers("tavily", [])
    done = cli("search", "otter", "--route", "tavily")

    assert done.status == 0
    assert done.out.startswith('Nothing was found for "otter".\nSearched by tavily.')


def test_nobody_could_search_is_a_failure(up: FakeUpstream, cli: Cli) -> None:
    """Unavailable: exit 1, every provider with its reason, and no key anywhere (S2-06, S4-54)."""
    up.fails("tavily", faults.status(401, {"detail": {"error": f"bad key {KEY}"}}))
    up.fails("brave", faults.status(429, headers={"Retry-After": "30"}))
    done = cli("search", "otter", "--route", "tavily,brave,serper", BRAVE_API_KEY="b" * 20)

    assert done.status == 1
    assert done.out.startswith('Nobody could search for "otter".')
    for name in ("tavily", "brave", "serper"):
        assert f"{name}: " in done.out
    assert "it has no key; set SERPER_API_KEY" in done.out
    assert KEY not in done.out


def test_a_reason_is_printed_once(up: FakeUpstream, cli: Cli) -> None:
    """In the text if the dialect has it, else on stderr; JSON is for programs and has both."""
    places = {"json": (1, 1), "term": (0, 1), "search_web": (1, 1)}
    for dialect in ("plain", "markdown:ja", "compact", *places):
        done = cli("search", "otter", "--route", "serper", "--dialect", dialect)

        assert done.status == 1
        told = (done.out.count("SERPER_API_KEY"), done.err.count("SERPER_API_KEY"))
        assert told == places.get(dialect, (1, 0)), dialect


def test_words_need_no_quotes_and_options_may_stand_between(up: FakeUpstream, cli: Cli) -> None:
    """Also words that look like options, after `--`."""
    cli("search", "sea", "-n", "3", "otter", "--no-cache", "--", "-n", "--json")

    assert up.asked("tavily")[0].json["query"] == "sea otter -n --json"
    assert up.asked("tavily")[0].json["max_results"] == 3


def test_a_dash_reads_stdin(up: FakeUpstream, cli: Cli) -> None:
    """`echo otters | kensaku search -`."""
    cli("search", "-", stdin="sea\notters\n")

    assert up.asked("tavily")[0].json["query"] == "sea otters"


def test_an_answer_and_lists_of_hosts_can_be_asked_for_by_either_name(
    up: FakeUpstream, cli: Cli
) -> None:
    """The other options: test_options.py (S0-27)."""
    for words in (
        ["--answer", "--include-domain", "a.example", "--include-domain", "b.example"],
        ["--include-answer", "--include-domains", "a.example,b.example"],
    ):
        cli("search", "otter", "--no-cache", *words)
        sent = up.asked("tavily")[-1].json

        assert sent["include_answer"] is True
        assert sent["include_domains"] == ["a.example", "b.example"]


def test_json_has_the_promised_members(up: FakeUpstream, cli: Cli) -> None:
    """One line in a pipe, whatever the outcome."""
    up.answers("tavily", [OTTER])
    found = cli("search", "otter", "--json")
    up.fails("tavily", faults.status(500))
    failed = cli("search", "other", "--json", "--route", "tavily")

    assert found.out.count("\n") == 1
    body = found.json
    assert body["outcome"] == "found"
    assert {"title", "url", "content", "score", "published", "provider"} <= set(body["hits"][0])
    assert {"query", "answer", "attempts", "confidence", "elapsed_ms"} <= set(body)
    assert failed.status == 1
    broken = failed.json
    assert broken["outcome"] == "unavailable"
    assert {"provider", "outcome", "error", "elapsed_ms"} <= set(broken["attempts"][0])


def test_every_dialect_can_be_asked_for(up: FakeUpstream, cli: Cli) -> None:
    """As an option or as a setting, with one newline at the end."""
    up.answers("tavily", [OTTER])
    for dialect in (*dialect_names(), "plain:ja"):
        asked = cli("search", "otter", "--dialect", dialect)
        again = cli("search", "otter", KENSAKU_DIALECT=dialect)

        assert "Sea otters" in asked.out
        assert asked.out.endswith("\n")
        assert asked.out == again.out or dialect == "json", dialect


def test_the_literal_dialects_keep_their_last_byte(up: FakeUpstream, cli: Cli) -> None:
    """A text that ends in a newline gets no second one (S4-31)."""
    up.answers("tavily", [OTTER])

    assert cli("search", "otter", "--dialect", "term").out.endswith("\n\n---\n")


def test_the_local_index_is_named_when_it_answered(cli: Cli, library: Path) -> None:
    """Once: in the text if the dialect has it, else on stderr; with the reason of the others."""
    plain = cli("search", "otters", "--route", "serper,local")
    term = cli("search", "otters", "--route", "serper,local", "--dialect", "term")

    assert plain.status == 0
    assert "https://local.example/" in plain.out
    assert plain.out.count("from the local index") == 1
    assert plain.err == "serper: not asked: it has no key; set SERPER_API_KEY\n"
    assert "local index" not in term.out
    assert term.err.count("The local index answered") == 1


def test_the_keyless_pool_is_announced_once(up: FakeUpstream, cli: Cli, library: Path) -> None:
    """Queries then go to others' hosts, and people are told which, and how to turn it off."""
    first = cli("search", "otter", TAVILY_API_KEY=None)
    second = cli("search", "otters", TAVILY_API_KEY=None)

    hosts = (library / "keyless-notice").read_text().strip()
    assert "127.0.0.1" in hosts
    assert f"Without a key, queries go to services that need none: {hosts}. " in first.err
    assert "KENSAKU_KEYLESS=0" in first.err
    assert "KENSAKU_KEYLESS=0" not in second.err
    assert "KENSAKU_KEYLESS" not in first.out


def test_the_keyless_pool_is_announced_when_a_key_fails(up: FakeUpstream, cli: Cli) -> None:
    """With a key that works, nobody hears of it; when the pool has to stand in, they do."""
    quiet = cli("search", "otter")
    up.fails("tavily", faults.status(401))
    told = cli("search", "otters")

    assert quiet.err == ""
    assert "KENSAKU_KEYLESS=0" in told.err


def test_the_keyless_pool_can_be_turned_off(up: FakeUpstream, cli: Cli, library: Path) -> None:
    """Then nothing leaves the machine."""
    done = cli("search", "otters", TAVILY_API_KEY=None, KENSAKU_KEYLESS="0")

    assert up.requests == []
    assert "KENSAKU_KEYLESS" not in done.err
    assert "https://local.example/" in done.out


def test_notes_are_told(up: FakeUpstream, cli: Cli) -> None:
    """What a provider could not filter is said, once: in the text or beside it."""
    words = ["search", "otter", "--route", "wikipedia", "--topic", "news", "--dialect"]
    plain, compact, term = cli(*words, "plain"), cli(*words, "compact"), cli(*words, "term")

    assert "cannot filter by topic" in plain.out
    assert "cannot filter by topic" not in plain.err
    assert "cannot filter by topic" in term.err
    assert "cannot filter by topic" not in compact.out
    assert "cannot filter by topic" in compact.err


def test_explain_says_how_it_came_about(up: FakeUpstream, cli: Cli) -> None:
    """Attempts, confidence and places, beside the same results."""
    up.answers("tavily", [OTTER])
    usual, explained = cli("search", "otter"), cli("search", "otter", "--explain", "--no-cache")

    assert explained.out == usual.out
    assert "tavily with key 1: found, 1 hit" in explained.err
    assert "Confidence " in explained.err
    assert "1. tavily #1 (0.90)" in explained.err


def test_a_search_can_be_recorded_and_replayed(up: FakeUpstream, cli: Cli, tmp_path: Path) -> None:
    """Same results, no key, nothing sent, on the route of the recording."""
    file = tmp_path / "otters.json"
    up.answers("brave", [OTTER])
    up.fails("tavily", faults.status(401))
    route = ["--route", "tavily,brave"]
    recorded = cli("search", "otter", *route, "--record", str(file), BRAVE_API_KEY="b" * 20)
    sent = len(up.requests)
    replayed = cli("search", "otter", "--replay", str(file), TAVILY_API_KEY=None)
    other = cli("search", "badger", "--replay", str(file))

    assert len(up.requests) == sent
    assert replayed.out == recorded.out
    assert replayed.status == 0
    assert "b" * 20 not in file.read_text()
    assert other.status == 1
    assert "not in the recording; nothing was sent" in other.out


def test_escape_sequences_of_a_page_never_reach_the_terminal(up: FakeUpstream, cli: Cli) -> None:
    """Titles, contents, answers and refusals are written by strangers."""
    evil = "\x1b]0;owned\x07\x1b[2Jx\x9b31my\x08\r\u202ez"
    body = {"results": [{"title": evil, "url": "https://a.example/", "content": evil}],
            "answer": evil}  # fmt: skip
    up.answers("tavily", body=body)
    up.fails("brave", faults.status(401, {"error": evil}))
    for dialect in dialect_names():
        done = cli(
            "search", "otter", "--route", "brave,tavily", "--dialect", dialect, "--answer",
            "--explain", "--no-cache", BRAVE_API_KEY="b" * 20,
        )  # fmt: skip
        for line in (done.out + done.err).split("\n"):
            assert line.isprintable() or "\u3000" in line, repr(line)


def test_a_pipe_that_closes_is_no_trouble(up: FakeUpstream, spawn: Spawn) -> None:
    """`kensaku search … | head -1`."""
    up.answers("tavily", [Hit(url="https://a.example/", title="A", content="x" * 400)] * 20)
    process = spawn("search", "otter", "-n", "20", "--json")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()

    assert process.stderr.read() == ""
    assert process.wait(120) == 0


def test_ctrl_c_ends_a_search_quietly(up: FakeUpstream, spawn: Spawn) -> None:
    """130, as shells expect, and no traceback."""
    up.fails("tavily", faults.hang())
    process = spawn("search", "otter", "--route", "tavily")
    until_asked(process, up, "/tavily/search")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)

    assert (process.returncode, out, err) == (130, "", "")


def test_a_terminal_without_unicode_gets_numbers(up: FakeUpstream, run: Run) -> None:
    """Better than a traceback."""
    up.answers("tavily", [Hit(url="https://a.example/", title="検索")])
    done = run("search", "otter", PYTHONIOENCODING="ascii", PYTHONUTF8="0")

    assert done.returncode == 0
    assert "\\u691c\\u7d22" in done.stdout


def test_images_follow_the_results(up: FakeUpstream, cli: Cli) -> None:
    """A line each; JSON has them already."""
    body = {
        "results": [{"title": "A", "url": "https://a.example/", "content": "b"}],
        "images": [{"url": "https://a.example/1.png", "description": "an otter"}],
    }
    up.answers("tavily", body=body)
    plain = cli("search", "otter", "--images", "--route", "tavily")
    shown = cli("search", "otter", "--images", "--route", "tavily", "--json")

    assert plain.out.endswith("\nhttps://a.example/1.png an otter\n")
    assert shown.out.count("\n") == 1
    assert [image["url"] for image in shown.json["images"]] == ["https://a.example/1.png"]


def test_a_result_is_opened_in_the_browser(cli: Cli, tmp_path: Path, monkeypatch) -> None:
    """By its number; a file or a script is never opened, and what cannot be is told."""
    file, opened, started = tmp_path / "documents.jsonl", list[str](), True
    rows = [("https://a.example/", "otters, otters"), ("doc:1", "otters and more than that")]
    file.write_text("".join(json.dumps({"url": u, "text": t}) + "\n" for u, t in rows))
    cli("index", "import", file)
    monkeypatch.setattr(webbrowser, "open", lambda url: opened.append(url) or started)
    words = ["search", "otters", "--route", "local", "--open"]

    assert cli(*words, "1").status == 0
    for number, said in (("0", "there are 2"), ("3", "there are 2"), ("2", "is no web page")):
        done = cli(*words, number)
        assert done.status == 2
        assert said in done.err
    assert opened == ["https://a.example/"]
    started = False
    assert "open it yourself: https://a.example/" in cli(*words, "1").err
