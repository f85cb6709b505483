"""The settings as keyword arguments. Written by scripts/settings_options.py."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from pathlib import Path

    from kensaku.config.secret import Secret
    from kensaku.config.settings import (
        Mode,
        OptoutPolicy,
        Period,
        RobotsPolicy,
        ScrubAction,
        Tokenizer,
        Undated,
    )


class SettingsOptions(TypedDict, total=False):
    """`Kensaku(route=["tavily", "local"], cache_ttl=60)`."""

    home: str | Path
    route: str | Iterable[str]
    mode: Mode
    timeout: float
    max_results: int
    keyless: bool
    specialists: bool
    egress: str | Iterable[str]
    scrub_kinds: str | Iterable[str]
    scrub_action: ScrubAction
    dialect: str
    tenant: str
    state_url: str
    database_url: str
    connections_per_peer: int
    root_path: str
    trusted_proxies: str | Iterable[str]
    cors_origins: str | Iterable[str]
    public_url: str
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
    fetch_rungs: str | Iterable[str]
    fetch_reader_url: str
    fetch_reader_api_key: str | Secret | None
    fetch_rung_urls: str | Iterable[str]
    fetch_signature_key: str
    fetch_signature_agent: str
    context_tokenizer: Tokenizer
    model: str
    gateway: bool
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
    rerank_url: str
    rerank_model: str
    rerank_api_key: str | Secret | None
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
    headers: Mapping[str, Mapping[str, str | Secret]]
