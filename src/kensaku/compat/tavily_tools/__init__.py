"""`tavily_search`, `tavily_extract` and `tavily_context`, for Pydantic AI and Claude Code."""
