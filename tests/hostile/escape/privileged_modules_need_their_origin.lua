-- expect: error Internal module 'secret' not found
return require("secret").key()
