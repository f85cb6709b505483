"""Carry the Dockerfile out without a Docker engine, then start the image as compose.yaml does.

    python -m tests.installed.container            needs Linux, root and a Python of that version
    python -m tests.installed.container --check    say whether it can be done here

Each stage is a copy-on-write view of this machine's root (overlayfs) in a mount namespace of its
own, with a Python of the base image's version in /usr/local. The finished image is mounted
read-only, but for /data and /tmp, and runs without capabilities and without a network.
"""

from __future__ import annotations

import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.dockerfile import Stage, environment, stages  # noqa: E402

PATH = "/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin"
SECONDS = 60.0
# How this machine reaches a package index; an engine would be told by build arguments.
NETWORK = ("PIP_", "SSL_", "HTTP_", "HTTPS_", "NO_PROXY", "http_", "https_", "no_proxy")
OUTSIDE = ("PIP_FIND_LINKS", "PIP_CACHE_DIR")  # folders that the image has not


class Image:
    """A stage: its root is mounted where commands of the stage find it as `/`."""

    def __init__(self, stage: Stage, folder: Path, python: Path) -> None:
        self.stage, self.folder, self.root = stage, folder, folder / "root"
        self.env = environment(stage, {"PATH": PATH, "HOME": "/root"})
        layers = {"root": "/", "usr": str(python)}
        for name, lower in layers.items():
            upper, work = folder / f"{name}-upper", folder / f"{name}-work"
            for made in (upper, work, self.root):
                made.mkdir(parents=True, exist_ok=True)
            where = self.root if name == "root" else self.root / "usr/local"
            options = f"lowerdir={lower},upperdir={upper},workdir={work}"
            mount("-t", "overlay", "overlay", "-o", options, where)
        for name in ("tmp", "root", "home"):
            mount("-t", "tmpfs", "tmpfs", self.root / name)
        for name in ("proc", "dev"):
            mount("--rbind", f"/{name}", self.root / name)
        self.run(["ldconfig"], self.env, check=True)  # the Python may come with a shared library

    def carry_out(self, others: Mapping[str, Image]) -> None:
        """Run the instructions that change files, in order."""
        folder = Path("/")
        for step in self.stage.steps:
            if step.name == "WORKDIR":
                folder = Path(step.text)
                self.inside(folder).mkdir(parents=True, exist_ok=True)
            elif step.name == "COPY":
                self._copy(step.words, folder, others)
            elif step.name == "RUN":
                print(f"RUN {step.text[:90]}", flush=True)
                script = f"cd {folder} && {step.text}"
                self.run(["/bin/sh", "-ec", script], _network() | self.env, check=True)

    def _copy(self, words: list[str], folder: Path, others: Mapping[str, Image]) -> None:
        from_stage = words[0].startswith("--from=")
        source = others[words.pop(0).removeprefix("--from=")].root if from_stage else ROOT
        *names, to = words
        for name in names:
            here = source / name.lstrip("/")
            there = self.inside(folder / to)
            if here.is_dir():
                ignored = None if from_stage else shutil.ignore_patterns("__pycache__")
                shutil.copytree(here, there, symlinks=True, dirs_exist_ok=True, ignore=ignored)
            else:
                there = there / here.name if to.endswith("/") else there
                there.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(here, there)

    def inside(self, path: Path) -> Path:
        """Where a path of the image is on this machine."""
        return self.root / str(path).lstrip("/")

    def seal(self) -> None:
        """Mount it as `read_only: true` does: only /data and /tmp can be written to."""
        data, volume = self.root / "data", self.folder / "volume"
        shutil.copytree(data, volume)
        shutil.chown(volume, 10001, 10001)
        mount("--bind", volume, data)
        mount("-o", "remount,ro", self.root / "usr/local")
        mount("-o", "remount,ro", self.root)
        mount("-o", "remount,noexec,nosuid,nodev,mode=1777", self.root / "tmp")

    def run(
        self, words: Sequence[str], env: Mapping[str, str], *, check: bool = False
    ) -> subprocess.CompletedProcess[str]:
        """Run a command as root, as RUN does."""
        line = ["chroot", self.root, "env", "-i", *(f"{n}={v}" for n, v in env.items()), *words]
        return subprocess.run(line, check=check, text=True)

    def as_user(self, words: Sequence[str], **more: str) -> list[str]:
        """The command line that runs `words` as a container does: as USER, with no capability."""
        uid, gid = self.stage.last("USER").text.split(":")
        drop = ["setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups",
                "--bounding-set=-all", "--no-new-privs"]  # fmt: skip
        env = [f"{n}={v}" for n, v in {**self.env, **more}.items()]
        return ["chroot", str(self.root), *drop, "env", "-i", *env, *words]


def mount(*words: str | Path) -> None:
    subprocess.run(["mount", *words], check=True)


def _network() -> dict[str, str]:
    env = os.environ.items()
    return {n: v for n, v in env if n.startswith(NETWORK) and n not in OUTSIDE}


