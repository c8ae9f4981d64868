"""The only reader of `sql/`, `prompts/` and `rules/`: beside the package in a checkout, inside it in a wheel."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from memdb.disk import too_many_error
from memdb.errors import InputError
from memdb.quoting import one_line, quoted

_PACKAGE = Path(__file__).resolve().parent
_BESIDE = re.compile(r"""('[^']*'|"[^"]*")|\s*([,()=+])\s*""")  # quoted text stays as it is
_COMMENT = re.compile(r"^((?:[^'\-]|'(?:[^']|'')*'|-(?!-))*)--.*")
_STATEMENT = re.compile(r"^-- statement: (\w+)\s*$", re.MULTILINE)
_WITH = re.compile(r"^-- with: ([\w., ]+)$", re.MULTILINE)
_LIKE = re.compile(r"^-- like: (\w+)\n(.*)", re.MULTILINE | re.DOTALL)
_STEP = re.compile(r"^(\w+)(?: \([\w, ]+\))? as .*?^\)", re.MULTILINE | re.DOTALL)
_SOURCE = re.compile(r"\b(?:from|join)\s+(\w+)")
_ASIDE = re.compile(r"--[^\n]*|'(?:[^']|'')*'")
_FIELD = re.compile(r"^> \{(\w+)\}$|\{(\w+)\}", re.MULTILINE)  # of a prompt: one that is quoted, or one within a line
_PARAMETER = re.compile(r":([a-z_]\w*)")


@cache
def _folder(name: str) -> Path:
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


@cache
def read(name: str) -> str:
    """Return the text of a shipped file, such as "sql/schema.sql"."""
    return _read(name).decode()


def _read(name: str) -> bytes:
    folder, _, rest = name.partition("/")
    try:
        with open(f"{_folder(folder)}/{rest}", "rb", buffering=0) as file:  # decoded at once, in half the time
            return file.read()
    except OSError as error:
        if (too_many := too_many_error(name)) is not None:
            raise too_many from error
        raise


def migrations() -> list[tuple[int, str]]:
    """Return the migrations in order, as (number, SQL)."""
    return [(_number(path), path.read_text(encoding="utf-8")) for path in _migrations()]


def schema_version() -> int:
    """Return the number of the last migration, which is the schema's."""
    return _number(_migrations()[-1])


def schema() -> str:
    """Return the whole of today's schema as SQL, as a new file has it; the migrations lead to the same."""
    return "\n".join(read(f"sql/{name}.sql") for name in ("schema", "triggers", "views", "seeds"))


@cache
def table_names() -> frozenset[str]:
    """Return the names of the tables that today's schema has, but for the virtual ones."""
    parts = _read("sql/schema.sql").split(b"\ncreate table ")  # a tenth of the time of a regular expression
    return frozenset(part.partition(b" ")[0].decode() for part in parts[1:])


def _migrations() -> list[Path]:
    return sorted((_folder("sql") / "migrations").glob("[0-9][0-9][0-9][0-9]_*.sql"))


def _number(migration: Path) -> int:
    return int(migration.name[:4])


def statement_files() -> list[str]:
    """Return the names of the files in `sql/` that hold named statements or are one statement."""
    whole = {"schema", "triggers", "views", "seeds", "vectors", "no_vectors", "dictionary", "supposing", "looking_back"}
    return sorted(path.stem for path in _folder("sql").glob("*.sql") if path.stem not in whole)


def statements(file: str) -> dict[str, str]:
    """Return the statements of `sql/<file>.sql` by name; a file without `-- statement:` lines is one statement of its own name.

    Where one says `-- with: retrieve.eligible, scan.closed.asked`, it begins with these steps of other statements, as they stand there.
    Where it says `-- like: retrieve`, it is that one, but for the steps that it writes anew and those that then no other needs.
    """
    return {name: _LIKE.sub(_like, _WITH.sub(_steps, sql)) for name, sql in _written(file).items()}


@cache
def _written(file: str) -> dict[str, str]:
    parts = _STATEMENT.split(read(f"sql/{file}.sql"))
    if len(parts) == 1:
        return {file: parts[0]}
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _steps(named: re.Match[str]) -> str:
    steps = []
    for name in named[1].split(", "):
        statement, _, step = name.rpartition(".")
        file, _, part = statement.partition(".")
        sql = _written(file)[part or file]
        begins = sql.index(f"\n{step} as ") + 1
        steps.append(sql[begins : sql.index("\n)", begins) + 2])
    return "with\n" + ",\n".join(steps)


def _like(given: re.Match[str]) -> str:
    sql = _written(given[1])[given[1]]
    steps = {step[1]: step[0] for step in _STEP.finditer(sql)}
    rest = sql[sql.rindex(last := list(steps.values())[-1]) + len(last) :]
    steps |= {step[1]: step[0] for step in _STEP.finditer(given[2])}
    needed, wanted = set[str](), [rest]
    while wanted:
        named = set(_SOURCE.findall(_ASIDE.sub(" ", wanted.pop()))) & steps.keys() - needed
        needed |= named
        wanted += map(steps.__getitem__, named)
    return "with\n" + ",\n".join(step for name, step in steps.items() if name in needed) + rest


@cache
def statement(name: str) -> str:
    """Return one statement, as short as it can be: "retrieve", or "apply.insert_fact" for a named one in a file of several.

    Only so is every one of them short enough to be kept prepared: apsw prepares what is longer than 16 KiB anew each time it is run.
    """
    file, _, part = name.partition(".")
    return bare(statements(file)[part or file])


def bare(sql: str) -> str:
    """Return SQL without comments, indents and spaces beside commas and the like; no quoted text of it may go over a line's end."""
    lines = (told[1] if "--" in text and (told := _COMMENT.match(text)) else text for text in sql.splitlines())
    return _BESIDE.sub(lambda found: found[1] or found[2], "\n".join(filter(None, map(str.strip, lines))))


@cache
def parameter_order(sql: str) -> tuple[str, ...]:
    """Return the named parameters of a statement, comments and quoted text aside, in the order of first use: as SQLite numbers them."""
    return tuple(dict.fromkeys(_PARAMETER.findall(_ASIDE.sub(" ", sql))))


def parted(text: str) -> list[str]:
    """Return the words and phrases that commas part in a text of `rules/`: a list that is read in half the time of an array."""
    return [part.strip() for part in text.split(",")]


def fill(prompt: str, **values: str) -> str:
    """Return a shipped prompt with its fields filled in; hostile text cannot reach them, since only the shipped text is searched.

    A field that stands by itself behind ">" is quoted, every line of it; any other is one line. So no value can pass for the prompt.

    Raises:
        InputError: the prompt wants other fields than are given.
    """
    text = read(f"prompts/{prompt}.md")
    wanted = {field[1] or field[2] for field in _FIELD.finditer(text)}
    if wanted != values.keys():
        raise InputError(f"prompts/{prompt}.md wants {sorted(wanted)} and was given {sorted(values)}.")
    return _FIELD.sub(lambda field: quoted(values[field[1]]) if field[1] else one_line(values[field[2]]), text)


def instructions(prompt: str, **values: str) -> str:
    """Return a shipped prompt that tells a model what to do, with what it must know of quotations.

    Raises:
        InputError: the prompt wants other fields than are given.
    """
    return fill(prompt, **values) + read("prompts/quoted.md")
