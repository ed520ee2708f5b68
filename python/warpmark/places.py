"""Where an installed package, or the one of a build folder, has its parts."""
import importlib.util
import os

PACKAGE = os.path.dirname(os.path.abspath(__file__))


def is_installed():
    """False for the package in a build folder, build/python/warpmark."""
    return os.path.isdir(os.path.join(PACKAGE, "bin"))


def program_folder():
    """The folder from which the program finds its libraries."""
    return os.path.join(PACKAGE, "bin") if is_installed() else os.path.normpath(
        os.path.join(PACKAGE, "..", "..", "bin"))


def worker_file():
    """The program of a worker, which needs no Python."""
    return os.path.join(program_folder(), "warpmark-worker")


def cuda_folder():
    """The folder of NVIDIA's wheels with NVRTC and CUDA's headers, "" if they are not installed."""
    if not is_installed():
        return ""
    spec = importlib.util.find_spec("nvidia")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        home = os.path.join(folder, "cu13")
        if os.path.exists(os.path.join(home, "lib", "libnvrtc.so.13")):
            return home
    return ""