def base_python(version: str) -> Path | None:
    """The prefix of a Python like that of the base image: this one, or one of pyenv's."""
    if sys.version.startswith(f"{version}.") and sys.base_prefix != "/usr":
        return Path(sys.base_prefix)
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)  # HOME may be another one in a test
    found = sorted(home.glob(f".pyenv/versions/{version}.*"))
    return found[-1] if found else None


def version_of(stage: Stage) -> str:
    """The version of Python in the name of the base image."""
    return stage.base.partition(":")[2].partition("-")[0]


def build(scratch: Path) -> Image:
    """Carry the stages out, one after the other; the last one is the image."""
    images: dict[str, Image] = {}
    for number, stage in enumerate(stages()):
        python = base_python(version_of(stage))
        assert python
        print(f"FROM {stage.base}: here {python}", flush=True)
        image = Image(stage, scratch / str(number), python)
        image.carry_out(images)
        images[stage.name] = image
    return image


def start(image: Image) -> None:
    """Do what docs/install.md tells people to do, in that order."""
    entry = image.stage.last("ENTRYPOINT").words
    command = entry + image.stage.last("CMD").words
    refused = said(image.as_user(command), status=None)
    expect("create one first: kensaku keys create NAME" in refused, refused)

    expect("Read-only file system" in said(image.as_user(["touch", "/app/x"]), status=None), "rw")
    expect(said(image.as_user(["id", "-u"])).strip() == "10001", "the wrong user")
    key = said(image.as_user([*entry, "keys", "create", "admin", "--admin"])).splitlines()[0]
    image.inside(Path("/data/notes.md")).write_text("# Otters\n\nSea otters hold hands.\n")
    said(image.as_user([*entry, "index", "add", "/data/notes.md"]))

    server = subprocess.Popen(image.as_user(command, KENSAKU_ROUTE="local"))
    try:
        wait_until_healthy(image, server)
        answer = said(image.as_user(["python", "-c", ASK, key]))
        expect(json.loads(answer)["results"][0]["title"] == "Otters", answer)
        expect("401" in said(image.as_user(["python", "-c", ASK, "wrong"]), status=None), "no key")
    finally:
        server.send_signal(signal.SIGTERM)
        ended = server.wait(30)
    expect(ended in (0, -signal.SIGTERM), f"SIGTERM ended it with {ended}")
    print("container: refused without a key, healthy, answered, ended by SIGTERM")


ASK = """
import json, sys, urllib.request as u
body = json.dumps({"query": "sea otters"}).encode()
head = {"Content-Type": "application/json", "Authorization": "Bearer " + sys.argv[1]}
print(u.urlopen(u.Request("http://127.0.0.1:8787/search", body, head)).read().decode())
"""


def said(words: list[str], status: int | None = 0) -> str:
    """What a command printed; `status` None: it has to fail."""
    done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS * 2)
    wrong = done.returncode == 0 if status is None else done.returncode != status
    expect(not wrong, f"{words[-3:]}: {done.returncode} {done.stdout} {done.stderr}")
    return done.stdout + (done.stderr if status is None else "")


def wait_until_healthy(image: Image, server: subprocess.Popen[bytes]) -> None:
    """Ask by the image's own HEALTHCHECK."""
    until = time.monotonic() + SECONDS
    while subprocess.run(image.as_user(image.stage.healthcheck), capture_output=True).returncode:
        expect(server.poll() is None, "the server ended")
        expect(time.monotonic() < until, "never healthy")
        time.sleep(1)


def expect(true: bool, otherwise: str) -> None:
    if not true:
        raise SystemExit(f"container: {otherwise}")


def missing() -> str:
    """What this machine lacks, if anything."""
    if sys.platform != "linux" or os.geteuid():
        return "Linux, and root"
    if tools := [t for t in ("unshare", "chroot", "setpriv", "ip") if not shutil.which(t)]:
        return ", ".join(tools)
    version = version_of(stages()[-1])
    return "" if base_python(version) else f"a Python {version} outside /usr"


def main(words: list[str]) -> int:
    if lacking := missing():
        print(f"container: it needs {lacking}")
        return 1
    if words == ["--check"]:
        return 0
    me = [sys.executable, "-m", "tests.installed.container"]
    if not words:
        with tempfile.TemporaryDirectory(prefix="kensaku-image-") as scratch:
            alone = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
            return subprocess.run([*alone, *me, "build", scratch], cwd=ROOT).returncode
    image = build(Path(words[1]))
    subprocess.run(["du", "-sh", image.inside(Path("/app"))], check=True)
    image.seal()
    # From here on, there is no network but loopback.
    libc_unshare_network()
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    start(image)
    return 0


def libc_unshare_network() -> None:
    """`os.unshare` is newer than our oldest Python."""
    import ctypes

    clone_newnet = 0x40000000
    if ctypes.CDLL(None, use_errno=True).unshare(clone_newnet):
        raise OSError(ctypes.get_errno(), "unshare")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
