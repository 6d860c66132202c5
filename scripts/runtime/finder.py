# Stands before the code of `encodings`, the first module that Python takes from its archive (see pack.py): from then
# on modules come out of one member of the archive instead of one each. An archive is opened, searched and read
# anew for every member, and that, two hundred times, was a fifth of the start.


def _find_in_one_member():
    import _frozen_importlib
    import marshal
    import sys

    archive = __spec__.loader.archive
    try:
        modules = marshal.loads(__spec__.loader.get_data(archive + "/modules.bin"))
    except OSError:  # while packing
        return

    class OneMember:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if name not in modules:
                return None
            package, _ = modules[name]
            folder = archive + "/" + name.replace(".", "/")
            file = folder + "/__init__.pyc" if package else folder + ".pyc"
            spec = _frozen_importlib.ModuleSpec(name, OneMember, origin=file, is_package=package)
            spec.has_location = True
            if package:
                spec.submodule_search_locations.append(folder)
            return spec

        @staticmethod
        def create_module(spec):
            return None

        @staticmethod
        def exec_module(module):
            exec(marshal.loads(modules[module.__name__][1]), module.__dict__)

    sys.meta_path.insert(2, OneMember)  # after what is built in and what is frozen


_find_in_one_member()
del _find_in_one_member
