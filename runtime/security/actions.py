"""The actions that this runtime guards: no operation asks for one that is not in this table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Action:
    """A guarded action: what it lets somebody do, and what stands as its resource."""

    name: str
    meaning: str
    resource: str


_TABLE = (
    Action("registry.get", "see an entry, also in the results of a search", "id of the entry"),
    Action("registry.apply", "create, update or delete an entry", "id of the entry; meta op and kind"),
    Action("registry.apply_version", "take the registry to another version", "empty"),
    Action("funcs.call", "call a function", "id of the function"),
    Action("funcs.context", "call a function with values of one's own in its context", "`context`"),
    Action("funcs.security", "call a function as another actor or with a wider scope", "`security`"),
    Action("process.send", "send a message to a process", "PID of the process"),
    Action("process.terminate", "end a process", "PID of the process"),
    Action("process.cancel", "ask a process to end", "PID of the process"),
    Action("process.monitor", "hear of the end of a process", "PID of the process"),
    Action("process.unmonitor", "hear of it no more", "PID of the process"),
    Action("process.link", "share the bad end of a process", "PID of the process"),
    Action("process.unlink", "share it no more", "PID of the process"),
    Action("process.spawn", "start a process", "id of the process entry"),
    Action("process.spawn.monitored", "start a process and hear of its end", "id of the process entry"),
    Action("process.spawn.linked", "start a process and share its bad end", "id of the process entry"),
    Action("process.exec", "run a process to its end", "id of the process entry"),
    Action("process.host", "start a process on a host", "id of the host"),
    Action("process.context", "start a process with values of one's own in its context", "`context`"),
    Action("process.security", "start a process as another actor or with a wider scope", "`security`"),
    *(
        Action(f"process.registry.{verb}{suffix}", f"{meaning}{scope}", "name")
        for verb, meaning in (("register", "take a name"), ("unregister", "give a name up"))
        for suffix, scope in (
            ("", ""),
            (".eventual", " of the scope eventual"),
            (".consistent", " of the scope consistent"),
            (".strong", " of the scope strong"),
        )
    ),
    Action("process.registry.foreign", "take a name for another process", "PID of the process"),
    Action("contract.get", "see what a contract promises", "id of the contract"),
    Action("contract.implementations", "see who implements a contract", "id of the contract"),
    Action("contract.open", "open a binding", "id of the binding"),
    Action("contract.call", "call a method of an open binding", "name of the method; meta binding"),
    Action("contract.context", "carry values of one's own into bindings", "`context`"),
    Action("contract.security", "call methods as another actor or with a wider scope", "`security`"),
    Action("events.subscribe", "hear of events", "name or pattern of the system"),
    Action("events.send", "send an event", "name of the system"),
    Action("system.read", "learn something of the host", "what it is about, such as `memory` or `hosts`"),
    Action("system.control", "set something of the host", "what is to be set"),
    Action("system.gc", "make the host collect garbage", "`gc` or `gc_percent`"),
    Action("system.exit", "end the run", "empty"),
    Action("system.lock", "take or release a lock", "name of the lock"),
    Action("env.get", "read an environment variable", "name of the variable"),
    Action("env.set", "set an environment variable", "name of the variable"),
    Action("http_client.request", "send an HTTP request", "URL"),
    Action("http_client.private_ip", "send it to an address that is not public", "host or address"),
    Action("llm.generate", "ask a model", "id of the model entry"),
    Action("security.policy.get", "get hold of a policy", "id of the policy"),
    Action("security.policy_group.get", "get hold of the scope of a group of policies", "id of the group"),
    Action("security.scope.create", "make a scope", "`custom`, `with` or `without`"),
    Action("security.actor.create", "make an actor", "id of the actor"),
    Action("store.get", "get hold of a store", "id of the store"),
    Action("store.info", "ask what a store can do", "id of the store"),
    Action("store.key.get", "read a key", "id of the store; meta key"),
    Action("store.key.set", "write a key", "id of the store; meta key"),
    Action("store.key.delete", "delete a key", "id of the store; meta key"),
    Action("store.key.has", "ask whether a key is there", "id of the store; meta key"),
    Action("store.key.list", "list keys", "id of the store; meta prefix"),
    Action("security.token_store.get", "get hold of a token store", "id of the token store"),
    Action("security.token.create", "make a token", "id of the token store; meta actor and policies"),
    Action("security.token.validate", "ask whom a token stands for", "id of the token store; meta token"),
    Action("security.token.revoke", "end a token", "id of the token store; meta token"),
)

ACTIONS: Mapping[str, Action] = {action.name: action for action in _TABLE}
