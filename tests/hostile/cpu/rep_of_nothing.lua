-- expect: value ""
return ("").rep("", 2 ^ 53)
