"""Migrations: one process migrates and the others wait; a killed one leaves nothing half done."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text, update

import kensaku.database
from kensaku.database import Database, url_of
from kensaku.database.connection import connect
from kensaku.database.conversations import Sender
from kensaku.database.migrate import REVISIONS, VERSION_TABLE, migrate
from kensaku.database.questions import open_questions
from kensaku.database.runs import claim
from kensaku.database.tables import METADATA, RUNS
from kensaku.errors import DatabaseFault
from tests.database.drift import drift

# Opens the database, and dies at the given statement of the migration, if there are so many.
OPENER = """
import asyncio, os, sys
from kensaku import Settings
from kensaku.database import Database, migrate
from sqlalchemy import Engine, event

url, home, die_at = sys.argv[1], sys.argv[2], int(sys.argv[3])
count = 0

def executed(connection, cursor, statement, *rest):
    global count
    if statement.lstrip().upper().startswith(("CREATE", "INSERT", "UPDATE", "DROP", "ALTER")):
        count += 1
        if count == die_at:
            os._exit(9)

event.listen(Engine, "after_cursor_execute", executed)
print("ready", flush=True)
sys.stdin.readline()
asyncio.run(Database.open(Settings(home=home, database_url=url)))
print("migrated" if count else "found", flush=True)
"""


def opener(settings, die_at: int = 0) -> subprocess.Popen[str]:
    words = [settings.database_url, str(settings.home), str(die_at)]
    return subprocess.Popen(
        [sys.executable, "-c", OPENER, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ},
    )


def test_the_list_of_revisions_is_that_of_the_files():
    """It is read at every start, so that Alembic need not be imported."""
    folder = Path(kensaku.database.__file__).parent / "migrations"
    scripts = ScriptDirectory(str(folder)).walk_revisions()

    assert [script.revision for script in scripts] == list(reversed(REVISIONS))


@pytest.mark.usefixtures("processes")
def test_of_several_processes_one_migrates_and_the_others_wait(settings):
    """Three servers that are started at once."""
    processes = [opener(settings) for _ in range(3)]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    said = [process.communicate()[0].strip() for process in processes]

    assert [process.returncode for process in processes] == [0, 0, 0]
    assert sorted(said) == ["found", "found", "migrated"]
    assert drift(url_of(settings)) == []


@pytest.mark.usefixtures("processes")
def test_a_killed_migration_is_done_by_the_next_process(settings):
    """Killed after one statement, after nine, …: the tables are all there, or none of them."""
    for die_at in range(1, 90, 8):
        process = opener(settings, die_at)
        process.communicate("\n")
        if process.returncode == 0:
            break
        with connect(url_of(settings), write=False) as connection:
            assert inspect(connection).get_table_names() == []

    assert die_at > 9
    assert drift(url_of(settings)) == []


async def test_a_newer_database_is_refused_in_one_sentence_and_left_alone(settings):
    """A new version has migrated it; the old one does not know what its tables mean."""
    await (await Database.open(settings)).close()
    with connect(url_of(settings)) as connection, connection.begin():
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = 'from_the_future'"))

    with pytest.raises(DatabaseFault, match="made by a newer Kensaku") as caught:
        await Database.open(settings)

    assert "\n" not in str(caught.value)
    with connect(url_of(settings), write=False) as connection:
        assert connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}")) == (
            "from_the_future"
        )


@pytest.mark.usefixtures("processes")
def test_a_current_database_is_opened_without_alembic(machine):
    """Its import takes longer than all else."""
    machine.mkdir(mode=0o700)
    code = (
        "import sys; from kensaku.database.migrate import migrate\n"
        f"migrate('sqlite:///{machine}/k.db')\nprint('alembic.command' in sys.modules)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]

    assert [run.stdout.strip() for run in runs] == ["True", "False"]


async def test_the_tables_of_an_application_are_left_alone(settings):
    """The database may be one that an application of theirs uses."""
    settings.home.mkdir(mode=0o700, exist_ok=True)
    with connect(url_of(settings)) as connection, connection.begin():
        connection.execute(text("CREATE TABLE usage (n INTEGER)"))
        connection.execute(text("CREATE TABLE api_keys (n INTEGER)"))

    migrate(url_of(settings))

    with connect(url_of(settings), write=False) as connection:
        names = set(inspect(connection).get_table_names())
    assert names == {"usage", "api_keys", VERSION_TABLE, *METADATA.tables}


async def test_unfinished_runs_of_the_assistant_are_kept(settings):
    """They were in tables of their own, which jobs did not share."""
    settings.home.mkdir(mode=0o700, exist_ok=True)
    config = Config()
    folder = Path(kensaku.database.__file__).parent / "migrations"
    config.set_main_option("script_location", str(folder))
    now = "2026-11-16 12:00:00+00:00"
    with connect(url_of(settings)) as connection, connection.begin():
        config.attributes["connection"] = connection
        command.upgrade(config, "questions")
        for statement in (
            "kensaku_conversations VALUES ('c1', 'acme', 'slack', 't1', 'Otters', :now, :now)",
            "kensaku_runs VALUES ('r1', 'c1', 'ada', 'otters?', :options, :memory, 'running', "
            "'gone', :now, :now)",
            "kensaku_run_steps VALUES ('r1', 'd', 'plan', '[1]')",
            "kensaku_questions VALUES ('r1', 'q1', :memory, NULL)",
        ):
            values = {"now": now, "memory": '{"at": 5}', "options": '{"route": "x"}'}
            connection.execute(text(f"INSERT INTO {statement}"), values)

    database = await Database.open(settings)
    async with database.write() as connection:
        await connection.execute(update(RUNS).values(created=datetime.now(UTC)))
    asked = await open_questions(database, Sender("slack", "ada", "t1", "acme"))
    (run,) = await claim(database, "slack", "me")
    await database.close()

    assert drift(url_of(settings)) == []
    assert (run.id, run.question, run.options, run.memory, run.steps) == (
        "r1", "otters?", {"route": "x"}, {"at": 5}, {"plan": [1]},
    )  # fmt: skip
    assert asked == [("r1", "q1", {"at": 5})]
