#!/usr/bin/env python3
"""Runs PyCUDA's own tests on the CPU device: those of the release that Debian's python3-pycuda is.

pycuda_suite.py LAUNCHER DEPS [-k EXPRESSION]

DEPS is the folder of Debian packages that ./bootstrap made, which has PyCUDA. Its tests come from PyPI, pytest from Debian,
into the folder that WARPMARK_PYCUDA names, where they stay. 77: skipped, because the variable is not set or nothing can be
fetched. The device runs with the memory check; a test of the suite that skips itself is counted apart.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

from fetched import client_packages, environment, fetch_debs, folder_of, library_folders, skip

RELEASE = "2022.2.2"
PYTEST = ["python3-pytest", "python3-pluggy", "python3-iniconfig", "python3-attr", "python3-packaging", "python3-py"]
# These use texture and surface references, which CUDA 12 removed from its headers; nvcc refuses them.
CANNOT_RUN = r"::test_(\w*texture\w*|\w*surfaces|take|take_put)$"
REMOVED = re.compile(r"surface_functions\.h: No such file|__nv_itex_trait|identifier \"texture\"|texture is not a template")


def fetch(folder, packages):
    """The folder of the tests, and that of pytest."""
    tests = folder / ("pycuda-%s" % RELEASE) / "test"
    modules = folder / "root/usr/lib/python3/dist-packages"
    if tests.is_dir() and (modules / "pytest").is_dir():
        return tests, modules
    try:
        # pip asks a source for its metadata, which wants NumPy.
        subprocess.run(["/usr/bin/python3", "-m", "pip", "download", "-q", "--no-deps", "--no-build-isolation",
                        "--no-binary", ":all:", "-d", folder, "pycuda==" + RELEASE], check=True,
                       env=environment([packages], []))
        with tarfile.open(folder / ("pycuda-%s.tar.gz" % RELEASE)) as archive:
            archive.extractall(folder, [one for one in archive.getmembers() if "/test/" in one.name], filter="data")
        fetch_debs(folder, PYTEST)
    except (OSError, subprocess.CalledProcessError) as error:
        skip("PyCUDA's tests cannot be fetched: %s" % error)
    return tests, modules


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("launcher", type=pathlib.Path)
    parser.add_argument("deps", type=pathlib.Path)
    parser.add_argument("-k", default="", help="pytest's expression")
    options = parser.parse_args()
    folder = folder_of("WARPMARK_PYCUDA")
    packages = client_packages(options.deps.resolve())
    if not (packages / "pycuda").is_dir():
        skip("./bootstrap has fetched no PyCUDA")
    tests, modules = fetch(folder, packages)
    toolkits = [place for place in sorted(pathlib.Path("/usr/local").glob("cuda*/lib64"))][:1]
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run([options.launcher.resolve(), "/usr/bin/python3", "-B", "-m", "pytest", "-q", "-rfEs",
                               "-p", "no:cacheprovider", "-k", options.k, tests],
                              env=environment([packages, modules], library_folders([options.deps.resolve()]) + toolkits,
                                              HOME=home, XDG_CACHE_HOME=home + "/cache"),
                              cwd=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    text = done.stdout.decode(errors="replace")
    (folder / "pycuda.log").write_text(text)
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|error|skipped)", text.splitlines()[-1])}
    failed = sorted(set(re.findall(r"^(?:FAILED|ERROR) (\S+)", text, re.MULTILINE)))
    wrong = [name for name in failed if not (re.search(CANNOT_RUN, name) and REMOVED.search(text))]
    passed = counts.get("passed", 0)
    print("%d of %d tests that can run pass; %d cannot run, %d skip themselves" %
          (passed, passed + len(wrong), len(failed) - len(wrong), counts.get("skipped", 0)))
    for name in wrong:
        print("FAILED " + name)
    sys.exit(1 if wrong or passed == 0 else 0)


if __name__ == "__main__":
    main()
