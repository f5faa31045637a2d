return events.send("shop", "kind", "path")
