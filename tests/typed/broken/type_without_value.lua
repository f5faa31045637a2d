type X
return 1
