-- expect: timeout
::again:: goto again
