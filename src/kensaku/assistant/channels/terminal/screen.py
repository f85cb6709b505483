"""Show a run on a terminal: with colour and a live area, or as plain lines.

`Screen` keeps finished lines above, and what is under way in a live area below. `LiteScreen`
writes answers to stdout and all else to stderr, for pipes, logs and dumb terminals.
"""

from __future__ import annotations

import sys
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from kensaku.assistant.channels.terminal import format
from kensaku.errors import MissingExtra
from kensaku.locale import Translator
from kensaku.text.clean import one_line, visible
from kensaku.text.links import link_target
from kensaku.text.width import cut_to_width

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console
    from rich.live import Live

    from kensaku.answers.events import Event, ToolEnded, ToolStarted
    from kensaku.assistant.channels.terminal.format import Source

REFRESH = 8  # times a second


class Shows(Protocol):
    """Where a run is shown."""

    t: Translator

    @property
    def columns(self) -> int | None:
        """The width that tables should fit; None for plain lines."""

    def begin(self, status: str) -> None:
        """Say that something is under way."""

    def show(self, event: Event) -> None:
        """Show an event."""

    def end(self) -> None:
        """Say that nothing is under way, or that the person is asked."""

    def say(self, *lines: str) -> None:
        """Show lines of ours."""

    def list_sources(
        self, citations: Iterable[Source], found: Sequence[tuple[str, str]] = ()
    ) -> None:
        """Show sources with their passages, and all that was found."""


