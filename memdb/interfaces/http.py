"""The memory over HTTP: `/memory/retrieve`, `/memory/write`, `/memory/profile/version`, `/memory/compact`, and the other verbs.

With API keys every request must carry one, and a key opens its own user's memory only, or with `*` all.
"""

import json
import logging
import multiprocessing
import os
import re
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from threading import RLock, Thread
from typing import Annotated, Any, TypeVar

import memdb
from memdb import (
    Bootstrap,
    ConfigError,
    Consent,
    Context,
    Explanation,
    Fact,
    Forgotten,
    Link,
    Linked,
    Listed,
    Maintained,
    Memory,
    ModelCall,
    Procedure,
    Profile,
    Sources,
    TurnRecord,
    Undone,
)

try:
    from fastapi import Body, Depends, FastAPI, HTTPException, Query, Request, Response, Security
    from fastapi.security import HTTPBearer
    from fastapi.security.http import HTTPAuthorizationCredentials
except ModuleNotFoundError as error:
    raise memdb.MdbError(f"Serving needs {error.name}; install it with: pip install 'memdb[server]'.") from error

# what follows needs fastapi
from memdb.interfaces import operating, owners, shapes, tiered
from memdb.interfaces.problems import MAX_BYTES, MAX_SILENCE, RESPONSES, tell_problems
from memdb.interfaces.serving import EVERYBODY, Heads, Served, asked_here, owner_of, parse_keys
from memdb.records import Change, Record

log = logging.getLogger("memdb")
Told = TypeVar("Told")

_USER = "user_id"
_REFERRED = re.compile(r"#/components/schemas/([\w.-]+)")
_BEARER = HTTPBearer(auto_error=False, description="An API key; needed once any is set.")


class Health(Record):
    """The server lives."""

    status: str
    version: str


def create_app(
    memory: Memory | Callable[[], Memory],
    *,
    keys: Mapping[str, str] | None = None,
    only_here: bool = False,
    max_bytes: int = MAX_BYTES,
    max_silence: float = MAX_SILENCE,
) -> FastAPI:
    """Return the server of a memory.

    Args:
        memory: the memory, or a function that opens it when the server starts, which then also closes it.
        keys: API keys, each with its user or `*`; anybody may ask if there are none.
        only_here: without keys, answer only who asks for a name of this machine, such as localhost.
        max_bytes: the longest body of a request.
        max_silence: how many seconds nothing of a body may come before it is whole.
    """
    served = Served(memory)
    # pages made of openapi.json would load scripts from the network
    app = _Described(
        title="memdb",
        description="The long-term memory of an AI assistant. With an API key of one user, `user_id` may be left out: it is theirs.",
        version=memdb.__version__,
        lifespan=served.lifespan,
        docs_url=None,
        redoc_url=None,
        responses=RESPONSES,
    )
    tell_problems(app, max_bytes=max_bytes, max_silence=max_silence)
    app.add_middleware(Heads)
    _routes(app, served, keys or {}, only_here=only_here)
    if any(owner != EVERYBODY for owner in (keys or {}).values()):
        _describe_without_user(app)
    return app


class _Described(FastAPI):
    """A server whose description tells once how it refuses, and not at each of its addresses."""

    def openapi(self) -> dict[str, Any]:
        """Return the description."""
        described = super().openapi()
        described["components"]["schemas"]["Problem"] = shapes.Problem.model_json_schema()
        return described


def _describe_without_user(app: FastAPI) -> None:
    """Have the description say that `user_id` need not be given, as it need not with a key of one user."""
    described = app.openapi()
    doors = [door for methods in described["paths"].values() for door in methods.values()]
    for asked in (one for door in doors for one in door.get("parameters", []) if one["name"] == _USER):
        asked["required"] = False
    bodies, met = described["components"]["schemas"], set[str]()
    wanted = _REFERRED.findall(json.dumps([door.get("requestBody") for door in doors]))
    while wanted:
        if (name := wanted.pop()) in met:
            continue
        met.add(name)
        wanted += _REFERRED.findall(json.dumps(bodies[name]))
        if left := [field for field in bodies[name].pop("required", []) if field != _USER]:
            bodies[name]["required"] = left


