# Passes if a command succeeds and its output has a match of a pattern.
#
# Usage: run_and_match.py PATTERN COMMAND [ARGUMENT...]
#
# PASS_REGULAR_EXPRESSION of ctest would do without the success.
import re
import subprocess
import sys


def main(pattern, *command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)
    sys.stdout.write(done.stdout)
    if done.returncode != 0:
        print("it ended with %d" % done.returncode)
        return 1
    if not re.search(pattern, done.stdout):
        print("its output has no match of %s" % pattern)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
