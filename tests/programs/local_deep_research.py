"""local-deep-research: a whole summary with its SearXNG engine and the scripted model."""

from __future__ import annotations

import os

from tests.programs.program import FACT, QUERY, Place, Program

PROGRAM = Program(
    "local-deep-research",
    title="local-deep-research",
    package="local-deep-research",
    gateway=True,
    python="3.12",
    without=("torch",),  # only its local embeddings need it
    way="`LDR_SEARCH_ENGINE_WEB_SEARXNG_DEFAULT_PARAMS_INSTANCE_URL=http://any:KEY@…/searxng`; "
    "`LDR_LLM_PROVIDER=openai_endpoint LDR_LLM_OPENAI_ENDPOINT_URL=…/v1`",
)
QUESTION = "When was Python 3.14 released?"


def configure(place: Place) -> None:
    os.environ |= {
        "LDR_DATA_DIR": str(place.home / "ldr"),
        "LDR_BOOTSTRAP_ALLOW_UNENCRYPTED": "true",
        "LDR_SEARCH_ENGINE_WEB_SEARXNG_DEFAULT_PARAMS_INSTANCE_URL": (
            f"http://any:{place.key}@{place.host}/searxng"
        ),
        "LDR_SEARCH_TOOL": "searxng",
        "LDR_LLM_PROVIDER": "openai_endpoint",
        "LDR_LLM_MODEL": "scripted",
        "LDR_LLM_OPENAI_ENDPOINT_URL": place.url + "/v1",
        "LDR_LLM_OPENAI_ENDPOINT_API_KEY": place.key,
    }


@PROGRAM.check("its SearXNG engine (HTML and JSON)")
def engine(place: Place) -> None:
    configure(place)
    from local_deep_research.web_search_engines.engines.search_engine_searxng import (
        SearXNGSearchEngine,
    )

    url = os.environ["LDR_SEARCH_ENGINE_WEB_SEARXNG_DEFAULT_PARAMS_INSTANCE_URL"]
    for form in ("html", "json"):
        it = SearXNGSearchEngine(
            instance_url=url, result_format=form, max_results=5, include_full_content=False,
            safe_search="MODERATE", time_range="year", categories=["general"], engines=["google"],
        )  # fmt: skip
        assert it.is_available, "it found no instance"
        found = it.run(QUERY)
        assert FACT in str(found), (form, found)


@PROGRAM.check("a summary on the gateway")
def summary(place: Place) -> None:
    configure(place)
    from local_deep_research.api import create_settings_snapshot, quick_summary

    place.model.script({"says": f"{FACT} [1]."})
    said = quick_summary(
        QUESTION, settings_snapshot=create_settings_snapshot({}), search_tool="searxng",
        iterations=1, questions_per_iteration=1,
    )  # fmt: skip
    assert FACT in said["summary"], said
    assert "PEP 745" in str(said["sources"]) + str(said["findings"]), said
