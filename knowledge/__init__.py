"""What we know: the data under this folder, and the code that loads, checks and bundles it.

The flow is one way: `load` reads the YAML, `check` says what is wrong with it, `bundle` turns it into
the plain objects that `wizard` decides with. People edit the YAML only.
"""
