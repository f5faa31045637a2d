"""Floor 5: code born at run time runs in a child process that holds no authority and can be killed."""
