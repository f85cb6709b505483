"""The shape of a context in JSON, and the bounds of its budget."""

from __future__ import annotations

from kensaku import Outcome
from kensaku.answers.context import Citation, Context
from kensaku.models import Passage


def test_a_context_is_ready_for_json() -> None:
    """Every part of it, under the name that it has in Python."""
    passage = Passage("https://a.example/", "Otters.", 3, 10)
    cited = Citation(1, "https://a.example/", "Sea", "2024-05-03", (passage,))
    context = Context(
        text="[1] Sea\nOtters.",
        citations=(cited,),
        tokens=7,
        outcome=Outcome.FOUND,
        cursor="c",
        notes=("note",),
    )

    assert context.to_dict() == {
        "text": "[1] Sea\nOtters.",
        "citations": [
            {
                "n": 1,
                "url": "https://a.example/",
                "title": "Sea",
                "published": "2024-05-03",
                "passages": [{"start": 3, "end": 10, "text": "Otters."}],
            }
        ],
        "tokens": 7,
        "outcome": "found",
        "cursor": "c",
        "attempts": [],
        "notes": ["note"],
        "confidence": None,
    }
