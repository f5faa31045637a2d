"""The peer's kinds that this runtime does not implement: they load and can be read, and nothing runs them.

A kind whose silence would be unsafe is refused instead: what is stored and not acted on
would be a false promise.
"""

from __future__ import annotations

INERT: frozenset[str] = frozenset(
    f"{family}.{member}"
    for family, members in {
        "cloudstorage": "s3",
        "config": "aws",
        "db": "cdc.postgres sql.mysql sql.postgres sql.sqlite",
        "env": "storage.file storage.memory storage.router storage.static",
        "exec": "docker native",
        "fs": "directory embed",
        "function": "lua.bc wasm wat",
        "http": "endpoint router service static",
        "library": "lua.bc",
        "network": "i2p socks5 tailscale",
        "pg": "scope",
        "process": "lua.bc wasm",
        "queue": "consumer driver.amqp driver.memory driver.sqs queue",
        "store": "kv.crdt kv.raft sql",
        "template": "jet set",
        "temporal": "client worker",
        "workflow": "lua lua.bc",
    }.items()
    for member in members.split()
)

REFUSED: dict[str, str] = {
    "module.lua": "modules are built in; write a `library.lua` and import it",
}
