"""Our tool in the author's approval, prompt and registry (tim-o-private/llm-agent)."""

from __future__ import annotations

import pytest
from chatServer.security import approval_tiers
from chatServer.security.tool_wrapper import ApprovalContext, with_approval
from chatServer.services.prompt_builder import build_agent_prompt

from kensaku import Hit
from kensaku.compat.chat_server import TOOL_APPROVAL_DEFAULTS, SearchWebTool

CHANNELS = ["web", "telegram"]


@pytest.fixture
def merged(monkeypatch):
    """His table of tiers, without his row, and with ours."""
    table = approval_tiers.TOOL_APPROVAL_DEFAULTS
    monkeypatch.delitem(table, "search_web")
    for name, tiers in TOOL_APPROVAL_DEFAULTS.items():
        monkeypatch.setitem(table, name, tiers)


@pytest.fixture
def tool(make_client, upstream) -> SearchWebTool:
    upstream.answers("tavily", [Hit("https://a.example/", "Otters", "They swim.")])
    return SearchWebTool(user_id="user-1", agent_name="assistant", client=make_client("tavily"))


async def test_his_approval_runs_our_tool_at_once(merged, tool):
    """By our row in his table; nothing is queued (S2-03, S2-47)."""
    wrapped = with_approval(tool, ApprovalContext(user_id="user-1"))

    said = await wrapped.ainvoke({"query": "otters", "max_results": 3})

    assert said.startswith(
        'Found 1 result(s) for "otters":\n\n1. **Otters**\n   https://a.example/'
    )
    tier = await approval_tiers.get_effective_tier("user-1", "search_web")
    assert tier is approval_tiers.ApprovalTier.AUTO_APPROVE


@pytest.mark.parametrize("channel", CHANNELS)
def test_his_prompt_has_our_section(tool, channel):
    """(S2-09, S2-35)"""
    prompt = build_agent_prompt(
        soul="You assist.", identity=None, channel=channel, user_instructions=None, tools=[tool]
    )

    assert "Web Search: Use search_web when" in prompt
