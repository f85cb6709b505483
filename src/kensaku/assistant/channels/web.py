"""The web channel: what people say on the page, and the conversations that they have there.

    ask → the assistant        reply, cancel → the run that is under way        delete

The run may be under way in another process of the same database: a reply to it, or its end, goes
there by the database.

A person is the key that they signed in with; "local" while the server has no keys. The id of a
thread has the person in front, so nobody can name the conversation of another.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

from kensaku._logger import get_logger
from kensaku.errors import InvalidQuery, KensakuError
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.answers.person import Question, Reply
    from kensaku.assistant.assistant import Assistant
    from kensaku.assistant.exchange import Exchange
    from kensaku.client import Kensaku
    from kensaku.database import Database
    from kensaku.database.conversations import Conversation, Message, Sender

log = get_logger("kensaku.server")
CHANNEL = "web"
LOCAL_PERSON = "local"
MAX_LISTED = 100
MAX_SHOWN = 100  # messages of one conversation
RESUME_SECONDS = 5.0
CANCEL_SECONDS = 5.0
ASK_FIRST = {"web_search": "ask", "web_extract": "ask"}
_THREAD = re.compile(r"[\w-]{16}", re.ASCII)


class Person(Protocol):
    """Who speaks: what the channel needs of a principal."""

    @property
    def key_id(self) -> str:
        """The id of the key; empty for who needed none."""

    @property
    def tenant(self) -> str:
        """Whose client is used."""


class Host(Protocol):
    """What the channel needs of a server."""

    draining: bool

    @property
    def database(self) -> Database:
        """The database."""

    @property
    def assistant(self) -> Assistant:
        """The assistant of all tenants."""

    def client_of_tenant(self, tenant: str) -> Kensaku:
        """The client of a tenant."""


class NoConversation(KensakuError):
    """There is no such conversation, or it is another person's."""

    status = 404

    def __init__(self) -> None:
        super().__init__("there is no such conversation here", remedy="choose one of the list")


