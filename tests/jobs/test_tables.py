"""The tables of jobs: how far a job is can be read while processes are killed."""

from __future__ import annotations

import sqlite3

import pytest
import sqlalchemy as sa

from kensaku.jobs.job import JobProgress
from kensaku.jobs.tables import JobTables


@pytest.mark.parametrize(
    ("failures", "name", "raised"),
    [
        (1, "SQLITE_IOERR_DELETE_NOENT", False),
        (2, "SQLITE_IOERR_READ", True),
        (1, "SQLITE_CORRUPT", True),
    ],
)
def test_a_journal_that_another_process_rolls_back_is_met_once(tmp_path, failures, name, raised):
    """SQLite calls it a disk I/O error. What stays wrong is raised."""
    tables = JobTables(f"sqlite:///{tmp_path / 'jobs.db'}")
    tables.create()
    tables.report("j", 0, JobProgress(1, 2, "reading", 3))
    left = failures

    def fail(*_) -> None:
        nonlocal left
        if left:
            left -= 1
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorname = name
            raise error

    sa.event.listen(tables._engine, "before_cursor_execute", fail)

    if raised:
        with pytest.raises(sa.exc.OperationalError):
            tables.progress(["j"])
    else:
        assert tables.progress(["j"]) == {"j": JobProgress(1, 2, "reading", 3)}
    tables.close()
