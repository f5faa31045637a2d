"""What the host and the zygote say to each other: one datagram a request, one an answer."""

from __future__ import annotations

import struct

REQUEST = struct.Struct("<BQi4Q")
"""What to do, a number that the answer repeats, a pid to reap, and the limits of a child to fork."""
LIMITS = ("cpu", "memory", "address_space", "open_files")
"""The numbers of `JailLimits` that a request holds, in order."""
ANSWER = struct.Struct("<Qq")
"""The number of the request; the pid of the new child, or the status of `waitpid`, or a negative errno."""
FORK, REAP = 1, 2
PIPES = 3
"""A FORK carries so many descriptors: what becomes standard input, output and error."""
HELLO_BYTES = 4096
"""The first datagram, once the zygote is ready: the state of its nets; at most so large."""
