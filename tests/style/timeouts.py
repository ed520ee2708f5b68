# Finds tests of every run that may take longer than a minute without a reason.
#
# Usage: timeouts.py BINARY_DIR CTEST LIMIT_S
#
# A test labelled `long` or `gpu` may take its time. Another one's TIMEOUT is at most LIMIT_S (test_timeout_s of
# tests/CMakeLists.txt), or it is registered by warpmark_slow_test, which wants a reason; without a TIMEOUT, ctest
# waits 25 minutes.
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from registered_tests import registered_tests  # noqa: E402

def faults(tests, slow, limit_s):
    """Yields what is wrong with `tests`, a dictionary of properties by name; `slow` has the names with a reason."""
    for name, properties in tests.items():
        if {"long", "gpu"} & set(properties.get("LABELS", [])):
            continue
        timeout = properties.get("TIMEOUT")
        if timeout is None:
            yield "%s: it has no TIMEOUT: test_timeout_s, or warpmark_slow_test with a reason" % name
        elif timeout > limit_s and name not in slow:
            yield "%s: %d s without a reason: at most %d s, or warpmark_slow_test" % (name, timeout, limit_s)
        elif timeout <= limit_s and name in slow:
            yield "%s: warpmark_slow_test with %d s, which no test needs a reason for" % (name, timeout)


def main(build, ctest, limit_s):
    tests = {test["name"]: {one["name"]: one["value"] for one in test.get("properties", [])}
             for test in registered_tests(build, ctest)}
    slow = (pathlib.Path(build) / "tests/slow_tests.txt").read_text().split()
    found = list(faults(tests, slow, float(limit_s)))
    for fault in found:
        print(fault)
    return 1 if found or not tests else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
