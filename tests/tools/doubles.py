"""Documents, sources and a model for the tests of tools."""

from __future__ import annotations

from kensaku import Document

OTTERS = Document(
    "https://zoo.example/otters", "Sea otters", "Sea otters swim in kelp forests and eat urchins."
)
KELP = Document(
    "https://sea.example/kelp", "Kelp", "Kelp forests shelter sea otters, fish and urchins."
)
BREAD = Document("https://food.example/bread", "Bread", "Bread is baked from flour and water.")
PROSE = "Sea otters sleep holding hands in forests of kelp. " * 40
SOURCES = [
    {"title": "Sea otters", "url": OTTERS.url, "content": OTTERS.text},
    {"title": "Kelp", "url": KELP.url, "content": KELP.text},
]


def answering(text: str, **usage: int):
    """A model of somebody else: any coroutine from prompt to text and tokens."""
    prompts: list[str] = []

    async def ask(prompt: str):
        prompts.append(prompt)
        return text, usage

    ask.prompts = prompts
    return ask


def logged(caplog, level: int) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.levelno == level]
