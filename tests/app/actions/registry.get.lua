return registry.get("shop:note")
