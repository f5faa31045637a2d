"""The closed set of types of events: the only ones that the journal accepts."""

from __future__ import annotations

from typing import Final

PROJECT_LOADED: Final = "project.loaded"
REGISTRY_APPLIED: Final = "registry.applied"
REGISTRY_REJECTED: Final = "registry.rejected"
RELOAD_APPLIED: Final = "reload.applied"
RELOAD_REJECTED: Final = "reload.rejected"
TRUST_GRANTED: Final = "trust.granted"
TRUST_REVOKED: Final = "trust.revoked"

SESSION_STARTED: Final = "session.started"
SESSION_ENDED: Final = "session.ended"
MESSAGE_ADDED: Final = "message.added"
CONTEXT_COMPRESSED: Final = "context.compressed"
MODEL_SELECTED: Final = "model.selected"
LIMIT_REACHED: Final = "limit.reached"
RUN_ENDED: Final = "run.ended"

LLM_REQUESTED: Final = "llm.requested"
LLM_RESPONDED: Final = "llm.responded"
LLM_FAILED: Final = "llm.failed"
TOOL_REQUESTED: Final = "tool.requested"
TOOL_RESPONDED: Final = "tool.responded"
TOOL_FAILED: Final = "tool.failed"
TOOL_LOADED: Final = "tool.loaded"

POLICY_DENIED: Final = "policy.denied"
PROCESS_SPAWNED: Final = "process.spawned"
PROCESS_EXITED: Final = "process.exited"
JAIL_KILLED: Final = "jail.killed"

GAP_OPENED: Final = "gap.opened"
AUTHOR_FRAMED: Final = "author.framed"
PROPOSAL_DRAFTED: Final = "proposal.drafted"
PROPOSAL_SUSPENDED: Final = "proposal.suspended"
PROPOSAL_GATED: Final = "proposal.gated"
PROPOSAL_TRIALED: Final = "proposal.trialed"
PROPOSAL_APPROVED: Final = "proposal.approved"
PROPOSAL_REJECTED: Final = "proposal.rejected"
PROPOSAL_EXPIRED: Final = "proposal.expired"
PROMOTE_APPLIED: Final = "promote.applied"
PROMOTE_CONFLICTED: Final = "promote.conflicted"
OBSERVATION_FAILED: Final = "observation.failed"
OBSERVATION_PASSED: Final = "observation.passed"
CAPABILITY_DISABLED: Final = "capability.disabled"
CAPABILITY_ROLLED_BACK: Final = "capability.rolled_back"

BRANCH_FORKED: Final = "branch.forked"
BRANCH_ARCHIVED: Final = "branch.archived"
JOURNAL_COMPACTED: Final = "journal.compacted"
JOURNAL_REDACTED: Final = "journal.redacted"
MODULE_INSTALLED: Final = "module.installed"

TYPES: Final = frozenset(value for name, value in list(globals().items()) if name.isupper())

ANSWERS: Final = {
    LLM_REQUESTED: (LLM_RESPONDED, LLM_FAILED),
    TOOL_REQUESTED: (TOOL_RESPONDED, TOOL_FAILED),
}
"""What answers a request, by `cause`; another event that it caused (a denial, a change) is no answer."""
