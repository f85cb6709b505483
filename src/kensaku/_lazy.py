"""Load a package's public names when they are first used.

__getattr__, __dir__, __all__ = attach(__name__, client=["Kensaku"], models=["Hit", "Query"])
"""

TYPE_CHECKING = False  # importing `typing` takes longer than all else here
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


def attach(
    package: str, /, of: str = "", **names: "Iterable[str]"
) -> "tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]":
    """Return `__getattr__`, `__dir__` and `__all__` of a package. `names`: submodule → its names.

    `of`: the package that the submodules belong to, if it is another one.
    A submodule of a folder is written with two underscores: `search__budget`. A submodule that is
    public itself is listed among its own names: `faults=["Fault", "faults"]`.
    """
    modules = {name: module for module, listed in names.items() for name in listed}
    public = sorted(modules)

    def load(name: str) -> "Any":
        import sys
        from importlib import import_module

        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{of or package}.{modules[name].replace('__', '.')}")
        value = module if name == modules[name] else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: public, public
