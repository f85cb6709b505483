"""Read the settings file of a GRACE agent (`grace_config.yml`): its sections in our words.

    qdrant, embedding → settings of the client      qdrant, llm → options of the tools

`GRACE_<SECTION>_<KEY>` in the environment overrides a value of the file, as it does there; an
object that the agent has made of its file is not overridden again. The other sections
(confidence, intervention, replan, cost, error, logging) direct the agent, and stay with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kensaku.client import Kensaku
from kensaku.config.file import SettingsFile
from kensaku.config.parsers import Parser, address, choice, number, parse_value, text, words
from kensaku.config.settings import Settings, environment, key_of
from kensaku.tools.reasoning import gemini
from kensaku.tools.registry import ToolOptions

KEY_VARIABLES = {"gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"), "openai": ("OPENAI_API_KEY",)}


@dataclass(frozen=True, slots=True)
class LlmOptions:
    """How `reasoning` asks its model; None: as the model does by itself."""

    model: str
    temperature: float | None = None
    max_tokens: int | None = None
    timeout: float | None = None  # seconds


@dataclass(frozen=True, slots=True)
class GraceConfig:
    """What a file says that concerns us."""

    settings: Mapping[str, Any]  # of the client, by name
    rag_search: Mapping[str, Any]  # options of that tool
    llm: LlmOptions | None


def read_grace(source: SettingsFile, env: Mapping[str, str]) -> GraceConfig:
    """Read the sections `qdrant`, `embedding` and `llm`. Raises `ConfigError` that says where."""
    read = _reader(source, env)
    return GraceConfig(_client_settings(read, env), _rag_options(read), _llm(read))


def configure(
    source: SettingsFile, names: list[str], client: Kensaku | None, options: ToolOptions
) -> tuple[Kensaku | None, ToolOptions]:
    """Return the client and the options that the sections of the file ask for.

    A client or an option that the caller gave stays as it is, and so do our own settings.
    """
    grace = read_grace(source, environment())
    configured = ToolOptions()
    if "rag_search" in names:
        configured |= ToolOptions(**grace.rag_search)  # type: ignore[typeddict-item]
    if "reasoning" in names and grace.llm is not None:
        llm = grace.llm
        configured["model"] = gemini(
            llm.model, temperature=llm.temperature, max_tokens=llm.max_tokens, timeout=llm.timeout
        )
    if client is None and grace.settings:
        ours = Settings.load().origins
        client = Kensaku(
            Settings.load(**{n: v for n, v in grace.settings.items() if key_of(n) not in ours})
        )
    return client, configured | options


Read = Callable[[str, Parser], Any]


def _reader(source: SettingsFile, env: Mapping[str, str]) -> Read:
    def read(key: str, parse: Parser) -> Any:
        variable = "GRACE_" + key.upper().replace(".", "_")
        if source.is_file and env.get(variable, "").strip():
            return parse_value(parse, env[variable], key, f"environment {variable}")
        return parse_value(parse, source[key], key, source.where(key)) if key in source else None

    return read


def _client_settings(read: Read, env: Mapping[str, str]) -> dict[str, Any]:
    settings = {"index_url": read("qdrant.url", address)}
    if model := read("embedding.model", text):
        provider = read("embedding.provider", choice(*KEY_VARIABLES)) or "gemini"
        settings["index_model"] = f"{provider}:{model}"
        keys = (env.get(name, "").strip() for name in KEY_VARIABLES[provider])
        settings["index_model_api_key"] = next(filter(None, keys), None)
    return {name: value for name, value in settings.items() if value}


def _rag_options(read: Read) -> dict[str, Any]:
    first = read("qdrant.search_priority", words) or ()
    then = read("qdrant.collection_name", text)
    options = {
        "collections": tuple(dict.fromkeys([*first, *([then] if then else [])])),
        "limit": read("qdrant.search_limit", number(1, 50, int)),
        "min_score": read("qdrant.score_threshold", number(0, 1)),
    }
    return {name: value for name, value in options.items() if value}


def _llm(read: Read) -> LlmOptions | None:
    read("llm.provider", choice("gemini"))
    model = read("llm.model", text)
    if not model:
        return None
    return LlmOptions(
        model,
        temperature=read("llm.temperature", number(0, 2)),
        max_tokens=read("llm.max_tokens", number(1, 10**6, int)),
        timeout=read("llm.timeout", number(0.1, 600)),
    )
