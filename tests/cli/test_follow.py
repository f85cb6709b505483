"""A job that is followed on the terminal: how far it is, what came of it, how it goes on."""

from __future__ import annotations

import re
import signal

from kensaku.testing import FakeUpstream, faults

from .conftest import Cli, Spawn, until_asked


def test_a_job_is_followed_to_its_end(site: str, cli: Cli) -> None:
    """How far it is stands on stderr, what came of it on stdout, line by line or as JSON."""
    words = ["crawl", site, "--no-external", "--job", "--collection"]
    lines, machine = cli(*words, "sea"), cli(*words, "lake", "--json")

    assert (lines.status, machine.status) == (0, 0)
    rows = dict(line.split(maxsplit=1) for line in lines.out.splitlines())
    assert rows["kind"] == "crawl"
    assert (rows["status"], rows["url"], rows["pages"]) == ("done", site, "3")
    assert "error" not in rows
    assert re.fullmatch(r"(crawl(ing)?\b.*\n)+", lines.err)
    assert (machine.json["status"], machine.json["result"]["pages"]) == ("done", 3)
    assert machine.json["id"] != rows["id"]  # another collection is another job


def test_a_terminal_shows_a_bar_and_erases_it(site: str, terminal: Cli) -> None:
    """Nothing of it is left beside the result."""
    done = terminal("crawl", site, "--no-external", "--job", "--json", NO_COLOR="1")

    assert "░" in done.err
    assert done.err.endswith("\r\x1b[K")
    assert done.json["status"] == "done"


def test_who_stops_following_is_told_how_to_go_on(
    site: str, up: FakeUpstream, cli: Cli, spawn: Spawn
) -> None:
    """Ctrl-C: nothing is said of a result, and that command finishes the job."""
    up.fails("*", faults.hang(), when=lambda seen: seen.target == "/site/b")
    words = ["crawl", site, "--no-external", "--job", "--collection", "sea"]
    running = spawn(*words)
    until_asked(running, up, "/site/b")
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=120)
    up.heals()
    command = re.search(r"kensaku (jobs resume \S+)$", err, re.MULTILINE)

    assert (running.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert command is not None
    done = cli(*command[1].split(), "--json")
    assert (done.status, done.json["status"], done.json["result"]["pages"]) == (0, "done", 3)


def test_a_job_that_failed_is_a_failure(up: FakeUpstream, cli: Cli) -> None:
    """It says why."""
    done = cli("crawl", f"{up.url}/gone", "--job")

    assert done.status == 1
    rows = dict(line.split(maxsplit=1) for line in done.out.splitlines())
    assert rows["status"] == "failed"
    assert rows["error"]
