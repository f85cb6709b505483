"""Registration in SQLite and PostgreSQL: rows, migrations, turns."""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import replace

import psycopg
import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from kensaku.compat.chat_server import (
    TOOL_REGISTRY,
    SearchWebTool,
    database,
)
from kensaku.compat.chat_server.__main__ import main
from kensaku.compat.chat_server.models import AgentTool, Base
from kensaku.compat.chat_server.rows import SEARCH_WEB, registration
from kensaku.compat.chat_server.tables import OWN
from kensaku.database.connection import LOCK, connect
from kensaku.errors import ConfigError

from .doubles import OTTER


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'agents.db'}"
    return request.getfixturevalue("postgresql")


def rows(url: str, query: str) -> list[tuple]:
    with connect(url) as connection:
        return [tuple(row) for row in connection.execute(sa.text(query))]


def everything(url: str) -> dict[str, list[tuple]]:
    tables = ("agent_configurations", "tools", "agent_tools", "kensaku_migrations")
    return {t: sorted(map(str, rows(url, f"SELECT * FROM {t}"))) for t in tables}


THE_ROW = """SELECT a.agent_name, t.tool_name, CAST(t.type AS VARCHAR),
    CAST(t.tool_config AS VARCHAR), t.is_active, t."order"
    FROM agent_tools t JOIN agent_configurations a ON a.id = t.agent_id"""


def test_registering_gives_the_assistant_its_tool(url):
    """The row of the document and the row in `tools` (S2-02, S2-45)."""
    done = database.register(url)

    assert (done.agent, done.tool, done.order) == ("assistant", "search_web", 1)
    assert rows(url, THE_ROW) == [("assistant", "search_web", "SearchWebTool", "{}", True, 1)]
    assert rows(url, "SELECT name, CAST(type AS VARCHAR) FROM tools") == [
        ("search_web", "SearchWebTool")
    ]


def test_registering_again_changes_nothing(url):
    """(S2-44, S2-45)"""
    database.register(url)
    before = everything(url)
    database.register(url)
    database.upgrade(url)

    assert everything(url) == before


def test_a_downgrade_takes_away_what_was_made_and_it_can_be_made_again(url):
    """Up, down and up."""
    database.register(url)
    database.downgrade(url, "tables")
    assert rows(url, THE_ROW) == []
    database.downgrade(url)
    with connect(url) as connection:
        assert sa.inspect(connection).get_table_names() == ["kensaku_migrations"]

    database.register(url)
    assert len(rows(url, THE_ROW)) == 1


def test_it_comes_behind_the_tools_that_are_there(url):
    """`"order"` is the highest plus one (S2-45)."""
    database.upgrade(url, "tables")
    with connect(url) as connection, connection.begin():
        for statement in registration(OWN, "assistant", replace(SEARCH_WEB, name="older")):
            connection.execute(statement)
        connection.execute(sa.update(AgentTool).values(order=7))

    assert database.register(url).order == 8


def test_the_rows_and_the_registry_say_the_same(url, monkeypatch):
    """Each row's type has a class, and each class a row (S2-46)."""
    database.register(url)
    assert {"SearchWebTool": SearchWebTool} == TOOL_REGISTRY
    assert database.drift(url) == []

    class Younger(SearchWebTool):
        name: str = "younger"

    monkeypatch.setitem(TOOL_REGISTRY, "Younger", Younger)
    assert database.drift(url) == ["'younger' of TOOL_REGISTRY has no row in tools"]
    monkeypatch.delitem(TOOL_REGISTRY, "SearchWebTool")
    assert database.drift(url)[0] == "the type 'SearchWebTool' has rows, but no class"
    with pytest.raises(ConfigError, match="SearchWebTool"):
        database.load_tools(url, "assistant", "u-7")


def test_a_row_cannot_name_a_tool_that_is_not_there(url):
    """Name and type refer to `tools` together (S2-02)."""
    database.register(url)

    with pytest.raises(sa.exc.IntegrityError), connect(url) as c, c.begin():
        c.execute(sa.update(AgentTool).values(tool_name="another"))


def test_the_models_are_what_the_migrations_make(url):
    """No column, constraint or table more or less."""
    database.upgrade(url)
    with connect(url) as connection:
        options = {"include_name": lambda name, kind, _: not (
            kind == "table" and str(name).startswith("kensaku_"))}  # fmt: skip
        context = MigrationContext.configure(connection, opts={"compare_type": False, **options})

        assert compare_metadata(context, Base.metadata) == []


async def test_an_agents_tools_are_read_from_its_rows(url, make_client, upstream):
    """Active ones, in order, made for the person; and they search (S2-02, S2-46)."""
    database.register(url)
    upstream.answers("tavily", [OTTER])

    (tool,) = database.load_tools(url, "assistant", "u-7", client=make_client("tavily"))

    assert (tool.user_id, tool.agent_name) == ("u-7", "assistant")
    assert OTTER.url in await tool._arun("otter")
    with connect(url) as connection, connection.begin():
        connection.execute(sa.update(AgentTool).values(is_active=False))
    assert database.load_tools(url, "assistant", "u-7") == []


