"""A person's own documents are found beside Python's documentation, which is much larger."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Cli, Run

FOLDER = Path(__file__).parent / "folder"  # 27 files of a pottery that lets a room
QUESTIONS = {
    "What does error E3 mean?": ("the thermocouple is loose", "workshop/kiln.md"),
    "Who is on the waiting list?": ("Kato, Abe, Ms Lindqvist", "classes/waiting.txt"),
    "What may a box weigh?": ("A box may weigh ten kilos", "shop/packing.md"),
    "What is the price of a tea bowl?": ("4200", "shop/prices.csv"),
    "What is our table number at the market?": ("number 47", "shop/market.html"),
    "定休日はいつですか": ("定休日は毎週火曜日です", "shop/opening.html"),
}


@pytest.fixture
def home(cli: Cli, processes: None) -> Cli:
    """A home with Python's documentation and the folder in it."""
    assert cli("index", "add", "pydocs").status == 0
    added = cli("index", "add", FOLDER)
    assert "27 added" in added.out
    return cli


def test_six_questions_about_a_folder_are_answered_from_it(home: Cli) -> None:
    """Without a word of Python in the answers, nor as their sources."""
    for question, (said, file) in QUESTIONS.items():
        done = home("ask", question, "--route", "local", "--json")

        assert done.status == 0, (question, done.err)
        assert said in done.json["answer"], question
        assert {c["url"] for c in done.json["citations"]} == {(FOLDER / file).as_uri()}, question
        assert done.json["confidence"]["action"] in ("silent", "notify"), question
    python = home("ask", "How do I cancel an asyncio task?", "--collection", "pydocs", "--json")
    assert python.json["citations"][0]["url"] == "pydoc:asyncio.Task.cancel"


def test_what_python_does_not_document_is_not_answered_from_it(run: Run) -> None:
    """The README's own question on a fresh machine without a network: exit 1, and it says so."""
    question = "When was Python 3.14 released?"
    done = run("ask", question, "--route", "local")

    assert (done.returncode, done.stdout) == (1, "")
    assert "None of the sources that were found answers this." in done.stderr
    assert "preparing the local index" in done.stderr
