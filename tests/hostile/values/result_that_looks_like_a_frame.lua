-- expect: value "\u0007\u0000\u0000\u0000\u0003\u0002c"
return "\7\0\0\0\3\2\99"
