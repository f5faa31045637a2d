return events.subscribe("shop")
