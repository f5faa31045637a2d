"""The five tools of the application under the agent's own scope, with the real registry, guard and pages."""

from __future__ import annotations

from typing import Any

import pytest
from lua_host import PAGE, Consenting, LuaHost, Model, project_entries

from runtime.core.errors import PermissionDenied, Unavailable
from runtime.registry.entry import Entry
from runtime.services.documentation import Page

SOURCE = "return { handler = function(input) return { said = input.word } end }"


def tool(host: LuaHost, tool_name: str, /, **given: Any) -> Any:
    return host.run(f"app.tools:{tool_name}", given)


@pytest.fixture
def host() -> LuaHost:
    return LuaHost(project_entries(), Model())


def create(host: LuaHost, **changed: Any) -> Any:
    given = {"name": "echo", "description": "Says it again.", "source": SOURCE, **changed}
    return tool(host, "create_tool", **{key: value for key, value in given.items() if value is not None})


def test_doc_search_reads_a_page_and_searches(host: LuaHost) -> None:
    assert tool(host, "doc_search", path="lua/core/time") == {"path": "lua/core/time", "content": PAGE.text}
    assert "lua/core/time" in tool(host, "doc_search", query="time & clocks?")["results"]
    assert "HTTP 404: no page `nope`" in tool(host, "doc_search", path="nope")["error"]
    assert "give `path`" in tool(host, "doc_search")["error"]


def test_doc_search_stays_inside_the_documentation(host: LuaHost) -> None:
    assert "must be the path of a page" in tool(host, "doc_search", path="../../x")["error"]
    assert "no page" in tool(host, "doc_search", path="a?q=b#c")["error"]


def test_doc_search_cuts_a_long_page_with_a_marker() -> None:
    long = Page("long", "long", "", "ä" * 6000)
    host = LuaHost(project_entries(), Model(), pages=[long])
    found = tool(host, "doc_search", path="long")["content"]
    assert found == "ä" * 4000 + "\n... (truncated)"


def test_doc_search_without_its_allow_is_refused(host: LuaHost) -> None:
    host.context = host.agent_context(without="app:agent_documentation")
    assert "not allowed: http_client.request" in tool(host, "doc_search", path="x")["error"]
    assert [denial.action for denial in host.denials] == ["http_client.request"]


def test_registry_list_shows_what_the_caller_may_see(host: LuaHost) -> None:
    everything = tool(host, "registry_list")
    ids = [entry["id"] for entry in everything["entries"]]
    assert everything["count"] == len(ids)
    assert ids == sorted(ids)
    assert "app:dev_assistant" in ids
    assert not any(each.startswith(("wippy", "app:agent_policy", "app:processes")) for each in ids)
    tools = tool(host, "registry_list", kind="function.*", namespace="app.tools", type="tool")
    assert [each["id"] for each in tools["entries"]] == [
        f"app.tools:{name}"
        for name in ("create_tool", "doc_search", "load_tool", "registry_list", "registry_read")
    ]
    assert tools["entries"][1] == {
        "id": "app.tools:doc_search",
        "kind": "function.lua",
        "title": "Search the documentation",
    }
    assert tool(host, "registry_list", namespace="app.generated") == {"count": 0, "entries": []}
    assert "must be text" in tool(host, "registry_list", kind=7)["error"]


def test_registry_read_reads_what_the_caller_may_see(host: LuaHost) -> None:
    entry = tool(host, "registry_read", id="app:docs_base_url")
    assert (entry["kind"], entry["data"]) == ("registry.entry", {"url": "https://runtime.internal"})
    assert "not allowed" in tool(host, "registry_read", id="app:os_env")["error"]
    assert "not found" in tool(host, "registry_read", id="app.generated:none")["error"]
    assert "give the `id`" in tool(host, "registry_read")["error"]


