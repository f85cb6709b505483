"""The slash commands of `kensaku chat`: one table, one coroutine each, and their completion."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kensaku.assistant.channels.terminal import format
from kensaku.errors import InvalidQuery, system_reason
from kensaku.messages import msg
from kensaku.search.budget import KINDS
from kensaku.text.clean import one_line
from kensaku.text.wrap import wrap_list

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prompt_toolkit.completion import Completer

    from kensaku.assistant.channels.terminal.chat import Chat

RESET = "-"
LISTED = 20  # conversations
NO_SUCH = msg("There is no conversation {name}; /history lists them.")
DELETE = msg("Delete all conversations, choices and approvals of {person}, and the input history?")


@dataclass(frozen=True, slots=True)
class Command:
    """What stands behind `/name`."""

    run: Callable[[Chat, str], Awaitable[None]]
    about: str
    takes: str = ""
    complete: Callable[[Chat], list[str]] | None = None
    amid: bool = True  # whether it can be run while a question waits for the person's reply


async def _help(chat: Chat, _: str) -> None:
    rows = [[f"/{name} {c.takes}".strip(), chat.t(c.about)] for name, c in TABLE.items()]
    chat.screen.say(*wrap_list(rows, chat.screen.columns))


async def _provider(chat: Chat, said: str) -> None:
    await _choose(chat, "route", ",".join(said.replace(",", " ").split()))


async def _collection(chat: Chat, said: str) -> None:
    await _choose(chat, "collection", said)


async def _model(chat: Chat, said: str) -> None:
    await _choose(chat, "model", said)


async def _budget(chat: Chat, said: str) -> None:
    value: Any = said
    if said and said != RESET:
        value = {}
        for pair in said.replace(",", " ").split():
            name, _, number = pair.partition("=")
            try:
                value[name] = float(number) if "." in number else int(number)
            except ValueError:
                raise InvalidQuery(
                    msg("{pair} is no bound", pair=one_line(pair)[:60]),
                    remedy=msg("write searches=3"),
                ) from None
    await _choose(chat, "budget", value)


async def _choose(chat: Chat, name: str, value: Any) -> None:
    """Keep a choice, if there is one; then show it."""
    assistant = await chat.assistant()
    if value:
        chat.options.pop(name, None)  # the choice counts over the command line
        await assistant.choose(chat.sender, name, None if value == RESET else value)
    chosen = {**await assistant.options(chat.sender), **chat.options}.get(name)
    _show_choice(chat, name, chosen)


def _show_choice(chat: Chat, name: str, chosen: Any) -> None:
    if isinstance(chosen, dict):
        chosen = " ".join(f"{what}={most:g}" for what, most in chosen.items())
    value = one_line(str(chosen)) if chosen else chat.t("as in the settings")
    chat.screen.say(chat.t("{name}: {text}", name=name, text=value))


async def _settings(chat: Chat, _: str) -> None:
    assistant = await chat.assistant()
    chosen = {**await assistant.options(chat.sender), **chat.options}
    for name in ("route", "collection", "model", "budget", "approvals"):
        _show_choice(chat, name, chosen.get(name))


async def _sources(chat: Chat, _: str) -> None:
    if chat.last is None or not chat.last.citations:
        chat.screen.say(chat.t("There is no answer with sources yet."))
        return
    cited = {c.url for c in chat.last.citations}
    others = [(title, url) for title, url in chat.found if url not in cited]
    chat.screen.list_sources(chat.last.citations, list(dict.fromkeys(others)))


async def _save(chat: Chat, said: str) -> None:
    from kensaku.database.conversations import find_conversation, messages_of

    if not said:
        raise InvalidQuery(msg("/save takes the name of a file"))
    db = (await chat.assistant()).database
    conversation = await find_conversation(db, chat.sender)
    if conversation is None:
        chat.screen.say(chat.t("Nothing was said in this conversation yet."))
        return
    messages = await messages_of(db, conversation.id)
    await _write(chat, said, format.write_conversation(conversation.title, messages))


async def _export(chat: Chat, said: str) -> None:
    from kensaku.database.people import export_person

    s = chat.sender
    kept = await export_person((await chat.assistant()).database, s.tenant, s.channel, s.person)
    text = json.dumps(kept, ensure_ascii=False, indent=2)
    if said:
        await _write(chat, said, text + "\n")
    else:
        chat.screen.say(*text.splitlines())


async def _write(chat: Chat, name: str, text: str) -> None:
    """Write a new file; an old one is never replaced."""

    def write() -> None:
        path = os.path.expanduser(name)
        with open(path, "x", encoding="utf-8", opener=_open_private) as file:
            file.write(text)

    try:
        await asyncio.to_thread(write)
    except (OSError, ValueError) as error:
        why = chat.t(system_reason(error)) if isinstance(error, OSError) else str(error)
        chat.screen.say(chat.t("{path} cannot be written: {why}.", path=name, why=why))
    else:
        chat.screen.say(chat.t("Saved in {path}.", path=name))


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


async def _new(chat: Chat, _: str) -> None:
    chat.start_thread()
    chat.screen.say(chat.t("A new conversation."))


async def _history(chat: Chat, _: str) -> None:
    conversations = await chat.conversations(LISTED)
    if not conversations:
        chat.screen.say(chat.t("There are no conversations yet."))
        return
    rows = [
        [str(n), f"{c.updated.astimezone():%Y-%m-%d %H:%M}", one_line(c.title)]
        for n, c in enumerate(conversations, 1)
    ]
    chat.screen.say(*wrap_list(rows, chat.screen.columns))


async def _resume(chat: Chat, said: str) -> None:
    if not said:
        if not await chat.resume():
            chat.screen.say(chat.t("Nothing is unfinished."))
        return
    conversations = await chat.conversations(LISTED)
    if not said.isdecimal() or not 1 <= int(said) <= len(conversations):
        chat.screen.say(chat.t(NO_SUCH, name=one_line(said)[:40]))
        return
    await chat.open_conversation(conversations[int(said) - 1])


async def _delete_me(chat: Chat, _: str) -> None:
    from kensaku.database.people import delete_person

    s = chat.sender
    if not await chat.confirm(chat.t(DELETE, person=s.person)):
        chat.screen.say(chat.t("Nothing was deleted."))
        return
    db = (await chat.assistant()).database
    deleted = await delete_person(db, s.tenant, s.channel, s.person)
    await asyncio.to_thread(chat.history.write_bytes, b"")
    chat.start_thread()
    chat.screen.say(
        chat.t(
            "Deleted: {n} message, the choices, the approvals and the input history.",
            "Deleted: {n} messages, the choices, the approvals and the input history.",
            n=deleted,
        )
    )


async def _quit(chat: Chat, _: str) -> None:
    chat.is_over = True


def _provider_names(_: Chat) -> list[str]:
    from kensaku.providers import provider_names

    return ["auto", *sorted(provider_names())]


def _collection_names(chat: Chat) -> list[str]:
    """Return the collections of the embedded index, which need not be opened for that."""
    folder = chat.home / "index" / "collections"
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


TABLE: dict[str, Command] = {
    "help": Command(_help, msg("list the commands")),
    "provider": Command(
        _provider,
        msg("show or choose the providers, as in tavily,local; - for the settings'"),
        "[NAMES|auto|-]",
        _provider_names,
    ),
    "collection": Command(
        _collection,
        msg("show or choose the collection that is searched first; - for all"),
        "[NAME|-]",
        _collection_names,
    ),
    "model": Command(
        _model, msg("show or choose the model that writes; - for the settings'"), "[NAME|-]"
    ),
    "budget": Command(
        _budget,
        msg("show or choose bounds of one question, as in searches=3 money=0.05; - for none"),
        "[NAME=N …|-]",
        lambda _: [f"{kind}=" for kind in KINDS],
    ),
    "sources": Command(
        _sources, msg("show the passages behind the last answer, and all that was found")
    ),
    "save": Command(_save, msg("save this conversation as Markdown"), "FILE"),
    "settings": Command(_settings, msg("show what is chosen")),
    "new": Command(_new, msg("begin a new conversation"), amid=False),
    "history": Command(_history, msg("list the earlier conversations")),
    "resume": Command(
        _resume,
        msg("go on with an unfinished question, or with conversation N of /history"),
        "[N]",
        amid=False,
    ),
    "export": Command(
        _export, msg("print, or save, all that is kept about you, as JSON"), "[FILE]"
    ),
    "delete-me": Command(_delete_me, msg("delete all that is kept about you"), amid=False),
    "quit": Command(_quit, msg("leave")),
}


def completions(chat: Chat, text: str) -> Iterator[tuple[str, str]]:
    """Yield what may follow in a line that begins with `/`: the word, and what it does."""
    if not text.startswith("/"):
        return
    name, blank, rest = text[1:].partition(" ")
    if not blank:
        yield from ((f"/{n}", chat.t(c.about)) for n, c in TABLE.items() if n.startswith(name))
        return
    command, word = TABLE.get(name), rest.replace(",", " ").rpartition(" ")[2]
    if command is not None and command.complete is not None:
        yield from ((value, "") for value in command.complete(chat) if value.startswith(word))


def make_completer(chat: Chat) -> Completer:
    """Return the completion of the prompt."""
    from prompt_toolkit.completion import Completer, Completion

    class Commands(Completer):
        def get_completions(self, document: Any, _: object) -> Iterator[Completion]:
            text = document.text_before_cursor
            typed = text if " " not in text else text.replace(",", " ").rpartition(" ")[2]
            for word, about in completions(chat, text):
                yield Completion(word, start_position=-len(typed), display_meta=about)

    return Commands()
