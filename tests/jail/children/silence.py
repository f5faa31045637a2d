# expect: Unavailable | no jailed child can start (exit status 0)
# reason: start
