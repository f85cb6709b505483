"""Who must agree before a tool runs, by the code's table and by a chat server's database."""

from __future__ import annotations

import sqlite3
from enum import Enum
from uuid import uuid4

import pytest

from kensaku.compat.chat_server import TOOL_APPROVAL_DEFAULTS, ApprovalTier, database
from kensaku.compat.chat_server.approval import approval_tier, tool_permission
from kensaku.tools.base import Approval

from .test_hosts import build, run

AUTO, ASK, OPEN = (
    ApprovalTier.AUTO_APPROVE,
    ApprovalTier.REQUIRES_APPROVAL,
    ApprovalTier.USER_CONFIGURABLE,
)


class HostTier(Enum):
    """The tiers as the author's `chatServer/security/approval_tiers.py` has them: a plain enum."""

    AUTO_APPROVE = "auto"
    REQUIRES_APPROVAL = "requires_approval"
    USER_CONFIGURABLE = "user_configurable"


def host_decides(table: dict, tool: str) -> str:
    """What the author's `get_effective_tier` does with a table, by `==` in this order."""
    tier, default = table.get(tool, (HostTier.REQUIRES_APPROVAL, HostTier.REQUIRES_APPROVAL))
    if tier == HostTier.REQUIRES_APPROVAL:
        return "ask"
    if tier == HostTier.AUTO_APPROVE:
        return "auto"
    if tier == HostTier.USER_CONFIGURABLE:
        return {HostTier.AUTO_APPROVE: "auto", HostTier.REQUIRES_APPROVAL: "ask"}[default]
    return "ask"


def test_our_table_merged_into_the_hosts_approves_the_search():
    """Its enum is another class, with the same names and values (S2-03, S2-47)."""
    table = {"send_mail": (HostTier.REQUIRES_APPROVAL,) * 2, "notes": (OPEN, AUTO)}

    assert host_decides(table | TOOL_APPROVAL_DEFAULTS, "search_web") == "auto"
    assert host_decides(table, "notes") == "auto"
    assert host_decides(table, "send_mail") == host_decides(table, "unknown") == "ask"


@pytest.mark.parametrize("ours", ApprovalTier)
def test_a_tier_equals_the_hosts_of_the_same_name(ours):
    """In both directions, as a key of a table as well; it equals nothing else (S2-47)."""
    equal = [theirs for theirs in HostTier if theirs == ours]

    assert equal == [theirs for theirs in HostTier if ours == theirs] == [HostTier[ours.name]]
    assert {HostTier[ours.name]: "found"}[ours] == {ours: "found"}[equal[0]] == "found"
    assert [tier for tier in ApprovalTier if tier == ours] == [ours]
    assert ours not in (ours.name, ours.value, Approval(ours.value), None)


@pytest.mark.parametrize(
    ("default", "chosen", "holds"),
    [
        ((AUTO, AUTO), ASK, AUTO),
        ((ASK, ASK), AUTO, ASK),
        ((OPEN, AUTO), None, AUTO),
        ((OPEN, ASK), None, ASK),
        ((OPEN, ASK), AUTO, AUTO),
        ((OPEN, AUTO), ASK, ASK),
        ((OPEN, ASK), OPEN, ASK),
    ],
)
def test_a_person_chooses_only_where_the_tool_leaves_the_choice(
    default, chosen, holds, monkeypatch
):
    """(S2-47)"""
    monkeypatch.setitem(TOOL_APPROVAL_DEFAULTS, "write_note", default)

    assert approval_tier("write_note", chosen) is holds


def test_a_tool_that_nobody_has_classified_is_asked_about():
    """Whatever the person has chosen; the database may classify it (S2-47)."""
    assert approval_tier("drop_tables") is ASK
    assert approval_tier("drop_tables", AUTO) is ASK
    assert approval_tier("drop_tables", None, AUTO) is AUTO
    assert approval_tier("search_web", None, ASK) is AUTO


def test_the_database_is_asked_for_a_persons_choice(postgresql):
    """Per person; the host's tiers count for its own tools (S2-03, S2-47)."""
    build(postgresql, "link_text")
    database.register(postgresql)
    me, other = str(uuid4()), str(uuid4())
    run(postgresql, f"""INSERT INTO user_tool_preferences (user_id, tool_name, approval_tier) VALUES
        ('{me}', 'fetch_tasks', 'auto'), ('{me}', 'gmail_search', 'auto'),
        ('{me}', 'search_web', 'requires_approval')""")  # fmt: skip

    assert tool_permission(postgresql, "fetch_tasks", me) == "auto"  # user_configurable
    assert tool_permission(postgresql, "fetch_tasks", other) == "ask"
    assert tool_permission(postgresql, "gmail_search", me) == "ask"  # no tier is recorded
    assert tool_permission(postgresql, "search_web", me) == "auto"
    assert tool_permission(postgresql, "search_web", "no uuid") == "auto"
    assert tool_permission(postgresql, "unheard_of", me) == "ask"

    run(postgresql, "UPDATE tools SET is_active = false WHERE name = 'search_web'")
    assert tool_permission(postgresql, "search_web", me) == "never"
    run(postgresql, "UPDATE tools SET is_active = true, is_deleted = true")
    assert tool_permission(postgresql, "fetch_tasks", me) == "never"


def test_without_such_tables_the_tiers_of_the_code_hold(tmp_path):
    """Of our own tables, and of none (S2-47)."""
    url = f"sqlite:///{tmp_path / 'agents.db'}"
    assert tool_permission(url, "search_web", "u-7") == "auto"
    database.register(url)

    assert tool_permission(url, "search_web", "u-7") == "auto"
    assert tool_permission(url, "drop_tables", "u-7") == "ask"


def test_a_person_can_forbid_a_tool_where_the_table_allows_it(tmp_path):
    """Less than a tool's tier is always the person's to choose."""
    path = tmp_path / "agents.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE user_tool_preferences (user_id, tool_name, approval_tier)")
        connection.execute(
            "INSERT INTO user_tool_preferences VALUES ('u-7', 'search_web', 'never')"
        )
    connection.close()

    assert tool_permission(f"sqlite:///{path}", "search_web", "u-7") == "never"
    assert tool_permission(f"sqlite:///{path}", "search_web", "u-8") == "auto"
