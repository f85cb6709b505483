"""`kensaku answer`: an answer and its sources."""

from __future__ import annotations

import json

import pytest

from kensaku.testing import FakeUpstream

from .conftest import Cli
from .examples import HITS


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

    assert (told["answer"], told["written_by"]) == ("They hold hands. [1]", "small")
