"""Who must agree before a tool runs.

    tool_permission("postgresql://…", "search_web", user_id) → "auto" | "ask" | "never"

The tier of a tool stands in `TOOL_APPROVAL_DEFAULTS`, else in the column `tools.approval_tier` of
a chat server; the choice of a person stands in its table `user_tool_preferences`.
"""

from __future__ import annotations

from enum import Enum

from kensaku.models import Permission

__all__ = [
    "TOOL_APPROVAL_DEFAULTS",
    "ApprovalTier",
    "Permission",
    "approval_tier",
    "assistant_tiers",
    "tool_permission",
]

ASSISTANT = "assistant"  # the agent that the tables know Kensaku's assistant by


class ApprovalTier(Enum):
    """Who must agree. A tier equals the one of the same name and value in a chat server's enum.

    So `TOOL_APPROVAL_DEFAULTS` can be merged into the table that the chat server has.
    """

    AUTO_APPROVE = "auto"  # it only reads
    REQUIRES_APPROVAL = "requires_approval"
    USER_CONFIGURABLE = "user_configurable"

    def __eq__(self, other: object) -> bool:
        # An enum of texts has the hash of its value; equal things must have equal hashes.
        if not isinstance(other, Enum) or isinstance(other, str):
            return NotImplemented
        return (self.name, self.value) == (other.name, other.value)

    __hash__ = Enum.__hash__  # of the name


# name → (its tier, the tier that holds until the person chooses another)
TOOL_APPROVAL_DEFAULTS: dict[str, tuple[ApprovalTier, ApprovalTier]] = {
    # It reads, and it sees no data of the person.
    "search_web": (ApprovalTier.AUTO_APPROVE, ApprovalTier.AUTO_APPROVE),
}


def approval_tier(
    tool_name: str, chosen: ApprovalTier | None = None, recorded: ApprovalTier | None = None
) -> ApprovalTier:
    """Return the tier that holds for a tool. What nobody has classified has to be asked about.

    `chosen` by the person counts only where a tool leaves the choice; `recorded` in the database
    counts only for a tool that is not in `TOOL_APPROVAL_DEFAULTS`.
    """
    ask = ApprovalTier.REQUIRES_APPROVAL
    tier, default = TOOL_APPROVAL_DEFAULTS.get(tool_name, (recorded or ask, ask))
    if tier is ApprovalTier.USER_CONFIGURABLE:
        return chosen if chosen in (ApprovalTier.AUTO_APPROVE, ask) else default
    return tier


def tool_permission(url: str, tool_name: str, user_id: str) -> Permission:
    """Return whether a tool may run for a person: at once, after asking, or not at all.

    A tool that is switched off in the database never runs. Call it in a thread: it reads the
    database.
    """
    from kensaku.compat.chat_server.preferences import read_preferences

    found = read_preferences(url, tool_name, user_id)
    if found.switched_off or found.chosen == "never":
        return "never"
    tier = approval_tier(tool_name, _tier(found.chosen), _tier(found.recorded))
    return "auto" if tier is ApprovalTier.AUTO_APPROVE else "ask"


def assistant_tiers(url: str, person: str) -> dict[str, Permission]:
    """Return what the tables of a chat server say of Kensaku's assistant; nothing without tables.

    The tables are tools, agent_tools and user_tool_preferences.
    """
    from kensaku.compat.chat_server.database import active_types
    from kensaku.compat.chat_server.rows import SEARCH_WEB

    types = active_types(url, ASSISTANT)
    if types is None:
        return {}
    allowed = SEARCH_WEB.kind in types
    return {"web_search": tool_permission(url, SEARCH_WEB.name, person) if allowed else "never"}


def _tier(value: str | None) -> ApprovalTier | None:
    if value is None:
        return None
    try:
        return ApprovalTier(value)
    except ValueError:  # whatever else it says: asking is safe
        return ApprovalTier.REQUIRES_APPROVAL
