"""The pages of `memdb inspect`, made from what any user of memdb can ask. None of them changes the memory.

Ids stand in the query of an address, where any text can stand. Whoever asks is known as over HTTP, but that a browser sends the key as
a password.
"""

import base64
from collections.abc import Callable, Mapping
from typing import Annotated, cast, get_args

from fastapi import Depends, FastAPI, HTTPException, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException as StarletteHTTPException

import memdb
from memdb import Explanation, InputError, MdbError, Memory, NotFoundError, checks
from memdb.calibration import JUDGING
from memdb.interfaces import owners
from memdb.interfaces.inspector import asked as ask
from memdb.interfaces.inspector import views
from memdb.interfaces.inspector.rendering import HEADERS, render, url
from memdb.interfaces.problems import told
from memdb.interfaces.serving import EVERYBODY, Heads, Served, asked_here, owner_of
from memdb.records import UNDECIDED, Category

_TITLES = {400: "The request is malformed", 401: "A key is needed", 403: "Not yours to see", 404: "Not found", 405: "These pages only read"}
_DETAILS = {404: "There is no such page; begin at the start page.", 405: "Nothing is changed here; use the command memdb, or the library."}


class Door:
    """Whose memory somebody may look into: one user's, or everybody's."""

    def __init__(self, owner: str | None) -> None:
        self.owner = owner

    def open(self, user_id: str | None) -> None:
        """Let in who may see this user, or the whole file if None."""
        if self.owner is not None and user_id != self.owner:
            raise HTTPException(403, f"These pages show the memory of {self.owner!r} only.")


