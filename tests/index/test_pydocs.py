"""The starter collection: this Python's own documentation."""

from __future__ import annotations

import asyncio
import gc
import sys

import pytest

from kensaku.index import pydocs
from kensaku.models import ProgressEvent
from tests.index.animals import urls


@pytest.fixture(scope="module")
def standard():
    found = pydocs.documents()
    return {document.title: document for document in found}


@pytest.mark.usefixtures("processes")
def test_names_are_the_ones_people_use(standard):
    """asyncio.Task, wherever its source is."""
    assert {"asyncio.Task.cancel", "json.dumps", "pathlib.Path.glob", "argparse"} <= standard.keys()
    assert "asyncio.tasks.Task.cancel" not in standard
    assert not [name for name in standard if "._" in name or name.startswith("_")]
    installed = {"kensaku", "pytest", "qdrant_edge"}  # Python's documentation, and nothing else
    assert not installed & {name.partition(".")[0] for name in standard}


@pytest.mark.usefixtures("processes")
def test_a_document_begins_with_the_signature(standard):
    """The first thing anybody looks for."""
    cancel = standard["asyncio.Task.cancel"]

    assert cancel.url == "pydoc:asyncio.Task.cancel"
    assert cancel.text.startswith("def asyncio.Task.cancel(msg=None)\n\n")
    assert standard["json.JSONDecodeError"].text.startswith("class json.JSONDecodeError(")


@pytest.mark.parametrize(
    "name",
    ["len", "open", "itertools.chain", "time.sleep", "str.join", "dict.get", "collections.deque",
     "functools.reduce", "functools.partial", "struct.pack", "math.sqrt", "os.listdir"],
)  # fmt: skip
@pytest.mark.usefixtures("processes")
def test_what_is_written_in_c_is_there(standard, name):
    """It has no source, and is what newcomers ask for first."""
    assert name.rpartition(".")[2] in standard[name].text
    assert standard[name].url == f"pydoc:{name}"


@pytest.mark.usefixtures("processes")
def test_nothing_is_imported():
    """Importing runs code; `this` would even print."""
    before = set(sys.modules)

    pydocs.documents(max_files=80)

    assert "antigravity" not in sys.modules
    assert not {
        name for name in set(sys.modules) - before if name.startswith(("idlelib", "tkinter"))
    }


@pytest.mark.usefixtures("processes")
async def test_a_cancelled_build_leaves_no_process_behind(index):
    """A search at its deadline, a client that is closed: unclosed pipes are warnings, so errors."""
    task = asyncio.create_task(pydocs.build(index, max_files=500))
    await asyncio.sleep(0.2)  # some of the processes are running, wherever it has come to
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    gc.collect()

    assert await index.collections() == []


@pytest.mark.usefixtures("processes")
async def test_a_question_finds_the_function(index):
    """What a newcomer asks, on a machine without a network."""
    events: list[ProgressEvent] = []
    added = await pydocs.build(index, progress=events.append, max_files=500)

    hits = await index.search("how do I cancel an asyncio task", collections="pydocs")

    assert added.added > 2000
    assert [events[0].stage, events[0].done] == [pydocs.READING, 0]
    assert events[-1] == ProgressEvent("indexing pydocs", added.added, added.added)
    assert "pydoc:asyncio.Task.cancel" in urls(hits)[:2]
    assert urls(await index.search("parse json string"))[0].startswith("pydoc:json")
    sleep = await index.search("delay execution for some seconds", collections="pydocs")
    assert "pydoc:time.sleep" in urls(sleep)[:3]
