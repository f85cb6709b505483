"""The tables of jobs: how far a job is can be read while processes are killed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from kensaku.jobs.job import JobProgress
from kensaku.jobs.tables import JobTables


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path) -> str:
    if request.param == "postgresql":
        return request.getfixturevalue("postgresql")
    return f"sqlite:///{tmp_path / 'jobs.db'}"


@pytest.fixture
def tables(url) -> Iterator[JobTables]:
    made = JobTables(url)
    made.create()
    made.create()  # another process finds them
    yield made
    made.close()


@pytest.fixture
def engine(url) -> Iterator[sa.Engine]:
    """The same database, as somebody else sees it."""
    made = sa.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    yield made
    made.dispose()


def test_the_tables_are_those_of_the_databases_that_people_have(tables, engine):
    """They are created where they are missing, and never changed: nobody migrates them."""
    found = sa.inspect(engine)
    shapes = {
        name: [(c["name"], str(c["type"]), c["nullable"]) for c in found.get_columns(name)]
        for name in ("job_executors", "job_progress")
    }
    keys = {n: found.get_pk_constraint(n)["constrained_columns"] for n in shapes}
    double = "DOUBLE" if engine.dialect.name == "sqlite" else "DOUBLE PRECISION"

    assert shapes == {
        "job_executors": [("id", "VARCHAR(64)", False), ("beat", double, False)],
        "job_progress": [
            ("job", "VARCHAR(64)", False),
            ("part", "INTEGER", False),
            ("done", "BIGINT", False),
            ("total", "BIGINT", False),
            ("documents", "BIGINT", False),
            ("stage", "VARCHAR(200)", False),
        ],
    }
    assert keys == {"job_executors": ["id"], "job_progress": ["job", "part"]}


def test_progress_is_the_sum_of_the_parts_and_the_stage_of_the_job(tables):
    """A part that reports again replaces what it said; a stage is cut off at 200 characters."""
    tables.report("a", 0, JobProgress(0, 10, "x" * 201, 0))
    tables.report("a", 1, JobProgress(1, 0, "of a part", 2))
    tables.report("a", 2, JobProgress(2, 0, "", 3))
    tables.report("a", 2, JobProgress(4, 0, "", 5))
    tables.report("b", 1, JobProgress(7, 8, "", 9))

    assert tables.progress(["a", "b", "c"]) == {
        "a": JobProgress(5, 10, "x" * 200, 7),
        "b": JobProgress(7, 8, "", 9),
    }
    tables.forget_progress(["a"])
    assert list(tables.progress(["a", "b"])) == ["b"]


def test_a_process_is_alive_as_long_as_it_beats(tables, engine):
    """By the database's own clock; the rows of those that died long ago are deleted."""
    for name in ("old", "now"):
        tables.beat(name)
    with engine.begin() as db:
        db.execute(sa.text("UPDATE job_executors SET beat = beat - 600 WHERE id = 'old'"))

    assert tables.live_executors(300) == {"now"}
    assert tables.live_executors(900) == {"old", "now"}
    tables.forget_dead(900)
    assert tables.live_executors(900) == {"old", "now"}
    tables.beat("old")
    assert tables.live_executors(300) == {"old", "now"}
    with engine.begin() as db:
        db.execute(sa.text("UPDATE job_executors SET beat = beat - 600 WHERE id = 'old'"))
    tables.forget_dead(300)
    assert tables.live_executors(9_000) == {"now"}
    tables.forget(["now"])
    assert tables.live_executors(9_000) == set()


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

    sa.event.listen(sa.Engine, "before_cursor_execute", fail)
    try:
        if raised:
            with pytest.raises(sa.exc.OperationalError):
                tables.progress(["j"])
        else:
            assert tables.progress(["j"]) == {"j": JobProgress(1, 2, "reading", 3)}
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", fail)
        tables.close()
