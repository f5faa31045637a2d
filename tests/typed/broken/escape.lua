local x = "\q"