def test_a_tool_is_created_and_then_updated(host: LuaHost) -> None:
    schema = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
    assert create(host, modules=["time", "json", "time"], input_schema=schema) == {
        "id": "app.generated:echo",
        "created": True,
    }
    made = host.registry.current.require("app.generated:echo")
    assert made.kind == "function.lua"
    assert made.meta == {
        "type": "tool",
        "title": "echo",
        "comment": "Says it again.",
        "input_schema": schema,
        "llm_alias": "echo",
        "llm_description": "Says it again.",
    }
    assert made.data == {"source": SOURCE, "modules": ["json", "time"], "method": "handler"}
    assert host.run("app.generated:echo", {"word": "hi"}) == {"said": "hi"}
    assert create(host, name="app.generated:echo", description="Again.") == {
        "id": "app.generated:echo",
        "updated": True,
    }
    loaded = tool(host, "load_tool", id="app.generated:echo")
    assert loaded == {"loaded": True, "id": "app.generated:echo", "alias": "echo", "description": "Again."}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"name": None}, "`name` is required"),
        ({"name": "x" * 65}, "at most 64"),
        ({"name": "a b"}, "letters, digits"),
        ({"name": "1a"}, "letters, digits"),
        ({"name": "a..b:c"}, "not allowed"),
        ({"name": ":c"}, "invalid namespace"),
        ({"name": "doc_search"}, "is that of the tool app.tools:doc_search"),
        ({"description": " "}, "`description` is required"),
        ({"source": ""}, "`source` is required"),
        ({"source": "-" * 16001}, "at most 16000"),
        ({"source": "return {"}, "nothing was written: "),
        ({"modules": ["os"]}, "module `os` is not allowed"),
        ({"modules": ["funcs"]}, "module `funcs` is not allowed"),
        ({"modules": "time"}, "must be a list"),
        ({"input_schema": {"type": "array"}}, "must be `object`"),
        ({"input_schema": {"type": "object", "properties": {"a": {"type": "array"}}}}, "needs `items`"),
        ({"input_schema": {"type": "object", "properties": {"a": {"$ref": "#"}}}}, "`$ref` is not accepted"),
        ({"input_schema": {"type": "object", "properties": {"a": {"type": "text"}}}}, "is not a type"),
        ({"input_schema": {"type": "object", "properties": ["a"]}}, "not a list"),
        ({"input_schema": {"type": "object", "required": ["a"]}}, "not among the properties"),
        ({"input_schema": "{"}, "is not JSON"),
    ],
)
def test_a_faulty_tool_is_refused_and_nothing_is_written(
    host: LuaHost, given: dict[str, Any], told: str
) -> None:
    before = host.registry.current.version
    result = create(host, **given)
    assert set(result) == {"error"}
    assert told in result["error"]
    assert host.registry.current.version == before


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("app:dev_assistant", "update"),
        ("app:brand_new", "create"),
        ("app:processes", "create"),
        ("app.tools:doc_search", "update"),
        ("app.tools:brand_new", "create"),
    ],
)
def test_what_concerns_the_agent_itself_is_denied_by_policy(host: LuaHost, name: str, action: str) -> None:
    assert create(host, name=name) == {"error": f"policy denied: {action} on {name}"}


@pytest.mark.parametrize("name", ["other:x", "wippy.llm:llm", "app.generated_too:x"])
def test_other_namespaces_are_refused_by_the_runtime(host: LuaHost, name: str) -> None:
    assert "not allowed" in create(host, name=name)["error"]


@pytest.mark.parametrize("error", [PermissionDenied("the owner refused it"), Unavailable("it needs consent")])
def test_the_model_is_told_when_consent_is_not_given(error: Any) -> None:
    host = LuaHost(project_entries(), Model(), gate=Consenting(error))
    assert create(host) == {"error": f"nothing was written: {error.message}"}
    assert host.registry.current.get("app.generated:echo") is None


@pytest.mark.parametrize("policy", ["app:agent_service_actor", "app:agent_denylist"])
def test_without_the_denylist_nothing_is_written(host: LuaHost, policy: str) -> None:
    host.context = host.agent_context(without=policy)
    assert "the denylist could not be asked" in create(host)["error"]


def test_load_tool_refuses_what_is_no_tool(host: LuaHost) -> None:
    assert "is not a tool" in tool(host, "load_tool", id="app:dev_assistant")["error"]
    assert "is not a tool" in tool(host, "load_tool", id="app.tools:tool_schema")["error"]
    assert "not found" in tool(host, "load_tool", id="app.generated:none")["error"]
    assert "not allowed" in tool(host, "load_tool", id="wippy.llm:llm")["error"]
    assert "give the `id`" in tool(host, "load_tool")["error"]


def test_the_schemas_of_the_tools_are_taken_by_create_tool(host: LuaHost) -> None:
    for entry in host.registry.current.entries():
        if isinstance(entry, Entry) and entry.namespace == "app.tools" and entry.kind == "function.lua":
            assert create(host, input_schema=entry.meta["input_schema"]).get("error") is None, entry.id
