"""`python -m kensaku.cli`: the same as `kensaku`, once the working directory is off the path.

Python itself searches the working directory before this runs. Use `kensaku`, or `python -P -m`, in
a folder that you do not trust.
"""

from kensaku._child_process import drop_working_directory

if __name__ == "__main__":
    drop_working_directory()  # before anything else is imported

    from kensaku.cli import main

    raise SystemExit(main())
