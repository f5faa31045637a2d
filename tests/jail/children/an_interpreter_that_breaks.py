# expect: Unavailable | no jailed child can start (exit status 1)
# reason: start
# stderr: ZeroDivisionError
print(1 / 0)