def test_an_agents_tools_come_in_their_order_with_their_settings(tmp_path, monkeypatch):
    """The order of the rows, not of their names; the settings of a row reach its tool."""
    url = f"sqlite:///{tmp_path / 'agents.db'}"
    database.register(url)
    made = []
    monkeypatch.setitem(TOOL_REGISTRY, "Older", lambda **options: made.append(options))
    older = replace(SEARCH_WEB, name="zebra", kind="Older")
    with connect(url) as connection, connection.begin():
        for statement in registration(OWN, "assistant", older):
            connection.execute(statement)
        row = sa.update(AgentTool).where(AgentTool.tool_name == "zebra")
        connection.execute(row.values(order=0, tool_config={"limit": 3}))

    assert database.active_types(url, "assistant") == ["Older", "SearchWebTool"]
    assert database.active_types(url, "nobody") == []
    others = f"sqlite:///{tmp_path / 'others.db'}"
    assert database.active_types(others, "assistant") is None
    with connect(others) as connection, connection.begin():
        connection.execute(sa.text("CREATE TABLE tools (id)"))  # somebody else's
    assert database.active_types(others, "assistant") is None
    database.load_tools(url, "assistant", "u-7", client=None)
    assert made == [{"user_id": "u-7", "agent_name": "assistant", "limit": 3, "client": None}]


def test_another_agent_can_have_it_and_a_missing_one_is_named(url):
    """`register` gives it to whom it is told."""
    database.upgrade(url)
    with pytest.raises(ConfigError, match="'helper'"):
        database.register(url, "helper")
    with connect(url) as connection, connection.begin():
        connection.execute(sa.insert(OWN.agents).values(agent_name="helper"))

    assert database.register(url, "helper").order == 1


def in_threads(n: int, url: str) -> tuple[list[threading.Thread], list[Exception]]:
    """So many threads that register at once, and what went wrong in them."""
    failures: list[Exception] = []

    def work() -> None:
        try:
            database.register(url)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(n)]
    for thread in threads:
        thread.start()
    return threads, failures


def test_threads_that_register_at_once_take_turns(url):
    """There is one row in the end."""
    threads, failures = in_threads(4, url)
    for thread in threads:
        thread.join()

    assert failures == []
    assert len(rows(url, THE_ROW)) == 1


def test_a_process_waits_for_another_that_migrates(postgresql):
    """It does nothing before its turn."""
    waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    with psycopg.connect(postgresql, autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        (thread,), failures = in_threads(1, postgresql)
        while thread.is_alive() and other.execute(waiting).fetchone() == (0,):
            pass  # it is still connecting
        assert thread.is_alive()
        assert other.execute("SELECT to_regclass('agent_tools')").fetchone() == (None,)
        other.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
    thread.join()

    assert failures == []
    assert len(rows(postgresql, THE_ROW)) == 1


def test_the_command_registers_and_checks(url, capsys):
    """`python -m kensaku.compat.chat_server register URL`"""
    assert main(["register", url]) == 0
    assert main(["check", url]) == 0
    assert main(["register", url, "--agent", "nobody"]) == 1
    assert main(["downgrade", url]) == 0
    assert main(["check", url]) == 1
    said = capsys.readouterr()

    assert said.out.splitlines()[0] == "assistant has search_web, in place 1"
    assert said.out.splitlines()[1] == "the rows and TOOL_REGISTRY agree"
    assert "there is no agent 'nobody'" in said.err


@pytest.mark.parametrize(
    "url", ["mysql://root:hunter2@db/x", "postgresql://u:hunter2@127.0.0.1:9/x"]
)
def test_the_command_shows_no_password(url, capsys):
    """Of a database that is not supported, or not there."""
    assert main(["register", url]) == 1
    said = capsys.readouterr()

    assert said.err.startswith("error: ")
    assert "hunter2" not in said.out + said.err


def _without(missing: str, url: str = "sqlite://") -> subprocess.CompletedProcess[str]:
    """`register` in a Python that lacks a package."""
    code = (
        f"import sys\nsys.modules[{missing!r}] = None\n"
        "from kensaku.compat.chat_server.__main__ import main\n"
        f"sys.exit(main(['register', {url!r}]))"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    ("missing", "url", "extra"),
    [
        ("alembic", "sqlite://", "sql"),
        ("sqlalchemy", "sqlite://", "sql"),
        ("sqlalchemy", "postgresql://u@127.0.0.1:9/x", "postgres"),
    ],
)
def test_the_command_says_what_to_install(missing, url, extra):
    """In one line, and with the driver of the database."""
    ran = _without(missing, url)

    assert ran.returncode == 1
    assert ran.stderr.strip().endswith(f'pip install "kensaku-search[{extra}]"')
    assert ran.stderr.count("\n") == 1


@pytest.mark.usefixtures("processes")
def test_the_rows_need_no_langchain():
    """The assistant reads registrations wherever it is installed."""
    assert _without("langchain_core").returncode == 0
