-- expect: timeout
while true do host.cast("noise", ("x"):rep(1000)) end
