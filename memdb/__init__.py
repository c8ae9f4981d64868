"""memdb: the long-term memory of an AI assistant in one SQLite file."""

from memdb.config import Config
from memdb.errors import (
    BusyError,
    ConfigError,
    ConflictError,
    InputError,
    MdbError,
    ModelError,
    ModelOutputError,
    ModelUnavailable,
    NotFoundError,
    SchemaError,
    StoreError,
)
from memdb.llm import LanguageModel, ScriptedModel, openai_transport
from memdb.memory import Memory, open
from memdb.records import (
    Change,
    Context,
    ContextItem,
    Fact,
    Forgotten,
    Hit,
    Hits,
    Message,
    Profile,
    ProfileChange,
    ProfileEntry,
    Stats,
    Undone,
    Verdict,
)

__version__ = "0.1.0"

__all__ = [
    "BusyError",
    "Change",
    "Config",
    "ConfigError",
    "ConflictError",
    "Context",
    "ContextItem",
    "Fact",
    "Forgotten",
    "Hit",
    "Hits",
    "InputError",
    "LanguageModel",
    "MdbError",
    "Memory",
    "Message",
    "ModelError",
    "ModelOutputError",
    "ModelUnavailable",
    "NotFoundError",
    "Profile",
    "ProfileChange",
    "ProfileEntry",
    "SchemaError",
    "ScriptedModel",
    "Stats",
    "StoreError",
    "Undone",
    "Verdict",
    "__version__",
    "open",
    "openai_transport",
]
