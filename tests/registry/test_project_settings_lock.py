"""Finding a project, the layers of its settings, and its lock file."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from runtime.core.errors import Error, Invalid, Many, NotFound, Unavailable
from runtime.registry.known_settings import KNOWN, seconds
from runtime.registry.lockfile import (
    Lock,
    LockedModule,
    Replacement,
    format_lock,
    parse_lock,
    read_lock,
    write_lock,
)
from runtime.registry.project import NO_PROJECT, find_root, open_project
from runtime.registry.settings import Settings, from_environment, from_overrides, read_file


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src" / "deep").mkdir(parents=True)
    (folder / ".wippy.yaml").write_text('version: "1.0"\n')
    return folder


# ---- the project


def test_the_nearest_folder_upwards_with_a_lock_or_settings_is_the_project(root: Path) -> None:
    assert find_root(root / "src" / "deep") == root
    (root / "src" / "wippy.lock").write_text("directories: {src: ., modules: .wippy}\n")
    assert find_root(root / "src" / "deep") == root / "src"


def test_an_empty_folder_is_not_found_and_says_what_to_create(tmp_path: Path) -> None:
    for start in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(NotFound) as refused:
            open_project(start, environment={})
        assert refused.value.message == NO_PROJECT
    assert list(tmp_path.iterdir()) == []
    for text in ("`.wippy.yaml`", "`src/_index.yaml`", "`--project DIR`"):
        assert text in NO_PROJECT


def test_settings_alone_without_sources_are_no_project(root: Path) -> None:
    (root / "src" / "deep").rmdir()
    (root / "src").rmdir()
    with pytest.raises(NotFound, match="no project here"):
        open_project(root, environment={})
    assert not (root / "wippy.lock").exists()


def test_a_named_project_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="does not exist"):
        open_project(tmp_path, project=tmp_path / "nowhere", environment={})


@pytest.mark.parametrize(("index", "src"), [("src/_index.yaml", "./src"), ("_index.yaml", ".")])
def test_a_missing_lock_is_written_once_and_said(tmp_path: Path, index: str, src: str) -> None:
    (tmp_path / index).parent.mkdir(exist_ok=True)
    (tmp_path / index).write_text("namespace: app\nentries: []\n")
    before = {path.name for path in tmp_path.iterdir()}
    project = open_project(tmp_path, environment={})
    assert (project.lock_written, project.lock.src) == (True, src)
    assert stat.S_IMODE((tmp_path / "wippy.lock").stat().st_mode) == 0o600
    again = open_project(tmp_path, environment={})
    assert (again.lock_written, again.lock) == (False, project.lock)
    assert str(tmp_path) not in (tmp_path / "wippy.lock").read_text()
    assert {path.name for path in tmp_path.iterdir()} == before | {"wippy.lock"}


def test_a_locked_run_writes_nothing(root: Path) -> None:
    with pytest.raises(NotFound, match=r"`wippy\.lock` is missing"):
        open_project(root, environment={}, write=False)
    assert not (root / "wippy.lock").exists()


def test_the_state_folder_is_chosen_by_flag_then_variable_then_project(root: Path, tmp_path: Path) -> None:
    variable = {"RUNTIME_STATE_DIR": str(tmp_path / "env")}
    assert open_project(root, environment={}).state_dir == root / ".runtime"
    assert open_project(root, environment=variable).state_dir == tmp_path / "env"
    chosen = open_project(root, environment=variable, state=tmp_path / "flag")
    assert chosen.state_dir == tmp_path / "flag"
    assert not (root / ".runtime").exists()


def test_sources_are_src_and_then_the_replacements(root: Path) -> None:
    (root.parent / "mod" / "src").mkdir(parents=True)
    (root.parent / "flat").mkdir()
    lock = Lock(replacements=(Replacement("acme/mod", "../mod"), Replacement("acme/flat", "../flat")))
    write_lock(root, lock)
    project = open_project(root, environment={})
    assert project.src_dirs == [root / "src", root.parent / "flat", root.parent / "mod" / "src"]


# ---- settings


def project_settings(text: str, user: str = "") -> Settings:
    settings = Settings()
    settings.add(read_file('version: "1.0"\n' + user, "config.yaml"), "user")
    settings.add(read_file('version: "1.0"\n' + text, ".wippy.yaml"), "project")
    return settings


def test_every_default_has_the_type_of_its_setting() -> None:
    for key, known in KNOWN.items():
        assert known.default is None or known.accepts(known.default), key


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e400", "1" + "0" * 400])
def test_a_number_is_one_that_can_be_counted_with(number: str) -> None:
    with pytest.raises(Invalid, match="must be a number"):
        Settings().add(from_overrides([f"limits.cost={number}"]), "override")


@pytest.mark.parametrize("layer", ["user", "project"])
def test_a_list_that_holds_something_else_than_texts_is_refused_in_every_layer(layer: str) -> None:
    with pytest.raises(Invalid, match=r"`evolution\.unattended` must be a list of texts"):
        Settings().add(read_file('version: "1.0"\nevolution: {unattended: [{a: 1}]}\n', "config.yaml"), layer)


def test_later_layers_win_and_each_value_tells_where_it_is_from(root: Path, tmp_path: Path) -> None:
    user = tmp_path / "config.yaml"
    user.write_text(
        'version: "1.0"\nllm: {default_provider: user, context_window: 5}\nreload: {settle: 1s}\n'
    )
    (root / ".wippy.yaml").write_text(
        "version: 1.0\nllm: {default_provider: project}\nlogger: {encoding: json}\n"
    )
    settings = open_project(
        root,
        environment={"RUNTIME_LOGGER_ENCODING": "console", "RUNTIME_LLM_LOCAL_MODEL": "1.10", "OTHER": "x"},
        user_settings=user,
        overrides=["llm.context_window=7"],
    ).settings
    expected = {
        "llm.default_provider": ("project", "project"),
        "llm.context_window": (7, "override"),
        "llm.local.model": ("1.10", "environment"),
        "logger.encoding": ("console", "environment"),
        "reload.settle": ("1s", "user"),
        "security.strict_mode": (True, "default"),
    }
    for key, (value, layer) in expected.items():
        setting = settings.origin(key)
        assert setting is not None
        assert (settings.get(key), setting.layer) == (value, layer)
    assert str(settings.origin("llm.default_provider").place) == ".wippy.yaml:2:7"  # type: ignore[union-attr]
    assert settings.get("llm.base_url", "none") == "none"
    assert settings.get("no.such.key", 5) == 5


@pytest.mark.parametrize(
    ("key", "looser", "stricter"),
    [
        ("security.strict_mode", "false", "true"),
        ("evolution.mode", "direct", "governed"),
        ("evolution.unattended", "[json, http_client]", "[json]"),
        ("evolution.always", "false", "true"),
        ("jail.level", "basic", "full"),
        ("limits.cost", "100", "0.1"),
        ("limits.steps", "1000", "3"),
    ],
)
def test_a_project_may_only_make_a_guard_stricter(key: str, looser: str, stricter: str) -> None:
    section, name = key.split(".")
    default: object = Settings().get(key)
    settings = project_settings(f"{section}:\n  {name}: {looser}\n")
    assert settings.get(key) == default
    assert settings.notices == [
        f".wippy.yaml:3:3: `{key}` of the project is looser than allowed and ignored; see `runtime trust`"
    ]
    settings = project_settings(f"{section}:\n  {name}: {stricter}\n")
    assert settings.notices == []
    assert settings.origin(key).layer == "project"  # type: ignore[union-attr]


def test_a_user_may_loosen_and_a_project_then_tighten_again() -> None:
    user = "limits: {steps: 100, time: 90s}\n"
    settings = project_settings("limits: {steps: 50, time: 1m}\n", user)
    assert (settings.get("limits.steps"), settings.get("limits.time"), settings.notices) == (50, "1m", [])
    settings = project_settings("limits: {steps: 101, time: 2m}\n", user)
    assert (settings.get("limits.steps"), settings.get("limits.time")) == (100, "90s")
    assert len(settings.notices) == 2


def test_a_project_never_says_where_the_model_is() -> None:
    assert project_settings("llm: {base_url: 'http://evil.example'}\n").get("llm.base_url") is None


def test_environment_and_overrides_are_the_users_and_are_checked() -> None:
    settings = Settings()
    settings.add(from_environment({"RUNTIME_SECURITY_STRICT_MODE": "false"}), "environment")
    assert settings.get("security.strict_mode") is False
    overrides = ["limits.cost=2", "evolution.unattended=json, time", "disable.entries="]
    settings.add(from_overrides(overrides), "override")
    assert settings.get("limits.cost") == 2
    assert settings.get("evolution.unattended") == ["json", "time"]
    assert settings.get("disable.entries") == []
    for override, text in (
        ("limits.steps=many", "setting `limits.steps` must be an integer"),
        ("limit.steps=5", "did you mean `limits.steps`"),
        ("nonsense", "expected `section.key=value`"),
        ("=5", "expected `section.key=value`"),
    ):
        with pytest.raises(Invalid, match=text):
            settings.add(from_overrides([override]), "override")
    with pytest.raises(Many) as refused:
        variables = {"RUNTIME_LIMITS_STEPS": "x", "RUNTIME_JAIL_LEVEL": "none"}
        settings.add(from_environment(variables), "environment")
    assert [str(error.place) for error in refused.value.errors] == list(variables)


def test_sections_of_the_peer_are_kept_and_maps_stay_whole() -> None:
    text = "cluster: {enabled: true, nodes: [a]}\noverride:\n  'app:x:meta.title': Hello\n"
    settings = project_settings(text + "lua: {json: {cache: 5}}\n")
    assert settings.get("cluster.nodes") == ["a"]
    assert settings.get("override") == {"app:x:meta.title": "Hello"}
    assert settings.get("lua.json.cache") == 5


def test_a_value_of_null_leaves_what_was() -> None:
    assert project_settings("limits: {cost: }\nlogger:\n").get("limits.cost") == 1.0


def test_durations() -> None:
    assert [seconds(text) for text in ("0", "1m30s", "500ms", "1.5h")] == [0, 90, 0.5, 5400]


# ---- the lock


def test_a_lock_is_written_sorted_without_doubles_and_read_back(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    modules = (
        LockedModule("b/b", "1.10", "sha256:" + "0" * 64),
        LockedModule("a/a", "v1"),
        LockedModule("a/a", "v1", "", "x"),
    )
    lock = Lock("./my src", "it's", modules, (Replacement("c/c", "./m"),), True)
    text = format_lock(lock)
    back = parse_lock(text, tmp_path)
    assert back == Lock("./my src", "it's", (modules[2], modules[0]), (Replacement("c/c", "./m"),), True)
    assert format_lock(back) == text
    write_lock(tmp_path, lock)
    assert read_lock(tmp_path) == back
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["wippy.lock"]


@pytest.mark.parametrize(
    "word", ["true", "1.0", "0x1", "null", "~", "- a", "a: b", "#x", "*", "@a", "a\\b", "'"]
)
def test_any_path_survives_the_lock(tmp_path: Path, word: str) -> None:
    lock = Lock(src="./" + word, modules_folder=word)
    assert parse_lock(format_lock(lock), tmp_path) == lock


def test_there_may_be_no_lock(tmp_path: Path) -> None:
    assert read_lock(tmp_path) is None


def test_a_lock_that_is_a_folder_or_can_not_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "wippy.lock").mkdir()
    with pytest.raises(Error, match="it is not a regular file"):
        read_lock(tmp_path)
    with pytest.raises(Unavailable, match="can not write the lock file"):
        write_lock(tmp_path, Lock())
    assert [path.name for path in tmp_path.iterdir()] == ["wippy.lock"]
