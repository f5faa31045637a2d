"""Tokens that stand for an actor and a scope: `security.token_store`.

A token is random, and signed where the store has a key: base64url of the random bytes, and behind a point
base64url of their HMAC-SHA256. The store keeps only its digest, so who reads the store has no token. What is
not a token, was forged, has expired or was revoked gets one and the same answer.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import math
import re
import secrets
from collections.abc import Callable, Mapping
from typing import Any

from runtime.core.errors import Error, Invalid, NotFound, PermissionDenied, Unavailable
from runtime.core.ids import qualify
from runtime.core.redact import Redactor
from runtime.core.values import Value
from runtime.core.wire import pack
from runtime.lua.dispatch import Caller, Handler
from runtime.registry.entry import Change, Entry
from runtime.registry.known_settings import seconds
from runtime.registry.snapshot import Snapshot
from runtime.security.actor import Actor, Scope
from runtime.security.guard import Guard
from runtime.services.arguments import argument, table, text
from runtime.services.environment import CREDENTIALS, variable_of, variables
from runtime.services.stores import KIND as STORE
from runtime.services.stores import MemoryStore, Stores

KIND = "security.token_store"
LENGTH = 32  # bytes
EXPIRATION = 24 * 3600.0  # seconds
LONGEST = 10 * 365 * 24 * 3600.0  # seconds
MAX_TOKEN = 4096  # characters of what may be asked about
_ENV = re.compile(r"\$\{env:(.+)\}")
_DURATION = re.compile(r"([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h|d))+")
_DAYS = re.compile(r"([0-9]+(?:\.[0-9]+)?)d")


class TokenCommands:
    """Answers `security.token*` for Lua code; keys come from `environment` and are known to the redactor."""

    def __init__(
        self,
        guard: Guard,
        snapshot: Callable[[], Snapshot],
        stores: Stores,
        environment: Mapping[str, str],
        redactor: Redactor,
    ) -> None:
        self._guard = guard
        self._snapshot = snapshot
        self._stores = stores
        self._environment = environment
        self._redactor = redactor

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers by command name."""
        return {
            "security.token_store.get": self._open,
            "security.token.create": self._create,
            "security.token.validate": self._validate,
            "security.token.revoke": self._revoke,
        }

    def changed(self, change: Change) -> None:
        """Throw away what the stores have kept whose entries are gone."""
        for op in change.ops:
            if op.kind == "delete":
                self._stores.forget(op.entry.id)

    async def _open(self, caller: Caller, args: list[Any]) -> dict[str, str]:
        wanted = text(argument(args), "token store id")
        self._guard.require(caller.context, "security.token_store.get", wanted)
        return {"id": self._entry(caller, wanted).id}

    async def _create(self, caller: Caller, args: list[Any]) -> str:
        wanted, given = text(argument(args), "token store id"), table(argument(args, 1))
        who = table(given.get("actor"), "actor")
        actor = Actor(text(who.get("id"), "actor id"), table(who.get("meta"), "actor meta"))
        scope = Scope(_ids(given.get("policies")))
        self._ask(caller, "create", wanted, {"actor": actor.id})
        entry = self._entry(caller, wanted)
        self._ask(caller, "create", entry.id, {"actor": actor.id, "policies": list(scope.policies)})
        lasting = _lasting(given.get("expiration"), entry)
        raw = secrets.token_bytes(_whole(entry, "token_length", LENGTH))
        kept: dict[str, Value] = {
            "actor": {"id": actor.id, "meta": dict(actor.meta)},
            "policies": list(scope.policies),
            "meta": table(given.get("meta"), "token meta"),
        }
        token = _written(raw, self._key(entry))
        self._store(entry).set(_place(raw), kept, lasting, len(pack(kept)))
        return token

    async def _validate(self, caller: Caller, args: list[Any]) -> Value:
        entry, token = self._asked(caller, "validate", args)
        kept = self._store(entry).get(_place(self._read(entry, token)))
        if kept is None:
            raise _not_valid()
        return kept

    async def _revoke(self, caller: Caller, args: list[Any]) -> bool:
        entry, token = self._asked(caller, "revoke", args)
        if not self._store(entry).delete(_place(self._read(entry, token))):
            raise _not_valid()
        return True

    def _asked(self, caller: Caller, verb: str, args: list[Any]) -> tuple[Entry, str]:
        wanted, token = text(argument(args), "token store id"), text(argument(args, 1), "token")
        self._ask(caller, verb, wanted, {"token": token})
        return self._entry(caller, wanted), token

    def _ask(self, caller: Caller, verb: str, store: str, meta: dict[str, Value]) -> None:
        # The documented kind of these denials is Invalid; the denial is recorded all the same.
        try:
            self._guard.require(caller.context, f"security.token.{verb}", store, meta)
        except PermissionDenied as error:
            raise Invalid(f"not allowed to {verb} tokens of `{store}`", details=error.details) from error

    def _entry(self, caller: Caller, entry_id: str) -> Entry:
        entry = self._snapshot().get(entry_id)
        if entry is None or entry.kind != KIND:
            known = [each.id for each in self._snapshot().kind(KIND)]
            meant = self._guard.meant(caller.context, "security.token_store.get", entry_id, known)
            raise NotFound(f"token store not found: `{entry_id}`{meant}", details={"id": entry_id})
        return entry

    def _store(self, entry: Entry) -> MemoryStore:
        wanted = qualify(str(entry.fields.get("store")), entry.namespace)
        store = self._snapshot().get(wanted)
        if store is None or store.kind != STORE:
            raise Unavailable(
                f"token store `{entry.id}` has no store: `{wanted}` must be a `{STORE}`",
                place=entry.place_of("data", "store"),
            )
        return self._stores.get(store, entry.id)

    def _key(self, entry: Entry) -> bytes | None:
        """Return the key of a store that has one; raise Unavailable where its variable says nothing."""
        written = entry.fields.get("token_key")
        found = _ENV.fullmatch(written) if isinstance(written, str) else None
        name = found[1] if found else entry.fields.get("token_key_env")
        if not isinstance(name, str):
            return None
        place = entry.place_of("data", "token_key" if found else "token_key_env")
        declared = variables(self._snapshot()).get(name)
        if declared is None:
            raise Unavailable(
                f"no env.variable entry declares `{name}`, the key of `{entry.id}`", place=place
            )
        variable = variable_of(declared)
        value = self._environment.get(variable)
        if variable in CREDENTIALS:
            raise PermissionDenied(f"`{variable}` is a provider's credential and signs no token", place=place)
        if not value:
            raise Unavailable(f"variable `{variable}`, the key of `{entry.id}`, is not set", place=place)
        self._redactor.learn(value)
        return value.encode("utf-8", "surrogateescape")

    def _read(self, entry: Entry, token: str) -> bytes:
        """Return the random bytes of a token whose form and signature are those of the store."""
        key = self._key(entry)
        first, point, signature = token.partition(".")
        raw = _decoded(first)
        if raw is None or len(token) > MAX_TOKEN or bool(point) != (key is not None):
            raise _not_valid()
        if key is not None and not hmac.compare_digest(_signature(raw, key), signature.encode()):
            raise _not_valid()
        return raw


