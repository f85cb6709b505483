"""`extract`, `verify`, `crawl`, `map`, `context`, `answer`: pages on loopback, honest statuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from kensaku.cli import main
from kensaku.models import Hit
from kensaku.testing import FakeUpstream, faults

OTTERS = (
    "Sea otters hold hands while they sleep, so that the current does not part them. "
    "They wrap themselves in kelp and float on their backs through the night."
)
RAKKO = "ラッコは眠るときに手をつなぎます。流されないように海藻を体に巻きつけることもあります。"


@dataclass(frozen=True)
class Done:
    """What a command came to."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict:
        return json.loads(self.out)


Cli = Callable[..., Done]


def command_line(capsys: pytest.CaptureFixture[str]) -> Cli:
    """The command line in this process: no interpreter to start for every line."""

    def call(*words: str) -> Done:
        status = main([str(word) for word in words])
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Done(status, out, err)

    return call


@pytest.fixture
def cli(
    env: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Cli:
    """Where the addresses of all providers, and all pages, are the upstream's."""
    env |= {"KENSAKU_FETCH_ALLOW": "127.0.0.1", "KENSAKU_FETCH_PORTS": "any"}
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    return command_line(capsys)


def page(title: str, text: str = OTTERS, *links: str) -> str:
    """A page with an article, and links under it."""
    anchors = "".join(f'<p>See also <a href="{link}">{link}</a>.</p>' for link in links)
    return (
        f"<!doctype html><html lang=en><head><title>{title}</title></head><body><article>"
        f"<h1>{title}</h1><p>{text}</p><p>{text[::-1]}</p>{anchors}</article></body></html>"
    )


def asked(up: FakeUpstream, path: str) -> int:
    """How often a page was fetched."""
    return sum(seen.target == path for seen in up.requests)


# --- extract


def test_a_page_is_printed_with_its_title_and_address(up: FakeUpstream, cli: Cli) -> None:
    """Markdown, or text; plain http is read, with a warning (S1-17)."""
    url = up.serves("/otters", page("Otters"))
    done = cli("extract", url)

    assert done.status == 0
    assert done.out.startswith(f"# Otters\n{url}\n\n{OTTERS}\n")
    assert "prefer https" in done.err
    assert cli("extract", url, "--format", "text").out.startswith(f"Otters\n{url}\n\n")


def test_a_page_that_fails_does_not_stop_the_others(up: FakeUpstream, cli: Cli) -> None:
    """The malformed and the missing are listed as failed, the valid one is read (S1-21)."""
    good, gone = up.serves("/otters", page("Otters")), f"{up.url}/gone"
    done = cli("extract", "example.com", good, gone, "--json")

    assert done.status == 0
    assert [p["url"] for p in done.json["results"]] == [good]
    assert {f["url"] for f in done.json["failed"]} == {"example.com", gone}
    assert "/gone: " in done.err


def test_when_no_page_can_be_read_it_is_a_failure(up: FakeUpstream, cli: Cli) -> None:
    """Exit 1, nothing on stdout, and the reason."""
    done = cli("extract", f"{up.url}/gone")

    assert (done.status, done.out) == (1, "")
    assert "404" in done.err


@pytest.mark.parametrize("url", ["example.com", "ftp://a.example/x", "https:///path", "file:///x"])
def test_what_is_no_web_address_is_wrong_use(url: str, up: FakeUpstream, cli: Cli) -> None:
    """A scheme and a host are needed, and nothing is sent (S1-16, S1-18, S1-22)."""
    done = cli("extract", url, "nothing-at-all")

    assert (done.status, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert url in done.err
    assert up.requests == []


def test_no_address_at_all_is_wrong_use(cli: Cli) -> None:
    """(S1-15)"""
    with pytest.raises(SystemExit) as ended:
        cli("extract")
    assert ended.value.code == 2


def test_twenty_pages_are_read_in_one_call(up: FakeUpstream, cli: Cli) -> None:
    """A page that is named twice is read once; the 21st is listed with the reason (S1-19, S1-20)."""
    urls = [up.serves(f"/p{n}", f"<p>Otter number {n} sleeps.</p>") for n in range(21)]
    done = cli("extract", urls[0], *urls, "--json")

    assert [p["url"] for p in done.json["results"]] == urls[:20]
    assert [f["url"] for f in done.json["failed"]] == urls[20:]
    assert asked(up, "/p0") == 1
    assert asked(up, "/p20") == 0


def test_this_machine_is_not_fetched_unless_allowed(
    up: FakeUpstream, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The guard stands before the command line, too."""
    monkeypatch.delenv("KENSAKU_FETCH_ALLOW")
    done = cli("extract", up.serves("/otters", page("Otters")))

    assert done.status == 1
    assert up.requests == []


# --- verify


def test_a_quote_is_found_with_its_place(up: FakeUpstream, cli: Cli) -> None:
    """In English and in Japanese, whatever the spacing and the quotation marks."""
    english = up.serves("/en", page("Otters"))
    japanese = up.serves("/ja", page("ラッコ", RAKKO).replace("lang=en", "lang=ja"))
    found = cli("verify", "“hold  hands while they SLEEP”", english)

    assert found.status == 0
    assert found.out.startswith("found, characters ")
    assert found.out.endswith(": hold hands while they sleep\n")
    told = cli("verify", "「眠るときに 手をつなぎます」", japanese, "--json").json
    assert told["found"]
    assert told["end"] - told["start"] == len(told["text"]) == len("眠るときに手をつなぎます")


def test_a_quote_that_is_not_there_is_an_answer(up: FakeUpstream, cli: Cli) -> None:
    """Exit 0: the page was read. A page that is not there is another thing: exit 1."""
    url = up.serves("/en", page("Otters"))
    done = cli("verify", "hold paws", url)

    assert (done.status, done.out) == (0, "not found\n")
    assert cli("verify", "hold hands", f"{up.url}/gone").status == 1


def test_an_empty_quote_is_told_before_anything_is_sent(up: FakeUpstream, cli: Cli) -> None:
    """And so is an address that is none."""
    url = up.serves("/en", page("Otters"))

    assert cli("verify", "“”", url).status == 2
    assert cli("verify", "hold hands", "gopher://a.example/").status == 2
    assert up.requests == []


# --- crawl and map


@pytest.fixture
def site(up: FakeUpstream) -> str:
    """Three pages, and a way out."""
    up.serves("/site/a", page("Alpha", f"About kelp. {OTTERS}", "/site/b"))
    up.serves("/site/b", page("Beta", f"About clams. {OTTERS}"))
    away = "http://elsewhere.invalid/"
    return up.serves("/site/", page("Root", OTTERS, "/site/a", "/site/b", away))


def test_the_pages_of_a_site_are_printed(site: str, cli: Cli) -> None:
    """All of them, then how many; pages of other sites only when they can be had."""
    done = cli("crawl", site, "--no-external")

    assert done.status == 0
    assert [f"# {t}\n" in done.out for t in ("Root", "Alpha", "Beta")] == [True] * 3
    assert done.err.splitlines()[-1] == "3 pages read"
    told = cli("crawl", site, "--json", "--select-path", "/a$", "--no-external").json
    assert {p["title"] for p in told["results"]} == {"Root", "Alpha"}


def test_a_crawl_fills_a_collection(site: str, cli: Cli) -> None:
    """A second one finds nothing new; a search finds what was read."""
    first = cli("crawl", site, "--no-external", "--collection", "sea")
    again = cli("crawl", site, "--no-external", "--collection", "sea", "--json").json

    assert first.out == "sea: 3 added, 0 updated, 0 unchanged\n"
    assert (again["added"], again["unchanged"], len(again["urls"])) == (0, 3, 3)
    found = cli("search", "kelp", "--route", "local", "--collection", "sea", "--json").json
    assert found["hits"][0]["title"] == "Alpha"


@pytest.mark.parametrize(
    "words",
    [
        ["--max-depth", "9"], ["--limit", "0"], ["--timeout", "0"], ["--select-path", "(?=a)"],
        ["--collection", "../up"], ["--max-breadth", "0"],
    ],
)  # fmt: skip
def test_a_crawl_that_cannot_be_carried_out_is_wrong_use(
    words: list[str], site: str, up: FakeUpstream, cli: Cli
) -> None:
    """Exit 2, one sentence, and nothing is sent."""
    done = cli("crawl", site, *words)

    assert (done.status, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert up.requests == []


def test_a_killed_crawl_goes_on(site: str, up: FakeUpstream, cli: Cli) -> None:
    """What was read before the kill is not fetched again, and nothing is missing."""
    up.fails("*", faults.hang(), when=lambda seen: seen.target == "/site/b")
    words = ["crawl", site, "--no-external", "--limit", "3", "--json"]
    running = subprocess.Popen(
        [sys.executable, "-m", "kensaku.cli", *words],
        env=dict(os.environ),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stderr is not None
    for line in running.stderr:  # 2 of 3 pages are done
        if "50 %" in line:
            break
    running.send_signal(signal.SIGKILL)
    running.wait(10)
    running.stderr.close()
    up.heals()
    done = cli(*words, "--resume")

    assert {p["title"] for p in done.json["results"]} == {"Root", "Alpha", "Beta"}
    assert asked(up, "/site/") == asked(up, "/site/a") == 1


def test_a_map_is_a_list_of_addresses(site: str, up: FakeUpstream, cli: Cli) -> None:
    """One a line; the leaves are not fetched for it."""
    done = cli("map", site, "--no-external")

    assert done.status == 0
    assert set(done.out.split()) == {site, f"{site}a", f"{site}b"}
    assert asked(up, "/site/b") == 0
    assert cli("map", site, "--no-external", "--json").json["base_url"] == site


def test_no_escape_sequence_of_a_link_reaches_the_terminal(up: FakeUpstream, cli: Cli) -> None:
    """An address is what somebody else wrote, too."""
    site = up.serves("/site/", page("Root", OTTERS, "/red\x1b[31m", "/blue\x9b34m"))
    done = cli("map", site)

    assert done.status == 0
    assert not {"\x1b", "\x9b"} & set(done.out + done.err)


def test_a_site_that_cannot_be_read_is_a_failure(up: FakeUpstream, cli: Cli) -> None:
    """Exit 1 and an empty stdout, from both."""
    for command in ("crawl", "map"):
        done = cli(command, f"{up.url}/gone")
        assert (done.status, done.out) == (1, "")
        assert "/gone: " in done.err
        assert cli(command, "ftp://a.example/").status == 2


# --- context and answer

HITS = [
    Hit(url="https://a.example/1", title="Sleep", content=OTTERS, score=0.9),
    Hit(url="https://b.example/2", title="ラッコ", content=RAKKO, score=0.8),
]


def test_a_context_is_printed_and_goes_on(up: FakeUpstream, cli: Cli) -> None:
    """Text alone on stdout; the cursor on stderr gives the rest under the same numbers."""
    up.answers("tavily", HITS)
    words = ["context", "how", "do", "otters", "sleep", "--route", "tavily"]
    first = cli(*words, "--max-tokens", "70")
    cursor = first.err.split("--cursor ")[1].split()[0]
    second = cli(*words, "--max-tokens", "90", "--cursor", cursor)

    assert first.status == second.status == 0
    assert first.out == f"[1] Sleep (https://a.example/1)\n{OTTERS}\n"
    assert second.out == f"[2] ラッコ (https://b.example/2)\n{RAKKO}\n"
    assert "--cursor" not in second.err


def test_a_context_as_json_says_everything(up: FakeUpstream, cli: Cli) -> None:
    """And holds no escapes: a model pays for each of them."""
    up.answers("tavily", HITS)
    done = cli("context", "ラッコ", "--route", "tavily", "--json")

    assert set(done.json) == {
        "text", "citations", "tokens", "outcome", "cursor", "attempts", "notes",
    }  # fmt: skip
    assert "\\u" not in done.out
    assert RAKKO in done.out


@pytest.mark.parametrize(
    "words", [["--max-tokens", "0"], ["--cursor", "mine"], ["--route", "tavly"], ["-n", "99"]]
)
def test_wrong_use_of_context_sends_nothing(words: list[str], up: FakeUpstream, cli: Cli) -> None:
    """Exit 2 and one sentence."""
    done = cli("context", "otters", *words)

    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("kensaku: ")
    assert up.requests == []


@pytest.mark.parametrize("command", ["context", "answer"])
def test_nothing_found_and_nobody_to_ask_are_different(
    command: str, up: FakeUpstream, cli: Cli
) -> None:
    """Exit 0 and exit 1; both say so, and stdout stays empty."""
    up.answers("tavily", [])
    empty = cli(command, "otters", "--route", "tavily", "--no-cache")
    up.fails("tavily", faults.status(503))
    down = cli(command, "otters", "--route", "tavily", "--no-cache")

    assert (empty.status, empty.out) == (0, "")
    assert "Nothing was found." in empty.err
    assert (down.status, down.out) == (1, "")
    assert "Nobody could search." in down.err
    assert "tavily: " in down.err


def test_an_answer_names_its_sources(up: FakeUpstream, cli: Cli) -> None:
    """Sentences of the sources, and under them the sources that are cited."""
    up.answers("tavily", HITS)
    done = cli("answer", "do sea otters hold hands while they sleep", "--route", "tavily")

    assert done.status == 0
    assert done.out.startswith("Sea otters hold hands while they sleep, so that the current")
    assert "\n\n[1] Sleep\n    https://a.example/1\n" in done.out


def test_an_answer_is_the_models_when_there_is_one(
    up: FakeUpstream, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its name is in the JSON, and a source that it made up is not."""
    said = {"choices": [{"message": {"content": "They hold hands [1][7]."}}]}
    up.answers("tavily", HITS)
    up.serves("/llm/chat/completions", json.dumps(said), "application/json")
    monkeypatch.setenv("KENSAKU_LLM_URL", f"{up.url}/llm")
    monkeypatch.setenv("KENSAKU_LLM_MODEL", "small")
    told = cli("answer", "otters", "--route", "tavily", "--json").json

    assert (told["answer"], told["written_by"]) == ("They hold hands [1].", "small")


def test_the_question_may_come_from_stdin(
    up: FakeUpstream, cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`echo … | kensaku answer -`."""
    question = tmp_path / "question"
    question.write_text("do otters\nsleep")
    with question.open() as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        cli("answer", "-", "--route", "tavily")

    assert up.asked("tavily")[0].json["query"] == "do otters sleep"
