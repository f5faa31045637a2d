"""The shipped testing kit: real parts that a test can drive; nothing of the runtime imports it."""
