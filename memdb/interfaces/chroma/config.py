"""What chromadb.config has of use to a client: the settings, and the names of what every file has."""

from __future__ import annotations

import os
from typing import TypeVar

from pydantic import TypeAdapter

from memdb.collections import DEFAULT_DATABASE, DEFAULT_TENANT

__all__ = ["DEFAULT_DATABASE", "DEFAULT_TENANT", "Settings"]


_Value = TypeVar("_Value", bool, str)


class Settings:
    """The settings of a client. Only `allow_reset`, `is_persistent` and `persist_directory` have an effect; any others are kept.

    What is not given of these is taken from the environment, under the same names. "true", "1", "no", … are read as what they say.
    """

    def __init__(
        self,
        *,
        allow_reset: bool | None = None,
        is_persistent: bool | None = None,
        persist_directory: str | None = None,
        anonymized_telemetry: bool = False,
        chroma_api_impl: str = "memdb.interfaces.chroma",
        chroma_server_host: str | None = None,
        chroma_server_http_port: int | None = None,
        **others: object,
    ) -> None:
        self.allow_reset = _told("allow_reset", allow_reset, otherwise=False)
        self.is_persistent = _told("is_persistent", is_persistent, otherwise=False)
        self.persist_directory = _told("persist_directory", persist_directory, otherwise="./chroma")
        self.anonymized_telemetry = anonymized_telemetry
        self.chroma_api_impl = chroma_api_impl
        self.chroma_server_host = chroma_server_host
        self.chroma_server_http_port = chroma_server_http_port
        self.__dict__.update(others)

    def __eq__(self, other: object) -> bool:
        return self.__dict__ == other.__dict__ if isinstance(other, Settings) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # as in chromadb: settings can be changed

    def __repr__(self) -> str:
        return f"Settings({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"

    def __getitem__(self, name: str) -> object:
        """Return a setting by its name."""
        value: object = getattr(self, name)
        return value

    def require(self, key: str) -> object:
        """Return a setting that has a value.

        Raises:
            ValueError: it has none.
        """
        if self[key] is None:
            raise ValueError(f"Missing required config value '{key}'")
        return self[key]


def _told(name: str, given: _Value | None, *, otherwise: _Value) -> _Value:
    """What a setting is: as given, as the environment says, or as usual.

    Raises:
        ValueError: it is none.
    """
    if given is None:
        said = {key.lower(): value for key, value in os.environ.items()}.get(name)
        return otherwise if said is None else TypeAdapter(type(otherwise)).validate_python(said)
    return TypeAdapter(type(otherwise)).validate_python(given)