def from_environment() -> FastAPI:
    """Return the server of the file `MEMDB_DB`, with the keys `MEMDB_API_KEYS`; what every worker of `memdb serve` runs."""
    if (parent := multiprocessing.parent_process()) is not None:  # one of several workers: without their parent nobody would end them

        def follow() -> None:
            parent.join()
            signal.raise_signal(signal.SIGTERM)

        Thread(target=follow, name="memdb-parent", daemon=True).start()
        _share_no_lock()
    return create_app(_opened, keys=parse_keys(os.environ.get("MEMDB_API_KEYS", "")), only_here=True)


def _share_no_lock() -> None:
    """Have the progress bars of MiniLM's packages, which nobody sees, share no lock with other processes.

    A worker ends by a signal, and its parent would warn of such a lock as a leaked semaphore.
    """
    with suppress(ImportError):
        from tqdm import tqdm

        tqdm.set_lock(RLock())


def _opened() -> Memory:
    """Open the file `MEMDB_DB`. A worker started anew after the file's embedder was changed searches by words, as the others do by then."""
    path, ranking = Path(os.environ.get("MEMDB_DB", "mem.db")), os.environ.get("MEMDB_WEIGHTS", "default")
    chosen = os.environ.get("MEMDB_EMBEDDER", "auto")
    try:
        return memdb.open(path, embedder=None if chosen == "none" else chosen, weights=ranking)
    except ConfigError as error:
        if multiprocessing.parent_process() is None:
            raise
        memory = memdb.open(path, embedder=None, weights=ranking)  # the whole server would end with it
        log.error("A worker that was started anew searches by words alone: %s", error)
        return memory


class _Door:
    """Who may read and write whose memory: one user's, or everybody's if `owner` is None."""

    def __init__(self, keys: Mapping[str, str], given: HTTPAuthorizationCredentials | None) -> None:
        sent = given.credentials.encode("latin-1") if given else None  # the bytes that came: headers are read as if they were that
        owner = owner_of(keys, sent)
        if owner is None:
            raise HTTPException(401, "Send a valid API key as `Authorization: Bearer KEY`.", headers={"WWW-Authenticate": "Bearer"})
        self.owner = None if owner == EVERYBODY else owner

    def open(self, user_id: str | None) -> None:
        """Let in who may see this user, or everybody's memory if None."""
        if self.owner not in (None, user_id):
            if user_id is None:
                raise HTTPException(403, "This API key is bound to one user; send a key of all users, or say whose memory it is.")
            raise HTTPException(403, "This API key is bound to another user.")

    def fact(self, memory: Memory, fact_id: str) -> None:
        """Let in who may see this fact; to others it does not exist."""
        if self.owner is not None:
            owners.owned(memory, fact_id, user_id=self.owner)


