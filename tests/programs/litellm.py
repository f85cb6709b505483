"""LiteLLM: its search API, and the assistant as a model."""

from __future__ import annotations

from tests.programs.program import FACT, QUERY, Place, Program

PROGRAM = Program(
    "litellm",
    title="LiteLLM",
    package="litellm",
    way='`search(search_provider="perplexity", api_base="…/litellm")`; `completion("openai/kensaku", api_base="…/v1")`',
)


@PROGRAM.check("search")
def search(place: Place) -> None:
    import litellm

    found = litellm.search(QUERY, "perplexity", api_key=place.key, api_base=f"{place.url}/litellm")
    assert FACT in found.results[0].snippet
