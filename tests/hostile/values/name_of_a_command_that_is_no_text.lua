-- expect: value "contained"
host.cast("\255noise")
return "contained"
