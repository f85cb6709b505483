"""Registration in the tables of the document's own application, on PostgreSQL."""

from __future__ import annotations

from collections import Counter

import psycopg
import pytest
import sqlalchemy as sa

from kensaku.compat.chat_server import database
from kensaku.compat.chat_server.__main__ import main
from kensaku.database.connection import connect
from kensaku.errors import ConfigError

from . import hosts
from .doubles import DESCRIPTION, OTTER

LABEL = "'SearchWebTool'"
# One of each kind: what does not depend on the columns.
KINDS = pytest.mark.parametrize("shape", ["by_name_enum", "link_enum"])


@pytest.fixture(params=hosts.SHAPES)
def shape(request) -> str:
    return request.param


@pytest.fixture
def host(shape, postgresql) -> str:
    return build(postgresql, shape)


def build(url: str, shape: str) -> str:
    run(url, hosts.statements(shape))
    return url


def run(url: str, sql: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute(sql)


def rows(url: str, sql: str) -> list[tuple]:
    with psycopg.connect(url) as connection:
        return connection.execute(sql).fetchall()


def as_role(url: str, role: str) -> str:
    return url.replace("postgres:@", f"{role}:@")


def changes(before: Counter[str], after: Counter[str]) -> tuple[list[str], list[str]]:
    """The lines that are gone, and those that are new."""
    return sorted((before - after).elements()), sorted((after - before).elements())


THE_TOOL = {
    "by_name_text": 'SELECT tool_name, tool_type, NULL, tool_config, is_active, "order"',
    "by_name_enum": 'SELECT tool_name, type::text, NULL, tool_config, is_active, "order"',
    "by_name_short": 'SELECT name, type::text, description, config, is_active, "order"',
    "link": "SELECT t.name, t.type::text, t.description, t.config, l.is_active, NULL::int",
}


def tool_of(url: str, shape: str, agent: str = "assistant") -> list[tuple]:
    """The rows of `search_web` that the application's own loader would find."""
    if shape in hosts.LINKED:
        source = """FROM agent_tools l JOIN tools t ON t.id = l.tool_id
            WHERE l.is_active AND NOT l.is_deleted AND t.is_active AND NOT t.is_deleted
            AND t.name = 'search_web' AND l.agent_id"""
        what = THE_TOOL["link"]
    else:
        name = "name" if shape == "by_name_short" else "tool_name"
        live = "AND NOT is_deleted" if shape == "by_name_short" else ""
        source = f"FROM agent_tools WHERE is_active {live} AND {name} = 'search_web' AND agent_id"
        what = THE_TOOL[shape.removesuffix("_bare")]
    whose = f"= (SELECT id FROM agent_configurations WHERE agent_name = '{agent}')"
    return rows(url, f"{what} {source} {whose}")


ORDER = dict.fromkeys(hosts.BY_NAME, 5)


def test_the_assistant_of_each_host_gets_its_tool(host, shape):
    """In the columns that are there, behind the tools that are there (S2-02, S2-44, S2-45)."""
    done = database.register(host)

    order = ORDER.get(shape)
    described = DESCRIPTION if shape == "by_name_short" or shape in hosts.LINKED else None
    assert (done.agent, done.tool, done.order, done.active) == (
        "assistant", "search_web", order, True)  # fmt: skip
    assert tool_of(host, shape) == [("search_web", "SearchWebTool", described, {}, True, order)]
    assert tool_of(host, shape, "test_agent") == []


def test_nothing_else_in_the_database_changes(host, shape, dump):
    """Rows of `search_web`, the label of the enum, and no table of ours (S2-02, S2-44)."""
    before = dump(host)
    database.register(host)
    gone, new = changes(before, dump(host))

    links = 1 if shape in hosts.BY_NAME else 2
    labels = [line.strip() for line in new if line.strip() == LABEL]
    inserted = [line for line in new if line.startswith("INSERT INTO public.")]
    assert gone == []
    assert len(inserted) == links
    assert labels == ([LABEL] if "enum" in shape or shape == "by_name_short" else [])
    assert len(new) == len(inserted) + len(labels)


@KINDS
def test_registering_again_changes_not_even_a_time(host, dump):
    """(S2-44, S2-45)"""
    database.register(host)
    before = dump(host)
    database.register(host)

    assert dump(host) == before


@pytest.mark.parametrize("shape", hosts.LINKED)
def test_a_tool_that_is_stale_is_brought_up_to_date(host, shape):
    """Type, description, active again, no longer deleted; its settings stay (S2-02)."""
    run(host, """INSERT INTO tools (name, type, description, config, is_active, is_deleted)
        VALUES ('search_web', 'CRUDTool', 'old', '{"keep": 1}', false, true)""")  # fmt: skip
    database.register(host)

    assert tool_of(host, shape) == [
        ("search_web", "SearchWebTool", DESCRIPTION, {"keep": 1}, True, None)
    ]


@pytest.mark.parametrize("shape", hosts.BY_NAME)
def test_a_row_that_names_a_stale_tool_is_brought_up_to_date(host, shape):
    """One row for the agent, as before (S2-45)."""
    database.register(host)
    kind = "tool_type" if shape == "by_name_text" else "type"
    run(host, f"""UPDATE agent_tools SET {kind} = 'CRUDTool', is_active = false
        WHERE "order" = 5""")  # fmt: skip
    database.register(host)

    ((_, found, *_, order),) = tool_of(host, shape)
    assert (found, order) == ("SearchWebTool", 5)


@pytest.mark.parametrize("shape", [*hosts.LINKED, "by_name_short"])
def test_a_link_that_was_deleted_does_not_count(host, shape):
    """It stays deleted, and there is a new one (S2-02)."""
    database.register(host)
    run(host, "UPDATE agent_tools SET is_deleted = true")
    database.register(host)

    assert len(tool_of(host, shape)) == 1
    live = rows(host, "SELECT count(*) FROM agent_tools WHERE NOT is_deleted")
    assert live == [(1,)]


@pytest.mark.parametrize("shape", hosts.LINKED)
def test_a_link_that_somebody_switched_off_stays_off_and_it_is_said(host, shape, dump, capsys):
    """Registering is not a way around a person's choice."""
    database.register(host)
    run(host, """UPDATE agent_tools SET is_active = false WHERE tool_id =
        (SELECT id FROM tools WHERE name = 'search_web')""")  # fmt: skip
    before = dump(host)

    assert main(["register", host]) == 0
    assert "switched off" in capsys.readouterr().out
    assert dump(host) == before


def refused(url: str, agent: str = "assistant") -> str:
    with pytest.raises((ConfigError, sa.exc.SQLAlchemyError)) as caught:
        database.register(url, agent)
    return str(caught.value)


@KINDS
def test_a_missing_agent_is_named_and_nothing_changes(host, dump):
    """Neither a table nor a label is left behind (S2-02)."""
    run(host, "DELETE FROM agent_configurations WHERE agent_name = 'assistant'")
    before = dump(host)

    assert "there is no agent 'assistant' in agent_configurations; " in refused(host)
    assert dump(host) == before


@KINDS
def test_a_write_that_is_refused_changes_nothing(host, dump):
    """Not even the label: the rows are tried with another one first (S2-44)."""
    run(host, """CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'no more tools today'; END $$;
        CREATE TRIGGER refuse BEFORE INSERT ON agent_tools
        FOR EACH ROW EXECUTE FUNCTION refuse();""")  # fmt: skip
    before = dump(host)

    assert "no more tools today" in refused(host)
    assert dump(host) == before


@pytest.mark.parametrize("shape", ["link_enum", "by_name_enum"])
def test_a_label_that_had_to_stay_is_named(host, shape, dump):
    """PostgreSQL cannot take it away; the next run uses it (S2-44)."""
    table = "tools" if shape == "link_enum" else "agent_tools"
    run(host, f"ALTER TABLE {table} ADD CHECK (type::text <> 'SearchWebTool')")
    before = dump(host)

    said = refused(host)

    gone, new = changes(before, dump(host))
    assert "violates check constraint" in said
    assert "the label 'SearchWebTool' of agent_tool_type stays" in said
    assert (gone, [line.strip() for line in new]) == ([], [LABEL])


@KINDS
def test_a_row_that_a_trigger_swallows_is_not_taken_for_one(host, dump):
    """Success is what the tables say afterwards."""
    run(host, """CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RETURN NULL; END $$;
        CREATE TRIGGER swallow BEFORE INSERT ON agent_tools
        FOR EACH ROW EXECUTE FUNCTION swallow();""")  # fmt: skip
    before = dump(host)

    assert "keeps no row of search_web for assistant" in refused(host)
    assert dump(host) == before


@pytest.mark.parametrize("shape", ["by_name_text", "link_varchar", "link_text"])
def test_the_service_role_may_register(host, shape):
    """Row-level security is on; this role is the one that the policies let pass."""
    database.register(as_role(host, "service_role"))

    assert len(tool_of(host, shape)) == 1


@KINDS
def test_a_role_that_sees_no_agent_is_told_why(host, dump):
    """Row-level security hides rows without a word."""
    before = dump(host)

    assert "row-level security hides rows from this role" in refused(as_role(host, "authenticated"))
    assert dump(host) == before


@pytest.mark.parametrize("shape", ["link_enum"])
def test_a_role_that_does_not_own_the_enum_changes_nothing(host, dump, capsys):
    """The database's own sentence is shown."""
    before = dump(host)

    assert main(["register", as_role(host, "service_role")]) == 1
    assert "must be owner of type agent_tool_type" in capsys.readouterr().err
    assert dump(host) == before


@pytest.mark.parametrize(
    ("shape", "alter", "said"),
    [
        ("link_text", "ALTER TABLE tools ADD owner text NOT NULL DEFAULT 'x';"
         "ALTER TABLE tools ALTER owner DROP DEFAULT", "needs a value for owner"),
        ("link_text", "ALTER TABLE agent_configurations DROP CONSTRAINT agent_configurations_agent_name_key;"
         "UPDATE agent_configurations SET agent_name = 'assistant'", "there are 2 agents 'assistant'"),
    ],
)  # fmt: skip
def test_tables_of_no_known_form_are_described_and_left_alone(host, alter, said, dump):
    """What was found, and what is wanted."""
    run(host, alter)
    before = dump(host)

    assert said in refused(host)
    assert dump(host) == before


@KINDS
def test_columns_that_the_database_fills_are_no_obstacle(host, shape):
    """By a sequence, or by an expression (S2-02)."""
    run(host, """ALTER TABLE agent_tools ADD n int NOT NULL GENERATED ALWAYS AS IDENTITY,
        ADD m text NOT NULL GENERATED ALWAYS AS ('x') STORED""")  # fmt: skip
    database.register(host)

    assert len(tool_of(host, shape)) == 1


@KINDS
def test_the_migrations_of_our_own_tables_do_not_touch_a_hosts(host, dump):
    """`upgrade` refuses; a table of the name `tools` alone is somebody else's."""
    before = dump(host)

    with pytest.raises(ConfigError, match="use register"):
        database.upgrade(host)
    assert dump(host) == before


def test_a_downgrade_takes_the_rows_away_again(host, shape, dump):
    """All but a label of an enum, which cannot be taken away."""
    before = dump(host)
    database.register(host)
    database.downgrade(host)

    gone, new = changes(before, dump(host))
    assert gone == []
    assert [line.strip() for line in new if line.strip() != LABEL] == []


@KINDS
def test_a_hosts_own_tools_are_no_drift(host):
    """Its registry has classes that ours has not (S2-46)."""
    assert len(database.drift(host)) == 1
    database.register(host)
    assert database.drift(host) == []


async def test_an_agents_tools_are_read_from_a_hosts_rows(host, shape, make_client, upstream):
    """With the settings of the tool, and those of the agent before them (S2-02, S2-46)."""
    database.register(host)
    if shape in hosts.LINKED:
        run(host, """DELETE FROM agent_tools USING tools t WHERE t.id = tool_id AND t.name <> 'search_web';
            UPDATE tools SET config = '{"fence": false, "tags": ["a"]}' WHERE name = 'search_web';
            UPDATE agent_tools SET config_override = '{"fence": true}'""")  # fmt: skip
    else:
        config, name = (
            ("config", "name") if shape == "by_name_short" else ("tool_config", "tool_name")
        )
        run(host, f"""DELETE FROM agent_tools WHERE {name} <> 'search_web';
            UPDATE agent_tools SET {config} = '{{"fence": true, "tags": ["a"]}}'""")  # fmt: skip
    upstream.answers("tavily", [OTTER])

    (tool,) = database.load_tools(host, "assistant", "u-7", client=make_client("tavily"))

    assert (tool.user_id, tool.fence, tool.tags) == ("u-7", True, ["a"])
    assert OTTER.url in await tool._arun("otter")
    run(host, "UPDATE agent_tools SET is_active = false")
    assert database.load_tools(host, "assistant", "u-7") == []


SQLITE = """
CREATE TABLE agent_configurations (id INTEGER PRIMARY KEY, agent_name TEXT NOT NULL UNIQUE);
CREATE TABLE tools (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, type VARCHAR(100) NOT NULL,
    description TEXT, config TEXT NOT NULL DEFAULT '{}', is_active BOOLEAN, is_deleted BOOLEAN);
CREATE TABLE agent_tools (id INTEGER PRIMARY KEY, agent_id INTEGER NOT NULL, tool_id INTEGER NOT NULL
    REFERENCES tools (id), config_override TEXT, is_active BOOLEAN, is_deleted BOOLEAN);
INSERT INTO agent_configurations (agent_name) VALUES ('assistant')
"""


NEEDS = "it needs tool_id, or tool_name with type or tool_type"


@pytest.mark.parametrize(
    ("agents", "links", "tools", "fault"),
    [
        ("id, agent_name", "agent_id, tool_id, tool_name, type", "id, name, type",
         "agent_tools has tool_id and tool_name: it is ambiguous which one counts"),
        ("id, agent_name", "agent_id, tool_name, name, type", None,
         "agent_tools has tool_name and name: it is ambiguous which one counts"),
        ("id, agent_name", "agent_id, tool_name", None,
         f"agent_tools has the columns agent_id, tool_name; {NEEDS}"),
        ("id, agent_name", "agent_id, type", None,
         f"agent_tools has the columns agent_id, type; {NEEDS}"),
        ("id, agent_name", "agent_id, tool_id", None,
         "agent_tools has tool_id, but there is no table tools"),
        ("id, agent_name", "agent_id, tool_id", "id",
         "tools has the columns id; it needs name, type, too"),
        ("id, agent_name", "tool_name, type", None,
         "agent_tools has the columns tool_name, type; it needs agent_id, too"),
        ("id, name", "agent_id, tool_name, type", None,
         "agent_configurations has the columns id, name; it needs agent_name, too"),
        ("id, agent_name", None, None,
         "there is agent_configurations, but no agent_tools"),
    ],
)  # fmt: skip
def test_what_is_of_no_known_form_is_refused(tmp_path, agents, links, tools, fault):
    """With what is wrong; nothing is guessed in a database of others."""
    url = f"sqlite:///{tmp_path / 'agents.db'}"
    made = {"agent_configurations": agents, "agent_tools": links, "tools": tools}
    with connect(url) as connection, connection.begin():
        for name, columns in made.items():
            if columns:
                connection.execute(sa.text(f"CREATE TABLE {name} ({columns})"))

    with pytest.raises(ConfigError) as raised:
        database.register(url)

    assert raised.value.message == f"the tables of this database are of no known form: {fault}"
    assert raised.value.remedy.startswith("nothing was changed")
    with connect(url) as connection:
        there = sa.inspect(connection).get_table_names()
    assert there == sorted(name for name, columns in made.items() if columns)


def test_a_link_table_in_sqlite_is_joined_too(tmp_path):
    """The same statements, and the same undoing of a failure (S2-02)."""
    url = f"sqlite:///{tmp_path / 'agents.db'}"
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        for statement in SQLITE.split(";"):
            connection.execute(sa.text(statement))
    done = [database.register(url) for _ in range(2)]

    assert [(d.tool, d.order, d.active) for d in done] == [("search_web", None, True)] * 2
    assert [t.name for t in database.load_tools(url, "assistant", "u-7")] == ["search_web"]
    with engine.begin() as connection:
        tables = sa.inspect(connection).get_table_names()
        counted = connection.scalar(sa.text("SELECT count(*) FROM agent_tools"))
    assert (tables, counted) == (["agent_configurations", "agent_tools", "tools"], 1)
    database.downgrade(url)
    assert database.load_tools(url, "assistant", "u-7") == []
    engine.dispose()
