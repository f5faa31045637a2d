-- containment: jail
-- jail: killed size
return ("x"):rep(2000000)