def _written(raw: bytes, key: bytes | None) -> str:
    first = _encoded(raw).decode()
    return first if key is None else f"{first}.{_signature(raw, key).decode()}"


def _signature(raw: bytes, key: bytes) -> bytes:
    return _encoded(hmac.digest(key, raw, "sha256"))


def _encoded(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def _decoded(written: str) -> bytes | None:
    """Return the bytes that are written just so; None for anything else, also another spelling of them."""
    try:
        data = base64.urlsafe_b64decode(written.encode("ascii") + b"=" * (-len(written) % 4))
    except ValueError:
        return None
    return data if data and _encoded(data).decode() == written else None


def _place(raw: bytes) -> str:
    """Return the key under which a token is kept, in the part of the store that is its token store's own."""
    return hashlib.sha256(raw).hexdigest()


def _lasting(given: Any, entry: Entry) -> float:
    """Return for how many seconds a token holds; a number is in milliseconds."""
    if given is None or given == 0:
        given = entry.fields.get("default_expiration") or 0
        found = seconds(given) if isinstance(given, str) else given / 1e9
        return min(found or EXPIRATION, LONGEST)
    if isinstance(given, str) and _DURATION.fullmatch(given):
        days = sum(float(each) for each in _DAYS.findall(given))
        found = days * 24 * 3600.0 + seconds(_DAYS.sub("", given))
    elif isinstance(given, int | float) and not isinstance(given, bool) and math.isfinite(given):
        found = given / 1e3
    else:
        raise Invalid("`expiration` must be a duration such as `24h`, or milliseconds")
    if not 0 < found <= LONGEST:
        raise Invalid("`expiration` must be above 0 and at most ten years")
    return found


def _whole(entry: Entry, name: str, default: int) -> int:
    value = entry.fields.get(name)
    return value if isinstance(value, int) else default


def _ids(value: Any) -> list[str]:
    if value is None or value == {}:
        return []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise Invalid("a scope is a list of policy ids")
    return value


def _not_valid() -> Error:
    return Invalid("token is not valid: unknown, expired or revoked", retryable=False)
