"""`kensaku config`: settings, values and origins."""

from __future__ import annotations

import json
from pathlib import Path

from .conftest import Run


def test_settings_are_shown_with_their_origin(run: Run, tmp_path: Path) -> None:
    """Environment, file and default; keys masked."""
    file = tmp_path / "mine.toml"
    file.write_text('max_results = 7\n[providers.brave]\napi_key = "BSA0123456789abcdef"\n')
    done = run("config", "--config", str(file), KENSAKU_TIMEOUT="9")
    found = {s["name"]: s for s in json.loads(
        run("config", "--json", "--config", str(file), KENSAKU_TIMEOUT="9").stdout
    )}  # fmt: skip

    assert found["timeout"] == {
        "name": "timeout",
        "value": "9.0",
        "origin": "environment KENSAKU_TIMEOUT",
        "about": "seconds a search may take in all",
    }
    assert found["max_results"]["origin"].endswith("mine.toml, line 1")
    assert found["mode"]["origin"] == "default"
    assert found["providers.brave.api_key"]["value"] == "…cdef"
    assert "BSA0123456789abcdef" not in done.stdout + done.stderr
    assert run("config", "cache").stdout.count("\ncache.") == len(
        [name for name in found if name.startswith("cache")]
    )


def test_a_broken_settings_file_is_wrong_use(run: Run, tmp_path: Path) -> None:
    """It says where, in one line."""
    file = tmp_path / "mine.toml"
    file.write_text("max_results = 7\nmax_result = 8\n")
    done = run("config", "--config", str(file))

    assert done.returncode == 2
    assert "line 2" in done.stderr
    assert "max_results" in done.stderr


def test_the_assistants_file_is_a_layer(run: Run, tmp_path: Path) -> None:
    """With its origin, and without its key (S4-46)."""
    file = tmp_path / ".config" / "term2" / "settings.json"
    file.parent.mkdir(parents=True)
    section = {"provider": "brave", "brave": {"apiKey": "BSA0123456789abcdef"}}
    file.write_text(json.dumps({"webSearch": section}))
    done = run("config", "--json", HOME=str(tmp_path))
    found = {s["name"]: s for s in json.loads(done.stdout)}

    assert (found["route"]["value"], found["route"]["origin"]) == ("brave", f"{file}, line 1")
    assert found["providers.brave.api_key"]["value"] == "…cdef"
    assert "BSA0123456789" not in done.stdout + done.stderr
