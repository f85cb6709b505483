"""For frameworks that want the arguments as a pydantic model: one that hands everything on.

The schema is the tool's own, and nothing is checked here: the tool does that, in its own words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from kensaku.tools.base import BaseTool


def arguments_model(tool: BaseTool, schema: dict[str, Any] | None = None) -> type[BaseModel]:
    """A model with the tool's schema, or this one, that takes whatever a language model sends."""
    shown = schema or tool.parameters

    class Arguments(BaseModel):
        model_config = ConfigDict(extra="allow", title=tool.name)

        @classmethod
        def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> dict[str, Any]:
            return shown

    return Arguments
