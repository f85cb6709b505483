"""Read a Dockerfile into its stages, for tests without a Docker engine."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

from tests import ROOT


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction: `RUN`, and what stands behind it."""

    name: str
    text: str

    @property
    def words(self) -> list[str]:
        """The words of a JSON array, or those of a line."""
        return json.loads(self.text) if self.text.startswith("[") else shlex.split(self.text)


@dataclass(frozen=True, slots=True)
class Stage:
    """What stands between one FROM and the next."""

    base: str
    name: str
    steps: list[Step] = field(default_factory=list)

    def all(self, name: str) -> list[Step]:
        """The instructions of that name, in order."""
        return [step for step in self.steps if step.name == name]

    def last(self, name: str) -> Step:
        """The instruction that counts where only the last one does."""
        return self.all(name)[-1]

    @property
    def healthcheck(self) -> list[str]:
        """The command of HEALTHCHECK."""
        return json.loads(self.last("HEALTHCHECK").text.partition("CMD ")[2])


def stages(file: Path = ROOT / "Dockerfile") -> list[Stage]:
    """Read the stages; an ARG before the first FROM stands for its default."""
    found: list[Stage] = []
    defaults: dict[str, str] = {}
    for step in _steps(file.read_text(encoding="utf-8")):
        if step.name == "FROM":
            base, _, name = step.text.partition(" AS ")
            found.append(Stage(re.sub(r"\$\{(\w+)\}", lambda m: defaults[m[1]], base), name))
        elif found:
            found[-1].steps.append(step)
        else:
            name, _, value = step.text.partition("=")
            defaults[name] = value
    return found


def environment(stage: Stage, before: dict[str, str]) -> dict[str, str]:
    """What the ENV instructions make of an environment."""
    env = dict(before)
    for step in stage.all("ENV"):
        for word in step.words:
            name, _, value = word.partition("=")
            env[name] = re.sub(r"\$(\w+)", lambda m: env.get(m[1], ""), value)
    return env


def _steps(text: str) -> list[Step]:
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    found = [line.strip().partition(" ") for line in joined.splitlines() if line.strip()]
    return [Step(name.upper(), rest.strip()) for name, _, rest in found]
