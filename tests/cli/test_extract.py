"""`kensaku extract`: pages as Markdown, failures on stderr, exit status."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from kensaku.testing import FakeUpstream

from .conftest import Cli
from .examples import OTTERS, fetch_count, page


def test_a_page_is_printed_with_its_title_and_address(up: FakeUpstream, cli: Cli) -> None:
    """Markdown, or text; plain http is read, with a warning (S1-17)."""
    url = up.serves("/otters", page("Otters"))
    done = cli("extract", url)

    assert done.status == 0
    assert done.out.startswith(f"# Otters\n{url}\n\n{OTTERS}\n")
    assert "prefer https" in done.err
    bare = up.serves("/bare", "<p>They sleep.</p>")
    two = cli("extract", url, bare, "--format", "text").out
    assert two.startswith(f"Otters\n{url}\n\n{OTTERS}\n")  # the title is not repeated
    assert f"\n\nThey sleep.\n{bare}\n\n" in two
    shouted = url.replace("http:", "HTTP:")
    assert cli("extract", shouted, "--format", "text").out.startswith("Otters\n")


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
    assert cli("extract").status == 2


def test_twenty_pages_are_read_in_one_call(up: FakeUpstream, cli: Cli) -> None:
    """A page that is named twice is read once; the 21st is listed with the reason (S1-19, S1-20)."""
    urls = [up.serves(f"/p{n}", f"<p>Otter number {n} sleeps.</p>") for n in range(21)]
    done = cli("extract", urls[0], *urls, "--json")

    assert [p["url"] for p in done.json["results"]] == urls[:20]
    assert [f["url"] for f in done.json["failed"]] == urls[20:]
    assert fetch_count(up, "/p0") == 1
    assert fetch_count(up, "/p20") == 0


def test_this_machine_is_not_fetched_unless_allowed(
    up: FakeUpstream, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The guard stands before the command line, too."""
    monkeypatch.delenv("KENSAKU_FETCH_ALLOW")
    done = cli("extract", up.serves("/otters", page("Otters")))

    assert done.status == 1
    assert up.requests == []


def test_a_closed_address_names_both_ways_to_open_it(cli: Cli) -> None:
    """For one call, or for good."""
    done = cli("extract", "http://127.0.0.2:9/x")
    verified = cli("verify", "otters hold hands", "http://127.0.0.2:9/x")

    for said in (done.err, verified.err):
        assert "--allow-private" in said
        assert "fetch.allow" in said


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("words", [("extract",), ("verify", "otters hold hands")])
def test_without_a_network_it_says_so(words: tuple[str, ...], env: dict[str, str]) -> None:
    """In a network namespace of its own, as on a machine whose cable is out."""
    if not (unshare := shutil.which("unshare")):
        pytest.skip("needs unshare, of Linux")
    command = [unshare, "--net", sys.executable, "-m", "kensaku.cli", *words, "https://a.example/x"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    if "unshare failed" in done.stderr:
        pytest.skip("needs the right to make a network namespace")

    assert done.returncode == 1
    assert "there is no network; connect this machine" in done.stderr


def test_a_long_page_is_read_on(up: FakeUpstream, cli: Cli) -> None:
    """Each call reports where the page goes on; joined, the parts are the page."""
    url = up.serves("/long", page("Long", " ".join(f"{OTTERS} Part {n}." for n in range(40))))
    whole = cli("extract", url, "--json").json["results"][0]["markdown"]

    parts, offset = [], "0"
    while offset:
        done = cli("extract", url, "--max-tokens", "400", "--offset", offset, "--json")
        parts.append(done.json["results"][0]["markdown"])
        _, _, more = done.err.partition("more of this page: --offset ")
        offset = more.partition("\n")[0]

    assert len(parts) > 2
    assert "".join(parts) == whole


def test_a_query_prints_the_passages_about_it(up: FakeUpstream, cli: Cli) -> None:
    """From anywhere in the page."""
    filling = " ".join(f"{OTTERS} Part {n}." for n in range(40))
    url = up.serves("/long", page("Long", f"{filling} The lighthouse keeper stores kerosene."))

    done = cli("extract", url, "--query", "kerosene", "--max-tokens", "200")

    assert "lighthouse keeper stores kerosene" in done.out
    assert len(done.out) < 1_500
