"""Who must agree before a tool runs."""

from __future__ import annotations

from kensaku.tools.base import Approval as ApprovalTier

__all__ = ["TOOL_APPROVAL_DEFAULTS", "ApprovalTier", "approval_tier"]

# name → (its tier, the tier that holds until the person chooses another)
TOOL_APPROVAL_DEFAULTS: dict[str, tuple[ApprovalTier, ApprovalTier]] = {
    # It reads, and it sees no data of the person.
    "search_web": (ApprovalTier.AUTO_APPROVE, ApprovalTier.AUTO_APPROVE),
}


def approval_tier(tool_name: str, chosen: ApprovalTier | None = None) -> ApprovalTier:
    """The tier that holds for a tool. What nobody has classified has to be asked about."""
    tier, default = TOOL_APPROVAL_DEFAULTS.get(tool_name, (ApprovalTier.REQUIRES_APPROVAL,) * 2)
    if tier is ApprovalTier.USER_CONFIGURABLE:
        return chosen or default
    return tier
