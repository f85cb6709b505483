"""Semantic Kernel: `kernel.add_functions("kensaku", kensaku.tools_for("semantic-kernel"))`.

The value of a function's result is the text for the model; the same facts as data are in its
`metadata["kensaku"]`. The kernel refuses missing and unknown arguments, the tool all else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.errors import MissingExtra

try:
    from semantic_kernel.functions import (  # type: ignore[import-not-found, unused-ignore]
        FunctionResult,
        KernelFunctionFromMethod,
        KernelParameterMetadata,
        kernel_function,
    )
except ImportError:
    raise MissingExtra("semantic-kernel", "semantic-kernel") from None

if TYPE_CHECKING:
    from kensaku.tools.base import BaseTool

__all__ = ["wrap"]


def wrap(tool: BaseTool) -> KernelFunctionFromMethod:
    """Return the tool as a function for a kernel."""

    async def run(**arguments: Any) -> Any:
        result = await tool.invoke(arguments)
        data = {"kensaku": result.to_dict()}
        return FunctionResult(function=wrapped.metadata, value=result.text, metadata=data)

    wrapped = KernelFunctionFromMethod(
        kernel_function(run, name=tool.name, description=tool.description),
        parameters=_parameters(tool),
        return_parameter=KernelParameterMetadata(
            name="return", type_="str", is_required=True, schema_data={"type": "string"}
        ),
    )
    return wrapped


def _parameters(tool: BaseTool) -> list[KernelParameterMetadata]:
    schema = tool.parameters
    return [
        KernelParameterMetadata(
            name=name,
            description=about["description"],
            default_value=about.get("default"),
            is_required=name in schema["required"],
            schema_data=about,
        )
        for name, about in schema["properties"].items()
    ]
