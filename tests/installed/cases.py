"""The table: each way of installing Kensaku, what is run then, and what must be seen.

A case's `install` is what docs/install.md prints, run by `sh` in an empty home. Where it says
`venv`, a fresh virtual environment stands first on the PATH, as after `activate`. To add a way,
add a `Case` here and a row there; a test compares the two.

In `run` there are, besides what was installed:

    ask-mcp COMMAND…       start an MCP server, list its tools, call web_search (official client)
    ask-mcp --of registry  the same with the command of server.json; also: plugin, cursor, vscode
    ask-bundle FILE        the same with an .mcpb bundle
    ask-server COMMAND…    start an HTTP server, ask it by all of its APIs
    ask-channel CHANNEL …  start the assistant in Slack or Telegram on loopback, write to it
    prove-extra NAME       use an extra that is missing, and do what is printed: extras.py
    run-recipe NAME        run the code of docs/recipes: recipes.py
    $SOURCE                the clone; $WEB: what every search must find
"""

from __future__ import annotations

from dataclasses import dataclass

QUERY = "python 3.14 release date"  # the fake upstream answers it, as Tavily
FOUND = "https://peps.python.org/pep-0745/"
SEARCH = f'kensaku search "{QUERY}"'
CLONE = "git clone --quiet https://github.com/kensaku-search/kensaku"
CLAUDE_CODE = "@anthropic-ai/claude-code@2.1.326"


@dataclass(frozen=True, slots=True)
class Case:
    """One way: how to install, what to run, what must be seen."""

    name: str
    install: str
    run: str
    seen: tuple[str, ...] = (FOUND,)
    venv: bool = False
    needs: str = ""  # a command that fails where the case cannot be run


PYTHON = """python -c '
from kensaku.sync import Kensaku

with Kensaku() as k:
    print(k.search("python 3.14 release date").hits[0].url)
'"""

CASES = [
    Case("pip", 'pip install "kensaku-search[standard]"', SEARCH, venv=True),
    Case("pip-core", "pip install kensaku-search", f"{PYTHON}\n{SEARCH}", venv=True),
    Case(
        "pip-server",
        'pip install "kensaku-search[server,standard]"',
        "ask-server kensaku serve --port 0",
        ('"status":"ok"', FOUND, "chat.completion", "<title>"),
        venv=True,
    ),
    Case(
        "pip-chat",
        'pip install "kensaku-search[chat]"',
        f'kensaku ask "{QUERY}"\necho "{QUERY}" | kensaku chat',
        venv=True,
    ),
    Case(
        "pip-mcp",
        'pip install "kensaku-search[mcp]"',
        "ask-mcp kensaku mcp",
        ("web_search, web_extract, web_context", FOUND),
        venv=True,
    ),
    Case(
        "pip-sdist",
        "pip install --no-binary kensaku-search kensaku-search",
        SEARCH,
        venv=True,
    ),
    Case(
        "uv-add",
        'uv init --quiet app && cd app && uv add --quiet "kensaku-search[standard]"',
        f'cd "$HOME/app" && uv run {SEARCH}',
    ),
    Case("uvx", "", f'uvx kensaku-search search "{QUERY}"'),
    Case(
        "uvx-mcp",
        "",
        'ask-mcp uvx --from "kensaku-search[ddgs,mcp]" kensaku mcp',
        ("web_search, web_extract, web_context", FOUND),
    ),
    Case("uv-tool", 'uv tool install --quiet "kensaku-search[standard]"', SEARCH),
    Case("pipx", 'pipx install --quiet "kensaku-search[standard]"', SEARCH),
    Case("pipx-run", "", f'pipx run kensaku-search search "{QUERY}"'),
    Case(
        "clone",
        CLONE,
        f'cd "$HOME/kensaku" && make search q="{QUERY}"\n'
        "make .venv/.serve && ask-server make -s serve args='--port 0'",
        (FOUND, '"status":"ok"'),
        needs="make --version",
    ),
    Case(
        "container",
        "",
        'hadolint "$SOURCE/Dockerfile" && carry-out-dockerfile',
        ("container: refused without a key, healthy, answered, ended by SIGTERM",),
        needs="carry-out-dockerfile --check",
    ),
    Case(
        "compose",
        "",
        'cd "$SOURCE" && docker compose config --quiet\n'
        "export POSTGRES_PASSWORD=a VALKEY_PASSWORD=b QDRANT_API_KEY=c\n"
        "docker compose --file compose.cluster.yaml config",
        ("valkey://:b@valkey:6379/0", "condition: service_healthy"),
        needs="docker compose version",
    ),
    Case(
        "mcp-registry",
        CLONE,  # the environments of other cases are in the clone's own folder
        'skillsaw lint "$HOME/kensaku" && ask-mcp --of registry',
        ("Errors:   0", FOUND),
    ),
    Case(
        "mcpb",
        f"{CLONE} && make -C kensaku mcpb",
        'ask-bundle "$HOME/kensaku/dist/kensaku.mcpb"',
        ("web_search, web_extract, web_context", FOUND),
        needs="npm --version",
    ),
    Case(
        "claude-plugin",
        f"{CLONE} && npm install --silent --prefix claude {CLAUDE_CODE}",
        'PATH="$HOME/claude/node_modules/.bin:$PATH"\n'
        'claude plugin validate --strict "$HOME/kensaku"\n'
        'claude plugin validate --strict "$HOME/kensaku/packages/claude-plugin"\n'
        'claude plugin marketplace add "$HOME/kensaku"\n'
        "claude plugin install kensaku@kensaku-search\n"
        "claude plugin list\n"
        "ask-mcp --of plugin",
        ("Validation passed", "kensaku@kensaku-search", "verify_quote, rag_search", FOUND),
        needs="npm --version",
    ),
    Case("cursor", "", "ask-mcp --of cursor"),
    Case("vscode", "", "ask-mcp --of vscode"),
]
