"""Surfaces that five specifications asked for, each under its own names, in its own words.

slack_bot      a Slack bot's `web_search` for strands-agents, Japanese
tavily_tools   `tavily_search`, `tavily_extract`, `tavily_context`, Japanese
chat_server    a chat server's `search_web`: service, LangChain tool, tables
terminal       a terminal assistant's `web_search`, with a registry of providers
grace          a GRACE agent's tools, and the sections of its `grace_config.yml`

They join by entry points (`kensaku._plugins`), as another author's package would; nothing else in
Kensaku imports them.
"""
