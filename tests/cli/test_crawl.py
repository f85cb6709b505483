"""`kensaku crawl`: the pages of a site, printed or indexed."""

from __future__ import annotations

from kensaku.testing import FakeUpstream, faults

from .conftest import Cli, Spawn, until_asked
from .examples import OTTERS, fetch_count, page


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


def test_a_killed_crawl_goes_on(site: str, up: FakeUpstream, cli: Cli, spawn: Spawn) -> None:
    """What was read before the kill is not fetched again, and nothing is missing."""
    up.fails("*", faults.hang(), when=lambda seen: seen.target == "/site/b")
    words = ["crawl", site, "--no-external", "--limit", "3", "--json"]
    running = spawn(*words)
    assert running.stderr is not None
    for line in running.stderr:  # 2 of 3 pages are done
        if "50 %" in line:
            break
    running.kill()
    running.wait(120)
    up.heals()
    done = cli(*words, "--resume")

    assert {p["title"] for p in done.json["results"]} == {"Root", "Alpha", "Beta"}
    assert fetch_count(up, "/site/") == fetch_count(up, "/site/a") == 1


def test_a_site_that_cannot_be_read_is_a_failure(up: FakeUpstream, cli: Cli) -> None:
    """Exit 1 and an empty stdout, from both."""
    for command in ("crawl", "map"):
        done = cli(command, f"{up.url}/gone")
        assert (done.status, done.out) == (1, "")
        assert "/gone: " in done.err
        assert cli(command, "ftp://a.example/").status == 2


def test_a_killed_crawl_that_is_a_job_goes_on_with_the_same_command(
    site: str, up: FakeUpstream, cli: Cli, spawn: Spawn
) -> None:
    """It is the same job, and has read every page in the end."""
    words = ["crawl", site, "--no-external", "--job", "--collection", "sea", "--json"]
    up.fails("*", faults.hang(), when=lambda seen: seen.target == "/site/b")
    running = spawn(*words)
    until_asked(running, up, "/site/b")
    running.kill()
    running.wait(120)
    up.heals()
    (before,) = cli("jobs", "list", "--json").json
    done = cli(*words)

    assert done.json["id"] == before["id"]
    assert (done.json["status"], done.json["result"]["pages"]) == ("done", 3)
    assert f"going on with job {before['id']}" in done.err


def test_more_pages_than_one_batch_are_all_indexed(up: FakeUpstream, cli: Cli) -> None:
    """Twenty are added at a time; what failed is told, and the notes; the same is unchanged."""
    numbers = range(22)
    for n in numbers:
        up.serves(f"/many/{n}", page(f"Page {n}", f"About kelp {n}. {OTTERS}"))
    links = [*(f"/many/{n}" for n in numbers), "/many/gone"]
    url = up.serves("/many/", page("Root", OTTERS, *links))
    words = ["crawl", url, "--collection", "otters", "--no-external", "--max-breadth", "50"]
    told = cli(*words, "--json")
    again = cli(*words)

    assert {len(told.json["urls"]), told.json["added"]} == {23}
    assert (told.json["collection"], told.json["base_url"]) == ("otters", url)
    (failed,) = told.json["failed"]
    assert failed["url"] == f"{url}gone"
    assert failed["error"]["message"]
    assert again.out == "otters: 0 added, 0 updated, 23 unchanged\n"
    assert again.err.splitlines()[-1] == "23 pages read"
    assert f"{url}gone: " in again.err


def test_a_crawl_that_ran_out_of_time_says_how_it_goes_on(
    site: str, up: FakeUpstream, cli: Cli
) -> None:
    """What was read by then is there, printed or indexed."""
    up.fails("*", faults.hang(), when=lambda seen: seen.target == "/site/b")
    for words in ([], ["--collection", "sea"]):
        done = cli("crawl", site, "--no-external", "--timeout", "3", *words)
        assert done.status == 0
        assert "--resume goes on from here" in done.err
