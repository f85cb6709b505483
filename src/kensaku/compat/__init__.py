"""Surfaces that five specifications asked for, each under its own names, in its own words.

slack_bot      a Slack bot's `web_search` for strands-agents, Japanese
tavily_tools   `tavily_search`, `tavily_extract`, `tavily_context`, Japanese
chat_server    a chat server's `search_web`: service, LangChain tool, tables
terminal       a terminal assistant's `web_search`, with a registry of providers
"""
