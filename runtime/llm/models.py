"""A model is an entry of `meta.type: llm.model`; it is meant by its id or by its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from runtime.core.errors import NotFound
from runtime.core.nearest import did_you_mean
from runtime.core.values import Value
from runtime.registry.entry import Entry
from runtime.registry.snapshot import Snapshot

MODEL_TYPE = "llm.model"


@dataclass(frozen=True, slots=True)
class Offer:
    """One provider of a model: the id of its entry, its own name for the model, options it asks for."""

    provider: str
    provider_model: str
    options: dict[str, Value]


@dataclass(frozen=True, slots=True)
class Model:
    """What an entry says of a model; `context_window` is in tokens, None where the entry does not say."""

    id: str
    name: str
    context_window: int | None
    offers: tuple[Offer, ...]


def find_model(snapshot: Snapshot, reference: str) -> Model:
    """Return the model with the id or name `reference`; raise NotFound, which lists those there are.

    Of several models with one name the one with the highest `meta.priority` is meant, then the first by id.
    """
    known = snapshot.find({"meta.type": MODEL_TYPE})
    named = [entry for entry in known if reference in (entry.id, entry.name, entry.meta.get("name"))]
    if not named:
        names = ", ".join(f"`{_name(entry)}`" for entry in known) or "none"
        raise NotFound(
            f"model `{reference}` is not in the registry: expected an entry with `meta.type: {MODEL_TYPE}` "
            f"(there are: {names}){did_you_mean(reference, _references(known))}",
            details={"model": reference},
        )
    return _read(min(named, key=lambda entry: (entry.id != reference, -_priority(entry), entry.id)))


def _references(known: list[Entry]) -> list[str]:
    return [name for entry in known for name in (_name(entry), entry.id)]


def _read(entry: Entry) -> Model:
    fields: Any = entry.fields
    window = fields.get("max_tokens")
    offers = fields.get("providers")
    return Model(
        entry.id,
        _name(entry),
        window if isinstance(window, int) and window > 0 else None,
        tuple(
            Offer(str(offer.get("id")), str(offer.get("provider_model") or _name(entry)), _options(offer))
            for offer in (offers if isinstance(offers, list) else ())
            if isinstance(offer, dict)
        ),
    )


def _options(offer: dict[str, Any]) -> dict[str, Value]:
    options = offer.get("options")
    return dict(options) if isinstance(options, dict) else {}


def _name(entry: Entry) -> str:
    name = entry.meta.get("name")
    return name if isinstance(name, str) and name else entry.name


def _priority(entry: Entry) -> float:
    priority = entry.meta.get("priority")
    return priority if isinstance(priority, int | float) else 0
