return security.named_scope("shop:all")
