"""A job as users see it: kind, progress, result. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

JobStatus = Literal["queued", "running", "done", "failed", "cancelled"]
FINISHED: tuple[JobStatus, ...] = ("done", "failed", "cancelled")


@dataclass(frozen=True, slots=True)
class JobProgress:
    """The progress of a job. `total` is 0 while unknown."""

    done: int = 0
    total: int = 0
    stage: str = ""
    documents: int = 0  # that were read so far

    @property
    def share(self) -> float:
        """The part that is done, 0 to 1."""
        return min(1.0, self.done / self.total) if self.total else 0.0


@dataclass(frozen=True, slots=True)
class Job:
    """One job. Its arguments hold no key: they are stored as they are."""

    id: str
    kind: str
    status: JobStatus
    tenant: str = ""
    key_id: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    progress: JobProgress = JobProgress()
    result: Mapping[str, Any] | None = None
    error: str | None = None
    created: datetime | None = None
    updated: datetime | None = None

    @property
    def finished(self) -> bool:
        """Whether nothing more will happen, unless it is resumed."""
        return self.status in FINISHED

    def to_dict(self) -> dict[str, Any]:
        """The job, ready for JSON."""
        p = self.progress
        return {
            "id": self.id,
            "kind": self.kind,
            "status": self.status,
            "tenant": self.tenant,
            "key_id": self.key_id,
            "arguments": dict(self.arguments),
            "progress": {
                "done": p.done,
                "total": p.total,
                "stage": p.stage,
                "documents": p.documents,
            },
            "result": None if self.result is None else dict(self.result),
            "error": self.error,
            "created": self.created.isoformat() if self.created else None,
            "updated": self.updated.isoformat() if self.updated else None,
        }
