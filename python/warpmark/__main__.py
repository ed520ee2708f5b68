"""The program warpmark, in the Python that it is installed in: `python -m warpmark`."""
import os
import signal
import sys


def end_with(parent):
    """Ends this process, as SIGTERM does, when the process with this id ends or has ended."""
    import ctypes

    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        sys.exit(128 + signal.SIGTERM)


def main():
    """Runs the program with the arguments of this process, and ends the process."""
    package = os.path.dirname(os.path.abspath(__file__))
    # References are evaluated here. A file of the working folder must not be taken for a module.
    own = {"", package, os.getcwd() if os.path.isdir(".") else ""}
    sys.path[:] = [folder for folder in sys.path if folder not in own]
    if "WARPMARK_PARENT" in os.environ:  # by the functions of this package
        end_with(int(os.environ.pop("WARPMARK_PARENT")))
    from warpmark import _core
    from warpmark.places import cuda_folder, program_folder, worker_file

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Python's own would only take a note
    folder = cuda_folder()
    if folder and "WARPMARK_OWN_CUDA" not in os.environ:
        os.environ["WARPMARK_OWN_CUDA"] = folder
    os.environ["WARPMARK_OWN_PYTHON"] = sys.executable  # for advice
    code = _core.main(
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
