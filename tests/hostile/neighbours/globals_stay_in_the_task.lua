-- expect: value true
leak = "mine"
return leak == "mine"
