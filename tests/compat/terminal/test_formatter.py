"""Our Markdown beside that of the author's `formatResultsAsMarkdown`.

`formatter.json` holds what his function wrote for responses of ours; `make test-authors
args=terminal` asks the function itself. A row with `differs` names why ours is another.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kensaku.compat.terminal import WebSearchResponse, WebSearchResult
from kensaku.compat.terminal.tool import markdown
from tests import ROOT

ROWS = json.loads(Path(__file__).with_name("formatter.json").read_text(encoding="utf-8"))
SAME = [row for row in ROWS if "differs" not in row]
OTHER = [row for row in ROWS if "differs" in row]


def written(response) -> str:
    names = {"publishedDate": "published_date"}
    results = [
        WebSearchResult(**{names.get(n, n): v for n, v in r.items()}) for r in response["results"]
    ]
    return markdown(WebSearchResponse(response["query"], results, response.get("answerBox")))


@pytest.mark.parametrize("row", SAME, ids=lambda row: row["name"])
def test_ordinary_text_is_written_as_the_author_writes_it(row):
    """Byte for byte (S4-28, S4-30, S4-31, S4-32)."""
    assert written(row["response"]) == row["markdown"]


@pytest.mark.parametrize("row", OTHER, ids=lambda row: row["name"])
def test_what_a_page_could_forge_is_written_otherwise(row):
    """For a reason that is named, and with the same words (S4-31)."""
    text = written(row["response"])

    assert text == row["ours"] != row["markdown"]
    assert letters(text) == letters(row["markdown"])


def letters(text: str) -> str:
    """The words of a text, without what is added or removed: marks, blanks, escapes."""
    plain = text.replace("%20", " ").replace("\x1b[31m", "")
    return "".join(filter(str.isalnum, plain))


def test_the_page_names_the_differences():
    """One row for each (S4-31)."""
    page = (ROOT / "docs" / "specifications" / "terminal.md").read_text(encoding="utf-8")
    words = ("heading", "rule", "code fence", "image", "HTML comment", "title", "invisible")

    assert all(word in page.partition("## What differs")[2] for word in words)
