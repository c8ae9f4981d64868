"""How a page is made: from templates that escape whatever is remembered, under a policy that lets no script run and nobody be asked."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from datetime import datetime, tzinfo
from pathlib import Path
from urllib.parse import urlencode

from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from pydantic import BaseModel

from memdb import Change, ProfileChange
from memdb.interfaces.inspector.views import differences
from memdb.interfaces.show import clean, look_of, said
from memdb.times import in_zone

_FOLDER = Path(__file__).parent / "templates"
_STYLE = (_FOLDER / "style.css").read_text(encoding="utf-8")
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()

HEADERS = {
    "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{_HASH}'; img-src data:; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""What every answer says: no script, nothing from elsewhere, in nobody's frame, kept nowhere."""


def render(
    template: str, shown: Mapping[str, object], *, status: int = 200, headers: Mapping[str, str] | None = None
) -> HTMLResponse:  # fmt: skip
    """Return a page."""
    text = _ENVIRONMENT.get_template(template).render(shown, style=_STYLE)
    return HTMLResponse(text.encode("utf-8", "replace"), status_code=status, headers={**HEADERS, **(headers or {})})


def url(path: str, **fields: object) -> str:
    """Return an address on these pages; whatever a name holds, it is one field of it."""
    given = {name: value for name, value in fields.items() if value not in (None, "", False)}
    return f"{path}?{urlencode(given, errors='replace')}" if given else path


def number(value: float | None) -> str:
    """Return a number with three digits after the point, without needless zeros."""
    if value is None:
        return "–"
    return f"{value:,.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else f"{value:,}"


def when(value: datetime | None, zone: tzinfo) -> str:
    """Return an instant in a time zone."""
    return "" if value is None else f"{in_zone(value, zone):%Y-%m-%d %H:%M}"


def brief(text: str, most: int = 240) -> str:
    """Return a text, cut where it is long."""
    return text if len(text) <= most else f"{text[:most].rstrip()} …"


def told(value: object) -> str:
    """Return a field's value as text."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, float):
        return number(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def size(value: int) -> str:
    """Return a number of bytes in KiB, MiB or GiB."""
    amount, unit = value / 1024, "KiB"
    for larger in ("MiB", "GiB"):
        if amount >= 1024:
            amount, unit = amount / 1024, larger
    return f"{amount:,.1f} {unit}"


def quoted(text: str) -> str:
    """Return a text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def changed(change: Change) -> list[tuple[str, str, str]]:
    """Return what a change changed, as text."""
    return [(name, told(before), told(after)) for name, before, after in differences(change)]


def fields(record: BaseModel) -> list[tuple[str, str]]:
    """Return every field of a record, as text."""
    return [(name, told(getattr(record, name))) for name in type(record).model_fields]


def done(change: Change | ProfileChange) -> str:
    """Return what a change did, in the word that the command line has for it."""
    return look_of(change).word


def plain(name: str) -> str:
    """Return a name of the code in words."""
    return name.replace("_", " ")


def _seen(value: object) -> object:
    """What is shown of a value: of a text also what no page shows, or shows backwards. What a form sends back stays as it is (`|e`)."""
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


_ENVIRONMENT = Environment(
    loader=FileSystemLoader(_FOLDER), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_seen
)
_ENVIRONMENT.filters |= {
    "number": number, "when": when, "brief": brief, "told": told, "size": size, "quoted": quoted, "said": said, "changed": changed,
    "fields": fields, "done": done, "plain": plain,
}  # fmt: skip
_ENVIRONMENT.globals |= {"url": url}
