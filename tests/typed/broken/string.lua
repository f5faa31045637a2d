local x = "open
return x
