-- containment: jail
-- modules: env
-- jail: error Internal module 'llm_host' not found
return require("llm_host")
