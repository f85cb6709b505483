"""Every adapter tells a model the same words, and hands back the same text.

The frameworks with environments of their own go through the same checks by `make test-frameworks`.
"""

from __future__ import annotations

import subprocess
import sys
import warnings
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from kensaku import tools_for
from kensaku.adapters import ADAPTERS
from kensaku.errors import UsageError
from kensaku.tools.registry import TOOLS, make_tool

from . import parity
from .parity import CANNOT_CARRY, READERS, SENT, Words, reader, same, set_up

HERE = Path(__file__).parent


def stem(module: str) -> str:
    return module.rpartition(".")[2]


def _is_here(framework: str) -> bool:
    """Whether both the framework and its adapter can be imported."""
    adapter = ADAPTERS[framework]
    try:
        return all(find_spec(name) for name in (adapter.module, adapter.needs) if name)
    except ModuleNotFoundError:
        return False


PRESENT = [f for f in ADAPTERS if _is_here(f)]
with warnings.catch_warnings():  # what frameworks warn of when they are compiled is not ours
    warnings.simplefilter("ignore")
    for _module in {ADAPTERS[f].module for f in PRESENT}:
        import_module(_module)
every_framework = pytest.mark.parametrize("framework", PRESENT)


def test_every_adapter_can_be_compared():
    """An adapter that nobody reads may say anything."""
    for framework, adapter in ADAPTERS.items():
        driver = HERE / "others" / f"{stem(adapter.module)}.py"
        assert framework in READERS or driver.is_file()
    assert set(CANNOT_CARRY) <= set(ADAPTERS)


@every_framework
@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("name", TOOLS)
def test_a_model_is_told_the_tools_own_words(framework, name, language):
    """Name, description, parameters, bounds and choices are written once."""
    untouched = Words.of(make_tool(name, language=language))

    told = reader(framework).words(make_tool(name, language=language))

    assert told == untouched.without(CANNOT_CARRY.get(framework, set()))


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("name", TOOLS)
def test_a_tools_schema_is_json_schema_with_words_for_everything(name, language):
    """By the rules of the specification itself; a model guesses what is not explained."""
    schema = make_tool(name, language=language).parameters

    Draft202012Validator.check_schema(schema)
    assert schema["properties"]
    for about in schema["properties"].values():
        assert about["description"].strip()
        assert about.keys() & {"type", "enum", "anyOf"}


@pytest.mark.parametrize("scene", SENT)
def test_the_tool_refuses_exactly_what_its_schema_refuses(scene):
    """A model that keeps to the schema is never refused; one that does not is told so."""
    tool, arguments = make_tool("web_search"), SENT[scene]

    fits = Draft202012Validator(tool.parameters).is_valid(arguments)

    assert fits is (scene not in parity.BAD)
    if fits:
        assert arguments.items() <= tool.check(arguments).items()
    else:
        with pytest.raises(UsageError):
            tool.check(arguments)


@every_framework
@pytest.mark.parametrize("scene", SENT)
async def test_a_model_reads_the_same_text_whatever_the_framework(
    framework, scene, upstream, make_client
):
    """Success, nothing, nobody, and arguments that are wrong."""
    set_up(scene, upstream)
    own = make_tool("web_search", make_client("tavily", cache_enabled=False))
    other = make_tool("web_search", make_client("tavily", cache_enabled=False))

    text = await reader(framework).call(other, SENT[scene])

    assert same(text) == same((await own.invoke(SENT[scene])).text)
    assert bool(upstream.asked("tavily")) == (scene not in parity.BAD)


@every_framework
def test_the_entry_gives_one_tool_for_each_name(framework):
    """`kensaku.tools_for(…)` is what people call."""
    assert len(tools_for(framework)) == 3
    assert len(tools_for(framework.upper().replace("-", "_"), ["web_search"])) == 1


# What a framework brings along, and its adapter may use.


def in_a_fresh_python(code: str) -> str:
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("framework", [f for f in PRESENT if ADAPTERS[f].needs])
def test_importing_an_adapter_loads_no_other_framework(framework):
    """Nor by way of what it imports of ours, nor a database."""
    module, needs, _ = ADAPTERS[framework]
    others = {a.needs for a in ADAPTERS.values() if a.needs} - {needs, "mcp"}

    loaded = in_a_fresh_python(f"import sys, {module}; print(*sys.modules)").split()

    assert not (others | {"sqlalchemy", "alembic", "ddgs"}).intersection(loaded)


WITHOUT = """
import sys
from importlib import import_module
from kensaku import tools_for
from kensaku.adapters import ADAPTERS
from kensaku.errors import MissingExtra

for name, (module, needs, extra) in ADAPTERS.items():
    if extra:
        sys.modules[needs] = None
        for load in (tools_for, lambda _: import_module(module)):
            try:
                load(name)
            except MissingExtra as missing:
                print(missing)
"""


@pytest.mark.usefixtures("processes")
def test_without_a_framework_the_command_to_install_it_is_named():
    """By the entry and by the module itself, for every framework."""
    said = in_a_fresh_python(WITHOUT)

    for extra in {a.extra for a in ADAPTERS.values() if a.extra}:
        frameworks = [f for f, a in ADAPTERS.items() if a.extra == extra]
        named = said.count(f'pip install "kensaku-search[{extra}]"')
        assert named == 2 * len(frameworks), extra
