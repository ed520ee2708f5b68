# Checks that the tests leave nothing in the folder for temporary files.
"""Usage: leftovers.py BUILD_DIR CTEST [-R REGEX]. Runs the tests but the long and the suites'.

What stays behind there fills a machine in the course of a year, and shows that a program that was
killed, or a test that ended early, does not clean up.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

LEFT_OUT = r"^(suites|gpu|long)$"


def main(build, ctest, options):
    with tempfile.TemporaryDirectory(prefix="warpmark-leftovers-") as folder:
        done = subprocess.run([ctest, "--test-dir", build, "-LE", LEFT_OUT, "--no-tests=error",
                               "--output-on-failure", *options],
                              env={**os.environ, "TMPDIR": folder}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        left = sorted(pathlib.Path(folder).rglob("*"))
        for path in left:
            print("%s: error: a test left it behind" % path.relative_to(folder))
    if done.returncode:
        print(done.stdout)
    return 1 if left or done.returncode else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
