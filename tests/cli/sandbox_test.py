# Machines that cannot confine what is handed in: what of the sandbox is missing, and what grading does then.
import csv
import ctypes
import json
import os
import platform
import struct
import unittest

from assignment import GradeTest, KERNEL

# Numbers of system calls by processor (asm/unistd.h), and of audit.h for the filter's first look.
CALLS = {"x86_64": {"landlock_create_ruleset": 444, "seccomp": 317},
         "aarch64": {"landlock_create_ruleset": 444, "seccomp": 277}}
ENOSYS = 38
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06  # classic BPF: ld [k], jeq #k, ret #k
ALLOW, ERRNO = 0x7FFF0000, 0x00050000


def without(*names):
    """For `preexec_fn`: a kernel that does not know these calls, for the process and its children."""
    numbers = [CALLS[platform.machine()][name] for name in names]
    code = [(LOAD, 0, 0, 0)]  # seccomp_data.nr
    for number in numbers:
        code += [(EQUAL, 0, 1, number), (RETURN, 0, 0, ERRNO | ENOSYS)]
    code.append((RETURN, 0, 0, ALLOW))
    words = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in code))
    program = struct.pack("HxxxxxxP", len(code), ctypes.addressof(words))
    libc = ctypes.CDLL(None, use_errno=True)

    def forget():
        refused = libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
        if refused or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0) != 0:
            os._exit(98)
    forget.words = words  # which the program points to
    return forget


@unittest.skipUnless(platform.machine() in CALLS, "no numbers of system calls for this processor")
class Sandbox(GradeTest):
    def grade_sandboxed(self, *more, **options):
        arguments = [one for one in self.arguments() if one != "--no-sandbox"]
        return self.run_program(*arguments, *more, **options)

    def sandbox(self, student="ada"):
        context = self.result(student)["context"]
        return context["sandbox"], context["no_sandbox"]

    def setUp(self):
        super().setUp()
        self.hand_in(ada=KERNEL)

    def test_all_that_there_are(self):
        out, _ = self.grade_sandboxed()
        held, no_sandbox = self.sandbox()
        self.assertIn("sandbox: " + ", ".join(held), out)
        self.assertIn("seccomp", held)
        self.assertFalse(no_sandbox)

    def test_no_landlock(self):
        out, _ = self.grade_sandboxed(preexec_fn=without("landlock_create_ruleset"))
        self.assertIn("sandbox: seccomp\n", out)
        self.assertEqual(self.sandbox(), (["seccomp"], False))
        self.assertEqual(self.result("ada")["points"], 6)

    def test_no_filter_of_system_calls(self):
        # Where the kernel has Landlock, it is enough.
        self.grade_sandboxed()
        if not any(part.startswith("landlock") for part in self.sandbox()[0]):
            self.skipTest("this kernel has no Landlock")
        self.grade_sandboxed("--regrade", preexec_fn=without("seccomp"))
        held, no_sandbox = self.sandbox()
        self.assertEqual([part.split()[0] for part in held], ["landlock"])
        self.assertFalse(no_sandbox)

    def test_neither_ends_with_3_without_the_option(self):
        neither = without("landlock_create_ruleset", "seccomp")
        _, errors = self.grade_sandboxed(code=3, preexec_fn=neither)
        self.assertIn("no sandbox for untrusted code: a process can still open a file", errors)
        self.assertIn("--no-sandbox", errors)
        self.assertFalse((self.folder / "out/students/ada").exists())  # nothing looks like a grade
        out, _ = self.grade_sandboxed("--no-sandbox", preexec_fn=neither)
        self.assertIn("graded without a sandbox", out)
        self.assertEqual(self.sandbox(), ([], True))
        self.assertEqual(self.result("ada")["points"], 6)
        with (self.folder / "out/grades.csv").open(newline="") as file:
            self.assertEqual([row["flags"] for row in csv.DictReader(file)],
                             ["graded without a sandbox"])
        self.assertIn("raded without a sandbox", (self.folder / "out/report.html").read_text())
        student = json.loads((self.folder / "out/students/ada/student.json").read_text())
        self.assertNotIn("true", json.dumps(student["context"]))  # staff's alone
        # A machine with a sandbox grades such a student again.
        self.assertIn("1 graded now", self.grade_sandboxed()[0])


if __name__ == "__main__":
    unittest.main()
