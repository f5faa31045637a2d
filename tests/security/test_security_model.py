"""Only a model that lets any deny win may decide: each file of `models/` says why it is refused."""

from pathlib import Path

import pytest
from security_cases import AGENT, engine_of, entry, scope

from runtime.core.errors import Invalid
from runtime.security.decision import Decision
from runtime.security.enforcer import CasbinEnforcer
from runtime.security.engine import Engine
from runtime.security.model import accept_model, project_model, shipped_model

FILES = sorted((Path(__file__).parent / "models").glob("*.conf"))
ROOT = Path(__file__).parents[2]


def test_the_model_of_this_project_is_the_shipped_one():
    assert project_model(ROOT) == shipped_model()
    assert (ROOT / "policies.conf").is_file()


def test_the_shipped_model_is_accepted():
    assert accept_model(shipped_model()) == shipped_model()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_tampered_model_is_refused_with_the_reason(path, tmp_path):
    (tmp_path / "policies.conf").write_bytes(path.read_bytes())
    text = project_model(tmp_path)
    with pytest.raises(Invalid) as caught:
        Engine(text)
    assert "# " + str(caught.value) in text.removeprefix("\ufeff").splitlines()


def test_a_project_may_bring_its_own_comments_blanks_and_order(tmp_path):
    text = """
        ; ours
        [matchers]
        m = holds(p.policy,r.facts)  &&  matches(r.resource, p.resources) && matches( r.action , p.actions )
        [request_definition]
        r = actor,action,  resource,facts
        # why
        [policy_effect]
        e = some(where (p.eft == allow)) && !some(where (p.eft == deny))
        [policy_definition]
        p=policy, actions, resources, eft
    """
    (tmp_path / "policies.conf").write_text(text, "utf-8")
    engine = Engine(project_model(tmp_path))
    engine.rebuild([entry("a"), entry("d", "deny", resources="secret"), entry("n", resources="other")])
    assert engine.evaluate(scope("a", "d", "n"), AGENT, "read", "x").reasons == ("app:a",)
    assert engine.evaluate(scope("a", "d", "n"), AGENT, "read", "secret").reasons == ("app:d",)


def test_a_file_with_carriage_returns_is_read_alike():
    accept_model(shipped_model().replace("\n", "\r\n"))


def test_a_file_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "policies.conf").write_bytes(b"\xff\xfe[\x00")
    with pytest.raises(Invalid, match="the policy model can not be read"):
        project_model(tmp_path)
    (tmp_path / "policies.conf").unlink()
    (tmp_path / "policies.conf").mkdir()
    with pytest.raises(Invalid, match=r"`policies\.conf` can not be read: it is not a regular file"):
        project_model(tmp_path)


def test_a_message_about_a_file_that_is_no_model_shows_nothing_of_it(tmp_path):
    (tmp_path / ".env").write_text("TOKEN=canary-4f1e7b2a99c0\n")
    (tmp_path / "policies.conf").symlink_to(".env")
    with pytest.raises(Invalid) as caught:
        Engine(project_model(tmp_path))
    assert "canary" not in str(caught.value)


def test_a_very_large_file_is_refused():
    with pytest.raises(Invalid, match="more than 10000"):
        accept_model(shipped_model() + "#" * 10_000)


class Disabled(CasbinEnforcer):
    """casbin with its enforcement switched off: it answers yes to everything."""

    def __init__(self, *args):
        super().__init__(*args)
        self._casbin.enable_enforce(False)


class StopsEarly(CasbinEnforcer):
    """casbin with its stock effector: nobody learns which policies decided."""

    def __init__(self, *args):
        super().__init__(*args)
        self._casbin.set_effector(self._effects._stock)


class Always:
    """An enforcer that says yes."""

    def __init__(self, _model, _policies):
        pass

    def decide(self, *_request):
        return Decision("allow", ("probe:allow",), "yes")


def removed(_model, _policies):
    raise ModuleNotFoundError("casbin")


@pytest.mark.parametrize("build", [Disabled, StopsEarly, Always, removed])
def test_an_enforcer_that_fails_a_probe_never_decides(build):
    with pytest.raises(Invalid, match=r"the policy model is refused: the probe with .* must give `"):
        engine_of(entry("a"), build=build)


def test_an_effector_that_lets_an_allow_win_fails_the_probes():
    class AllowWins(CasbinEnforcer):
        def __init__(self, *args):
            from casbin.effect import AllowOverrideEffector

            super().__init__(*args)
            self._effects._stock = AllowOverrideEffector()

    with pytest.raises(Invalid, match="the probe with a deny after an allow must give `deny`"):
        engine_of(entry("a"), build=AllowWins)
