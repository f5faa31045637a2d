return security.policy("shop:env.get")
