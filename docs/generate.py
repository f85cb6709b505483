"""Generate the pages, and parts of pages, that come from the code. `make docs` runs it.

python docs/generate.py            write the pages
python docs/generate.py --check    exit 1 if a page is not current; a test does this
"""

from __future__ import annotations

import ast
import os
import re
import sys
from dataclasses import MISSING, fields
from pathlib import Path

from kensaku.cli._main import COMMANDS, make_parser, overview
from kensaku.compat.tavily_tools import dialect as tavily
from kensaku.config.settings import Settings, key_of, variable_of
from kensaku.dialects import write
from kensaku.models import Page
from kensaku.providers import provider_class, provider_names

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent))

from docs import deep_links, provider_tables  # noqa: E402
from tests.dialects import examples  # noqa: E402

HELP_WIDTH = 96  # columns of a `--help` text, whatever the terminal has
os.environ["LC_ALL"] = "C.UTF-8"  # the pages are English, wherever they are written


def configuration() -> str:
    """Every setting and every environment variable."""
    rows = []
    for f in fields(Settings):
        if not f.metadata:
            continue
        variables = [variable_of(f.name), f.metadata["alias"]]
        default = f.default if f.default_factory is MISSING else ""
        shown = ", ".join(map(str, default)) if isinstance(default, tuple) else str(default)
        if f.name == "home":
            shown = "~/.local/share/kensaku"
        shown = f"`{shown}`" if shown not in ("", "None") else ""
        named = ", ".join(f"`{v}`" for v in variables if v)
        rows.append(f"| `{key_of(f.name)}` | {named} | {shown} | {f.metadata['about']} |")
    keys = []
    for name in provider_names():
        cls = provider_class(name)
        if name == "local":
            continue
        prefix = name.upper()
        names = [v for v in (cls.key_variable, *cls.key_aliases) if v]
        key = ", ".join(f"`{v}`" for v in names) or "–"
        options = ", ".join(f"`{v}`" for v in cls.options.values()) or "–"
        keys.append(f"| {name} | {key} | `{prefix}_BASE_URL` | `{prefix}_RATE` | {options} |")
    return _CONFIGURATION.format(settings="\n".join(rows), providers="\n".join(keys))


_CONFIGURATION = """\
# Configuration

Settings come from defaults, a file, the environment and arguments; later ones override earlier ones.
`kensaku config` shows every value and its origin, with keys masked.

```console
$ export TAVILY_API_KEY=tvly-…          # several keys: a,b,c, or TAVILY_API_KEY_2 …
$ export WEB_SEARCH_PROVIDER=tavily,brave,local
```

The file is `config.toml` in `KENSAKU_HOME` (or in `~/.config/kensaku` if that is not set), or the
file named by `KENSAKU_CONFIG` or `--config`. Kensaku never reads settings from the working
directory: a cloned repository must not decide where keys are sent. YAML (extra `yaml`) and JSON
files are recognised by their suffix.

```toml
route = ["tavily", "brave", "local"]
timeout = 10

[cache]
ttl = 600

[providers.tavily]
api_key = "${{TAVILY_API_KEY}}"    # from the environment; or ${{VAR:-default}}
rate = "100/m"

[providers.brave]
enabled = false                  # the rest of a disabled section is ignored
api_key = "${{BRAVE_API_KEY}}"
```

## A model that writes

Without a model, answers and reports consist of sentences from the sources. One setting lets a model
write all of them: `k.answer`, `k.ask`, `k.research`, the command line, the channels, and
`include_answer`, `/research` and `/v1/*` of the server.

```console
$ export KENSAKU_MODEL=anthropic:NAME     # any vendor:name of pydantic-ai; extra `pydantic-ai`
$ export KENSAKU_LLM_URL=http://127.0.0.1:11434/v1 KENSAKU_LLM_MODEL=qwen3:8b   # or this
```

`KENSAKU_LLM_URL` is anything that speaks the OpenAI format. If both are set, `KENSAKU_MODEL`
counts: as `vendor:name` it is asked by pydantic-ai, as any other name at `KENSAKU_LLM_URL`, instead
of `KENSAKU_LLM_MODEL`. A note in the answer says which setting is not used. Each citation of a
model is checked against its passage, images and links that are no source's are removed, and when
the model fails, the extract stands.

## Settings

The same setting is `cache_ttl` as an argument (`Kensaku(cache_ttl=600)`) and attribute, `ttl` in the
section `[cache]` of a file, and `KENSAKU_CACHE_TTL` in the environment.

| key | environment | default | meaning |
|---|---|---|---|
{settings}

Headers or cookies for the pages of one host are sections `[headers."HOST"]` of the file; see
[pages behind a login](fetching.md#pages-behind-a-login).

## Providers

In the file, a provider is a section `[providers.NAME]` with `api_key`, `base_url`, `rate`, `enabled`
and its options. In the environment, `NAME_API_BASE_URL` (as Tavily's own tools have it) and
`NAME_ENABLED` work for every provider. A key is sent only to the base URL in the settings; no
argument of a search can change it.

| provider | key | base URL | rate | options |
|---|---|---|---|---|
{providers}
"""


