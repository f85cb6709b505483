"""Set up Kensaku: enter API keys, test each with one search, and save those that work.

Press Enter to skip a question: without a key, Kensaku uses services that need none. Keys are hidden
while you type and saved in the settings file, which only you can read. `--provider NAME` asks only
for that key. In a script: `kensaku config set
providers.tavily.api_key -`.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from kensaku.cli._terminal import prefers_japanese, print_message
from kensaku.config.edit import set_value
from kensaku.config.secret import Secret
from kensaku.config.settings import Settings, environment, settings_file
from kensaku.errors import KensakuError, UsageError
from kensaku.models import Query
from kensaku.providers import provider_class
from kensaku.text.redact import redact

if TYPE_CHECKING:
    from pathlib import Path

    from kensaku.config.settings import Settings

USAGE = "[--provider NAME …]"
ASKED = ("tavily", "brave", "exa", "serper")  # the others: --provider
SECONDS = 15.0

_ENGLISH = {
    "begin": "Kensaku searches without a key, too. A key of your own is faster and has no shared "
    "limits. Enter skips a question; Ctrl-C stops, and what is stored stays.",
    "ask": "{label} key ({docs}): ",
    "have": "{label}: a key is set already ({origin}). A new one, or Enter to keep it: ",
    "try": "{label}: trying it with one search …",
    "works": "{label}: it works ({hits} hits). Stored in {path}.",
    "fails": "{label}: {message}",
    "keep": "Store it all the same? [y/N] ",
    "stored": "{label}: stored in {path}.",
    "dropped": "{label}: not stored.",
    "next": 'Next: kensaku search "…" · kensaku chat · kensaku mcp install CLIENT · kensaku doctor',
}
_JAPANESE = {
    "begin": "Kensaku はキーがなくても検索できます。自分のキーがあれば、より速く、共有の制限も"
    "ありません。Enter で質問を飛ばせます。Ctrl-C で終了します（保存したものは残ります）。",
    "ask": "{label} のキー（{docs}）: ",
    "have": "{label}: キーは設定済みです（{origin}）。新しいキーを入力、または Enter でそのまま: ",
    "try": "{label}: 検索を一度試しています…",
    "works": "{label}: 使えます（{hits} 件）。{path} に保存しました。",
    "fails": "{label}: {message}",
    "keep": "それでも保存しますか？ [y/N] ",
    "stored": "{label}: {path} に保存しました。",
    "dropped": "{label}: 保存していません。",
    "next": '次は: kensaku search "…" ・ kensaku chat ・ kensaku mcp install CLIENT ・ '
    "kensaku doctor",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the providers to ask about."""
    from pathlib import Path

    add = parser.add_argument
    add("--provider", action="append", metavar="NAME", help="set up only this provider; repeatable")
    add("--config", type=Path, metavar="FILE", help="store settings in this file")


async def run(args: argparse.Namespace) -> int:
    """Ask, try, store."""
    if not sys.stdin.isatty():
        raise UsageError(
            "kensaku init asks questions, and there is no terminal",
            remedy="in a script: kensaku config set providers.tavily.api_key - < FILE",
        )
    said = _JAPANESE if prefers_japanese() else _ENGLISH
    path = args.config or settings_file(environment())
    print_message(said["begin"])
    for name in args.provider or ASKED:
        label, docs = provider_class(name).label, provider_class(name).docs
        settings = Settings.load(args.config if args.config and args.config.exists() else None)
        origin = settings.origins.get(f"providers.{name}.api_key", "")
        ask = said["have" if origin else "ask"].format(label=label, docs=docs, origin=origin)
        key = (await asyncio.to_thread(_read_secret, ask)).strip()
        if key:
            await _try_and_store(name, label, key, settings, path, said)
    print_message(said["next"])
    return 0


async def _try_and_store(
    name: str, label: str, key: str, settings: Settings, path: Path, said: dict[str, str]
) -> None:
    print_message(said["try"].format(label=label))
    hits, message = await _try_key(name, key, settings)
    if hits is None:
        print_message(said["fails"].format(label=label, message=message))
        if (await asyncio.to_thread(_read_line, said["keep"])).strip().lower() not in _YES:
            print_message(said["dropped"].format(label=label))
            return
    await asyncio.to_thread(set_value, f"providers.{name}.api_key", key, path)
    end = "stored" if hits is None else "works"
    print_message(said[end].format(label=label, path=path, hits=hits))


_YES = ("y", "yes", "はい", "うん")


async def _try_key(name: str, key: str, settings: Settings) -> tuple[int | None, str]:
    """Search once with a key. Return the number of hits, or None and what went wrong."""
    from kensaku.client import Kensaku

    own = replace(settings.provider(name), keys=(Secret(key),))
    tried = replace(settings, providers={**settings.providers, name: own}, state_url="memory:")
    async with Kensaku(tried) as k:
        try:
            async with asyncio.timeout(SECONDS):
                asked = Query("kensaku", max_results=1)
                resources = k.resources
                found = await resources.ask(resources.provider(name), asked, key)
        except KensakuError as error:
            return None, redact(str(error), [key])
        except TimeoutError:
            return None, f"no answer within {SECONDS:g} s"
    return len(found.hits), ""


def _read_secret(prompt: str) -> str:
    from getpass import getpass

    try:
        return getpass(prompt)
    except EOFError:
        return ""


def _read_line(prompt: str) -> str:
    print(prompt, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline()
