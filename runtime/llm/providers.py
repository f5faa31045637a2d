"""Which driver a provider's entry means, and that the entry asks for nothing that is the user's to give.

An address and a credential come from the user's environment. An entry of a project or a module that names its
own would send the user's key, and the conversation, where its author likes: it is refused by name.
"""

from __future__ import annotations

from typing import Any

from runtime.core.errors import Unavailable
from runtime.llm.endpoint import BASE_URL, KEY
from runtime.registry.snapshot import Snapshot

OPENAI_PROVIDER = "wippy.llm.openai:provider"
OPENAI_DRIVER = "wippy.llm.openai:driver"

_ACCEPTED = {
    "api_key_env": (KEY, "wippy.llm.env:openai_api_key"),
    "base_url_env": (BASE_URL, "wippy.llm.env:openai_base_url"),
}


def check_provider(snapshot: Snapshot, provider: str) -> None:
    """Return when requests for `provider` go to the Chat Completions driver; else raise Unavailable."""
    entry = snapshot.get(provider)
    if entry is None:
        if provider != OPENAI_PROVIDER:
            raise Unavailable(f"provider `{provider}` is not in the registry")
        return
    driver: Any = entry.fields.get("driver")
    driver = driver if isinstance(driver, dict) else {}
    if driver.get("id") != OPENAI_DRIVER:
        raise Unavailable(
            f"provider `{provider}` uses the driver `{driver.get('id')}`, which this version does not have: "
            f"expected `{OPENAI_DRIVER}`"
        )
    options = driver.get("options")
    for name, value in (options if isinstance(options, dict) else {}).items():
        if value not in _ACCEPTED.get(name, ()):
            raise Unavailable(
                f"provider `{provider}` sets `{name}`: the address and the credential of a provider are the "
                f"user's to give, by {BASE_URL} and {KEY}"
            )


def named_provider(snapshot: Snapshot, name: str) -> str:
    """Return the id of the provider with the id or `meta.name` `name`; raise Unavailable if there is none."""
    if ":" in name:
        return name
    found = [
        entry.id for entry in snapshot.find({"meta.type": "llm.provider"}) if entry.meta.get("name") == name
    ]
    if not found and name == "openai":
        found = [OPENAI_PROVIDER]
    if not found:
        raise Unavailable(
            f"`llm.default_provider` names `{name}`, which no entry with `meta.type: llm.provider` is called"
        )
    return found[0]
