"""A pydantic model of the arguments, for frameworks that want one, that accepts everything.

It shows the tool's own schema and checks nothing: the tool does, with its own error sentences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from kensaku.tools.base import BaseTool


def arguments_model(tool: BaseTool, schema: dict[str, Any] | None = None) -> type[BaseModel]:
    """Return a model with this schema, or the tool's, that accepts whatever a model sends."""
    shown = schema or tool.parameters

    class Arguments(BaseModel):
        model_config = ConfigDict(extra="allow", title=tool.name)

        @classmethod
        def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> dict[str, Any]:
            return shown

    return Arguments
