-- containment: jail
-- jail: error Internal module 'http_client' not found
return require("http_client").get("http://127.0.0.1/")
