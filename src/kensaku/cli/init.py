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

from kensaku.assistant.replies import is_yes
from kensaku.cli._terminal import print_message, terminal_language
from kensaku.config.edit import set_value
from kensaku.config.secret import Secret
from kensaku.config.settings import Settings, environment, settings_file
from kensaku.errors import KensakuError, UsageError
from kensaku.locale import translator
from kensaku.messages import msg
from kensaku.models import Query
from kensaku.providers import provider_class
from kensaku.text.redact import redact

if TYPE_CHECKING:
    from pathlib import Path

    from kensaku.config.settings import Settings
    from kensaku.locale import Translator

USAGE = "[--provider NAME …]"
ASKED = ("tavily", "brave", "exa", "serper")  # the others: --provider
# Where a key is shown after signing in; for the others, their documentation says it.
KEY_PAGES = {
    "tavily": "https://app.tavily.com/home",
    "brave": "https://api-dashboard.search.brave.com/app/keys",
    "exa": "https://dashboard.exa.ai/api-keys",
    "serper": "https://serper.dev/api-key",
}
SECONDS = 15.0

BEGIN = msg(
    "Kensaku searches without a key, too. A key of your own is faster and has no shared limits. "
    "Enter skips a question; Ctrl-C stops, and what is stored stays."
)
ASK = msg("{label} key ({docs}): ")
ASK_AGAIN = msg("{label}: a key is set already ({origin}). A new one, or Enter to keep it: ")
NEXT = msg('Next: kensaku search "…" · kensaku chat · kensaku mcp install CLIENT · kensaku doctor')


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
            msg("kensaku init asks questions, and there is no terminal"),
            remedy=msg("in a script: kensaku config set providers.tavily.api_key - < FILE"),
        )
    t = translator(terminal_language())
    path = args.config or settings_file(environment())
    print_message(t(BEGIN))
    for name in args.provider or ASKED:
        label = provider_class(name).label
        docs = KEY_PAGES.get(name) or provider_class(name).docs
        settings = Settings.load(args.config if args.config and args.config.exists() else None)
        origin = settings.origins.get(f"providers.{name}.api_key", "")
        ask = t(ASK_AGAIN if origin else ASK, label=label, docs=docs, origin=origin)
        key = (await asyncio.to_thread(_read_secret, ask)).strip()
        if key:
            await _try_and_store(name, label, key, settings, path, t)
    print_message(t(NEXT))
    return 0


async def _try_and_store(
    name: str, label: str, key: str, settings: Settings, path: Path, t: Translator
) -> None:
    print_message(t("{label}: trying it with one search …", label=label))
    hits, message = await _try_key(name, key, settings)
    if hits is None:
        print_message(f"{label}: {message}")
        keep = t("Store it all the same? [y/N] ")
        if not is_yes(await asyncio.to_thread(_read_line, keep)):
            print_message(t("{label}: not stored.", label=label))
            return
    await asyncio.to_thread(set_value, f"providers.{name}.api_key", key, path)
    if hits is None:
        print_message(t("{label}: stored in {path}.", label=label, path=path))
    else:
        works = t(
            "{label}: it works ({n} hit). Stored in {path}.",
            "{label}: it works ({n} hits). Stored in {path}.",
            label=label,
            path=path,
            n=hits,
        )
        print_message(works)


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
