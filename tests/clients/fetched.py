"""Shared by the scripts that run other projects' tests: fetching packages, and the folders that ./bootstrap fills."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from languages import environment_with, reason  # noqa: E402,F401 - for the scripts

SKIP = 77


def skip(reason):
    print("skipped: " + reason)
    sys.exit(SKIP)


def folder_of(variable):
    """The folder that the environment variable names, for packages to be fetched into."""
    if not os.environ.get(variable):
        skip(variable + " names no folder")
    folder = pathlib.Path(os.environ[variable]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def client_packages(deps):
    """Where the Debian packages lie that ./bootstrap fetched for the tests of clients."""
    packages = deps / "usr/lib/python3/dist-packages"
    if not (packages / "numpy").is_dir():
        skip("./bootstrap has fetched no NumPy of Debian into %s" % deps)
    return packages


def fetch_debs(folder, names):
    """Unpacks Debian packages into folder/root, without what they depend on."""
    root = folder / "root"
    (folder / "packages").mkdir(parents=True, exist_ok=True)
    subprocess.run(["apt-get", "-qq", "-o", "APT::Sandbox::User=", "download", *names], cwd=folder / "packages",
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for package in sorted((folder / "packages").glob("*.deb")):
        subprocess.run(["dpkg", "-x", package, root], check=True)
    return root


def library_folders(places):
    """Where libraries of unpacked Debian packages lie."""
    return [
        one for place in places for pattern in ("", "/blas", "/lapack")
        for one in sorted(place.glob("usr/lib/*-linux-gnu" + pattern)) if one.is_dir()
    ]


def environment(modules, libraries, **more):
    """The process's environment with these folders of Python modules and of libraries, and nothing of a virtual one."""
    return {
        **{name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"},
        "PYTHONPATH": os.pathsep.join(map(str, modules)),
        "LD_LIBRARY_PATH": os.pathsep.join(map(str, libraries)),
        **more
    }
