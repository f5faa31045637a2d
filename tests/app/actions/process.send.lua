return process.send(given.pid, "note", 1)
