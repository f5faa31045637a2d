-- containment: jail
-- modules: funcs
-- jail: killed size
return funcs.call("app:echo", ("x"):rep(2000000))
