"""The scripted model: a rehearsal of the agent's loop without a provider, deterministic, no language model.

It sees what every model sees, the request, and nothing else. Understanding, planning, writing and phrasing
are small rules in files of their own.
"""
