"""The module `security`: who asks, under which policies, and what they say; the host decides."""

from __future__ import annotations

from runtime.lua.module import module_from_folder

MODULE = module_from_folder(
    __file__,
    page="lua/security/security",
    summary="Actors, scopes and policies: who asks, and whether it is allowed.",
    classes=("security",),
    commands=(
        "security.context",
        "security.can",
        "security.actor.create",
        "security.scope.create",
        "security.scope.evaluate",
        "security.policy.get",
        "security.policy_group.get",
        "security.token_store.get",
        "security.token.create",
        "security.token.validate",
        "security.token.revoke",
    ),
)