class LiteScreen:
    """Plain lines without width, colour or movement."""

    def __init__(self, t: Translator, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self.t = t
        self._out, self._err = out or sys.stdout, err or sys.stderr

    @property
    def columns(self) -> int | None:
        """None: who reads plain lines wraps them."""
        return None

    def begin(self, status: str) -> None:
        """Show nothing: a line that says so would not go away."""

    def end(self) -> None:
        """Pass what was written on to the reader of a pipe."""
        self._out.flush()

    def say(self, *lines: str) -> None:
        """Write lines to stderr."""
        for line in lines:
            print(visible(line), file=self._err)

    def show(self, event: Event) -> None:
        """Write the text of an answer as it comes; calls when they have ended."""
        from kensaku.answers import events

        match event:
            case events.Planned(questions=questions) if len(questions) > 1:
                self.say(f"{self.t('Plan:')} {' | '.join(map(one_line, questions))}")
            case events.ToolEnded():
                command = format.call_command(event.tool, event.arguments)
                self.say(f"{command}{format.SEPARATOR}{format.call_result(event, self.t)}")
            case events.TextDelta(text=text):
                self._out.write(visible(text))
                self._out.flush()
            case events.Answered(answer=answer):
                lines = format.source_lines(answer.citations)
                print("\n", *lines, sep="\n", file=self._out, flush=True)
                if answer.doubt:
                    self.say(answer.doubt)
            case events.Failed(message=message):
                self.say(message)

    def list_sources(
        self, citations: Iterable[Source], found: Sequence[tuple[str, str]] = ()
    ) -> None:
        """Write sources with their passages to stdout."""
        lines = format.source_lines(citations, passages=True)
        lines += [f"{one_line(title)} {one_line(url)}" for title, url in found]
        print(*lines, sep="\n", file=self._out, flush=True)


class Screen:
    """A terminal with colour, links and a live area."""

    def __init__(self, t: Translator, console: Console | None = None) -> None:
        self.t = t
        if console is not None:
            self._console = console
        self._running: dict[str, ToolStarted] = {}
        self._text, self._status = "", ""
        self._live: Live | None = None

    @cached_property
    def _console(self) -> Console:
        try:
            from rich.console import Console
        except ImportError:
            raise MissingExtra("rich", "chat") from None
        # Neither markup nor emoji codes: text of others would be read as ours.
        return Console(markup=False, emoji=False, highlight=False)

    @property
    def columns(self) -> int | None:
        """The width of the terminal."""
        return self._console.width

    def begin(self, status: str) -> None:
        """Open the live area."""
        from rich.live import Live

        self._status = status
        if self._live is None:
            self._live = Live(
                console=self._console, refresh_per_second=REFRESH, transient=True,
                redirect_stdout=False, redirect_stderr=False,
            )  # fmt: skip
            self._live.start()
        self._update()

    def end(self) -> None:
        """Close the live area; what was under way is not finished."""
        if self._live is not None:
            self._live.update("")
            self._live.stop()
            self._live = None
        self._running.clear()

    def say(self, *lines: str) -> None:
        """Print lines in a faint colour."""
        for line in lines:
            self._print(line, "dim")

    def show(self, event: Event) -> None:
        """Print what is finished, and update the live area."""
        from kensaku.answers import events

        match event:
            case events.Planned(questions=questions) if len(questions) > 1:
                self._print(self.t("Plan:"), "bold")
                for question in questions:
                    self._print(f"  {one_line(question)}")
            case events.ToolStarted():
                self._running[event.id] = event
            case events.ToolEnded():
                self._running.pop(event.id, None)
                self._print_call(event)
            case events.TextDelta(text=text):
                self._text += visible(text)
                self._print_blocks(len(stable_part(self._text)))
            case events.Answered(answer=answer):
                self._print_blocks(len(self._text))
                self._print_sources(answer.citations)
                if answer.doubt:
                    self._print(answer.doubt, "yellow")
            case events.Failed(message=message):
                self._print_blocks(len(self._text))
                self._print(message, "yellow")
        self._update()

    def list_sources(
        self, citations: Iterable[Source], found: Sequence[tuple[str, str]] = ()
    ) -> None:
        """Print sources with their passages, and all that was found, as links."""
        self._print_sources(citations, passages=True)
        for title, url in found:
            self._print(f"· {one_line(title)}", link=url)
            self._print(f"  {one_line(url)}", "dim", link=url)

    def _print_call(self, event: ToolEnded) -> None:
        width = self._console.width - 2
        mark, colour = ("✓", "green") if event.outcome == "found" else ("–", "yellow")
        for n, line in enumerate(format.call_lines(event, self.t, width)):
            self._print(f"{' ' if n else mark} {line}", colour)
        for line in format.folded_results(event.found, self.t, width - 2):
            self._print(f"    {line}", "dim")

    def _print_blocks(self, end: int) -> None:
        """Print the finished part of the text as Markdown."""
        from rich.markdown import Markdown

        block, self._text = self._text[:end], self._text[end:]
        if block.strip():
            # Links are written out: a name that hides its address is how people are deceived.
            self._console.print(Markdown(block, hyperlinks=False))
            self._console.print()

    def _print_sources(self, citations: Iterable[Source], *, passages: bool = False) -> None:
        for c in citations:
            first, *others = format.source_lines([c], passages=passages)
            self._print(first, "cyan", link=c.url)
            for line in others:
                is_address = line.strip() == one_line(c.url)
                self._print(line, "dim", link=c.url if is_address else "")

    def _print(self, line: str, style: str = "", *, link: str = "") -> None:
        from rich.text import Text

        target = link_target(link)
        style = f"{style} link {target}".strip() if target else style
        self._console.print(Text(visible(line), style=style), soft_wrap=bool(target))

    def _update(self) -> None:
        if self._live is None:
            return
        from rich.console import Group
        from rich.markdown import Markdown
        from rich.spinner import Spinner
        from rich.text import Text

        parts: list[Any] = [Markdown(self._text, hyperlinks=False)] if self._text.strip() else []
        width = self._console.width - 2
        calls = [format.call_command(e.tool, e.arguments) for e in self._running.values()]
        lines = (cut_to_width(line, width) for line in calls or [self._status])
        parts += [Spinner("dots", Text(line, style="dim")) for line in lines]
        self._live.update(Group(*parts))


def stable_part(text: str) -> str:
    """Return the beginning of a Markdown text that what follows cannot change: whole blocks."""
    if "\n" not in text:
        return ""
    from markdown_it import MarkdownIt

    blocks = [token.map for token in MarkdownIt().parse(text) if token.level == 0 and token.map]
    if not blocks:
        return ""
    return "".join(text.splitlines(keepends=True)[: blocks[-1][0]])