def create_app(
    memory: Memory | Callable[[], Memory], *, keys: Mapping[str, str] | None = None, user: str | None = None, weights: str = "default"
) -> FastAPI:
    """Return the pages of a memory.

    Args:
        memory: the memory, or a function that opens it when the server starts, which then also closes it.
        keys: API keys, each with its user or `*`; without any, a browser on this machine may ask.
        user: whose memory alone is shown.
        weights: the weight set that ranks unless another is chosen.
    """
    served = Served(memory)
    app = FastAPI(title="memdb", version=memdb.__version__, lifespan=served.lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    app.add_exception_handler(MdbError, _memory_problem)
    app.add_exception_handler(RequestValidationError, _validation_problem)
    app.add_exception_handler(StarletteHTTPException, _http_problem)
    app.add_exception_handler(Exception, _unexpected_problem)
    app.add_middleware(Heads)
    _Pages(served, keys or {}, user, weights).add_to(app)
    return app


async def _door(request: Request) -> Door:
    pages: _Pages = request.app.state.pages
    opened = pages.door(request)
    owners.OWNER.set(opened.owner)  # errors are told in this context
    return opened


Entry = Annotated[Door, Depends(_door)]


class _Pages:
    """The pages, one method each."""

    def __init__(self, memory: Callable[[], Memory], keys: Mapping[str, str], user: str | None, weights: str) -> None:
        self._memory, self._keys, self._user, self._weights = memory, keys, user, weights

    def add_to(self, app: FastAPI) -> None:
        """Have an app serve them, each to who may see it."""
        app.state.pages = self
        pages: dict[str, Callable[..., Response]] = {
            "/": self._start, "/user": self._one_user, "/facts": self._facts, "/fact": self._fact, "/changes": self._changes,
            "/turns": self._turns, "/turn": self._turn, "/search": self._search, "/weights": self._weight_sets, "/metrics": self._metrics,
        }  # fmt: skip
        for path, page in pages.items():
            app.get(path)(page)

    def door(self, request: Request) -> Door:
        """Return whose memory who asks may look into."""
        if not self._keys and not asked_here(request):
            raise HTTPException(400, "Without API keys these pages are there for a browser on this machine only: ask for 127.0.0.1.")
        owner = owner_of(self._keys, _sent(request.headers.get("authorization", "")))
        if owner is None:
            challenge = {"WWW-Authenticate": 'Basic realm="memdb", charset="UTF-8"'}
            raise HTTPException(401, "Give a valid API key as the password; the name does not matter.", headers=challenge)
        if self._user is not None and owner not in (EVERYBODY, self._user):
            raise HTTPException(403, f"These pages show the memory of {self._user!r} only.")
        return Door(self._user if self._user is not None else None if owner == EVERYBODY else owner)

    def _render(self, template: str, door: Door, *, status: int = 200, **shown: object) -> HTMLResponse:
        return render(template, {**shown, "owner": door.owner, "zone": self._memory().config.zone}, status=status)

    def _start(self, asked: Annotated[ask.UsersAsked, Query()], door: Entry) -> Response:
        if door.owner is not None:
            return RedirectResponse(url("/user", user_id=door.owner), status_code=303, headers=HEADERS)
        memory = self._memory()
        wanted = (asked.contains or "").casefold()
        users = [(name, held) for name, held in memory.users().items() if wanted in name.casefold()]
        return self._render(
            "start.html", door, user_id=None, asked=asked, users=views.page_of(users, asked.page, size=100),
            stats=memory.stats(), vectors=memory.vectors(),
        )  # fmt: skip

    def _one_user(self, asked: Annotated[ask.UserAsked, Query()], door: Entry) -> Response:
        door.open(asked.user_id)
        memory, user = self._memory(), asked.user_id
        statuses = views.counted(views.STATUSES, lambda status: memory.facts(user, statuses=[status], limit=0).total)
        if not statuses and user not in memory.users():
            raise NotFoundError(f"Nothing is held of {user!r}; the start page lists whose memory there is.")
        kinds = [kind for kind in memory.kinds() if kind != "message"]
        return self._render(
            "user.html", door, user_id=user, profile=memory.profile(user), consent=memory.consent(user), size=views.SIZE,
            kinds=views.counted(kinds, lambda kind: memory.facts(user, kinds=[kind], statuses=views.STATUSES, limit=0).total),
            statuses=statuses, undecided=memory.facts(user, statuses=UNDECIDED, limit=views.SIZE),
            sets=self._sets(), weights=self._weights,
        )  # fmt: skip

    def _facts(self, asked: Annotated[ask.FactsAsked, Query()], door: Entry) -> Response:
        door.open(asked.user_id)
        memory = self._memory()
        statuses = views.STATUSES if asked.status == "all" else (asked.status,) if asked.status else None
        found = views.page_at(
            lambda limit, offset: memory.facts(
                asked.user_id, statuses=statuses, kinds=[asked.kind] if asked.kind else None,
                categories=[asked.category] if asked.category else None, contains=asked.contains, limit=limit, offset=offset,
            ),
            asked.page,
        )  # fmt: skip
        return self._render(
            "facts.html", door, user_id=asked.user_id, asked=asked, facts=found, kinds=memory.kinds(), statuses=views.STATUSES,
            categories=get_args(Category),
        )  # fmt: skip

    def _fact(self, asked: Annotated[ask.FactAsked, Query()], door: Entry) -> Response:
        memory = self._memory()
        changes = views.page_at(lambda limit, offset: memory.history(fact_id=asked.fact_id, limit=limit, offset=offset), asked.page)
        begins, ends = (memory.history(fact_id=asked.fact_id, newest=newest, limit=views.SIZE) for newest in (False, True))
        try:
            fact = memory.fact(asked.fact_id)
        except NotFoundError:
            told = [record for change in reversed(ends) if (record := change.after or change.before) is not None]
            if not told and door.owner is not None:
                raise owners.none_of(door.owner, asked.fact_id) from None
            if not told:
                raise
            fact, gone = told[-1], True
        else:
            gone = False
        if door.owner is not None and fact.user_id != door.owner:
            raise owners.none_of(door.owner, asked.fact_id)
        after, before = views.successions(memory, {change.id: change for change in (*begins, *reversed(ends))}.values())
        ever = views.STATUSES
        return self._render(
            "fact.html", door, user_id=fact.user_id, fact=fact, gone=gone, changes=changes, after=after, before=before, size=views.SIZE,
            alike=None if fact.kind == "message" else memory.facts(
                fact.user_id, key=fact.key, kinds=[fact.kind], statuses=ever, limit=views.SIZE
            ),
            links=[] if gone else memory.links(fact.fact_id, statuses=ever),
            sources=memory.sources(fact.fact_id) if fact.kind == "narrative" and not gone else None,
            votes=[
                (one.query, fact.fact_id in one.relevant) for one in memory.labels()
                if one.user_id == fact.user_id and fact.fact_id in (*one.relevant, *one.wrong)
            ],
        )  # fmt: skip

    def _changes(self, asked: Annotated[ask.ChangesAsked, Query()], door: Entry) -> Response:
        door.open(asked.user_id)
        changes = views.page_at(
            lambda limit, offset: self._memory().history(user_id=asked.user_id, newest=True, limit=limit, offset=offset), asked.page
        )
        return self._render("changes.html", door, user_id=asked.user_id, asked=asked, changes=changes)

    def _turns(self, asked: Annotated[ask.TurnsAsked, Query()], door: Entry) -> Response:
        door.open(asked.user_id)
        turns = views.page_at(
            lambda limit, offset: self._memory().turns(
                asked.user_id, statuses=[asked.status] if asked.status else None, refused=asked.refused, newest=True, limit=limit,
                offset=offset,
            ),
            asked.page,
        )  # fmt: skip
        return self._render("turns.html", door, user_id=asked.user_id, asked=asked, turns=turns)

    def _turn(self, asked: Annotated[ask.TurnAsked, Query()], door: Entry) -> Response:
        door.open(asked.user_id)
        memory, user, name = self._memory(), asked.user_id, asked.turn_id
        turn = next(iter(memory.turns(user, turn_id=name)), None)
        # what is imported, stated or drawn from other memories has a name of its own for where it comes from
        kinds = memory.kinds() if turn is None else []

        def came(limit: int, offset: int) -> memdb.Listed[memdb.Fact]:
            return memory.facts(user, kinds=kinds, statuses=views.STATUSES, turn_id=name, limit=limit, offset=offset)

        def changed(limit: int, offset: int) -> memdb.Listed[memdb.Change]:
            return memory.history(user_id=user, turn_id=name, limit=limit, offset=offset)

        rows, changes = views.page_at(came, asked.page), views.page_at(changed, asked.page)
        if turn is None and not rows.total and not changes.total:
            raise NotFoundError(f"There is no turn {name!r} of {user!r}; their turns are listed under Turns.")
        return self._render(
            "turn.html",
            door,
            user_id=user,
            turn_id=name,
            turn=turn,
            rows=rows,
            changes=changes,
            calls=memory.calls(user, turn_id=name),
        )

    def _search(self, asked: Annotated[ask.QuestionAsked, Query()], door: Entry) -> Response:
        door.open(asked.user_id)
        names = [asked.weights or self._weights, *([asked.against] if asked.against else [])]
        rankings, problem, status = [], None, 200
        try:
            if asked.query:
                rankings = [views.ranking_of(name, self._memory().weights(name), self._explain(asked, name)) for name in names]
        except (InputError, NotFoundError) as error:  # the form is shown again, to be corrected
            problem, status = str(error), told(error)[0]
        return self._render(
            "search.html", door, status=status, user_id=asked.user_id, asked=asked, weights=names[0], problem=problem, rankings=rankings,
            compared=views.compare(rankings[0].why, rankings[1].why) if len(rankings) == 2 else None,
            sets=self._sets(), kinds=self._memory().kinds(), statuses=views.STATUSES,
        )  # fmt: skip

    def _explain(self, asked: ask.QuestionAsked, weights: str) -> Explanation:
        return self._memory().explain(
            asked.query, user_id=asked.user_id, fact_id=asked.fact_id, limit=asked.limit, kinds=[asked.kind] if asked.kind else None,
            statuses=[asked.status] if asked.status else None, as_of=asked.as_of, weights=weights,
        )  # fmt: skip

    def _weight_sets(self, door: Entry) -> Response:
        return self._render("weights.html", door, sets=self._memory().weight_sets(), user_id=None)

    def _metrics(self, asked: Annotated[ask.MeasuresAsked, Query()], door: Entry) -> Response:
        door.open(None)
        memory = self._memory()
        labels = sum(bool(one.relevant) for one in memory.labels())
        measured = memory.evaluate(weights=asked.weights) if asked.weights else {}
        return self._render(
            "metrics.html", door, user_id=None, stats=memory.stats(), labels=labels, measured=measured,
            sets=self._sets(), chosen=asked.weights or [self._weights],
        )  # fmt: skip

    def _sets(self) -> list[str]:
        return [name for name in self._memory().weight_sets() if name not in JUDGING]


def _sent(header: str) -> bytes | None:
    """The key that was sent: as a password, or as other programs send it."""
    scheme, _, given = header.partition(" ")
    if scheme.lower() == "bearer":
        return given.strip().encode("latin-1")
    try:
        return base64.b64decode(given, validate=True).partition(b":")[2] if scheme.lower() == "basic" else None
    except ValueError:  # it is no Base64
        return None


def _problem(status: int, title: str, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    shown = {"owner": None, "user_id": None, "zone": None, "title": title, "detail": detail}
    return render("problem.html", shown, status=status, headers=headers)


async def _memory_problem(_request: Request, error: Exception) -> Response:
    return _problem(*told(cast(MdbError, error)))


async def _validation_problem(_request: Request, error: Exception) -> Response:
    first = cast(RequestValidationError, error).errors()[0]
    return _problem(422, "The request cannot be used", f"{first['loc'][1]}: {checks.why(first)}.")


async def _http_problem(_request: Request, error: Exception) -> Response:
    met = cast(StarletteHTTPException, error)
    detail = _DETAILS.get(met.status_code, str(met.detail))
    return _problem(met.status_code, _TITLES.get(met.status_code, "Refused"), detail, met.headers)


async def _unexpected_problem(_request: Request, _error: Exception) -> Response:
    return _problem(500, "The server failed", "The page met an error that is told where the command runs; report it if it happens again.")
