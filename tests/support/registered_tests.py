# The tests that a build folder has, as ctest knows them.
import json
import pathlib
import subprocess
import tempfile


def registered_tests(build, ctest="ctest"):
    """Returns what `ctest --show-only=json-v1` says of each test. It is asked from another folder: in the build
    folder it would take away the log of a ctest that runs."""
    with tempfile.TemporaryDirectory(prefix="warpmark-ctest-") as folder:
        place = pathlib.Path(build).resolve()
        pathlib.Path(folder, "CTestTestfile.cmake").write_text('subdirs("%s")\n' % place, encoding="utf-8")
        done = subprocess.run([ctest, "--show-only=json-v1"], cwd=folder, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)["tests"]
