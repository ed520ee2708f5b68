# Suite files that attack the reader: every subcommand that loads suites ends soon, with an error
# that names the file, in bounded memory.
import resource
import unittest

from program import PROGRAM, SANITIZED, SUITE, ProgramTest

SECONDS = 20  # many times what any of them takes; without it a hang would hang the tests
BYTES = 2 << 30  # of address space: Python and its libraries map some hundred MiB

GOOD = (SUITE % ("[4]", "np.arange(n)")).encode()

# Each must be refused.
BAD = {
    "deep_flow": GOOD + b"x: " + b"[" * 100000 + b"]" * 100000 + b"\n",
    "deep_block": GOOD + b"x:\n" + b"".join(b" " * i + b"- \n" for i in range(1, 2000)),
    "deep_maps": GOOD + b"x: " + b"{a: " * 50000 + b"}" * 50000 + b"\n",
    "never_closed": GOOD + b"x: " + b"[" * 200000,
    "long_scalar": GOOD.replace(b"axes: {n: [4]}", b"axes: {n: [" + b"4" * 1000000 + b"]}"),
    "long_sum": GOOD.replace(b"[4]", b"[" + b"1+" * 400000 + b"]"),
    "parentheses": GOOD.replace(b"[4]", b"['" + b"(" * 300000 + b"1" + b")" * 300000 + b"']"),
    "many_unary": GOOD.replace(b"[4]", b"['" + b"- " * 300000 + b"x']"),
    "long_key": GOOD + b"k" * 1000000 + b": 1\n",
    "many_keys": GOOD + b"".join(b"k%d: 1\n" % i for i in range(100000)),
    "many_axes": GOOD.replace(b"n: [4]", b"n: [4], " + b", ".join(b"a%d: [1, 2]" % i
                                                                  for i in range(20000))),
    "many_values": GOOD.replace(b"[4]", b"[" + b", ".join(b"%d" % i
                                                          for i in range(100001)) + b"]"),
    "power": GOOD.replace(b"[4]", b"[9**9**9**9]"),
    "aliases": b"a: &a [x, x]\n" + b"".join(b"%c: &%c [*%c, *%c, *%c]\n" % (c, c, c - 1, c - 1, c - 1)
                                            for c in range(98, 120)),
    "merges": b"a: &a {x: 1}\nb: {<<: *a}\n",
    "invalid_utf8": GOOD + b"about: \xff\xfe\xc0\x80\n",
    "truncated_utf8": GOOD + b"about: \xe2\x82",
    "nul": GOOD + b"about: a\0b\n",
    "only_nul": b"\0" * 1000,
    "utf16": "warpmark: 1\n".encode("utf-16"),
    "escape": GOOD + b"about: \"\x1b[31m\"\n",
    "tabs": GOOD.replace(b"axes:", b"\taxes:"),
    "empty": b"",
    "only_comment": b"# nothing\n",
    "document_end": GOOD + b"...\nmore: 1\n",
    "directive": b"%YAML 9.9\n---\n" + GOOD + b"x: 1\n",
    "huge_label": GOOD.replace(b"[4]", b"[{value: 4, label: '" + b"-" * 1000000 + b"'}]"),
    "list": b"- 1\n" * 200000,
}

# Each must load.
FINE = {
    "crlf": GOOD.replace(b"\n", b"\r\n"),
    "byte_order_mark": b"\xef\xbb\xbf" + GOOD,
    "long_comment": GOOD + b"# " + b"x" * 1000000 + b"\n",
    "long_about": GOOD + b"about: " + b"x" * 1000000 + b"\n",
    "no_last_newline": GOOD.rstrip(b"\n"),
}


def limit():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


class Hostile(ProgramTest):
    def outcome(self, command, data):
        (self.folder / "a.yaml").write_bytes(data)
        done = self.start(*command, "a.yaml", timeout=SECONDS, preexec_fn=limit)
        text = (done.stdout + done.stderr).decode(errors="strict")
        self.assertNotRegex(text, "terminate called|AddressSanitizer|Traceback")
        self.assertNotIn("\x1b", text)
        return done.returncode, done.stderr.decode()

    def test_each_is_refused_with_its_file(self):
        for name, data in BAD.items():
            for command in (["list"], ["plan"], ["lint", "--static"]):
                with self.subTest(file=name, command=command[0]):
                    code, errors = self.outcome(command, data)
                    self.assertEqual(code, 2, errors[:500])
                    self.assertIn("a.yaml", errors)
                    # Each line is an error, a hint, or part of one, and short enough to read.
                    self.assertLess(max(map(len, errors.splitlines())), 5000)
                    if command[0] != "lint":  # which reports each of many keys
                        self.assertLess(len(errors), 20000)

    def test_long_texts_are_shortened_at_their_places(self):
        begin, middle, end = b"b" * 150, b"-" * 1000000, b"e" * 50
        text = begin + middle + end
        for place, data in {
                "6:31": GOOD.replace(b"[4]", b"[{value: 4, label: '" + text + b"'}]"),
                "11:3": GOOD + b"? " + text + b"\n: 1\n",
                "11:12": GOOD + b"requires: [" + text + b"]\n",
                "11:10": GOOD + b"expect: '" + text + b"'\n"}.items():
            with self.subTest(place):
                code, errors = self.outcome(["list"], data)
                self.assertEqual(code, 2)
                self.assertRegex(errors, r"^a\.yaml:%s: error: .*`b{150}-{50}… \(999,900 characters "
                                         r"left out\) …-{50}e{50}`" % place)
        for name in ("np." + "x" * 1000000, "np.arange(n) + ) " + "1" * 1000000):
            data = GOOD.replace(b"np.arange(n)", name.encode())
            _, errors = self.outcome(["lint", "--static"], data)
            self.assertLess(len(errors), 10000)

    def test_check_refuses_them_before_it_starts_a_device(self):
        for name in ("deep_flow", "aliases", "nul", "invalid_utf8", "many_axes"):
            with self.subTest(file=name):
                self.assertEqual(self.outcome(["check"], BAD[name])[0], 2)

    def test_what_is_only_unusual_loads(self):
        for name, data in FINE.items():
            with self.subTest(file=name):
                self.assertEqual(self.outcome(["list"], data), (0, ""))


if __name__ == "__main__":
    unittest.main()
