"""No package is ever loaded: the wizard is in the zip of the standard library."""

from site import getsitepackages


class _Folder:
    def __init__(self, path):
        self._path = path

    def __str__(self):
        return self._path


SITE_PACKAGES = _Folder(getsitepackages()[0])
DSO_DIR = _Folder("/usr/lib")


def init_loaded_packages():
    """Called when Pyodide has read its list of packages."""
