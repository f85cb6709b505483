"""Our mixin, dependencies and error in the place of the author's, for his own tests.

They are there before his package is imported: what he imports from his modules is ours. His
package needs a clone of drillan/claudecode-model beside his, in version 0.0.28: the next ones ask
for dependencies that his agents do not give, and ten of his tests fail with his own code, too.
"""

from __future__ import annotations

import os
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from kensaku.compat.tavily_tools import pydantic_ai as ours

SOURCE = Path.cwd() / "src"
ERRORS, MIXIN = "mixseek_plus.errors", "mixseek_plus.agents.mixins.tavily_tools"


def swap() -> None:
    beside = Path(os.environ.get("KENSAKU_AUTHORS", "..")).expanduser() / "claudecode-model" / "src"
    sys.path[:0] = [str(SOURCE), str(beside)]
    errors = spec_from_file_location(ERRORS, SOURCE / "mixseek_plus" / "errors.py")
    assert errors
    assert errors.loader
    sys.modules[ERRORS] = module_from_spec(errors)
    errors.loader.exec_module(sys.modules[ERRORS])
    sys.modules[ERRORS].TavilyAPIError = ours.TavilyAPIError
    mixin = ModuleType(MIXIN)
    vars(mixin).update({name: getattr(ours, name) for name in ours.__all__})
    mixin.TavilyAgentProtocol = object  # for type checkers
    sys.modules[MIXIN] = mixin


swap()
