"""Two tables beside those of DBOS: which processes run jobs, and how far each job is.

    job_executors  one row a process that runs jobs; its beat is the database's own clock
    job_progress   one row a part of a job: repeating a step writes the same row again

Synchronous: called from threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import sqlalchemy as sa

from kensaku.jobs.job import JobProgress
from kensaku.jobs.names import JOB, PART

_METADATA = sa.MetaData()
_EXECUTORS = sa.Table(
    "job_executors",
    _METADATA,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("beat", sa.Double, nullable=False),  # seconds since 1970
)
_PROGRESS = sa.Table(
    "job_progress",
    _METADATA,
    sa.Column("job", sa.String(64), primary_key=True),
    sa.Column("part", sa.Integer, primary_key=True),  # 0: the job itself
    sa.Column("done", sa.BigInteger, nullable=False),
    sa.Column("total", sa.BigInteger, nullable=False),
    sa.Column("documents", sa.BigInteger, nullable=False),
    sa.Column("stage", sa.String(200), nullable=False),
)

# Of DBOS: as much of its table as tells whether there is work to do.
_WORKFLOWS = "workflow_status"
_UNFINISHED = ("ENQUEUED", "DELAYED", "PENDING")


def any_unfinished(db: sa.Connection) -> bool:
    """Whether jobs wait for a process that runs them, or did when theirs ended."""
    schema = "dbos" if db.dialect.name == "postgresql" else None
    if not sa.inspect(db).has_table(_WORKFLOWS, schema=schema):
        return False  # nobody ever submitted one
    table = sa.table(_WORKFLOWS, sa.column("status"), sa.column("name"), schema=schema)
    found = sa.exists().where(table.c.status.in_(_UNFINISHED), table.c.name.in_((JOB, PART)))
    return bool(db.execute(sa.select(found)).scalar_one())


class JobTables:
    """The two tables in the database at a URL."""

    def __init__(self, url: str) -> None:
        parsed = sa.make_url(url)
        if parsed.drivername.startswith("postgres"):
            parsed = parsed.set(drivername="postgresql+psycopg")
            self._now = sa.text("extract(epoch from clock_timestamp())")
        else:
            self._now = sa.text("(julianday('now') - 2440587.5) * 86400.0")
        options = {"timeout": 30} if parsed.drivername.startswith("sqlite") else {}
        self._engine = sa.create_engine(parsed, pool_pre_ping=True, connect_args=options)

    def create(self) -> None:
        """Create the tables where they are missing."""
        for table in (_EXECUTORS, _PROGRESS):
            # Another process may create it between the question and the command.
            with suppress(sa.exc.IntegrityError, sa.exc.ProgrammingError, sa.exc.OperationalError):
                table.create(self._engine, checkfirst=True)

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()

    def beat(self, executor: str) -> None:
        """Record that a process is alive."""
        with self._engine.begin() as db:
            now = db.execute(sa.select(self._now)).scalar_one()
            row = sa.update(_EXECUTORS).where(_EXECUTORS.c.id == executor)
            if not db.execute(row.values(beat=now)).rowcount:
                db.execute(sa.insert(_EXECUTORS).values(id=executor, beat=now))

    def live_executors(self, within: float) -> set[str]:
        """Return the processes whose last beat is at most so many seconds old."""
        with self._engine.begin() as db:
            now = float(db.execute(sa.select(self._now)).scalar_one())
            fresh = sa.select(_EXECUTORS.c.id).where(_EXECUTORS.c.beat >= now - within)
            return set(db.execute(fresh).scalars())

    def forget(self, executors: Sequence[str]) -> None:
        """Delete the rows of processes that ended."""
        with self._engine.begin() as db:
            db.execute(sa.delete(_EXECUTORS).where(_EXECUTORS.c.id.in_(executors)))

    def forget_dead(self, within: float) -> None:
        """Delete the rows of processes that died long ago."""
        with self._engine.begin() as db:
            now = float(db.execute(sa.select(self._now)).scalar_one())
            db.execute(sa.delete(_EXECUTORS).where(_EXECUTORS.c.beat < now - within))

    def forget_progress(self, jobs: Sequence[str]) -> None:
        """Delete the rows of jobs that were deleted."""
        with self._engine.begin() as db:
            db.execute(sa.delete(_PROGRESS).where(_PROGRESS.c.job.in_(jobs)))

    def report(self, job: str, part: int, progress: JobProgress) -> None:
        """Store how far a part of a job is."""
        values = {
            "done": progress.done,
            "total": progress.total,
            "documents": progress.documents,
            "stage": progress.stage[:200],
        }
        here = (_PROGRESS.c.job == job) & (_PROGRESS.c.part == part)
        with self._engine.begin() as db:
            if not db.execute(sa.update(_PROGRESS).where(here).values(**values)).rowcount:
                db.execute(sa.insert(_PROGRESS).values(job=job, part=part, **values))

    def progress(self, jobs: Sequence[str]) -> dict[str, JobProgress]:
        """Return how far jobs are: the sums of their parts, and the stage of the first."""
        c = _PROGRESS.c
        sums = (
            sa.select(
                c.job,
                sa.func.sum(c.done),
                sa.func.sum(c.total),
                sa.func.sum(c.documents),
                sa.func.max(sa.case((c.part == 0, c.stage), else_="")),
            )
            .where(c.job.in_(jobs))
            .group_by(c.job)
        )
        return {
            job: JobProgress(int(done), int(total), stage, int(documents))
            for job, done, total, documents, stage in self._read(sums)
        }

    def _read(self, query: sa.Select[Any]) -> Sequence[Any]:
        """Return the rows of a query; ask once more if a killed process left a journal.

        Who meets the journal rolls it back. A second one that meets it at the same moment finds
        the file gone, and SQLite calls that a disk I/O error.
        """
        try:
            return self._rows(query)
        except sa.exc.OperationalError as error:
            if not getattr(error.orig, "sqlite_errorname", "").startswith("SQLITE_IOERR"):
                raise
            return self._rows(query)

    def _rows(self, query: sa.Select[Any]) -> Sequence[Any]:
        with self._engine.begin() as db:
            return db.execute(query).all()
