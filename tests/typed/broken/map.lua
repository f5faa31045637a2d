type M = {[string]= number}
