"""The agent that the third specification comes from: its configuration, and how it runs a step.

Written anew from the facts of nakashima2toshio/gemini_grace_agent, `grace/config.py` and
`grace/executor.py`: the sections with their names and defaults, the keywords of each action, and
that results are kept as text, which the reasoning step reads back.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, Field

from tests.tools.grace_host import sources

TOOLS = ["rag_search", "web_search", "reasoning", "ask_user"]
PRIORITY = ["wikipedia_ja", "livedoor", "cc_news", "japanese_text"]


class LLMConfig(BaseModel):
    provider: str = "gemini"
    model: str = "gemini-2.5-flash"
    temperature: float = 0.7
    max_tokens: int = 4096
    timeout: int = 30


class EmbeddingConfig(BaseModel):
    provider: str = "gemini"
    model: str = "gemini-embedding-001"
    dimensions: int = 3072


class QdrantConfig(BaseModel):
    url: str = "http://localhost:6333"
    collection_name: str = "customer_support_faq"
    search_limit: int = 5
    score_threshold: float = 0.35
    search_priority: list = Field(default_factory=lambda: list(PRIORITY))


class ToolsConfig(BaseModel):
    enabled: list = Field(default_factory=lambda: ["rag_search", "reasoning", "ask_user"])


class GraceConfig(BaseModel):
    version: str = "1.0"
    llm: LLMConfig = Field(default_factory=LLMConfig)
    embedding: EmbeddingConfig = Field(default_factory=EmbeddingConfig)
    qdrant: QdrantConfig = Field(default_factory=QdrantConfig)
    tools: ToolsConfig = Field(default_factory=ToolsConfig)


@dataclass
class DataclassTools:
    enabled: list[str] = field(default_factory=list)


@dataclass(slots=True)
class DataclassConfig:
    tools: DataclassTools
    qdrant: dict[str, Any]


class Attributes:
    """An object of some other library: values, and nothing to list them by."""

    def __init__(self, **values: Any) -> None:
        self.__dict__ |= values


def configs(enabled: list[str], **qdrant: Any) -> dict[str, Any]:
    """The same configuration as each kind of object that a host may have."""
    return {
        "pydantic": GraceConfig(tools=ToolsConfig(enabled=enabled), qdrant=QdrantConfig(**qdrant)),
        "dataclass": DataclassConfig(DataclassTools(enabled), qdrant),
        "attributes": Attributes(tools=Attributes(enabled=enabled), qdrant=Attributes(**qdrant)),
        "mapping": {"tools": {"enabled": enabled}, "qdrant": qdrant},
    }


@dataclass
class Step:
    """What is kept of a step that was run."""

    result: Any  # as the tool returned it
    output: str  # as the executor keeps it
    sources: list[str]


def run_plan(registry: Any, query: str, actions: list[str]) -> dict[str, Step]:
    """Run the actions in this order; each depends on those before it."""
    steps: dict[str, Step] = {}
    for number, action in enumerate(actions, 1):
        tool = registry.get(action)
        if tool is None:
            raise ValueError(f"Unknown action: {action}")
        result = tool.execute(**_arguments(action, number, query, list(steps.values())))
        steps[action] = Step(result, str(result.output), sources(result.output))
    return steps


def _arguments(action: str, number: int, query: str, before: list[Step]) -> dict[str, Any]:
    arguments: dict[str, Any] = {"query": query}
    if action == "rag_search":
        arguments["collection"] = None
    elif action == "reasoning":
        found: list[Any] = []
        for step in before:
            if step.output.startswith("[{"):
                found += ast.literal_eval(step.output)
        if found:
            arguments["sources"] = found
    elif action == "ask_user":
        arguments |= {"question": query, "reason": f"ステップ {number}", "urgency": "blocking"}
    return arguments
