"""The `search_web` tool of a chat server: a service, a LangChain tool, and rows in a database.

    WebSearchService → list of {title, url, snippet}
    SearchWebTool    → text for the model, by the service
    database.py      → tables, migrations, registration (python -m kensaku.adapters.search_web)

The words of its document stand here byte for byte; the searching is that of `kensaku`.
"""
