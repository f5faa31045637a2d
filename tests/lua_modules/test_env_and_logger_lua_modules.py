"""The modules `env` and `logger`: what they pass on, and what they refuse themselves."""

from __future__ import annotations

from module_host import ModuleHost, deny, given, run


def test_env_passes_names_and_refuses_empty_ones_itself() -> None:
    host = ModuleHost(
        {"env.get": lambda key: key.lower(), "env.set": lambda *_: True, "env.get_all": lambda: {"A": "1"}}
    )
    body = """
    local _, empty = env.get("")
    local _, wrong = env.set("A", 5)
    return { env.get("HOME"), env.set("A", "2"), env.get_all(), empty:kind(), wrong:kind() }
    """
    assert run(body, "env", host) == ["home", True, {"A": "1"}, "Invalid", "Invalid"]
    assert given(host) == [("env.get", ["HOME"]), ("env.set", ["A", "2"]), ("env.get_all", [])]


def test_a_refusal_of_the_host_is_an_error_object() -> None:
    body = 'local value, err = env.get("KEY") return { value == nil, err:kind(), err:details().action }'
    assert run(body, "env", ModuleHost({"env.get": deny})) == [True, "PermissionDenied", "x"]


def test_loggers_carry_name_and_fields_and_never_lose_a_line() -> None:
    host = ModuleHost()
    body = """
    logger:info("started")
    local log = logger:named("a"):with({ user = 1 }):named("b")
    log:error("failed", { why = errors.new("no"), call = print ~= nil, f = channel.new(), [1] = "x" })
    log:debug("d") logger:warn("w", { n = 1.5 })
    return select(2, logger:named("")):kind()
    """
    assert run(body, "logger", host) == "Invalid"
    assert {cast.name for cast in host.casts} == {"logger.log"}
    assert [cast.args[0] for cast in host.casts] == [
        {"level": "info", "message": "started", "fields": {}, "name": ""},
        {
            "level": "error",
            "message": "failed",
            "fields": {"user": 1, "why": "no", "call": True, "f": "channel", "1": "x"},
            "name": "a.b",
        },
        {"level": "debug", "message": "d", "fields": {"user": 1}, "name": "a.b"},
        {"level": "warn", "message": "w", "fields": {"n": 1.5}, "name": ""},
    ]
