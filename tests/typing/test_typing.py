"""Right calls are right and wrong calls are wrong for pyright's engine; for mypy, `make types` does it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import fields
from inspect import signature
from pathlib import Path

import pytest

from kensaku import Query
from kensaku.fetch import Plan
from kensaku.options import CrawlOptions, QueryOptions, RequestOptions, SearchOptions
from kensaku.research import ResearchRequest
from tests import ROOT

HERE = Path(__file__).parent
RIGHT, WRONG = HERE / "right_calls.py", HERE / "wrong_calls.py"


def marked(file: Path) -> set[int]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return {n for n, line in enumerate(lines, 1) if line.endswith("# wrong")}


def pyright() -> dict[str, set[int]]:
    """The lines that pyright refuses; basedpyright is the same engine in a wheel of its own."""
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--level", "error"]
    done = subprocess.run(
        [*command, RIGHT, WRONG], cwd=ROOT, capture_output=True, text=True, check=False
    )
    lines: dict[str, set[int]] = {}
    for found in json.loads(done.stdout)["generalDiagnostics"]:
        number = found["range"]["start"]["line"] + 1
        lines.setdefault(Path(found["file"]).name, set()).add(number)
    return lines


@pytest.mark.usefixtures("processes")
def test_right_calls_are_right_and_wrong_calls_are_wrong():
    """Lists are lists, dates may be text, results have importable types; and a misspelt option is
    found by the editor, not by the user."""
    assert len(marked(WRONG)) >= 10
    assert pyright() == {WRONG.name: marked(WRONG)}


@pytest.mark.parametrize(
    ("options", "target", "besides"),
    [
        (QueryOptions, Query, {"text"}),
        (CrawlOptions, Plan, {"url"}),
        (RequestOptions, ResearchRequest, {"input"}),
    ],
)
def test_the_options_are_the_fields_that_they_fill(options, target, besides):
    """Words once: a new field without its option fails here."""
    assert list(options.__annotations__) == [
        f.name for f in fields(target) if f.name not in besides
    ]


def test_context_and_answer_take_what_search_takes():
    """The options of a search, under the same names."""
    from kensaku import Kensaku

    named = set(signature(Kensaku.search).parameters) - {"self", "query", "options"}

    assert set(SearchOptions.__annotations__) == named | set(QueryOptions.__annotations__)


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("script", ["sync_stub.py", "settings_options.py"])
def test_what_a_script_wrote_is_current(script):
    """The types of the sync client, and the settings as arguments: run the script to write them."""
    done = subprocess.run([sys.executable, ROOT / "scripts" / script, "--check"], check=False)

    assert done.returncode == 0
