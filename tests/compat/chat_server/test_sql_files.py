"""The SQL files: what they hold, and that PostgreSQL does by them what `register` does."""

from __future__ import annotations

import re
import subprocess
import tomllib

import psycopg
import pytest
from sqlalchemy.engine import make_url

from kensaku.compat.chat_server import database
from kensaku.compat.chat_server.__main__ import main, sql_file
from kensaku.compat.chat_server.sql_files import FILES
from tests import ROOT

from . import hosts
from .test_hosts import build, changes, rows, run, tool_of

FOLDER = sql_file("own_tables").parent
HOST_SQL, OWN_SQL = sql_file("existing_tables"), sql_file("own_tables")
# What differs between two runs: ids and times.
NEW = re.compile(r"'[0-9a-f]{8}-[0-9a-f-]{27}'|'\d{4}-\d\d-\d\d [^']+'")


@pytest.fixture(params=["psql", "one call"])
def execute(processes: None, request, postgres):
    """Run a file as a shell script does, and as an SQL editor does: all of it in one call."""

    def run_file(url: str, path, *, fails: bool = False) -> str:
        if request.param == "psql":
            ran = subprocess.run(
                [postgres.bin_path / "psql", "-q", "-v", "ON_ERROR_STOP=1", "-f", path, url],
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert (ran.returncode != 0) is fails, ran.stderr
            return ran.stderr
        with psycopg.connect(url, autocommit=True) as connection:
            if not fails:
                connection.execute(path.read_text())
                return ""
            with pytest.raises(psycopg.Error) as caught:
                connection.execute(path.read_text())
            return str(caught.value)

    return run_file


def test_the_files_are_current():
    """`python scripts/chat_server_sql.py` writes them from the migrations and the statements."""
    stale = [name for name, text in FILES.items() if (FOLDER / name).read_text() != text()]

    assert stale == []
    assert sorted(FILES) == sorted(path.name for path in FOLDER.iterdir())


def test_the_files_are_shipped(capsys):
    """They are in the package, and a command prints them."""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    assert wheel["targets"]["wheel"]["packages"] == ["src/kensaku"]

    assert main(["sql"]) == 0
    assert capsys.readouterr().out == HOST_SQL.read_text()
    assert main(["sql", "--own-tables"]) == 0
    assert capsys.readouterr().out == OWN_SQL.read_text()
    with pytest.raises(SystemExit):
        main(["register"])
    assert "register needs the URL of a database" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("execute", "shape"),
    [("psql", "by_name_enum"), ("psql", "link_enum"), *(("one call", s) for s in hosts.SHAPES)],
    indirect=["execute"],
)
def test_the_file_does_what_register_does(shape, postgres, postgresql, execute, dump):
    """The same rows and the same label in a copy of the same database (S2-02, S2-44, S2-45)."""
    build(postgresql, shape)
    name = make_url(postgresql).database
    with psycopg.connect(postgres.get_uri(), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}-copy" TEMPLATE "{name}"')
    copy = postgres.get_uri(database=f"{name}-copy")
    before = dump(postgresql)
    database.register(postgresql)
    execute(copy, HOST_SQL)

    by_register, by_file = (changes(before, dump(url)) for url in (postgresql, copy))
    assert tool_of(copy, shape) == tool_of(postgresql, shape) != []
    assert [NEW.sub("…", line) for line in by_file[1]] == [
        NEW.sub("…", line) for line in by_register[1]
    ]
    assert by_file[0] == by_register[0] == []
    after = dump(copy)
    execute(copy, HOST_SQL)
    database.register(copy)
    assert dump(copy) == after


@pytest.mark.parametrize(
    ("shape", "alter", "said"),
    [
        ("link_enum", "DELETE FROM agent_configurations", "there are 0 agents assistant"),
        ("link_enum", "ALTER TABLE agent_tools ADD tool_name text", "of no known form"),
        ("by_name_enum", "ALTER TABLE agent_tools ADD tool_type text", "of no known form"),
    ],
)
def test_the_file_stops_before_the_first_change(postgresql, shape, alter, said, execute, dump):
    """It says what it found, and adds no label (S2-44)."""
    build(postgresql, shape)
    run(postgresql, alter)
    before = dump(postgresql)

    assert said in execute(postgresql, HOST_SQL, fails=True)
    assert dump(postgresql) == before


def test_the_other_file_makes_our_own_tables(postgresql, execute, dump):
    """`register` then finds them up to date; the file does not run twice (S2-02, S2-45)."""
    execute(postgresql, OWN_SQL)
    before = dump(postgresql)
    done = database.register(postgresql)

    assert (done.agent, done.tool, done.order) == ("assistant", "search_web", 1)
    assert dump(postgresql) == before
    assert "already exists" in execute(postgresql, OWN_SQL, fails=True)
    assert rows(postgresql, "SELECT count(*) FROM agent_tools") == [(1,)]
