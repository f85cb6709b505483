"""The `search_web` tool of a chat server: a service, a LangChain tool, and rows in a database.

    WebSearchService → list of {title, url, snippet}
    SearchWebTool    → text for the model, by the service
    database.py      → tables, migrations, registration (python -m kensaku.compat.chat_server)

The words of its document stand here byte for byte; the searching is that of `kensaku`.
"""

from kensaku._lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kensaku.compat.chat_server.approval import (
        TOOL_APPROVAL_DEFAULTS as TOOL_APPROVAL_DEFAULTS,
    )
    from kensaku.compat.chat_server.approval import ApprovalTier as ApprovalTier
    from kensaku.compat.chat_server.registry import TOOL_REGISTRY as TOOL_REGISTRY
    from kensaku.compat.chat_server.service import WebSearchService as WebSearchService
    from kensaku.compat.chat_server.tool import SearchWebInput as SearchWebInput
    from kensaku.compat.chat_server.tool import SearchWebTool as SearchWebTool

__getattr__, __dir__, __all__ = attach(
    __name__,
    approval=("TOOL_APPROVAL_DEFAULTS", "ApprovalTier"),
    registry=("TOOL_REGISTRY",),
    service=("WebSearchService",),
    tool=("SearchWebInput", "SearchWebTool"),
)
