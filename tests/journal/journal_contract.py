"""What every journal keeps to, whatever holds its events: a backend's test class derives from this one."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from runtime.core.canonical import canonical, digest, value_digest
from runtime.core.errors import AlreadyExists, Conflict, Invalid, NotFound, Unavailable
from runtime.core.redact import Redactor
from runtime.journal import types
from runtime.journal.chain import GENESIS
from runtime.journal.events import Draft, Event, Head, Journal


class SteppingClock:
    """A clock that is a second later each time it is asked."""

    def __init__(self) -> None:
        self._now = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)

    def now(self) -> datetime:
        self._now += timedelta(seconds=1)
        return self._now

    def monotonic(self) -> float:
        return self._now.timestamp()


def message(text: str = "hello") -> Draft:
    return Draft(types.MESSAGE_ADDED, {"role": "user", "content": text})


class JournalContract:
    """The rules; `make` gives an empty journal with this clock and redactor."""

    @abstractmethod
    def make(self, clock: SteppingClock, redactor: Redactor) -> Journal: ...

    @pytest.fixture
    def redactor(self) -> Redactor:
        return Redactor()

    @pytest.fixture
    def journal(self, redactor: Redactor) -> Iterator[Journal]:
        journal = self.make(SteppingClock(), redactor)
        yield journal
        journal.close()

    # What is written is what is read

    def test_an_empty_journal_has_a_head_and_nothing_else(self, journal: Journal) -> None:
        assert list(journal.read()) == []
        assert journal.streams() == {}
        assert journal.head() == value_digest([])
        assert journal.verify().ok
        assert journal.open_requests() == []

    def test_append_returns_the_events_that_read_returns(self, journal: Journal) -> None:
        written = journal.append("a", [message("1"), message("2")])
        written += journal.append("b", [Draft(types.SESSION_STARTED, None, actor="user:me", cause=1)])
        assert list(journal.read()) == written
        assert [(event.seq, event.stream, event.position) for event in written] == [
            (1, "a", 1),
            (2, "a", 2),
            (3, "b", 1),
        ]
        assert (written[2].actor, written[2].cause, written[2].branch) == ("user:me", 1, "main")
        assert written[0].time == "2026-01-02T03:04:06.000006Z"

    def test_a_payload_comes_back_and_is_no_longer_the_callers(self, journal: Journal) -> None:
        payload = {"bytes": b"\x00\xff", "list": [1, 1.0, None, True], "map": {"$bytes": "no bytes"}}
        before = {**payload, "list": [1, 1.0, None, True]}
        (event,) = journal.append("a", [Draft(types.MESSAGE_ADDED, payload)])
        payload["list"].append("changed later")  # type: ignore[union-attr]
        assert event.payload == before
        event.payload["list"].clear()  # type: ignore[index,call-overload,union-attr]
        assert next(journal.read()).payload == before

    def test_bytes_are_written_as_base64(self, journal: Journal) -> None:
        (event,) = journal.append("a", [Draft(types.MESSAGE_ADDED, {"data": b"\xff"})])
        assert event.payload_digest == value_digest({"data": {"$bytes": "/w=="}})

    # The chain

    def test_a_hash_covers_the_hash_before_and_the_event_with_its_payloads_digest(
        self, journal: Journal
    ) -> None:
        events = journal.append(
            "a",
            [
                Draft(types.MESSAGE_ADDED, {"b": 1}, actor='q"\n\u00e9'),
                Draft(types.RUN_ENDED, None, cause=None),
            ],
        )
        events += journal.append("a", [Draft(types.RUN_ENDED, [], cause=2)])
        previous = GENESIS
        for event in events:
            header = {
                name: value for name, value in event.to_value().items() if name not in ("payload", "hash")
            }
            assert event.payload_digest == value_digest(event.payload)
            assert event.hash == digest(previous.encode() + b"\n" + canonical(header))
            previous = event.hash

    def test_the_heads_name_the_last_event_of_each_stream_and_the_journal_their_hash(
        self, journal: Journal
    ) -> None:
        journal.append("b", [message()])
        (last,) = journal.append("b", [message()])
        (other,) = journal.append("a", [message()])
        assert journal.streams() == {"b": Head(2, last.hash), "a": Head(1, other.hash)}
        assert journal.head() == value_digest([["main", "a", 1, other.hash], ["main", "b", 2, last.hash]])

    def test_verification_counts_the_events_and_gives_the_head(self, journal: Journal) -> None:
        for stream in ("a", "b", "a"):
            journal.append(stream, [message(), message()])
        found = journal.verify()
        assert (found.ok, found.events, found.head, found.problems) == (True, 6, journal.head(), ())

    # Reading

    def test_reading_is_by_stream_seq_type_and_limit(self, journal: Journal) -> None:
        for number in range(10):
            journal.append("ab"[number % 2], [message(str(number)), Draft(types.TOOL_LOADED, number)])
        assert [event.seq for event in journal.read("a")] == [1, 2, 5, 6, 9, 10, 13, 14, 17, 18]
        assert [event.seq for event in journal.read("b", after=12, types=[types.TOOL_LOADED])] == [16, 20]
        assert [event.seq for event in journal.read(after=15, limit=3)] == [16, 17, 18]
        assert [event.seq for event in journal.read(types={types.TOOL_LOADED}, limit=2)] == [2, 4]
        assert list(journal.read("nothing")) == []
        assert list(journal.read(limit=0)) == []
        assert list(journal.read(after=10**9)) == []

    def test_a_long_journal_is_read_whole_and_in_order(self, journal: Journal) -> None:
        for number in range(12):
            journal.append("ab"[number % 2], [message()] * 100)
        assert [event.seq for event in journal.read()] == list(range(1, 1201))
        assert [event.position for event in journal.read("b")] == list(range(1, 601))
        assert len(list(journal.read("b", limit=555))) == 555

    def test_a_reader_ends_at_what_was_there_when_it_began(self, journal: Journal) -> None:
        journal.append("a", [message()] * 600)
        seen = 0
        for _ in journal.read():
            seen += 1
            if seen % 100 == 0:
                journal.append("a", [message()])
        assert seen == 600

    # What is refused

    def test_a_wrong_expectation_is_a_conflict_and_nothing_is_written(self, journal: Journal) -> None:
        journal.append("a", [message()], expected=0)
        with pytest.raises(Conflict) as caught:
            journal.append("a", [message(), message()], expected=0)
        assert caught.value.details == {"stream": "a", "position": 1, "expected": 0}
        assert len(list(journal.read())) == 1
        journal.append("a", [message()], expected=1)

    @pytest.mark.parametrize(
        "type_", ["", "message", "message.added ", "Message.Added", "app.custom", "x" * 5000]
    )
    def test_an_unknown_type_is_refused(self, journal: Journal, type_: str) -> None:
        with pytest.raises(Invalid, match="unknown type of event"):
            journal.append("a", [message(), Draft(type_)])
        assert list(journal.read()) == []

    @pytest.mark.parametrize("type_", sorted(types.TYPES))
    def test_every_type_of_the_set_is_accepted(self, journal: Journal, type_: str) -> None:
        assert journal.append("a", [Draft(type_)])[0].type == type_

    @pytest.mark.parametrize("stream", ["", " ", "a b", "a\n", "\u00e9", "-a", "a\x00", "x" * 257])
    def test_a_malformed_stream_is_refused(self, journal: Journal, stream: str) -> None:
        with pytest.raises(Invalid, match="invalid stream"):
            journal.append(stream, [message()])

    @pytest.mark.parametrize("cause", [0, -1, 1, 2, 99, True, "1", 1.0])
    def test_a_cause_that_is_no_earlier_event_is_refused(self, journal: Journal, cause: object) -> None:
        with pytest.raises(Invalid, match="cause"):
            journal.append("a", [message(), Draft(types.RUN_ENDED, cause=cause)])  # type: ignore[arg-type]
        assert list(journal.read()) == []

    @pytest.mark.parametrize("actor", ["", "x" * 2000, "\ud800"])
    def test_a_malformed_actor_is_refused(self, journal: Journal, actor: str) -> None:
        with pytest.raises(Invalid, match="actor"):
            journal.append("a", [Draft(types.RUN_ENDED, actor=actor)])

    @pytest.mark.parametrize(
        "payload",
        [float("nan"), {"a": "\ud800"}, {1: 2}, [object()], {1, 2}],
        ids=["nan", "surrogate", "key", "object", "set"],
    )
    def test_a_payload_with_no_canonical_form_is_refused_and_nothing_is_written(
        self, journal: Journal, payload: object
    ) -> None:
        with pytest.raises(Invalid, match=r"payload of `run\.ended`"):
            journal.append("a", [message(), Draft(types.RUN_ENDED, payload)])  # type: ignore[arg-type]
        assert list(journal.read()) == []
        assert journal.streams() == {}

    def test_nothing_to_append_is_nothing_appended(self, journal: Journal) -> None:
        assert journal.append("a", []) == []
        assert journal.streams() == {}
        with pytest.raises(Conflict):
            journal.append("a", [], expected=1)

    def test_a_closed_journal_says_so(self, journal: Journal) -> None:
        journal.append("a", [message()])
        journal.close()
        journal.close()
        for use in (journal.streams, journal.head, journal.open_requests, journal.read):
            with pytest.raises(Unavailable, match="closed"):
                use()
        with pytest.raises(Unavailable, match="closed"):
            journal.append("a", [message()])

    # Secrets

    def test_secrets_are_masked_before_they_are_hashed(self, journal: Journal, redactor: Redactor) -> None:
        redactor.learn("correct horse battery")
        journal.append(
            "a",
            [
                Draft(
                    types.TOOL_REQUESTED,
                    {"correct horse battery": ["correct horse battery"], "raw": b"correct horse battery"},
                    actor="correct horse battery",
                ),
                Draft(types.TOOL_REQUESTED, {"url": "https://x/?api_key=abcdef", "password": "hunter2"}),
            ],
        )
        first, second = journal.read()
        mask = "[redacted:secret]"
        assert first.payload == {mask: [mask], "raw": mask.encode()}
        assert first.actor == mask
        assert second.payload == {
            "url": "https://x/?api_key=[redacted:api_key]",
            "password": "[redacted:password]",
        }
        assert journal.verify().ok

    # Open requests

    def test_a_request_is_open_until_it_is_answered_by_cause(self, journal: Journal) -> None:
        llm, tool, other = journal.append(
            "a", [Draft(types.LLM_REQUESTED), Draft(types.TOOL_REQUESTED), Draft(types.TOOL_REQUESTED)]
        )
        assert journal.open_requests() == [llm, tool, other]
        journal.append("b", [Draft(types.LLM_FAILED, cause=llm.seq)])
        journal.append("a", [Draft(types.TOOL_RESPONDED, cause=other.seq)])
        assert journal.open_requests() == [tool]

    @pytest.mark.parametrize(
        "type_", [types.POLICY_DENIED, types.REGISTRY_APPLIED, types.LLM_RESPONDED, types.TOOL_REQUESTED]
    )
    def test_what_a_request_caused_is_not_yet_its_answer(self, journal: Journal, type_: str) -> None:
        (request,) = journal.append("a", [Draft(types.TOOL_REQUESTED, "x" * 10)])
        journal.append("a", [Draft(type_, cause=request.seq), Draft(types.TOOL_RESPONDED)])
        assert request in journal.open_requests()

    # Threads

    def test_threads_append_without_losing_or_mixing_anything(self, journal: Journal) -> None:
        gate = threading.Barrier(6)

        def write(name: str) -> None:
            gate.wait(timeout=30)
            for number in range(40):
                journal.append(name, [message(f"{number}a"), message(f"{number}b")])
                journal.append("shared", [message(name)])
                assert len(list(journal.read(name, after=0, limit=5))) >= 2

        threads = [threading.Thread(target=write, args=(f"t{index}",)) for index in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
        events = list(journal.read())
        assert [event.seq for event in events] == list(range(1, 6 * 120 + 1))
        for index in range(6):
            own = [event for event in events if event.stream == f"t{index}"]
            assert [_content(event) for event in own] == [f"{n}{half}" for n in range(40) for half in "ab"]
            # Both drafts of one append stand together.
            assert all(a.seq + 1 == b.seq for a, b in zip(own[::2], own[1::2], strict=True))
        assert journal.verify().ok

    def test_of_many_writers_with_one_expectation_exactly_one_wins(self, journal: Journal) -> None:
        gate = threading.Barrier(8)
        outcomes: list[str] = []

        def write() -> None:
            gate.wait(timeout=30)
            try:
                journal.append("a", [message()], expected=0)
                outcomes.append("written")
            except Conflict:
                outcomes.append("conflict")

        threads = [threading.Thread(target=write) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
        assert sorted(outcomes) == ["conflict"] * 7 + ["written"]

    # Branches

    def test_a_branch_is_its_parents_prefix_and_its_own_events(self, journal: Journal) -> None:
        journal.append("a", [message("1"), message("2")])
        journal.append("b", [message("3")])
        fork = journal.fork("trial", 2)
        assert (fork.parent, fork.at) == ("main", 2)
        branch = journal.on("trial")
        assert contents(branch) == ["1", "2"]
        journal.append("a", [message("main only")])
        (own,) = branch.append("a", [message("4")], expected=2)
        (new,) = branch.append("b", [message("5")], expected=0)
        assert (own.branch, own.position, new.position) == ("trial", 3, 1)
        assert contents(branch) == ["1", "2", "4", "5"]
        assert contents(branch, "a") == ["1", "2", "4"]
        assert contents(branch, "a", after=1) == ["2", "4"]
        assert contents(branch, "a", limit=2) == ["1", "2"]
        assert contents(journal, "a") == ["1", "2", "main only"]
        assert contents(journal, "b") == ["3"]
        assert branch.streams() == {"a": Head(3, own.hash), "b": Head(1, new.hash)}
        assert journal.streams()["a"].position == 3
        assert journal.verify().ok
        assert journal.verify("a").ok

    def test_a_branch_follows_the_hash_of_its_parent_at_the_cut(self, journal: Journal) -> None:
        first, _second = journal.append("a", [message("1"), message("2")])
        journal.fork("one", first.seq)
        (own,) = journal.on("one").append("a", [message("2")])
        header = {name: value for name, value in own.to_value().items() if name not in ("payload", "hash")}
        assert own.hash == digest(first.hash.encode() + b"\n" + canonical(header))

    def test_branches_of_branches_see_each_their_own_past(self, journal: Journal) -> None:
        journal.append("a", [message(str(number)) for number in range(4)])
        journal.fork("one", 2)
        one = journal.on("one")
        events = one.append("a", [message("x"), message("y")])
        one.fork("two", events[0].seq)
        two = journal.on("two")
        two.append("a", [message("z")])
        one.append("a", [message("later")])
        journal.fork("three", 1)
        assert contents(two) == ["0", "1", "x", "z"]
        assert contents(one) == ["0", "1", "x", "y", "later"]
        assert contents(journal.on("three")) == ["0"]
        assert [each.position for each in two.read("a")] == [1, 2, 3, 4]
        forks = journal.forks()
        assert forks.common("main", "two") == 2
        assert forks.common("one", "two") == events[0].seq
        assert forks.common("two", "three") == 1
        assert forks.common("two", "two") is None
        assert journal.verify().ok

    def test_one_stream_can_be_forked_without_the_others(self, journal: Journal) -> None:
        journal.append("session:1", [message("1")])
        journal.append("session:2", [message("2")])
        journal.append("registry", [Draft(types.REGISTRY_APPLIED, {"version": 1})])
        fork = journal.fork("alone", 3, streams=["session:1"])
        assert fork.streams == {"session:1", "registry"}
        branch = journal.on("alone")
        assert [event.stream for event in branch.read()] == ["session:1", "registry"]
        assert contents(branch, "session:2") == []
        (own,) = branch.append("session:2", [message("3")])
        assert own.position == 1
        assert journal.verify().ok

    def test_a_name_is_taken_once_and_a_cut_must_be_there(self, journal: Journal) -> None:
        journal.append("a", [message()])
        journal.fork("one", 1)
        for name, error in (("one", AlreadyExists), ("main", AlreadyExists), ("No", Invalid), ("", Invalid)):
            with pytest.raises(error):
                journal.fork(name, 1)
        with pytest.raises(NotFound):
            journal.fork("two", 99)
        with pytest.raises(NotFound):
            journal.on("two")

    def test_a_branch_conflicts_with_nobody_elses_work(self, journal: Journal) -> None:
        journal.append("a", [message()])
        journal.fork("one", 1)
        branch = journal.on("one")
        journal.append("a", [message()], expected=1)
        branch.append("a", [message()], expected=1)
        with pytest.raises(Conflict):
            branch.append("a", [message()], expected=1)

    # Redaction

    def test_a_redacted_payload_is_gone_on_record_and_the_chain_verifies(self, journal: Journal) -> None:
        journal.append("a", [message("before"), message("the secret"), message("after")])
        event = journal.redact(2, actor="owner")
        assert (event.type, event.cause, event.actor, event.stream) == ("journal.redacted", 2, "owner", "a")
        payloads = [each.payload for each in journal.read("a", types=[types.MESSAGE_ADDED])]
        assert payloads == [{"role": "user", "content": "before"}, None, {"role": "user", "content": "after"}]
        found = journal.verify()
        assert found.ok, found.problems
        assert found.redacted == (2,)

    def test_what_the_journal_is_read_by_and_what_is_gone_is_not_redacted(self, journal: Journal) -> None:
        journal.append("registry", [Draft(types.REGISTRY_APPLIED, {"version": 1})])
        journal.append("a", [message()])
        fork = journal.fork("one", 2)
        record = journal.redact(2)
        for seq, error in (
            (1, Invalid),
            (fork.seq, Invalid),
            (record.seq, Invalid),
            (2, Conflict),
            (9, NotFound),
        ):
            with pytest.raises(error):
                journal.redact(seq)
        assert journal.verify().events == 4

    def test_a_payload_on_a_branch_is_redacted_there(self, journal: Journal) -> None:
        journal.append("a", [message("1")])
        journal.fork("one", 1)
        (own,) = journal.on("one").append("a", [message("2")])
        event = journal.on("one").redact(own.seq)
        assert (event.branch, event.position) == ("one", 3)
        assert journal.verify().redacted == (own.seq,)


def _content(event: Event) -> object:
    assert isinstance(event.payload, dict)
    return event.payload["content"]


def contents(journal: Journal, stream: str | None = None, **more: int) -> list[object]:
    events = journal.read(stream, types=[types.MESSAGE_ADDED], **more)  # type: ignore[arg-type]
    return [event.payload["content"] for event in events]  # type: ignore[index,call-overload]