@dataclass(frozen=True, slots=True)
class Thread:
    """One conversation of one person."""

    id: str  # in the address
    sender: Sender

    @classmethod
    def of(cls, person: Person, id: str) -> Thread:
        """Return the thread of a person with this id. Raises `NoConversation`."""
        from kensaku.database.conversations import Sender

        if not _THREAD.fullmatch(id):
            raise NoConversation
        name = person.key_id or LOCAL_PERSON
        return cls(id, Sender(CHANNEL, name, f"{name}/{id}", person.tenant))

    @classmethod
    def new(cls, person: Person) -> Thread:
        """Return a thread in which nothing was said yet."""
        return cls.of(person, secrets.token_urlsafe(12))


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation as it is stored. `states` are those of its runs, by their ids."""

    conversation: Conversation
    messages: list[Message]
    states: Mapping[str, str]
    asks: Mapping[str, list[Question]]  # what the runs wait with, in whichever process


async def listed(host: Host, person: Person) -> list[tuple[str, Conversation]]:
    """Return the conversations of a person with the ids of their threads, newest first."""
    from kensaku.database.conversations import list_conversations

    name = person.key_id or LOCAL_PERSON
    found = await list_conversations(host.database, person.tenant, CHANNEL, name, limit=MAX_LISTED)
    return [(c.thread.removeprefix(f"{name}/"), c) for c in found]


async def load(host: Host, thread: Thread) -> Talk:
    """Return what was said in a thread. Raises `NoConversation`."""
    from kensaku.answers.person import Question
    from kensaku.database.conversations import find_conversation, messages_of
    from kensaku.database.questions import open_questions
    from kensaku.database.runs import states_of

    conversation = await find_conversation(host.database, thread.sender)
    if conversation is None:
        raise NoConversation
    messages = await messages_of(host.database, conversation.id, MAX_SHOWN)
    states = await states_of(host.database, conversation.id)
    asks: dict[str, list[Question]] = {}
    if "running" in states.values():
        for run, _, question in await open_questions(host.database, thread.sender):
            asks.setdefault(run, []).append(Question.from_dict(question))
    return Talk(conversation, messages, states, asks)


async def ask(host: Host, thread: Thread, fields: Mapping[str, Any]) -> Exchange | None:
    """Take a message. None: it was taken before, or it replied to a question."""
    from kensaku.assistant.replies import read_reply
    from kensaku.database.runs import take_update

    await _choose(host, thread.sender, fields)
    text, nonce = fields.get("text"), fields.get("update")
    update = f"{thread.sender.person}:{nonce[:64]}" if isinstance(nonce, str) and nonce else None
    if (waiting := await _elsewhere(host, thread)) is not None:
        if update is None or await take_update(host.database, thread.sender, update):
            run, asked = waiting
            await _send(host, run, asked, read_reply(asked, str(text)))
        return None
    return await host.assistant.receive(thread.sender, cast("str", text), update=update)


async def _choose(host: Host, sender: Sender, fields: Mapping[str, Any]) -> None:
    """Keep what a person chose beside the message. Raises `UsageError`."""
    from kensaku.search.route import plan

    known = await host.assistant.options(sender)
    wanted: dict[str, Any] = {n: fields[n] or None for n in ("route", "collection") if n in fields}
    if any(not isinstance(value, str | None) for value in wanted.values()):
        raise InvalidQuery(msg("route and collection must be text"))
    if wanted.get("route"):
        plan(host.client_of_tenant(sender.tenant).settings, wanted["route"], None)
    if "ask_first" in fields:
        wanted["approvals"] = ASK_FIRST if fields["ask_first"] else None
    for name, value in wanted.items():
        if known.get(name) != value:
            await host.assistant.choose(sender, name, value)


async def reply(host: Host, thread: Thread, fields: Mapping[str, Any]) -> bool:
    """Answer a question of a run. False: the run does not wait for it. Raises `InvalidQuery`.

    Other words than those that were asked about count, whichever button is pressed with them: in a
    browser, Enter presses the first one.
    """
    from kensaku.answers.person import Reply

    id, action, text = (str(fields.get(name) or "") for name in ("question", "action", "text"))
    if (choice := fields.get("choice")) and not action:  # one of the texts that were offered
        action, text = "modify", text.strip() or str(choice)
    exchange, run = host.assistant.current(thread.sender), ""
    asked = next((q for q in exchange.waiting if q.id == id), None) if exchange else None
    if asked is None:
        run, asked = await _elsewhere(host, thread, id) or ("", None)
    if asked is None:
        return False
    words = " ".join(text.split())
    is_other = words and words != asked.arguments.get("query", "")
    if action == "proceed" and is_other and "modify" in asked.choices:
        action = "modify"
    said = Reply(cast("Any", action), words if action in ("modify", "retry") else "")
    if run:
        return await _send(host, run, asked, said)
    assert exchange is not None  # it has the question
    return exchange.reply(said, id)


async def _elsewhere(
    host: Host, thread: Thread, id: str | None = None
) -> tuple[str, Question] | None:
    """Return a run of another process and what it waits with: the question `id`, or the first."""
    from kensaku.answers.person import Question
    from kensaku.database.questions import open_questions

    for run, asked, question in await open_questions(host.database, thread.sender):
        is_here = host.assistant.find(run, thread.sender.tenant) is not None
        if not is_here and id in (None, asked):
            return run, Question.from_dict(question)
    return None


async def _send(host: Host, run: str, asked: Question, said: Reply) -> bool:
    """Leave a reply where the process that waits for it finds it."""
    from kensaku.database.questions import add_reply

    if said.action not in asked.choices:
        return False
    return await add_reply(host.database, run, asked.id, asdict(said))


async def cancel(host: Host, thread: Thread) -> bool:
    """Stop the run that is under way, and wait for its end. False: there is none.

    One of another process is ended in the database, and stops there a little later.
    """
    from kensaku.database import runs

    exchange = host.assistant.current(thread.sender)
    if exchange is None or exchange.task is None:
        return await runs.cancel(host.database, thread.sender)
    exchange.cancel()
    await asyncio.wait([exchange.task], timeout=CANCEL_SECONDS)
    return True


async def delete(host: Host, thread: Thread) -> None:
    """Delete a conversation with its runs. Raises `NoConversation`."""
    from kensaku.database.conversations import delete_conversation

    for _ in range(MAX_SHOWN):  # also those that wait
        if not await cancel(host, thread):
            break
    if not await delete_conversation(host.database, thread.sender):
        raise NoConversation


async def resume_runs(host: Host) -> None:
    """Go on with conversations whose server was killed, as long as this one runs.

    The question is one query, and does not import the assistant.
    """
    from kensaku.database.runs import any_expired

    while not host.draining:
        try:
            if await any_expired(host.database, CHANNEL):
                await host.assistant.resume(CHANNEL)
        except KensakuError as error:
            log.warning("unfinished conversations wait: %s", error)
        await asyncio.sleep(RESUME_SECONDS)
