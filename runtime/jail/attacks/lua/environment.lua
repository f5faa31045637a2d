-- wants: read the environment of the process
return os.getenv("PATH") or os.getenv("HOME")
