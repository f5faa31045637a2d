-- wants: run a program
return os.execute("true") and "it ran"