def _routes(app: FastAPI, memory: Callable[[], Memory], keys: Mapping[str, str], *, only_here: bool) -> None:
    scheme = _BEARER if keys else _unasked

    async def door(request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Security(scheme)] = None) -> _Door:
        if only_here and not keys and not asked_here(request):
            raise HTTPException(400, "Without API keys only this machine is served: ask for 127.0.0.1, or set MEMDB_API_KEYS.")
        opened = _Door(keys, given)
        owners.OWNER.set(opened.owner)  # here, not in a thread of its own: the body is read in this context, and errors are told in it
        return opened

    Door = Annotated[_Door, Depends(door)]

    @app.post("/memory/retrieve", tags=["memory"])
    def retrieve(body: tiered.RetrieveIn, key: Door) -> tiered.Retrieved:
        """What bears on a question, by tier, with scores and a verdict."""
        key.open(body.user_id)
        hits = memory().assess(
            body.query, user_id=body.user_id, goal=body.active_goal, limit=body.K, as_of=body.as_of, statuses=body.statuses,
            **body.filters(),
        )  # fmt: skip
        return tiered.Retrieved.of(hits)

    @app.post("/memory/write", tags=["memory"])
    def write(body: tiered.WriteIn, key: Door) -> tiered.WrittenOut:
        """Keep facts, episodes, notes and tasks that are new and sure enough."""
        key.open(body.user_id)
        accepted: list[str] = []
        rejected: list[tiered.RejectedOut] = []
        items: list[tiered.FactIn | tiered.EpisodeIn | tiered.NoteIn | tiered.TaskIn] = []
        items += [*body.facts, *body.episodes, *body.reflective, *body.tasks]
        for given in items:
            if given.user_id in (None, body.user_id):
                written = memory().write([given.item()], user_id=body.user_id)
                accepted += written.accepted
                reasons = [one.reason for one in written.rejected]
            else:
                reasons = [f"it is of another user, {given.user_id!r}"]
            rejected += [tiered.RejectedOut(item=given.model_dump(mode="json", exclude_unset=True), reason=reason) for reason in reasons]
        return tiered.WrittenOut(accepted=list(dict.fromkeys(accepted)), rejected=rejected)

    @app.post("/memory/profile/version", tags=["memory"])
    def version(body: tiered.VersionIn, key: Door) -> tiered.ProfileFact:
        """Say until when a fact was true."""
        key.fact(memory(), body.fact_id)
        return tiered.profile_fact(memory().end(body.fact_id, valid_to=body.valid_to))

    @app.post("/memory/compact", tags=["memory"])
    def compact(body: Annotated[tiered.CompactIn, Body(default_factory=tiered.CompactIn)], key: Door) -> Maintained:
        """Do all the upkeep that is due, and tell how much it was: episodes, notes, promotion, fading, archiving."""
        key.open(body.user_id)
        return memory().maintain(user_id=body.user_id, dry_run=body.dry_run)

    @app.post("/memory/observe", tags=["writing"])
    def observe(body: shapes.ObserveIn, key: Door) -> shapes.Observed:
        """Take a turn of a conversation; its facts follow in the background."""
        key.open(body.user_id)
        return shapes.Observed(turn_id=memory().observe(**body.model_dump()))

    @app.post("/memory/load", tags=["writing"])
    def load(body: shapes.LoadIn, key: Door) -> shapes.Loaded:
        """Take many messages at once; loading them again adds nothing."""
        key.open(body.user_id)
        return shapes.Loaded(new=memory().load(body.messages, user_id=body.user_id))

    @app.post("/memory/remember", tags=["writing"])
    def remember(body: shapes.RememberIn, key: Door) -> Fact:
        """Keep a fact that the application states, and tell the row that stands afterwards; said again, it is confirmed."""
        key.open(body.user_id)
        return memory().remember(**body.model_dump())

    @app.post("/memory/remember_many", tags=["writing"])
    def remember_many(body: shapes.RememberManyIn, key: Door) -> shapes.Loaded:
        """Keep many facts as they are: the way in for what another system knows. One whose `fact_id` is known is left as it is."""
        for fact in body.facts:
            key.open(fact.user_id)
        return shapes.Loaded(new=memory().remember_many(body.facts))

    @app.post("/memory/task", tags=["writing"])
    def task(body: shapes.TaskIs, key: Door) -> tiered.Task:
        """Say where a task stands."""
        key.fact(memory(), body.fact_id)
        return tiered.task(memory().task(body.fact_id, body.state))

    @app.post("/memory/confirm", tags=["writing"])
    def confirm(body: shapes.FactId, key: Door) -> Fact:
        """Take a fact as confirmed."""
        key.fact(memory(), body.fact_id)
        return memory().confirm(body.fact_id)

    @app.post("/memory/reject", tags=["writing"])
    def reject(body: shapes.FactId, key: Door) -> Fact:
        """Take a fact as never true."""
        key.fact(memory(), body.fact_id)
        return memory().reject(body.fact_id)

    @app.post("/memory/doubt", tags=["writing"])
    def doubt(body: shapes.FactId, key: Door) -> Fact:
        """Take a fact as uncertain."""
        key.fact(memory(), body.fact_id)
        return memory().doubt(body.fact_id)

    @app.post("/memory/undo", tags=["writing"])
    def undo(body: shapes.UndoIn, key: Door) -> Undone:
        """Take back what a turn or a session taught."""
        key.open(body.user_id)
        return memory().undo(user_id=body.user_id, turn_id=body.turn_id, session_id=body.session_id)

    @app.post("/memory/event", tags=["writing"])
    def event(body: shapes.EventIn, key: Door) -> shapes.Happened:
        """Take something that happened in a household; its memory follows when its segment is over."""
        key.open(body.user_id)
        return shapes.Happened(event_id=memory().event(**body.model_dump()))

    @app.post("/memory/learn", tags=["writing"])
    def learn(body: shapes.LearnIn, key: Door) -> Procedure:
        """Remember how something is done."""
        key.open(body.user_id)
        return memory().learn(**body.model_dump())

    @app.post("/memory/outcome", tags=["writing"])
    def outcome(body: shapes.OutcomeIn, key: Door) -> Procedure:
        """Note how a procedure went; it grows stronger or weaker."""
        key.fact(memory(), body.fact_id)
        return memory().outcome(**body.model_dump())

    @app.post("/memory/link", tags=["writing"])
    def link(body: shapes.LinkIn, key: Door) -> Link:
        """Link two facts of one user; linking them again changes the strength."""
        key.fact(memory(), body.source_id)
        key.fact(memory(), body.target_id)
        return memory().link(body.source_id, body.target_id, body.relation, strength=body.strength)

    @app.post("/memory/unlink", tags=["writing"])
    def unlink(body: shapes.UnlinkIn, key: Door) -> shapes.Counted:
        """Remove the link from a fact to another."""
        key.fact(memory(), body.source_id)
        key.fact(memory(), body.target_id)
        return shapes.Counted(links=memory().unlink(body.source_id, body.target_id, body.relation))

    @app.post("/memory/relate", tags=["writing"])
    def relate(body: shapes.RelateIn, key: Door) -> shapes.Counted:
        """Link what is new to what it is like, by words alone."""
        key.open(body.user_id)
        return shapes.Counted(links=memory().relate(body.user_id, kinds=body.kinds))

    @app.post("/memory/session/begin", tags=["writing"])
    def begin(body: shapes.BeginIn, key: Door) -> Bootstrap:
        """Begin a session, or take one up again, and tell what is known as it begins."""
        key.open(body.user_id)
        return memory().session(body.user_id, body.session_id).bootstrap

    @app.post("/memory/session/end", tags=["writing"])
    def end(body: shapes.EndIn, key: Door) -> shapes.Ended:
        """End a session: its account and its day's are written, the profile and memory.md brought up to date."""
        key.open(body.user_id)
        with memory().session(body.user_id, body.session_id) as session:
            return shapes.Ended(session_id=body.session_id, account=session.snapshot())

    @app.post("/memory/consent", tags=["writing"])
    def consent(body: shapes.ConsentIn, key: Door) -> Consent:
        """Note what a user lets be remembered from now on; with no choice, only tell what holds for them."""
        key.open(body.user_id)
        return memory().consent(**body.model_dump())

    @app.post("/memory/feedback", tags=["writing"])
    def feedback(body: shapes.FeedbackIn, key: Door) -> shapes.Noted:
        """Say that a fact was right for a question, or wrong."""
        key.open(body.user_id)
        memory().feedback(**body.model_dump())
        return shapes.Noted()

    @app.post("/memory/forget", tags=["writing"])
    def forget(body: shapes.ForgetIn, key: Door) -> Forgotten:
        """Erase a user, or what was learned under one key."""
        key.open(body.user_id)
        return memory().forget(body.user_id, key=body.key)

    @app.post("/memory/search", tags=["reading"])
    def search(body: shapes.RankedIn, key: Door) -> shapes.Found:
        """What bears on a question, best first, with every part of each score."""
        key.open(body.user_id)
        hits = memory().search(
            body.query, user_id=body.user_id, goal=body.active_goal, limit=body.limit, as_of=body.as_of, statuses=body.statuses,
            tiers=body.tiers, min_score=body.min_score, weights=body.weights, judged=True, **body.filters(),
        )  # fmt: skip
        return shapes.Found.of(hits)

    @app.post("/memory/explain", tags=["reading"])
    def explain(body: shapes.ExplainIn, key: Door) -> Explanation:
        """Why a question finds what it finds; and of a fact, where it stands, why not higher, and which single weight would change that."""
        key.open(body.user_id)
        return memory().explain(
            body.query, user_id=body.user_id, fact_id=body.fact_id, goal=body.active_goal, limit=body.limit, as_of=body.as_of,
            statuses=body.statuses, tiers=body.tiers, min_score=body.min_score, weights=body.weights, **body.filters(),
        )  # fmt: skip

    @app.post("/memory/context", tags=["reading"])
    def context(body: shapes.ContextIn, key: Door) -> Context:
        """Memory made ready for a prompt, within a budget of tokens, with a verdict on it."""
        key.open(body.user_id)
        return memory().context(
            body.query, user_id=body.user_id, max_tokens=body.max_tokens, limit=body.limit, goal=body.active_goal, system=body.system
        )

    @app.post("/memory/recall", tags=["reading"])
    def recall(body: shapes.RecallIn, key: Door) -> shapes.Found:
        """The first-person memories that come to mind, each the stronger for it."""
        key.open(body.user_id)
        return shapes.Found.of(memory().recall(**body.model_dump()))

    @app.post("/memory/procedures", tags=["reading"])
    def procedures(body: shapes.ProceduresIn, key: Door) -> list[Procedure]:
        """How something like it was done before, and how that went."""
        key.open(body.user_id)
        return memory().procedures(body.task, user_id=body.user_id, limit=body.limit)

    @app.get("/memory/facts", tags=["reading"])
    def facts(asked: Annotated[shapes.FactsIn, Query()], key: Door, request: Request, answer: Response) -> list[Fact]:
        """What is believed of a user, now or at another time; X-Total-Count says how much, and Link where a part goes on."""
        key.open(asked.user_id)
        return _part(memory().facts(**asked.model_dump()), asked, request, answer)

    @app.get("/memory/profile", tags=["reading"])
    def profile(asked: Annotated[shapes.UserIn, Query()], key: Door) -> Profile:
        """Identity, preferences, tasks, recent changes and sensitive topics."""
        key.open(asked.user_id)
        return memory().profile(asked.user_id)

    @app.get("/memory/history", tags=["reading"])
    def history(asked: Annotated[shapes.HistoryIn, Query()], key: Door, request: Request, answer: Response) -> list[Change]:
        """The audit trail, oldest first; X-Total-Count says how many changes there are, and Link where a part goes on."""
        key.open(asked.user_id)
        return _part(memory().history(**asked.model_dump()), asked, request, answer)

    @app.get("/memory/turns", tags=["reading"])
    def turns(asked: Annotated[shapes.TurnsIn, Query()], key: Door, request: Request, answer: Response) -> list[TurnRecord]:
        """The turns as they came, each with who read it, what failed, what was refused, and why; in parts as the history."""
        key.open(asked.user_id)
        return _part(memory().turns(**asked.model_dump()), asked, request, answer)

    @app.get("/memory/calls", tags=["reading"])
    def calls(asked: Annotated[shapes.CallsIn, Query()], key: Door, request: Request, answer: Response) -> list[ModelCall]:
        """The calls of the language model that were kept: what each was for, what it cost, the raw answer; in parts as the history."""
        key.open(asked.user_id)
        return _part(memory().calls(**asked.model_dump()), asked, request, answer)

    @app.get("/memory/fact", tags=["reading"])
    def fact(asked: Annotated[shapes.FactId, Query()], key: Door) -> Fact:
        """One row by its id as it is now, whatever its status."""
        key.fact(memory(), asked.fact_id)
        return memory().fact(asked.fact_id)

    @app.get("/memory/sources", tags=["reading"])
    def sources(asked: Annotated[shapes.FactId, Query()], key: Door) -> Sources:
        """What a first-person memory rests on: its events, and for a pattern the memories that went into it."""
        key.fact(memory(), asked.fact_id)
        return memory().sources(asked.fact_id)

    @app.get("/memory/links", tags=["reading"])
    def links(asked: Annotated[shapes.LinksIn, Query()], key: Door) -> list[Linked]:
        """The facts that links lead to from a fact, nearest and strongest first."""
        key.fact(memory(), asked.fact_id)
        return memory().links(**asked.model_dump())

    @app.get("/memory/page", tags=["reading"])
    def page(asked: Annotated[shapes.UserIn, Query()], key: Door) -> shapes.Page:
        """memory.md as it would be written now."""
        key.open(asked.user_id)
        return shapes.Page(page=memory().page(asked.user_id))

    def everybody(key: Door) -> None:
        key.open(None)

    app.include_router(operating.router(memory), dependencies=[Depends(everybody)])

    @app.get("/health", tags=["server"])
    async def health() -> Health:
        """Whether the server lives."""
        return Health(status="ok", version=memdb.__version__)


def _part(listed: Listed[Told], asked: shapes.ListIn, request: Request, answer: Response) -> list[Told]:
    """Say of a list how long it is, and where what follows this part of it is had."""
    answer.headers["X-Total-Count"] = str(listed.total)
    reached = asked.offset + len(listed)
    if reached < listed.total:
        answer.headers["Link"] = f'<{request.url.include_query_params(offset=reached)}>; rel="next"'
    return listed


def _unasked() -> None:
    """Without keys nobody is asked for one, and the API's description does not say so."""
