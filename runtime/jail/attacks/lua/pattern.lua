-- wants: run for ever inside one function of C
-- ending: cpu
return ("a"):rep(30000):find((".-"):rep(20) .. "b") and "it ended"
