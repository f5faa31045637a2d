-- expect: value [-9223372036854775808, 9223372036854775807, -9223372036854775808]
return { math.mininteger, math.maxinteger, math.maxinteger + 1 }
