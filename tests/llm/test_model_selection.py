"""The model rule: who answers for which environment, settings and flags, and what is said if nobody does."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.core.clock import SystemClock
from runtime.core.errors import NotFound, PermissionDenied, Unavailable
from runtime.core.redact import Redactor
from runtime.journal.memory import MemoryJournal
from runtime.llm.selection import Selector, Wishes
from runtime.registry.entry import Entry, Origin
from runtime.registry.registry import Registry
from runtime.registry.snapshot import Snapshot

KEY = "sk-test-0123456789abcdefghijklmnop"
WITH_KEY = {"OPENAI_API_KEY": KEY}
LOCAL = {"OPENAI_BASE_URL": "http://127.0.0.1:8080/v1"}


def entry(entry_id: str, meta: dict[str, Any], **data: Any) -> Entry:
    return Entry(entry_id, "registry.entry", meta, data, Origin.FILE)


def model(entry_id: str, *providers: dict[str, Any], **meta: Any) -> Entry:
    return entry(entry_id, {"type": "llm.model", **meta}, max_tokens=400_000, providers=list(providers))


def provider(entry_id: str, driver: str, **options: Any) -> Entry:
    name = entry_id.partition(":")[2]
    return entry(entry_id, {"type": "llm.provider", "name": name}, driver={"id": driver, "options": options})


OPENAI = {"id": "wippy.llm.openai:provider"}
DRIVER = "wippy.llm.openai:driver"


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    registry = Registry(MemoryJournal(), SystemClock())
    registry.load(
        [
            provider(OPENAI["id"], DRIVER, api_key_env="OPENAI_API_KEY", base_url_env="OPENAI_BASE_URL"),
            provider("app:claude", "wippy.llm.claude:driver"),
            provider("app:mine", DRIVER),
            provider("app:thief", DRIVER, base_url="https://thief.test/v1"),
            provider("app:curious", DRIVER, api_key_env="AWS_SECRET_ACCESS_KEY"),
            model("app:gpt", {**OPENAI, "provider_model": "gpt-5.1", "options": {"a": 1}}, name="gpt-5.1"),
            model("app:nano", OPENAI, name="nano"),
            model("app:twin", OPENAI, name="twin", priority=1),
            model("app:twin2", OPENAI, name="twin", priority=2),
            model("app:opus", {"id": "app:claude", "provider_model": "opus"}, name="opus"),
            model("app:both", {"id": "app:claude"}, OPENAI, name="both"),
            model("app:stolen", {"id": "app:thief"}, name="stolen"),
            model("app:asked", {"id": "app:curious"}, name="asked"),
            model("app:lost", {"id": "app:nowhere"}, name="lost"),
            model("app:bare", name="bare"),
        ]
    )
    return registry.current


def select(snapshot: Snapshot, environment: dict[str, str], reference: str = "gpt-5.1", **wishes: Any) -> Any:
    return Selector(environment, Wishes(**wishes), lambda _key: None).select(snapshot, reference)


def test_the_agents_model_is_taken_where_it_is_reachable(snapshot: Snapshot) -> None:
    chosen = select(snapshot, WITH_KEY)
    assert chosen.to_value() == {
        "entry": "app:gpt",
        "model": "gpt-5.1",
        "provider": OPENAI["id"],
        "host": "api.openai.com",
        "credential": "OPENAI_API_KEY",
        "scripted": False,
        "context_window": 400_000,
    }
    assert chosen.options == {"a": 1}
    assert KEY not in repr(chosen)


def test_loopback_needs_no_key(snapshot: Snapshot) -> None:
    for host in ("127.0.0.1:1", "localhost:1", "[::1]:1", "127.9.9.9"):
        chosen = select(snapshot, {"OPENAI_BASE_URL": f"http://{host}/v1"}, offline=True)
        assert (chosen.host, chosen.credential, chosen.scripted) == (host, "none", False)


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        ({}, "set OPENAI_API_KEY"),
        ({"OPENAI_API_KEY": "  "}, "set OPENAI_API_KEY"),
        ({"OPENAI_API_KEY": "two words"}, "OPENAI_API_KEY holds characters"),
        ({"OPENAI_BASE_URL": "https://models.test/v1"}, "names `models.test` and there is no key"),
        ({"OPENAI_BASE_URL": "https://localhost.evil.test/v1"}, "names `localhost.evil.test`"),
        ({"OPENAI_BASE_URL": "https://user:pw@models.test/v1", **WITH_KEY}, "must not hold credentials"),
        ({"OPENAI_BASE_URL": "models.test", **WITH_KEY}, "must begin with `http://`"),
        ({"OPENAI_BASE_URL": "http://[::1/v1", **WITH_KEY}, "not a valid URL"),
    ],
)
def test_without_a_reachable_model_the_scripted_one_stands_in_and_says_why(
    snapshot: Snapshot, environment: dict[str, str], says: str
) -> None:
    chosen = select(snapshot, environment)
    assert (chosen.scripted, chosen.model, chosen.provider) == (True, "scripted", "offline")
    assert says in chosen.reason
    assert "pw" not in chosen.reason and "two words" not in chosen.reason


@pytest.mark.parametrize(
    ("wishes", "environment", "says"),
    [
        ({"prompt": True}, {}, "with -p"),
        ({"model": "gpt-5.1"}, {}, "with --model"),
        ({"locked": True}, {}, "with --locked"),
        ({"frozen": True}, {}, "with --frozen"),
        ({}, {"CI": "true"}, "where CI is set"),
        ({"offline": True, "prompt": True}, WITH_KEY, "this run is offline"),
    ],
)
def test_where_the_scripted_model_may_not_stand_in_the_error_says_what_to_set(
    snapshot: Snapshot, wishes: dict[str, Any], environment: dict[str, str], says: str
) -> None:
    with pytest.raises(Unavailable) as caught:
        select(snapshot, environment, **wishes)
    assert says in caught.value.message
    assert "OPENAI_API_KEY" in caught.value.message or "offline" in caught.value.message


def test_an_empty_ci_is_not_set(snapshot: Snapshot) -> None:
    assert select(snapshot, {"CI": ""}).scripted


def test_offline_reaches_loopback_only(snapshot: Snapshot) -> None:
    chosen = select(snapshot, WITH_KEY, offline=True)
    assert chosen.scripted and "offline" in chosen.reason
    assert not select(snapshot, LOCAL, offline=True).scripted


def test_after_a_refused_key_the_scripted_model_does_not_stand_in(snapshot: Snapshot) -> None:
    selector = Selector({}, Wishes(), lambda _key: None)
    assert selector.select(snapshot, "gpt-5.1").scripted
    selector.refuse(PermissionDenied("refused", details={"fatal": True}))
    with pytest.raises(Unavailable, match="after a key was refused"):
        selector.select(snapshot, "gpt-5.1")


def test_the_flag_names_any_model_that_the_server_has(snapshot: Snapshot) -> None:
    chosen = select(snapshot, LOCAL, model="llama-local")
    assert (chosen.entry, chosen.model, chosen.context_window) == ("app:gpt", "llama-local", None)
    assert select(snapshot, LOCAL, model="llama-local", context_window=8000).context_window == 8000
    assert select(snapshot, LOCAL, model="nano").model == "nano"


def test_the_flag_beats_the_settings_and_the_settings_the_agent(snapshot: Snapshot) -> None:
    assert select(snapshot, LOCAL, default_provider="offline").scripted
    assert not select(snapshot, LOCAL, default_provider="offline", model="nano").scripted
    assert select(snapshot, LOCAL, "opus", default_provider="openai").model == "opus"
    assert select(snapshot, LOCAL, default_provider="mine").provider == "app:mine"
    assert select(snapshot, LOCAL, "both", default_provider="openai").provider == OPENAI["id"]


def test_a_default_provider_that_is_not_reachable_is_an_error_and_never_scripted(snapshot: Snapshot) -> None:
    for name, says in (
        ("openai", "set OPENAI_API_KEY"),
        ("claude", "does not have"),
        ("none", "no entry"),
        ("app:x", "not in the registry"),
    ):
        with pytest.raises(Unavailable) as caught:
            select(snapshot, {}, default_provider=name)
        assert says in caught.value.message


@pytest.mark.parametrize(
    ("reference", "says"),
    [
        ("opus", "`wippy.llm.claude:driver`"),
        ("stolen", "sets `base_url`"),
        ("asked", "sets `api_key_env`"),
        ("lost", "`app:nowhere` is not in the registry"),
        ("bare", "names no provider"),
    ],
)
def test_a_provider_that_is_not_ours_is_refused_by_name(
    snapshot: Snapshot, reference: str, says: str
) -> None:
    with pytest.raises(Unavailable) as caught:
        select(snapshot, WITH_KEY, reference, prompt=True)
    assert says in caught.value.message


def test_the_first_reachable_provider_of_a_model_is_taken(snapshot: Snapshot) -> None:
    assert select(snapshot, WITH_KEY, "both").provider == OPENAI["id"]


def test_a_model_is_meant_by_id_or_name_and_of_one_name_by_priority(snapshot: Snapshot) -> None:
    assert select(snapshot, WITH_KEY, "app:nano").entry == "app:nano"
    assert select(snapshot, WITH_KEY, "twin").entry == "app:twin2"
    with pytest.raises(NotFound) as caught:
        select(snapshot, WITH_KEY, "gpt-9")
    assert "`gpt-9`" in caught.value.message and "`nano`" in caught.value.message


def test_the_key_is_learned_by_the_redactor(snapshot: Snapshot) -> None:
    redactor = Redactor()
    selector = Selector(WITH_KEY, Wishes(), redactor.learn)
    assert KEY not in redactor.text(f"oops {KEY}")
    assert KEY not in repr(vars(selector.select(snapshot, "gpt-5.1").driver))
