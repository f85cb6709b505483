"""What the authors of the four documents write, and what reads it back: imitated to the letter.

The formatters are those of the documents; the reader is the terminal assistant's own screen
(qduc/term2, `components/message/command-message-helpers.ts`), told again in Python.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from kensaku.models import Hit, Response


def slack_bot(response: Response) -> str:
    """The example of document 000: a number, a bold title, the address, the content."""
    text = f'## 検索結果: "{response.query.text}"\n\n'
    if response.answer:
        text += f"### 回答\n{response.answer}\n\n"
    items = [
        f"{n}. **{hit.title}**\n   URL: {hit.url}\n   {hit.content}"
        for n, hit in enumerate(response.hits, 1)
    ]
    return text + "### 結果\n" + "\n\n".join(items)


def tavily_tools(response: Response) -> str:
    """Document 001, § 2.4."""
    lines = [f"## 検索結果: {response.query.text}", ""]
    for n, hit in enumerate(response.hits, 1):
        lines += [f"### {n}. {hit.title}", f"URL: {hit.url}", f"スコア: {hit.score:.2f}"]
        lines += [hit.content, ""]
    return "\n".join(lines)


def chat_server(response: Response) -> str:
    """Document 002, § 2: `_arun`."""
    lines = [f'Found {len(response.hits)} result(s) for "{response.query.text}":\n']
    for n, hit in enumerate(response.hits, 1):
        lines += [f"{n}. **{hit.title}**", f"   {hit.url}", f"   {hit.content}", ""]
    return "\n".join(lines)


def terminal(response: Response) -> str:
    """Document 004, § 5: `formatResultsAsMarkdown`."""
    parts = ["## Answer\n", response.answer, "\n"] if response.answer else []
    parts.append("## Search Results\n")
    for n, hit in enumerate(response.hits, 1):
        parts += [f"### {n}. {hit.title}\n", f"**URL:** {hit.url}\n"]
        if hit.published:
            parts.append(f"**Published:** {hit.published}\n")
        parts += [f"\n{hit.content}\n", "\n---\n"]
    return "\n".join(parts)


AUTHORS = {
    "strands": slack_bot,
    "tavily": tavily_tools,
    "search_web": chat_server,
    "term": terminal,
}
# The lines that belong to each author's layout.
LAYOUT = {
    "strands": re.compile(r"#{1,6}\s|\s*\d+[.)]\s+\*\*|\s*URL\s*[:：]"),
    "tavily": re.compile(r"#{1,6}\s|\s*(?:URL|スコア)\s*[:：]"),
    "search_web": re.compile(r"#{1,6}\s|\s*\d+[.)]\s+\*\*"),
    "term": re.compile(r"#{1,6}\s|\s*\*\*(?:URL|Published):\*\*|\s*---\s*$"),
}


def screen(output: str) -> tuple[str | None, list[dict[str, Any]]]:
    """The answer and the results that the terminal assistant's screen reads out of Markdown."""
    answer, results = None, []
    for section in re.split(r"(?:^|\n)##\s+", re.sub(r"(?m)^##\s+", "## ", output).strip()):
        section = section.strip()
        if section.startswith("Answer"):
            answer = re.sub(r"^Answer\r?\n", "", section).strip()
        elif section.startswith("Search Results"):
            items = [i.strip() for i in re.split(r"(?:^|\n)###\s+", section)]
            results += [_result(i) for i in items if i and not i.startswith("Search Results")]
    return answer, [r for r in results if r["title"] and r["url"]]


def _result(item: str) -> dict[str, Any]:
    head, *lines = item.split("\n")
    read: dict[str, Any] = {"title": re.sub(r"^\d+\.\s*", "", head).strip(), "url": ""}
    content = []
    for line in lines:
        bare = line.strip()
        if bare.startswith("**URL:**"):
            read["url"] = bare.replace("**URL:**", "", 1).strip()
        elif bare.startswith("**Published:**"):
            read["published"] = bare.replace("**Published:**", "", 1).strip()
        elif bare and bare != "---":
            content.append(line)
    return read | {"content": "\n".join(content).strip()}


def hits_with(contents: Sequence[str]) -> tuple[Hit, ...]:
    """One hit for each content."""
    return tuple(
        Hit(f"https://site{n}.example/page", f"Page {n}", text, 0.9 - n / 100, "2026-01-20")
        for n, text in enumerate(contents, 1)
    )
