"""The person steps in: answers a question of the plan, helps, and agrees to an answer or not.

    clarify   before the search: what the plan has to know     → the person's words
    get_help  after it: nothing answers well                   → other words, a page, once more
    confirm   before a doubtful answer is shown                → given, withheld, or searched on

    proceed: go on · modify: with these words · retry: search again, past the cache
    skip: leave this out · cancel: end the run

Nothing is guessed: without a reply, an answer is withheld and a blocking question ends the run.
Only what the person says leads to a call here, never a page.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kensaku.answers.cited import assess
from kensaku.answers.events import QuestionAsked
from kensaku.answers.gather import gather
from kensaku.answers.person import CANCELLED, Cancelled, Question
from kensaku.answers.questions import addresses_in
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.answers.ask import AskRun
    from kensaku.answers.cited import Assessment
    from kensaku.answers.evidence import Evidence
    from kensaku.answers.person import Reply
    from kensaku.answers.plan import AskUser, QuestionPlan
    from kensaku.answers.toolbox import Toolbox
    from kensaku.answers.weigh import Finding
    from kensaku.answers.write import Draft

ASK_USER = "ask_user"
MAX_CONFIRMATIONS = 3  # of one run; at the last one it is yes or no
MAX_QUERY = 300
_HELP = msg("Nothing found so far answers this well. What else could help: other words, a page?")
_NOT_ANSWERED = msg(
    "A question that had to be answered first was not answered; nothing was guessed."
)


async def clarify(plan: QuestionPlan, tools: Toolbox) -> list[str]:
    """Ask what the plan wants to know and return what the person said. Raises `Cancelled`."""
    said = []
    for number, asked in enumerate(plan.asks, 1):
        reply = await _ask(_question(asked, number), tools)
        if reply is None and asked.urgency == "blocking":
            raise Cancelled(tools.t(_NOT_ANSWERED))
        if reply is None:
            tools.notes.append(
                msg(
                    "a question to the person was not answered: {question}", question=asked.question
                )
            )
        elif text := _chosen(reply, asked.choices):
            said.append(text)
    return said


async def get_help(run: AskRun, evidence: Evidence, findings: Sequence[Finding]) -> bool:
    """Ask for other words when the sources answer too little. True: there may be more now."""
    tools = run.tools
    if tools.person is None or assess(findings, run.thresholds).action != "escalate":
        return False
    question = Question(
        "help", tools.t(_HELP), urgency="optional",
        reason="; ".join(f.question for f in findings if not f.sentences),
        choices=("modify", "retry", "skip", "cancel"),
    )  # fmt: skip
    return await _follow(await _ask(question, tools), run, evidence)


async def confirm(
    run: AskRun, evidence: Evidence, draft: Draft, assessment: Assessment, number: int
) -> str | None:
    """Ask whether a doubtful answer may be shown.

    Returns "" when it may, why it is withheld when it may not, and None when the person's reply
    was followed and the answer has to be written anew.
    """
    tools = run.tools
    doubtful = assessment.action in ("confirm", "escalate") and not draft.emitted
    if draft.text is None or not doubtful or tools.person is None:
        return ""
    last = number >= MAX_CONFIRMATIONS
    question = Question(
        "confirm",
        tools.t("The answer is uncertain. Shall it be given as it is?"),
        reason=draft.text,
        choices=("proceed", "skip", "cancel")
        if last
        else ("proceed", "modify", "retry", "skip", "cancel"),
        arguments={} if number == 1 else {"number": number},
    )
    reply = await _ask(question, tools)
    if reply is not None and reply.action == "proceed":
        return ""
    if not last and await _follow(reply, run, evidence):
        return None
    return tools.t("Nobody confirmed the answer; it was withheld.")


async def read_addresses(addresses: Sequence[str], tools: Toolbox, evidence: Evidence) -> None:
    """Read pages that the person named; every question may use them."""
    tools.addresses.update(addresses)
    if addresses:
        about = [q.queries[0] for q in evidence.questions]
        evidence.add_pages(await tools.web_extract(addresses, about), named=True)


async def _ask(question: Question, tools: Toolbox) -> Reply | None:
    reply = await tools.ask(question, QuestionAsked(question))
    if reply is not None and reply.action == "cancel":
        raise Cancelled(tools.t(CANCELLED))
    return reply


async def _follow(reply: Reply | None, run: AskRun, evidence: Evidence) -> bool:
    """Do what the person proposed. False: that was nothing."""
    if reply is None or reply.action not in ("modify", "retry"):
        return False
    text = reply.text.strip()
    if reply.action == "retry":
        run.tools.try_again()
    if addresses := addresses_in(text):
        await read_addresses(addresses, run.tools, evidence)
    elif text:
        words = text[:MAX_QUERY].strip()
        evidence.add_words(words)
        result = await run.tools.web_search(words)
        for n in range(len(evidence.questions)):
            evidence.add(n, result)
    elif reply.action == "retry":
        await gather(run.tools, evidence, run.thresholds.notify)
    return bool(text) or reply.action == "retry"


def _question(asked: AskUser, number: int) -> Question:
    return Question(
        "help", asked.question, asked.reason, asked.urgency, ("modify", "skip", "cancel"),
        tool=ASK_USER, arguments={"number": number}, options=asked.choices,
    )  # fmt: skip


def _chosen(reply: Reply, options: Sequence[str]) -> str:
    """Return the words of a reply; the number of an option stands for it."""
    text = reply.text.strip()
    if reply.action != "modify":
        return ""
    if text.isdecimal() and 1 <= int(text) <= len(options):
        return options[int(text) - 1]
    return text[:MAX_QUERY]
