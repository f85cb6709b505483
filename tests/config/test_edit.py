"""One value of the settings file is changed; everything else stays as it was, or nothing changes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kensaku.config.edit import set_value, unset_value
from kensaku.errors import ConfigError, MissingExtra, UnknownName


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The settings file of a home that is not there yet."""
    home = tmp_path / "deep" / "home"
    monkeypatch.setenv("KENSAKU_HOME", str(home))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KENSAKU_CONFIG", raising=False)
    return home / "config.toml"


@pytest.mark.parametrize(
    ("key", "value", "written"),
    [
        ("timeout", "9", "timeout = 9\n"),
        ("timeout", "9.5", "timeout = 9.5\n"),
        ("timeout", "1e1", 'timeout = "1e1"\n'),  # as it was typed
        ("timeout", "007", 'timeout = "007"\n'),
        ("keyless", "FALSE", "keyless = false\n"),
        ("keyless", "true", "keyless = true\n"),
        ("keyless", "off", 'keyless = "off"\n'),
        ("route", "tavily,local", 'route = "tavily,local"\n'),
        ("cache.ttl", "5", "[cache]\nttl = 5\n"),
        ("providers.brave.rate", "1/s", '[providers.brave]\nrate = "1/s"\n'),
    ],
)
def test_a_value_is_written_as_toml_has_it(key: str, value: str, written: str, file: Path) -> None:
    """Into a folder of one's own, which is made."""
    assert set_value(key, value) == file
    assert file.read_text() == written
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert [p.name for p in file.parent.iterdir()] == ["config.toml"]

    assert unset_value(key) == file
    assert value not in file.read_text()


def test_a_second_value_of_a_section_stands_beside_the_first(file: Path) -> None:
    """And a file that is named counts over that of the home."""
    mine = file.parent.parent / "mine.toml"
    for key, value in (("cache.ttl", "5"), ("cache.stale", "6"), ("cache.ttl", "7")):
        assert set_value(key, value, mine) == mine

    assert mine.read_text() == "[cache]\nttl = 7\nstale = 6\n"
    assert not file.exists()


@pytest.mark.parametrize("key", ["", "a.", ".a", "a..b", "a.b.c.d"])
def test_what_is_no_name_of_a_setting_is_refused(key: str, file: Path) -> None:
    """Up to three parts, none of them empty."""
    for change in (lambda: set_value(key, "1"), lambda: unset_value(key)):
        with pytest.raises(ConfigError) as refused:
            change()
        assert refused.value.message == f"{key!r} is no name of a setting"
    assert not file.exists()


def test_a_refused_value_is_told_with_the_file_that_was_meant(file: Path) -> None:
    """Nothing is written, and nothing is left beside it."""
    set_value("timeout", "9")
    with pytest.raises(ConfigError) as refused:
        set_value("cache.ttl", "soon")

    assert refused.value.message.startswith(f"{file}, line 4: cache.ttl is 'soon'; expected")
    assert file.read_text() == "timeout = 9\n"
    assert [p.name for p in file.parent.iterdir()] == ["config.toml"]


@pytest.mark.parametrize("key", ["cache.tll", "timeout", "cache.ttl.x", "route.a", "x.y.z"])
def test_only_what_is_set_can_be_unset(key: str, file: Path) -> None:
    """With the nearest that is; below a value there is nothing."""
    set_value("cache.ttl", "5")
    set_value("route", "tavily")
    with pytest.raises(UnknownName) as refused:
        unset_value(key)

    assert f"there is no setting in the file {key!r}" in refused.value.message
    assert file.read_text() == 'route = "tavily"\n\n[cache]\nttl = 5\n'


def test_the_nearest_name_is_said(file: Path) -> None:
    """Of those in the file; below a value nothing can be set."""
    set_value("cache.ttl", "5")
    with pytest.raises(UnknownName) as refused:
        unset_value("cache.tll")
    assert "cache.ttl" in refused.value.remedy
    with pytest.raises(UnknownName, match=r"'cache\.ttl\.x'"):
        set_value("cache.ttl.x", "1")
    assert file.read_text() == "[cache]\nttl = 5\n"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("c.yaml", "c.yaml is no TOML, and only TOML files are changed by this command"),
        ("broken.toml", "broken.toml is not valid TOML"),
        ("latin.toml", "latin.toml is not valid TOML"),
        ("folder.toml", "folder.toml cannot be read: Is a directory"),
        ("broken.toml/c.toml", "broken.toml/c.toml cannot be read: Not a directory"),
    ],
)
def test_a_file_that_cannot_be_changed_is_named(name: str, told: str, tmp_path: Path) -> None:
    """And stays as it was."""
    (tmp_path / "broken.toml").write_text("a = = 1")
    (tmp_path / "latin.toml").write_bytes(b"a = '\xff'")
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(ConfigError) as refused:
        set_value("timeout", "9", tmp_path / name)

    assert refused.value.message.removeprefix(f"{tmp_path}/") == told
    assert refused.value.remedy is not None or "cannot be read" in told


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """A parent that is a file, for instance."""
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"cannot be (read|written): Not a directory"):
        set_value("timeout", "9", tmp_path / "file" / "x" / "c.toml")


def test_without_its_library_the_extra_is_named(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What to install."""
    monkeypatch.setitem(sys.modules, "tomlkit", None)
    with pytest.raises(MissingExtra) as refused:
        set_value("timeout", "9")

    assert "kensaku-search[standard]" in str(refused.value)
