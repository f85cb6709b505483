"""Write the pages that come out of the code: `make docs`. A test fails when one is out of date.

    python docs/generate.py            write them
    python docs/generate.py --check    exit 1 when one is not current
"""

from __future__ import annotations

import sys
from dataclasses import MISSING, fields
from pathlib import Path

from kensaku.config import Settings
from kensaku.providers import provider_class, provider_names

DOCS = Path(__file__).parent


def configuration() -> str:
    """Every setting and every environment variable."""
    rows = []
    for f in fields(Settings):
        m = f.metadata
        if not m:
            continue
        default = f.default if f.default_factory is MISSING else ""
        shown = ", ".join(map(str, default)) if isinstance(default, tuple) else str(default)
        if m["key"] == "home":
            shown = "~/.local/share/kensaku"
        shown = f"`{shown}`" if shown not in ("", "None") else ""
        rows.append(f"| `{m['key']}` | `{m['variable']}` | {shown} | {m['about']} |")
    keys = []
    for name in provider_names():
        cls = provider_class(name)
        if name == "local":
            continue
        prefix = name.upper()
        names = [v for v in (cls.key_variable, *cls.key_aliases) if v]
        key = ", ".join(f"`{v}`" for v in names) or "–"
        options = ", ".join(f"`{v}`" for v in cls.options.values()) or "–"
        keys.append(f"| {name} | {key} | `{prefix}_BASE_URL` | `{prefix}_RATE` | {options} |")
    return _CONFIGURATION.format(settings="\n".join(rows), providers="\n".join(keys))


_CONFIGURATION = """\
# Configuration

Defaults, then a file, then the environment, then arguments: what comes later wins.
`kensaku config` shows every value and where it came from, keys masked.

```console
$ export TAVILY_API_KEY=tvly-…          # several keys: separated by commas, or TAVILY_API_KEY_2 …
$ export WEB_SEARCH_PROVIDER=tavily,brave,local
```

The file is `config.toml` in `KENSAKU_HOME` (or in `~/.config/kensaku` when that is not set), or
the one that `KENSAKU_CONFIG` or `--config` names. Never one of the working directory: a cloned
repository must not choose where keys are sent. YAML (extra `yaml`) and JSON work by their suffix.

```toml
route = ["tavily", "brave", "local"]
timeout = 10

[cache]
ttl = 600

[providers.tavily]
api_key = "${{TAVILY_API_KEY}}"    # from the environment; ${{VAR:-default}} works, too
rate = "100/m"

[providers.brave]
enabled = false                  # what stands in a disabled section is not read
api_key = "${{BRAVE_API_KEY}}"
```

## Settings

| key | environment | default | meaning |
|---|---|---|---|
{settings}

## Providers

In the file a provider is a section `[providers.NAME]` with `api_key`, `base_url`, `rate`,
`enabled` and its options. Tavily also listens to `TAVILY_API_BASE_URL`, as its own tools do; every
provider takes `NAME_API_BASE_URL` and `NAME_ENABLED`. A key is only ever sent to the base URL that
the settings name: no argument of a search can change it.

| provider | key | base URL | rate | options |
|---|---|---|---|---|
{providers}
"""

PAGES = {"configuration.md": configuration}


def main() -> int:
    stale = []
    for name, write in PAGES.items():
        page = DOCS / name
        text = write()
        if page.exists() and page.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in sys.argv:
            page.write_text(text, encoding="utf-8")
    if stale and "--check" in sys.argv:
        print("not current: " + ", ".join(stale) + "; run: make docs")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
