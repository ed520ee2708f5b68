"""The program warpmark, in the Python that it is installed in: `python -m warpmark`."""
import os
import re
import signal
import sys


def end_with(parent):
    """Ends this process, as SIGTERM does, when the process with this id ends or has ended."""
    import ctypes

    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        sys.exit(128 + signal.SIGTERM)


def load_core():
    """The program as an extension module. Ends the process with 3, an environment error, where it cannot
    be loaded: an archive holds it for some versions of Python, a copied tree may come to an old system.
    """
    try:
        from warpmark import _core
        return _core
    except ImportError as error:
        package = os.path.dirname(os.path.abspath(__file__))
        tags = [re.match(r"_core\.cpython-(\d)(\d+)-", name) for name in os.listdir(package)]
        versions = ["%s.%s" % tag.groups() for tag in sorted(filter(None, tags), key=lambda tag: int(tag[2]))]
        own = "%d.%d" % sys.version_info[:2]
        if versions and own not in versions:
            what = "this Warpmark is for Python %s, and %s is Python %s" % (
                " and ".join(versions), sys.executable, own)
            hint = "put a python3 of that version first in PATH, or install a wheel for Python %s" % own
        else:
            what = "the program cannot be loaded into %s: %s" % (sys.executable, error)
            hint = "Warpmark needs an x86-64 Linux with glibc 2.31 or newer" if "GLIBC" in str(error) else (
                "install the wheel again; in a source tree, build the target warpmark_module")
        print("error: %s\n  hint: %s" % (what, hint), file=sys.stderr)
        sys.exit(3)


def main():
    """Runs the program with the arguments of this process, and ends the process."""
    package = os.path.dirname(os.path.abspath(__file__))
    # References are evaluated here. A file of the working folder must not be taken for a module.
    own = {"", package, os.getcwd() if os.path.isdir(".") else ""}
    sys.path[:] = [folder for folder in sys.path if folder not in own]
    if "WARPMARK_PARENT" in os.environ:  # by the functions of this package
        end_with(int(os.environ.pop("WARPMARK_PARENT")))
    core = load_core()
    from warpmark.places import cuda_folder, program_folder, worker_file

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Python's own would only take a note
    folder = cuda_folder()
    if folder and "WARPMARK_OWN_CUDA" not in os.environ:
        os.environ["WARPMARK_OWN_CUDA"] = folder
    os.environ["WARPMARK_OWN_PYTHON"] = sys.executable  # for advice
    code = core.main(
        arguments=[os.fsencode(word) for word in sys.argv[1:]],
        # By the file: with -m, the working folder comes first when the package is looked for.
        command=[sys.executable, os.path.join(package, "__main__.py")],
        worker=worker_file(), folder=program_folder())
    # Threads of libraries may still run, and values outlive their owners: nothing is taken down.
    os._exit(code)


if __name__ == "__main__":
    if sys.path and os.path.abspath(sys.path[0]) == os.path.dirname(os.path.abspath(__file__)):
        sys.path[0] = os.path.dirname(sys.path[0])  # run by its file: the package lies above
    main()
