"""Put our service and our tool in the place of his modules: a plug-in of pytest, for his tests."""

from __future__ import annotations

import sys

import chatServer.services
import chatServer.tools
from chatServer.security import approval_tiers

from kensaku.compat.chat_server import TOOL_APPROVAL_DEFAULTS, service, tool

for package, name, ours in (
    (chatServer.services, "web_search_service", service),
    (chatServer.tools, "web_search_tool", tool),
):
    sys.modules[f"{package.__name__}.{name}"] = ours
    setattr(package, name, ours)
approval_tiers.TOOL_APPROVAL_DEFAULTS.update(TOOL_APPROVAL_DEFAULTS)
