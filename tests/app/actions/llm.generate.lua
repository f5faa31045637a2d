return llm.generate("hello", { model = "shop-model" })
