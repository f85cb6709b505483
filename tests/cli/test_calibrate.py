"""`kensaku calibrate`: the confidence, fitted to a person's own judged searches."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from kensaku.models.calibration import read_models, shipped_models

from .conftest import Cli

WORDS = "sea otters hold hands while they rest in kelp".split()


def judged(n: int, *, right: bool) -> dict[str, Any]:
    """A search as `kensaku search --json` prints it. Here, right ones cover little."""
    rng = random.Random(n)
    found = rng.sample(WORDS, rng.randint(2, 4) if right else rng.randint(5, 8))
    hits = [{"title": "", "url": f"doc:{i}", "content": " ".join(found), "score": 0.5,
             "published": None, "provider": "local", "explain": {"bm25": 9.0 - i}}
            for i in range(3)]  # fmt: skip
    return {"query": " ".join(WORDS), "hits": hits, "right": right}


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.fixture
def runs(tmp_path: Path) -> str:
    """Forty judged runs."""
    return write(tmp_path / "runs.jsonl", [judged(n, right=n % 4 > 0) for n in range(40)])


def test_it_fits_writes_and_says_how_well(runs: str, cli: Cli, machine: Path) -> None:
    """The new weights are measured on runs they have not seen."""
    done = cli("calibrate", runs, "--json")

    assert done.status == 0
    [fit] = done.json["fits"]
    assert (fit["kind"], fit["runs"], fit["right"]) == ("local", 40, 30)
    assert fit["fitted"]["calibration_error"] < fit["shipped"]["calibration_error"]
    models = read_models(machine / "confidence.json")
    assert models["web"] == shipped_models()["web"]
    assert "40 judged runs of yours" in models["local"].fitted_on
    assert all(weight >= 0 for weight in models["local"].weights.values())


def test_a_dry_run_writes_nothing(runs: str, cli: Cli, machine: Path) -> None:
    """It only prints."""
    done = cli("calibrate", "--dry-run", runs)

    assert "local: 40 runs, 30 right" in done.out
    assert not (machine / "confidence.json").exists()


@pytest.mark.parametrize(
    ("line", "said"),
    [("{}", "line 1"), ("no JSON", "line 1"), ('{"query": "q", "hits": [], "right": 1}', "line 1"),
     ("[]", "line 1"), ("", "too few")],
)  # fmt: skip
def test_a_file_of_something_else_is_told(line: str, said: str, tmp_path: Path, cli: Cli) -> None:
    """With the line, and what to write instead."""
    (tmp_path / "runs.jsonl").write_text(line + "\n")
    done = cli("calibrate", str(tmp_path / "runs.jsonl"))

    assert done.status == 2
    assert said in done.err


def test_too_few_wrong_runs_are_told(tmp_path: Path, cli: Cli) -> None:
    """Nothing can be learnt from right ones alone."""
    path = write(tmp_path / "runs.jsonl", [judged(n, right=True) for n in range(40)])

    assert cli("calibrate", path).status == 2


def test_searches_use_the_fitted_weights(runs: str, cli: Cli, library: Path) -> None:
    """From the next client on; each client those of its own home."""
    assert cli("calibrate", runs).status == 0
    mine = cli("search", "sea otters", "--route", "local", "--json").json

    assert "judged runs of yours" in mine["confidence"]["fitted_on"]


def test_a_damaged_file_of_weights_is_named(cli: Cli, library: Path) -> None:
    """With the way out; not taken for the shipped ones silently."""
    (library / "confidence.json").write_text("{}{")
    done = cli("search", "sea otters", "--route", "local")

    assert done.status == 2
    assert "kensaku calibrate" in done.err


@pytest.mark.parametrize(("right", "wrong", "status"), [(10, 10, 0), (9, 11, 2), (11, 9, 2)])
def test_ten_of_each_are_enough(
    right: int, wrong: int, status: int, tmp_path: Path, cli: Cli
) -> None:
    """It says how many are needed."""
    rows = [judged(n, right=n < right) for n in range(right + wrong)]
    done = cli("calibrate", write(tmp_path / "runs.jsonl", rows), "--dry-run")

    assert done.status == status
    assert done.err == (
        "kensaku: there are too few judged runs: at least 10 right and 10 wrong ones are needed, "
        "all local or all from the web\n"
        if status
        else ""
    )


def test_the_fit_is_printed(runs: str, cli: Cli, machine: Path) -> None:
    """A line for the kind, one for each set of weights, and where it is."""
    [fit] = cli("calibrate", runs, "--json", "--dry-run").json["fits"]
    done = cli("calibrate", runs)

    assert list(fit) == ["kind", "runs", "right", "shipped", "fitted"]
    assert done.out.splitlines() == [
        "local: 40 runs, 30 right",
        *(
            f"  {name:8} AUC {fit[name]['auc']:.3f}, "
            f"calibration error {fit[name]['calibration_error']:.3f}"
            for name in ("shipped", "fitted")
        ),
        f"written to {machine / 'confidence.json'}",
    ]
    assert len(cli("calibrate", runs, "--dry-run").out.splitlines()) == 3


def test_json_says_where_it_was_written(runs: str, cli: Cli, machine: Path) -> None:
    """A dry run is written nowhere."""
    assert cli("calibrate", runs, "--json").json["written"] == str(machine / "confidence.json")
    assert cli("calibrate", runs, "--json", "--dry-run").json["written"] is None


def test_kinds_are_fitted_apart(tmp_path: Path, cli: Cli) -> None:
    """Several files; a kind with too few runs, runs without hits and blank lines do not count."""
    local = [judged(n, right=n % 2 > 0) for n in range(20)]
    web = [judged(n, right=n % 2 > 0) for n in range(24)]
    for row in web:
        for hit in row["hits"]:
            hit |= {"provider": "tavily", "explain": {}}
    empty = {"query": "otter", "hits": [], "right": False}
    first = write(tmp_path / "a.jsonl", local)
    second = write(tmp_path / "b.jsonl", [empty, *web, empty])
    (tmp_path / "b.jsonl").write_text("\n  \n" + (tmp_path / "b.jsonl").read_text())

    both = cli("calibrate", first, second, "--json", "--dry-run").json["fits"]
    assert [(fit["kind"], fit["runs"]) for fit in both] == [("local", 20), ("web", 24)]
    alone = cli("calibrate", second, "--json").json["fits"]
    assert [(fit["kind"], fit["right"]) for fit in alone] == [("web", 12)]


@pytest.mark.parametrize(
    "row",
    [
        {"query": "q", "hits": [], "right": 1},
        {"query": "q", "hits": [], "right": "true"},
        {"query": 7, "hits": [], "right": True},
        {"query": "q", "right": True},
        {"query": "q", "hits": [], "righ": True},
        {"query": "q", "hits": [7], "right": True},
        {"query": "q", "hits": 7, "right": True},
    ],
)
def test_the_line_of_what_is_no_judged_search_is_named(
    row: dict[str, Any], tmp_path: Path, cli: Cli
) -> None:
    """Counted from one, with what to write."""
    path = write(tmp_path / "runs.jsonl", [judged(1, right=True), row])
    done = cli("calibrate", path)

    assert done.status == 2
    assert done.err == (
        f"kensaku: line 2 of {path} is no judged search; write what `kensaku search --json` "
        'prints, with "right": true or false\n'
    )


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, cli: Cli) -> None:
    """With the kind of failure."""
    (tmp_path / "b.jsonl").write_bytes(b"\xff")

    for name, why in (("a", "FileNotFoundError"), ("b", "UnicodeDecodeError")):
        file = tmp_path / f"{name}.jsonl"
        assert cli("calibrate", file).err == f"kensaku: {file} cannot be read ({why})\n"
