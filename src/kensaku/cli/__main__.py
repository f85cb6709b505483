"""`python -m kensaku.cli`: the same as `kensaku`."""

from kensaku.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
