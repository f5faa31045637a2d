"""What is wrong in a source, said before it runs: rules on its tree, and the checks of its types."""
