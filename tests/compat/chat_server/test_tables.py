"""The three forms in which an agent's tools may be registered, and what is none of them."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from kensaku.compat.chat_server.tables import describe, read_tables
from kensaku.database.connection import connect
from kensaku.errors import ConfigError


def columns(names: str, kind: Any = None) -> list[dict[str, Any]]:
    """Columns as an inspector describes them, of text unless they are told to be of a type."""
    return [
        {"name": name, "type": kind if kind and name.endswith("type") else sa.String()}
        for name in names.split()
    ]


def forms(
    links: str, tools: str | None = None, agents: str = "id agent_name", kind: Any = None
) -> dict[str, list[dict[str, Any]]]:
    found = {"agent_configurations": columns(agents), "agent_tools": columns(links, kind)}
    return found if tools is None else {**found, "tools": columns(tools, kind)}


TOOLS = "id name type"


@pytest.mark.parametrize(
    ("found", "refers", "by_id", "typed", "tools"),
    [
        (forms("agent_id tool_name type"), False, False, "agent_tools", None),
        (forms("agent_id tool_name tool_type"), False, False, "agent_tools", None),
        (forms("agent_id name type", TOOLS), False, False, "agent_tools", None),
        (forms("agent_id tool_name type", TOOLS), True, False, "agent_tools", "tools"),
        (forms("agent_id tool_id", TOOLS), False, True, "tools", "tools"),
        (forms("agent_id tool_id", TOOLS), True, True, "tools", "tools"),
    ],
)
def test_a_row_names_its_tool_or_the_id_of_one(
    found: dict[str, Any], refers: bool, by_id: bool, typed: str, tools: str | None
) -> None:
    """The type stands in the row, or in the row of the tool."""
    tables = describe(found, refers=refers)

    assert (tables.by_id, tables.typed.name, tables.enum) == (by_id, typed, None)
    assert (tables.tools.name if tables.tools is not None else None) == tools
    assert (tables.agents.name, tables.links.name) == ("agent_configurations", "agent_tools")


def test_a_column_is_known_by_its_meaning() -> None:
    """It keeps its own name in the database."""
    links = describe(forms("agent_id tool_name tool_type tool_config order"), refers=False).links
    other = describe(forms("agent_id tool_id config_override", TOOLS), refers=False).links

    assert [(c.key, c.name) for c in links.c] == [
        ("agent_id", "agent_id"),
        ("name", "tool_name"),
        ("type", "tool_type"),
        ("config", "tool_config"),
        ("order", "order"),
    ]
    assert other.c.config.name == "config_override"


def test_the_type_may_be_an_enum() -> None:
    """Then its labels are those that may be written."""
    kind = sa.Enum("A", "B", name="kinds")

    assert describe(forms("agent_id tool_name type", kind=kind), refers=False).enum is kind
    by_id = describe(forms("agent_id tool_id", TOOLS, kind=kind), refers=False)
    assert by_id.enum is kind


@pytest.mark.parametrize(
    ("found", "refers", "fault"),
    [
        (
            forms("agent_id tool_id tool_name type", TOOLS),
            False,
            "agent_tools has tool_id and tool_name: it is ambiguous which one counts",
        ),
        (
            forms("agent_id tool_name name type"),
            False,
            "agent_tools has tool_name and name: it is ambiguous which one counts",
        ),
        (
            forms("agent_id tool_name"),
            False,
            "agent_tools has the columns agent_id, tool_name; it needs tool_id, or tool_name with "
            "type or tool_type",
        ),
        (
            forms("agent_id type"),
            False,
            "agent_tools has the columns agent_id, type; it needs tool_id, or tool_name with type "
            "or tool_type",
        ),
        (forms("agent_id tool_id"), False, "agent_tools has tool_id, but there is no table tools"),
        (
            forms("agent_id tool_id", "id"),
            False,
            "tools has the columns id; it needs name, type, too",
        ),
        (
            forms("tool_name type"),
            False,
            "agent_tools has the columns tool_name, type; it needs agent_id, too",
        ),
        (
            forms("agent_id tool_name type", agents="id name"),
            False,
            "agent_configurations has the columns id, name; it needs agent_name, too",
        ),
    ],
)
def test_what_is_of_no_known_form_is_refused(
    found: dict[str, Any], refers: bool, fault: str
) -> None:
    """With what is wrong; nothing is guessed in a database of others."""
    with pytest.raises(ConfigError) as raised:
        describe(found, refers=refers)

    assert raised.value.message == f"the tables of this database are of no known form: {fault}"
    assert raised.value.remedy.startswith("nothing was changed")


@pytest.mark.parametrize(
    ("more", "required"),
    [
        ({}, False),
        ({"nullable": True}, False),
        ({"nullable": False}, True),
        ({"nullable": False, "default": None}, True),
        ({"nullable": False, "default": "0"}, False),
        ({"nullable": False, "identity": {"start": 1}}, False),
        ({"nullable": False, "computed": {"sqltext": "1"}}, False),
    ],
)
def test_a_column_that_the_database_does_not_fill_is_required(
    more: dict[str, Any], required: bool
) -> None:
    """By a default, a sequence, an expression, or with nothing."""
    found = forms("agent_id tool_name type")
    found["agent_tools"].append({"name": "extra", "type": sa.String(), **more})

    assert describe(found, refers=False).links.c.extra.info == {"required": required}


@pytest.mark.parametrize(
    ("statements", "found"),
    [
        ((), None),
        (("tools (id text)",), None),
        (("tools (id text)", "agent_configurations (id text)"), ConfigError),
        (("agent_configurations (id text)",), ConfigError),
        (("agent_tools (id text)",), ConfigError),
        (
            (
                "agent_configurations (id text, agent_name text)",
                "agent_tools (agent_id text, tool_name text, type text)",
            ),
            False,
        ),
        (
            (
                "agent_configurations (id text, agent_name text)",
                "tools (id text primary key, name text, type text)",
                "agent_tools (agent_id text, tool_name text, type text, t text references tools)",
            ),
            True,
        ),
    ],
)
def test_the_tables_of_a_database_are_read(
    tmp_path: Any, statements: tuple[str, ...], found: Any
) -> None:
    """None of them is none, and `tools` alone is somebody else's; half of them is refused."""
    with connect(f"sqlite:///{tmp_path / 'agents.db'}") as connection:
        for statement in statements:
            connection.execute(sa.text(f"CREATE TABLE {statement}"))
        if found is ConfigError:
            with pytest.raises(ConfigError, match=r"there is .*, but no "):
                read_tables(connection)
            return
        tables = read_tables(connection)

    assert (None if tables is None else tables.tools is not None) is found
