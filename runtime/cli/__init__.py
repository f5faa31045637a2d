"""Floor 9: the command line. One file a command; what is shown is made in `render`."""
