"""A job as users see it: kind, progress, result. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from dbos import WorkflowStatus

JobStatus = Literal["queued", "running", "done", "failed", "cancelled"]
FINISHED: tuple[JobStatus, ...] = ("done", "failed", "cancelled")

_STATUSES: dict[str, JobStatus] = {
    "ENQUEUED": "queued",
    "DELAYED": "queued",
    "PENDING": "running",
    "SUCCESS": "done",
    "ERROR": "failed",
    "MAX_RECOVERY_ATTEMPTS_EXCEEDED": "failed",
    "CANCELLED": "cancelled",
}
_KILLED_TOO_OFTEN = "every process that ran it ended before it did"


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


def stored_statuses(status: JobStatus) -> list[str]:
    """Return what DBOS calls a status."""
    return [stored for stored, ours in _STATUSES.items() if ours == status]


def job_from(workflow: WorkflowStatus, progress: JobProgress) -> Job:
    """Return the job that a workflow is. Its input is what `run_job` takes."""
    kind, tenant, arguments, *key_id = (workflow.input or {"args": ("", "", {})})["args"]
    status = _STATUSES[workflow.status]
    return Job(
        id=workflow.workflow_id,
        kind=kind,
        status=status,
        tenant=tenant,
        key_id=key_id[0] if key_id else "",
        arguments=arguments,
        progress=progress,
        result=workflow.output if status == "done" else None,
        error=(str(workflow.error or _KILLED_TOO_OFTEN)) if status == "failed" else None,
        created=_time(workflow.created_at),
        updated=_time(workflow.updated_at),
    )


def _time(milliseconds: int | None) -> datetime | None:
    return None if milliseconds is None else datetime.fromtimestamp(milliseconds / 1000, UTC)
