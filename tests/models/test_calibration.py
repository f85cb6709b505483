"""The models of confidence: read from their file, and applied."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from kensaku.errors import ConfigError
from kensaku.models.calibration import Model, read_models


@pytest.mark.parametrize(
    ("total", "probability"),
    [(0.0, 0.5), (-1e6, 0.0), (1e6, 1.0), (math.log(3), 0.75), (-math.log(3), 0.25)],
)
def test_a_probability_is_one_however_large_the_sum(total: float, probability: float) -> None:
    """No number is too large for it."""
    assert Model({"a": total}, 0.0, "").probability({"a": 1.0}) == pytest.approx(probability)
    assert Model({}, total, "").probability({}) == pytest.approx(probability)


@pytest.mark.parametrize("text", ["", "[]", '{"local": {}}', json.dumps({"local": {"weights": 1}})])
def test_a_file_of_something_else_is_named(text: str, tmp_path: Path) -> None:
    """With what to do about it."""
    path = tmp_path / "confidence.json"
    path.write_text(text)

    with pytest.raises(ConfigError, match=r"confidence\.json") as raised:
        read_models(path)
    assert "delete it" in str(raised.value.remedy)