def specifications() -> str:
    """Every line of the five specifications, and the tests that prove it."""
    proofs: dict[str, list[str]] = {}
    for file in sorted((DOCS.parent / "tests").rglob("test_*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if node.name.startswith("test_"):
                for line in sorted(set(_LINE.findall(ast.get_docstring(node) or ""))):
                    proofs.setdefault(line, []).append(f"{file.stem}: `{node.name}`")
    rows = [f"| {line} | {'<br>'.join(tests[:4])} |" for line, tests in sorted(proofs.items())]
    return _SPECIFICATIONS.format(count=len(proofs), rows="\n".join(rows), pages=_pages_of_five())


def _pages_of_five() -> str:
    """A row for each specification that has a page: its title and its first sentence."""
    folder, rows = DOCS / "specifications", []
    for page in sorted(folder.glob("*.md")):
        if page.stem not in ("index", "requirements"):
            title, _, first, *_ = page.read_text(encoding="utf-8").split("\n")
            rows.append(
                f"| [{title.removeprefix('# ')}]({page.name}) | {first.partition('. ')[0]} |"
            )
    return "\n".join(rows)


_LINE = re.compile(r"\bS[0-4]-\d\d\b")

_SPECIFICATIONS = """\
# The five specifications

Kensaku implements five specifications, each with its own API: a Slack bot on Strands (S0), three
Tavily tools for Pydantic AI and Claude Code (S1), a LangChain tool in a chat server (S2), the tools
of the GRACE agent (S3), and a terminal assistant with a provider registry (S4). They share one core.
Where two of them disagree, each keeps its own behaviour in its own API: [the lines](requirements.md).

| how to use it | what it is |
|---|---|
{pages}

## Deliberate deviations

| line | specification | what Kensaku does, and why |
|---|---|---|
| S0-06 | any `max_results` | at most 20 are asked for, which is Tavily's maximum; the log says so at the start |
| S0-25, S0-26 | the official async client, a new one for every call | one pooled client, which saves 30 ms of CPU per call; the event loop stays free and calls are independent, as the specification wants, and tests check both |
| S0-36 | a search without results says that nothing was found | an answer without results is shown, not dropped |
| S0-37, S3-09, S3-23 | the query, or the question, in the log at INFO | in these APIs only, on one line; everywhere else, queries are not logged |
| S1-02, S1-04 | 1,000 characters of query | Tavily accepts 400: longer queries are cut at a word, with a note |
| S1-09 | a score with two decimals | `スコア: なし` when the upstream gave none: a rank is not a relevance |
| S1-19 | 21 URLs are an error | in this API they are; elsewhere the first 20 are read and the rest are listed as failed |
| S2-10, S2-14 | `duckduckgo-search`, `tavily-python` | `ddgs`, its maintained successor; Tavily through its REST API, which keeps the status and `Retry-After` |
| S2-24, S2-49 | every DuckDuckGo failure is one network error | a refusal, a captcha and an empty page are told apart |
| S2-43 | every exception is "temporarily unavailable" | a missing key is reported as a configuration error |
| S3-05, S3-32 | `web_search` is planned | implemented, with the same result type and registry |
| S4-14 | the key in the body, and the query alone | a Bearer header; `include_answer` and `include_published_date`, since S4-30 and S4-31 show both; `max_results` and `search_depth`, whose values are Tavily's defaults unless the settings say otherwise |
| S4-46 | `~/.config/term2/settings.json` | `~/.config/kensaku/settings.json`, private, keys never written unless asked |

## The {count} lines and their tests

| line | proven by |
|---|---|
{rows}
"""

HELP_BLOCK = re.compile(r"(```console\n\$ kensaku(?: (\w+))? --help\n).*?(```\n)", re.DOTALL)


def command_line() -> str:
    """Update the `--help` texts of the page; add a section for a command that is missing."""
    page = (DOCS / "command-line.md").read_text(encoding="utf-8")
    present = {m[2] for m in HELP_BLOCK.finditer(page)}
    page += "".join(
        f"\n## {name}\n\n```console\n$ kensaku {name} --help\n```\n"
        for name in COMMANDS
        if name not in present
    )
    return HELP_BLOCK.sub(lambda m: m[1] + _help(m[2]) + m[3], page)


def _help(command: str | None) -> str:
    return make_parser(command, HELP_WIDTH).format_help() if command else overview() + "\n"


DIALECT_BLOCK = re.compile(r"(<!-- (\S+) (\S+) -->\n`{4}text\n).*?(\n`{4}\n)", re.DOTALL)


def dialects() -> str:
    """Update the examples of the page, each marked `<!-- DIALECT OUTCOME -->`."""
    page = (DOCS / "dialects.md").read_text(encoding="utf-8")
    return DIALECT_BLOCK.sub(lambda m: m[1] + _example(m[2], m[3]) + m[4], page)


def _example(dialect: str, what: str) -> str:
    if what == "extract":
        pages = [Page(url="https://a.example/", markdown="# A\n\nSome words.")]
        return tavily.extracted(pages, [("https://b.example/", "the server said 404")])
    if what == "context":
        return tavily.context(examples.FOUND.query.text, "…")
    response = {
        "found": examples.FOUND,
        "empty": examples.EMPTY,
        "unavailable": examples.UNAVAILABLE,
    }[what]
    return write(response, dialect, **({"indent": 2} if dialect == "json" else {}))


PROVIDER_BLOCK = re.compile(r"(<!-- (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def providers() -> str:
    """Update the tables of the page, each marked with its name in provider_tables.py."""
    page = (DOCS / "providers.md").read_text(encoding="utf-8")
    return PROVIDER_BLOCK.sub(lambda m: f"{m[1]}{getattr(provider_tables, m[2])()}\n{m[3]}", page)


LINKS_BLOCK = re.compile(r"(<!-- links -->\n).*?(<!-- end -->)", re.DOTALL)


def mcp() -> str:
    """Update the links of the page that install the MCP server."""
    page = (DOCS / "mcp.md").read_text(encoding="utf-8")
    return LINKS_BLOCK.sub(lambda m: f"{m[1]}{deep_links.section()}\n{m[2]}", page)


PAGES = {
    "command-line.md": command_line,
    "configuration.md": configuration,
    "dialects.md": dialects,
    "mcp.md": mcp,
    "providers.md": providers,
    "specifications/index.md": specifications,
}


def main() -> int:
    """Write the pages, or with `--check` name those that are not current."""
    stale = []
    for name, generate in PAGES.items():
        page, text = DOCS / name, generate()
        if page.exists() and page.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in sys.argv:
            page.write_text(text, encoding="utf-8")
    if stale and "--check" in sys.argv:
        print("not current: " + ", ".join(stale) + "; run: make docs")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
