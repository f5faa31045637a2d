"""The module `security`: objects that carry ids, and denials that raise or are returned."""

from __future__ import annotations

from module_host import ModuleHost, deny, given, run

SECURITY = {
    "security.context": lambda: {"actor": {"id": "u", "meta": {"role": "r"}}, "scope": {"policies": ["a:p"]}},
    "security.can": lambda action, resource, meta: meta.get("owner") == "u",
    "security.actor.create": lambda actor_id, meta: {"id": actor_id, "meta": meta},
    "security.scope.create": lambda wanted: {"policies": wanted["ids"]},
    "security.policy.get": lambda policy_id: {"id": policy_id},
    "security.policy_group.get": lambda _: {"policies": ["a:p", "a:q"]},
    "security.scope.evaluate": lambda wanted: "deny" if "a:q" in wanted["policies"] else "undefined",
}


def test_security_objects_carry_ids_and_ask_the_host() -> None:
    host = ModuleHost(SECURITY)
    body = """
    local actor, scope = security.actor(), security.scope()
    local named = security.named_scope("a:g")
    local smaller = named:without("a:q")
    local larger = scope:with(security.policy("a:q"))
    local ids = {}
    for index, policy in ipairs(larger:policies()) do ids[index] = policy:id() end
    actor:meta().role = "changed"
    return { actor:id(), actor:meta().role, scope:contains("a:p"), scope:contains({ ns = "a", name = "q" }),
      named:evaluate(actor, "create", "a:x"), smaller:evaluate(actor, "create", "a:x", { n = 1 }),
      security.policy("a:q"):evaluate(actor, "x", "y"), ids, tostring(named),
      security.can("read", "x", { owner = "u" }), security.can("read", "x") }
    """
    found = run(body, "security", host)
    assert found == [
        *("u", "r", True, False, "deny", "undefined", "deny", ["a:p", "a:q"]),
        *("security.Scope{policies=2}", True, False),
    ]
    evaluated = [args[0] for name, args in given(host) if name == "security.scope.evaluate"]
    assert evaluated[1] == {
        "policies": ["a:p"],
        "actor": {"id": "u", "meta": {"role": "r"}},
        "action": "create",
        "resource": "a:x",
        "meta": {"n": 1},
    }
    made = [args[0] for name, args in given(host) if name == "security.scope.create"]
    assert made == [{"ids": ["a:p"], "how": "without"}, {"ids": ["a:p", "a:q"], "how": "with"}]


def test_a_denied_actor_or_scope_raises_and_a_denied_policy_is_returned() -> None:
    host = ModuleHost(dict.fromkeys(SECURITY, deny))
    body = """
    local ok, err = pcall(security.new_actor, "u")
    local ok2, err2 = pcall(security.new_scope)
    local policy, err3 = security.policy("a:b")
    return { ok, err:kind(), ok2, err2:kind(), policy == nil, err3:kind(), security.actor() == nil,
      security.can("a", "b") }
    """
    denied = "PermissionDenied"
    assert run(body, "security", host) == [False, denied, False, denied, True, denied, True, False]
