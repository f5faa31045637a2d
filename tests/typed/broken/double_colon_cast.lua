local x = y :: + 1
