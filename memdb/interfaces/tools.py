"""Tools of an assistant, each made of a verb of the memory: what it takes are the fields of the body that the verb takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, cast, get_type_hints

from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata
from mcp.types import ToolAnnotations

from memdb import Memory
from memdb.interfaces import owners, shapes


def tool_of(verb: Callable[..., object], memory: Memory, owner: str | None, hints: ToolAnnotations) -> Tool:
    """Return a verb as a tool: its arguments are the fields of the body that the verb takes, without the user where one is fixed."""
    types = get_type_hints(verb)
    body = cast(type[shapes.Body], types["asked"])
    fixed = {"user_id": owner} if owner is not None and "user_id" in body.model_fields else {}

    def call(**given: object) -> object:
        asked = body.model_construct(None, **given, **fixed)  # what is given was checked against the same fields
        if owner is not None and isinstance(asked, shapes.FactId):
            owners.owned(memory, asked.fact_id, user_id=owner)
        return verb(memory, asked)

    parameters = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.is_required() else field.default,
            annotation=Annotated[field.annotation, field],
        )
        for name, field in body.model_fields.items()
        if name not in fixed
    ]
    call.__name__ = verb.__name__
    call.__signature__ = inspect.Signature(parameters, return_annotation=types["return"])  # type: ignore[attr-defined]
    tool = Tool.from_function(call, description=inspect.getdoc(verb), annotations=hints)
    arguments = tool.fn_metadata.arg_model
    arguments.model_config["extra"] = "forbid"  # a misspelt filter, or a user where one is fixed, would be passed over in silence
    arguments.model_rebuild(force=True)
    tool.parameters = cast(dict[str, Any], _untitled(arguments.model_json_schema()))
    made = tool.fn_metadata
    tool.fn_metadata = _Arguments(
        arg_model=arguments,
        output_schema=cast(dict[str, Any], _untitled(made.output_schema)),
        output_model=made.output_model,
        wrap_output=made.wrap_output,
        body=body,
        texts=frozenset(name for name, schema in tool.parameters["properties"].items() if _may_be("string", schema)),
        lists=frozenset(name for name, schema in tool.parameters["properties"].items() if _may_be("array", schema)),
    )
    return tool


def _untitled(schema: object) -> object:
    """A schema without the titles that are made of names: every conversation that has the tools pays for them."""
    if isinstance(schema, dict):
        return {name: _untitled(value) for name, value in schema.items() if name != "title" or not isinstance(value, str)}
    return [_untitled(one) for one in schema] if isinstance(schema, list) else schema


class _Arguments(FuncMetadata):
    """What a tool takes, under all names that it goes by.

    Some programs send a list as the text of it, which is read, or what alone would stand in it; where a text may stand, it is one, word for
    word.
    """

    texts: frozenset[str]
    lists: frozenset[str]
    body: type[shapes.Body]

    def pre_parse_json(self, data: dict[str, object]) -> dict[str, object]:
        """Return the arguments by their own names, with lists read."""
        data = self.body.by_their_names(data)
        rest = super().pre_parse_json({name: value for name, value in data.items() if name not in self.texts})
        alone = {name: [value] for name, value in rest.items() if name in self.lists and isinstance(value, str)}
        return data | rest | alone


def _may_be(kind: str, schema: dict[str, object]) -> bool:
    return kind in [schema.get("type"), *(one.get("type") for one in cast(list[dict[str, object]], schema.get("anyOf", ())))]
