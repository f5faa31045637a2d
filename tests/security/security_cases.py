"""Short ways to write entries and engines in the tests of this floor."""

from runtime.registry.entry import Entry
from runtime.security.actor import Actor, Scope
from runtime.security.engine import Engine

AGENT = Actor("app:agent", {"role": "agent", "clearance": 2})


def entry(name, effect="allow", actions="*", resources="*", conditions=None, groups=("g",)):
    """Return the entry of a policy `app:<name>` in the group `app:g`."""
    rule = {"actions": actions, "resources": resources, "effect": effect}
    if conditions is not None:
        rule["conditions"] = conditions
    return Entry(f"app:{name}", "security.policy", {}, {"policy": rule, "groups": list(groups)})


def engine_of(*entries, **options):
    """Return an engine with exactly these policies in force."""
    engine = Engine(**options)
    engine.rebuild(entries)
    return engine


def scope(*names):
    """Return the scope of the policies `app:<name>`."""
    return Scope(f"app:{name}" for name in names)
