-- expect: value 3
return #("\255\254\0")
