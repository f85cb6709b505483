"""The Dockerfile and the compose files, as far as they can be read without a Docker engine.

`make test-installed args=container` carries the Dockerfile out.
"""

from __future__ import annotations

import re
from dataclasses import fields
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from kensaku.cli._main import COMMANDS
from kensaku.config.settings import Settings, variable_of
from tests import ROOT
from tests.dockerfile import environment, stages

yaml = pytest.importorskip("yaml")
COMPOSE = ["compose.yaml", "compose.cluster.yaml"]


def _services(file: str) -> dict[str, Any]:
    services: dict[str, Any] = yaml.safe_load((ROOT / file).read_text(encoding="utf-8"))["services"]
    return services


def test_the_last_stage_builds_nothing():
    """A compiler or pip in the image is a tool for whoever breaks in."""
    build, final = stages()

    assert build.base == final.base == "python:3.13-slim"
    assert not [
        step for step in final.all("RUN") if re.search(r"\b(pip|apt-get|curl)\b", step.text)
    ]
    assert "--without-pip" in build.all("RUN")[0].text


def test_every_package_of_the_image_is_pinned_by_its_hash():
    """What is built next year is what was tested today."""
    installs = [
        command
        for step in stages()[0].all("RUN")
        for command in step.text.split("&&")
        if " install " in command
    ]

    assert installs
    for command in installs:
        assert "--require-hashes" in command or "--no-deps --no-index" in command, command


def test_the_server_is_not_root_and_writes_to_its_home_alone():
    """A fixed uid and one volume: the rest may be mounted read-only."""
    final = stages()[-1]
    env = environment(final, {"PATH": "/usr/bin"})

    assert final.last("USER").text == "10001:10001"
    assert env["KENSAKU_HOME"] == env["HOME"] == final.last("VOLUME").text == "/data"
    assert env["PATH"] == "/app/bin:/usr/bin"


def test_the_image_starts_a_command_that_exists():
    """`docker run kensaku-search keys list` works as well: the entry point is the program."""
    final = stages()[-1]
    command = final.last("CMD").words

    assert final.last("ENTRYPOINT").words == ["kensaku"]
    assert command[0] in COMMANDS
    assert final.last("EXPOSE").text in " ".join(final.healthcheck)


def test_what_is_copied_is_sent_to_the_engine_and_nothing_else():
    """A key in an .env file that lies around must not get into an image."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    allowed = [rule.removeprefix("!") for rule in rules if rule.startswith("!")]
    copied = [
        word
        for stage in stages()
        for step in stage.all("COPY")
        if not step.text.startswith("--from")
        for word in step.words[:-1]
    ]

    assert rules[0] == "*"
    assert sorted(allowed) == sorted(copied)
    assert all((ROOT / name).exists() for name in copied)


@pytest.mark.parametrize("file", COMPOSE)
def test_the_settings_of_a_compose_file_exist(file):
    """A variable with a typing error is ignored in silence."""
    known = {variable_of(f.name) for f in fields(Settings) if f.metadata}
    text = (ROOT / file).read_text(encoding="utf-8")

    assert set(re.findall(r"\bKENSAKU_[A-Z_]+", text)) <= known


@pytest.mark.parametrize("file", COMPOSE)
def test_the_server_of_a_compose_file_is_confined(file):
    """No capability, no new privilege, nothing to write to but its home and /tmp."""
    server = _services(file)["kensaku"]
    mounted = [m.rpartition(":")[2] for m in server.get("volumes", [])]
    mounted += [m.partition(":")[0] for m in server["tmpfs"]]

    assert server["read_only"] is True
    assert server["cap_drop"] == ["ALL"]
    assert server["security_opt"] == ["no-new-privileges:true"]
    assert sorted(mounted) == ["/data", "/tmp"]
    for port in server["ports"]:
        assert (port["host_ip"] if isinstance(port, dict) else port.split(":")[0]) == "127.0.0.1"


def test_no_password_has_a_default():
    """A default password is one that everybody knows."""
    for name, service in _services("compose.cluster.yaml").items():
        for variable, value in service["environment"].items():
            if re.search(r"PASSWORD|AUTH|KEY|//.*@", f"{variable} {value}"):
                assert re.search(r"\$\{[A-Z_]+:\?", value), f"{name}: {variable}"


def test_the_servers_wait_until_what_they_need_is_healthy():
    """A server that starts before its database stops at once."""
    services = _services("compose.cluster.yaml")
    needed = services.pop("kensaku")["depends_on"]

    assert set(needed) == set(services)
    assert all(how == {"condition": "service_healthy"} for how in needed.values())
    assert all(service["healthcheck"]["test"] for service in services.values())


def test_qdrant_is_of_a_version_that_its_client_knows():
    """The client warns when the minor versions are more than one apart."""
    image = _services("compose.cluster.yaml")["qdrant"]["image"]
    pinned = (ROOT / "requirements/container.txt").read_text(encoding="utf-8")
    server = re.search(r":v(\d+)\.(\d+)\.", image)
    client = re.search(r"^qdrant-client==(\d+)\.(\d+)\.", pinned, re.MULTILINE)

    assert server
    assert client
    assert server[1] == client[1]
    assert abs(int(server[2]) - int(client[2])) <= 1


@pytest.mark.parametrize("file", [".env", "kensaku.env", "cluster.env"])
def test_git_ignores_the_files_with_secrets(file):
    """They lie in the clone, next to the compose files."""
    rules = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()

    assert any(fnmatch(Path(file).name, rule.lstrip("/")) for rule in rules)
