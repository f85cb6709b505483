"""The options of calls, spelled out once: `search`, `context` and `answer` share them.

Type checkers and editors read them by PEP 692; a test compares them with the classes they fill.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from pathlib import Path

    from kensaku.assistant.approval import AskPerson
    from kensaku.assistant.journal import Journal
    from kensaku.config.secret import Secret
    from kensaku.config.settings import (
        Mode,
        OptoutPolicy,
        Period,
        RobotsPolicy,
        Tokenizer,
        Undated,
    )
    from kensaku.models import Depth, Permission, TimeRange, Topic
    from kensaku.research.attachments import Attachment
    from kensaku.research.request import CitationFormat, Effort, Length
    from kensaku.search.budget import Budget


class QueryOptions(TypedDict, total=False):
    """The fields of `Query` besides its text."""

    max_results: int
    depth: Depth
    topic: Topic
    time_range: TimeRange | None
    start_date: date | str | None
    end_date: date | str | None
    include_domains: Iterable[str]
    exclude_domains: Iterable[str]
    country: str | None
    language: str | None
    include_answer: bool
    include_raw_content: bool
    collection: str | None
    min_score: float | None
    include_images: bool


class SearchOptions(QueryOptions, total=False):
    """What `Kensaku.search` takes besides the query."""

    route: str | Iterable[str] | None
    mode: Mode | None
    timeout: float | None
    cache: bool | None
    budget: Budget | None
    scrub: bool | None


class RequestOptions(TypedDict, total=False):
    """The fields of `ResearchRequest` besides its input."""

    model: Effort
    output_length: Length
    citation_format: CitationFormat
    output_schema: Mapping[str, Any] | None
    include_domains: Iterable[str]
    exclude_domains: Iterable[str]
    files: Iterable[Attachment | Mapping[str, str]]
    route: str | Iterable[str] | None
    collection: str | None
    timeout: float


class ResearchOptions(RequestOptions, total=False):
    """What `Kensaku.research` takes besides the input."""

    cache: bool | None
    budget: Budget | None


class AskOptions(TypedDict, total=False):
    """What `Kensaku.ask` takes besides the question."""

    model: str | Any  # `vendor:name`, a name at `llm.url`, or a model object of pydantic-ai
    collection: str | None
    route: str | Iterable[str] | None
    timeout: float | None
    cache: bool | None
    budget: Budget | None
    person: AskPerson | None  # asks whoever is there; None: nobody is
    approvals: Mapping[str, Permission]  # tool → auto, ask or never
    journal: Journal | None  # of a run that goes on
    earlier: Sequence[str]  # what the person asked before in this conversation


class CrawlOptions(TypedDict, total=False):
    """The fields of `fetch.Plan` besides the address."""

    instructions: str | None
    max_depth: int
    max_breadth: int
    limit: int
    select_paths: Sequence[str] | None
    exclude_paths: Sequence[str] | None
    select_domains: Sequence[str] | None
    exclude_domains: Sequence[str] | None
    allow_external: bool
    timeout: float
    sitemap: bool


class SettingsOptions(TypedDict, total=False):
    """The settings as arguments: `Kensaku(route=["tavily", "local"], cache_ttl=60)`."""

    home: str | Path
    route: str | Iterable[str]
    mode: Mode
    timeout: float
    max_results: int
    keyless: bool
    specialists: bool
    egress: str | Iterable[str]
    scrub_kinds: str | Iterable[str]
    scrub_action: str
    dialect: str
    tenant: str
    state_url: str
    database_url: str
    jobs_days: int
    usage_days: int
    cache_enabled: bool
    cache_url: str
    cache_ttl: float
    cache_stale: float
    cache_max_bytes: int
    retry_budget: float
    rank_per_domain: int
    rank_block_domains: str | Iterable[str]
    rank_undated: Undated
    budget_searches: int
    budget_money: float
    budget_period: Period
    index_keep_fetched: bool
    index_url: str
    index_api_key: str | Secret | None
    index_model: str
    index_model_api_key: str | Secret | None
    index_text_field: str | Iterable[str]
    index_title_field: str | Iterable[str]
    index_url_field: str | Iterable[str]
    index_vector: str
    fetch_allow: str | Iterable[str]
    fetch_ports: str | Iterable[str]
    fetch_gate: bool
    fetch_timeout: float
    fetch_max_bytes: int
    fetch_per_host: int
    fetch_fresh: float
    fetch_robots: RobotsPolicy
    fetch_optouts: OptoutPolicy
    fetch_browser: str
    fetch_proxy: str
    context_tokenizer: Tokenizer
    model: str
    assistant_silent: float
    assistant_notify: float
    assistant_confirm: float
    assistant_searches: int
    assistant_fetches: int
    assistant_seconds: float
    assistant_tokens: int
    assistant_money: float
    assistant_wait: float
    assistant_approvals: str | Iterable[str]
    llm_url: str
    llm_model: str
    llm_api_key: str | Secret | None
    mcp_token: str | Secret | None
    slack_bot_token: str | Secret | None
    slack_app_token: str | Secret | None
    slack_signing_secret: str | Secret | None
    slack_api_base_url: str
    telegram_bot_token: str | Secret | None
    telegram_api_base_url: str
    telegram_webhook_secret: str | Secret | None
    allow_slack: str | Iterable[str]
    allow_telegram: str | Iterable[str]
    proxy: str
    user_agent: str
