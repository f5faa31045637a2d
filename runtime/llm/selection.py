"""Which model answers: what the user named, else the agent's own where it is reachable, else a scripted one.

The scripted model stands in only for somebody who sits there and is told: never with -p, --model, --locked,
--frozen or CI, never after a key was refused. Where it may not, the error says what to set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from runtime.core.errors import Error, NotFound, Unavailable
from runtime.core.values import Value
from runtime.llm.chat_completions import ChatCompletions
from runtime.llm.endpoint import KEY, NO_CREDENTIAL, Endpoint, find_endpoint
from runtime.llm.models import Model, Offer, find_model
from runtime.llm.offline.driver import SCRIPTED_MODEL, OfflineDriver
from runtime.llm.providers import OPENAI_PROVIDER, check_provider, named_provider
from runtime.llm.request import Driver
from runtime.registry.snapshot import Snapshot

OFFLINE = "offline"


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the command line and the settings say: `model` (--model), `default_provider`
    (`llm.default_provider`: the name or id of a provider, or `offline`), `context_window` (tokens,
    `llm.context_window`), `offline` (--offline); and whether -p, --locked or --frozen was given.
    """

    model: str | None = None
    default_provider: str | None = None
    context_window: int | None = None
    offline: bool = False
    prompt: bool = False
    locked: bool = False
    frozen: bool = False


@dataclass(frozen=True, slots=True)
class Selected:
    """The choice: `entry` is the id that was asked for, `model` the name at the provider.

    `credential` names the variable that holds the key, or is `none`. `reason` says why the scripted model
    stands in; it is empty for a real one.
    """

    driver: Driver = field(repr=False, compare=False)
    entry: str
    model: str
    provider: str
    host: str
    credential: str
    scripted: bool
    context_window: int | None = None
    options: dict[str, Value] = field(default_factory=dict)
    reason: str = ""

    def to_value(self) -> dict[str, Value]:
        """Return what may be shown and recorded, as plain data."""
        value: dict[str, Value] = {
            "entry": self.entry,
            "model": self.model,
            "provider": self.provider,
            "host": self.host,
            "credential": self.credential,
            "scripted": self.scripted,
        }
        if self.context_window:
            value["context_window"] = self.context_window
        if self.reason:
            value["reason"] = self.reason
        return value


class Selector:
    """Chooses for each request; the keys of `environment` stay here and in the drivers.

    `learn` is told each key, so that it is masked wherever texts leave the process.
    """

    def __init__(
        self, environment: Mapping[str, str], wishes: Wishes, learn: Callable[[str], object]
    ) -> None:
        self._environment = environment
        self._wishes = wishes
        self._refused: Error | None = None
        self._drivers: dict[tuple[Endpoint, str], ChatCompletions] = {}
        self._offline = OfflineDriver()
        if key := environment.get(KEY, "").strip():
            learn(key)

    def select(self, snapshot: Snapshot, reference: str) -> Selected:
        """Return the model that answers for `reference`, an id or name in `snapshot`.

        Raises NotFound for a model that is not in the registry, Unavailable when none can be reached.
        """
        model = find_model(snapshot, reference)
        wanted, named = self._wanted(snapshot, model)
        if named == OFFLINE:
            return self._scripted(model, "the settings name it")
        reasons: list[str] = []
        for offer in _offers(wanted, named):
            try:
                return self._reach(snapshot, model, wanted, offer)
            except Unavailable as error:
                reasons.append(error.message)
        reason = "; ".join(dict.fromkeys(reasons)) or f"model `{wanted.name}` names no provider"
        if named:
            raise Unavailable(f"provider `{named}` can not be reached: {reason}")
        if barrier := self._barrier():
            raise Unavailable(f"{reason} (the scripted model does not stand in {barrier})")
        return self._scripted(model, reason)

    def refuse(self, error: Error) -> None:
        """Take note that a provider refused for good: from now on the scripted model does not stand in."""
        self._refused = error

    async def close(self) -> None:
        """Close the connections of all drivers."""
        for driver in self._drivers.values():
            await driver.close()

    def _wanted(self, snapshot: Snapshot, model: Model) -> tuple[Model, str | None]:
        """Return the model to ask for and the provider that the settings name, if they do."""
        if name := self._wishes.model:
            try:
                return find_model(snapshot, name), None
            except NotFound:  # any model that the server has
                return Model("", name, None, (Offer(OPENAI_PROVIDER, name, {}),)), None
        provider = self._wishes.default_provider
        if not provider or provider == OFFLINE:
            return model, provider or None
        return model, named_provider(snapshot, provider)

    def _reach(self, snapshot: Snapshot, asked: Model, wanted: Model, offer: Offer) -> Selected:
        check_provider(snapshot, offer.provider)
        endpoint = find_endpoint(self._environment, offline=self._wishes.offline)
        driver = self._drivers.setdefault(
            (endpoint, offer.provider), ChatCompletions(endpoint, offer.provider)
        )
        return Selected(
            driver,
            asked.id,
            offer.provider_model,
            offer.provider,
            endpoint.host,
            endpoint.credential,
            scripted=False,
            context_window=wanted.context_window or self._wishes.context_window,
            options=offer.options,
        )

    def _scripted(self, model: Model, reason: str) -> Selected:
        return Selected(
            self._offline,
            model.id,
            SCRIPTED_MODEL,
            OFFLINE,
            "this process",
            NO_CREDENTIAL,
            scripted=True,
            context_window=model.context_window,
            reason=reason,
        )

    def _barrier(self) -> str:
        """Return why the scripted model may not stand in, or nothing."""
        wishes = self._wishes
        if self._refused:
            return "after a key was refused"
        flags = {"-p": wishes.prompt, "--model": wishes.model, "--locked": wishes.locked}
        flags["--frozen"] = wishes.frozen
        given = [flag for flag, is_given in flags.items() if is_given]
        if given:
            return f"with {given[0]}"
        return "where CI is set" if self._environment.get("CI") else ""


def _offers(model: Model, named: str | None) -> list[Offer]:
    if not named:
        return list(model.offers)
    own = [offer for offer in model.offers if offer.provider == named]
    return own or [Offer(named, model.name, {})]
