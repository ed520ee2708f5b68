# A grade must not depend on constants, headers, the time of day, others' files, or killed processes.
import os
import re
import signal
import subprocess
import time
import unittest

from assignment import ASSIGNMENT, KERNEL, SLOW, GradeTest
from program import PROGRAM, SEED, of_today

STRICT = ASSIGNMENT + "ptx: {forbid: [malloc, writable_globals, entries]}\n"
HEAD, LAST = KERNEL.split("  if (i < n)")

CONSTANTS = {
    "unused": "constexpr int N = 128;\n" + KERNEL,
    "scale": "static const float kOne = 1.0f;\n" + HEAD + "  if (i < n) out[i] = kOne * f * src[i];\n}\n",
    "table": "__device__ const float ones[4] = {1, 1, 1, 1};\n" + HEAD +
             "  if (i < n) out[i] = ones[i & 3] * f * src[i];\n}\n",
    "member": "template <int K> struct Tile { static constexpr int size = K; static constexpr float "
              "ones[2] = {1, 1}; };\n" + HEAD +
              "  if (i < n) out[i] = Tile<2>::ones[i % Tile<2>::size] * f * src[i];\n}\n",
    "iterator": "__device__ const float parts[3] = {0.5f, 0.25f, 0.25f};\n" + HEAD +
                "  float one = 0;\n  for (float part : parts) one += part;\n"
                "  if (i < n) out[i] = one * f * src[i];\n}\n",
    "pointer": "__device__ const float ones[4] = {1, 1, 1, 1};\n"
               "__device__ __noinline__ float at(const float *p, int i) { return p[i & 3]; }\n" +
               HEAD + "  if (i < n) out[i] = at(ones, i) * f * src[i];\n}\n",
    "groups": "#include <cooperative_groups.h>\n" + HEAD +
              "  cooperative_groups::this_thread_block().sync();\n  if (i < n)" + LAST,
    "atomic": "#include <cuda/atomic>\n" + KERNEL,
    "driver": "#include <cuda.h>\n#include <cuda_runtime.h>\n" + KERNEL,
    "said": "#include <cassert>\n" + HEAD + "  assert(n > 0);\n  if (i < n)" + LAST,
}

KEPT = {
    "counter": "__device__ int calls;\n" + HEAD + "  if (i == 0) atomicAdd(&calls, 1);\n  if (i < n)" + LAST,
    "const_cast": "__device__ const int table[2] = {1, 2};\n" + HEAD +
                  "  if (i == 0) *const_cast<volatile int *>(&table[n & 1]) = 5;\n  if (i < n)" + LAST,
}

# Device code that uses each of these headers of the C++ standard library.
HEADERS = {
    "type_traits": "static_assert(std::is_same_v<float, std::remove_const_t<const float>>, \"\");",
    "limits": "one = std::numeric_limits<float>::max() > 1 ? 1 : 0;",
    "utility": "auto two = std::make_pair(2.0f, 1.0f); std::swap(two.first, two.second); one = two.first;",
    "algorithm": "one = std::min(one, 2.0f) * std::max({0.0f, 1.0f}) * std::clamp(3.0f, 0.0f, 1.0f);",
    "array": "std::array<float, 3> a = {0, 0, 1}; for (float x : a) one = x;",
    "tuple": "auto [a, b] = std::make_tuple(1.0f, 2); one = a * (b == 2);",
    "new": "alignas(4) char room[4]; one = *new (room) float(1);",
    "initializer_list": "for (float x : {3.0f, 1.0f}) one = x;",
    "functional": "one = std::multiplies<float>()(one, 1);",
    "complex": "std::complex<float> z(0, 1); one = std::abs(z) * std::norm(z);",
}


WRONG_AND_LOUD = "#include <cassert>\n" + HEAD.replace(
    "int i =", "assert(n < 0 && \"\\n::error::forged\");\n  int i =") + "  if (i < n)" + LAST


FORKS = "--fork-server"  # of the server that forks confined compile workers, and of the forks


class Files(GradeTest):
    def test_constants_cost_nothing(self):
        self.write("hw1.yaml", STRICT + "trials: 1\n")
        self.hand_in(**CONSTANTS, **KEPT)
        self.grade()
        for student in CONSTANTS:
            with self.subTest(student):
                result = self.result(student)
                self.assertEqual((result["state"], result["points"]), ("graded", 6), result["message"])
        for student in KEPT:
            with self.subTest(student):
                result = self.result(student)
                self.assertEqual((result["state"], result["points"]), ("refused", 0))
                self.assertIn("would keep its value from one launch to the next", result["message"])

    def test_standard_headers(self):
        headers = of_today(list(HEADERS.items()), 4)
        self.write("hw1.yaml", STRICT + "trials: 1\n")
        self.hand_in(**{name: "#include <cmath>\n#include <%s>\n" % name + HEAD + "  float one = 1;\n  " +
                        use + "\n  if (i < n) out[i] = one * f * src[i];\n}\n"
                        for name, use in headers})
        self.grade()
        for name, _ in headers:
            with self.subTest(name, seed=SEED):
                result = self.result(name)
                self.assertEqual((result["state"], result["points"]), ("graded", 6),
                                 result["message"] + result["log"])

    def test_the_time_of_the_compile_is_fixed(self):
        self.write("hw1.yaml", ASSIGNMENT + "trials: 1\n")
        timed = HEAD + ("  const char *time = __TIME__, *day = __DATE__;\n"
                        "  bool fixed = time[0] == '0' && time[1] == '0' && time[3] == '0' && "
                        "time[4] == '0' && time[6] == '0' && time[7] == '0' && day[0] == 'J' && "
                        "day[10] == '0' && day[9] == '7';\n"
                        "  if (i < n) out[i] = fixed ? f * src[i] : 0;\n}\n")
        self.hand_in(ada=timed)
        self.environment["TZ"] = "America/Los_Angeles"
        self.grade()
        self.assertEqual(self.result("ada")["points"], 6)

    def test_memory_of_variables_and_arrays_together(self):
        # The arrays of n = 257 take 2 KiB, the variable all that is allowed, in another spelling.
        limits = ASSIGNMENT.replace("timeout_s: 60", "timeout_s: 60, memory_mib: 1")
        self.write("hw1.yaml", limits + "trials: 1\n")
        kept = HEAD + '  asm volatile("{ .global .b8 kept[%s]; st.global.u8 [kept], 1; }");\n  if (i < n)' + LAST
        self.hand_in(all_of_it=kept % ("0b1" + 20 * "0"), more=kept % "04000001", less=kept % "0xFF000",
                     unread=kept % "1 << 4")
        self.grade()
        self.assertEqual(self.result("less")["points"], 6, self.result("less")["message"])
        for student in ("all_of_it", "more"):
            self.assertEqual(self.result(student)["state"], "refused", student)
        self.assertIn("and with the arrays of a case that is more than the 1 MiB",
                      self.result("all_of_it")["message"].replace("1,024 KiB", "1 MiB"))
        self.assertIn("1048577 bytes of device memory, and 1048576", re.sub(
            r"\s+", " ", self.result("more")["message"].replace(",577", "577").replace("1,048", "1048")))
        # ptxas refuses this one, too; tests/unit/compiler has such as it takes.
        self.assertIn(self.result("unread")["state"], ("refused", "compile_error"))


class Classes(GradeTest):
    def test_a_template_among_the_students_is_an_error(self):
        self.hand_in(ada=KERNEL, bob=KERNEL)
        self.write("class/scale.cu", KERNEL)
        _, errors = self.grade(code=2)
        self.assertIn("`scale.cu`", errors)
        self.assertIn("`ada`, `bob`", errors)
        self.assertFalse((self.folder / "out/students/class").exists())
        # The same with files of students.
        self.write("flat/scale.cu", KERNEL)
        self.write("flat/cem.cu", KERNEL)
        self.assertIn("`cem.cu`", self.grade(code=2, paths=("flat",))[1])

    def test_a_student_may_have_other_folders(self):
        self.write("one/dee/scale.cu", KERNEL)
        self.write("one/dee/notes/text.txt", "none")
        self.grade(paths=("one/dee",))
        self.assertEqual(self.result("dee")["points"], 6)

    def test_names_that_look_alike_are_two_students(self):
        names = ["a\u202eb", "a\u202db", "a\x01b", "a\x02b", "a\\x01b", "a\ufffdb", "a\u2028b"]
        for name in names:
            self.write("class/%s/scale.cu" % name, KERNEL)
        self.grade()
        results = self.results()
        self.assertEqual(len(results), len(names))
        self.assertEqual({one["points"] for one in results.values()}, {6})
        self.assertEqual(len(self.rows()), len(names))
        self.assertEqual(len({row["student"] for row in self.rows()}), len(names))
        # Students keep their names when they are graded again.
        self.assertIn("0 graded now, %d known" % len(names), self.grade()[0])


class Text(GradeTest):
    def test_no_file_has_a_command_at_the_start_of_a_line(self):
        self.hand_in(**{
            "message": '#pragma message "x\\n::error file=a::forged\\n##[error]forged"\n' + KERNEL + "int x = ;\n",
            "::notice title=a::b": WRONG_AND_LOUD})
        self.grade()
        looked_at = 0
        for file in (self.folder / "out").rglob("*"):
            if not file.is_file():
                continue
            looked_at += 1
            for line in file.read_text().splitlines():
                self.assertFalse(line.strip().startswith("::"), (file.name, line))
                self.assertNotIn("##[", line, file.name)
        self.assertGreater(looked_at, 6)

    def test_folders_in_a_students_own_text_stay(self):
        # Students must not learn whether a path is that of the suite.
        guess = str(self.folder / "suites")
        self.hand_in(ada='#error "%s/x" and "%s-/x"\n' % (guess, guess) + KERNEL)
        self.grade()
        student = (self.folder / "out/students/ada/student.json").read_text()
        self.assertEqual(student.count(guess + "/x"), student.count(guess + "-/x"))


class Killed(GradeTest):
    """Processes that something else ends while they work."""

    library = "libwarpmark_cpu"  # what the process to be killed has loaded
    start_s = 0.2                # the processor time of a worker that has started

    def below(self, top, word):
        """Descendants of a process that have this name or argument."""
        parents = dict(self.all_parents())

        def descends(process):
            while process in parents:
                process = parents[process]
                if process == top:
                    return True
            return False

        def says(process):
            try:
                with open("/proc/%d/cmdline" % process, "rb") as command, open("/proc/%d/comm" % process) as name:
                    return word.encode() in command.read().split(b"\0") or word == name.read().strip()
            except OSError:
                return False
        found = [process for process in parents if descends(process) and says(process)]
        return sorted(found, key=self.age)

    @staticmethod
    def age(process):
        """By which the server of forks comes before them."""
        try:
            with open("/proc/%d/stat" % process) as file:
                return int(file.read().rsplit(")", 1)[1].split()[19])
        except (OSError, ValueError, IndexError):
            return 0

    @staticmethod
    def all_parents():
        for folder in os.listdir("/proc"):
            if not folder.isdigit():
                continue
            try:
                with open("/proc/%s/stat" % folder) as file:
                    yield int(folder), int(file.read().rsplit(")", 1)[1].split()[1])
            except (OSError, ValueError, IndexError):
                continue

    def kill_while_grading(self, word, times, code=0):
        """Kills the busiest process of that word below a running `grade`, so many times."""
        grade = subprocess.Popen([str(PROGRAM), *self.arguments("--jobs", "1")], cwd=self.folder,
                                 env=self.environment, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT)
        killed = set()
        deadline = time.monotonic() + 100
        while len(killed) < times and time.monotonic() < deadline and grade.poll() is None:
            processes = self.below(grade.pid, word)
            for process in processes[1:] if word == FORKS else processes:
                if process not in killed and self.wanted(process, word):
                    os.kill(process, signal.SIGKILL)
                    killed.add(process)
                    break
            time.sleep(0.02)
        out = grade.communicate(timeout=250)[0].decode()
        self.assertEqual(len(killed), times, out)
        self.assertEqual(grade.returncode, code, out)
        return out

    def wanted(self, process, word):
        if word == "warpmark-grader":
            return True
        # A worker that computes, by more processor time than starting takes.
        try:
            with open("/proc/%d/maps" % process) as file:
                if self.library not in file.read():
                    return False
            with open("/proc/%d/stat" % process) as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except PermissionError:
            self.skipTest("the processes of a confined worker cannot be distinguished here")
        except (OSError, IndexError):
            return False
        return int(fields[11]) + int(fields[12]) > self.start_s * os.sysconf("SC_CLK_TCK")

    def setUp(self):
        super().setUp()
        # Each launch takes some seconds: a fresh worker is at the same one when it is ended, too.
        self.write("hw1.yaml", ASSIGNMENT.replace("[100, 257]", "[33, 34]").replace("4e9", "4e10") +
                   "trials: 1\n")
        self.hand_in(ada=SLOW.replace("4000000", "40000000"))

    def test_a_run_worker_that_is_killed_costs_nothing(self):
        self.kill_while_grading("--confined", 1)
        self.assertEqual((self.result("ada")["state"], self.result("ada")["points"]), ("graded", 6))

    def hand_in_what_compiles_slowly(self):
        """Some seconds of the processor, and little memory."""
        self.library, self.start_s = "libnvrtc", 0.6
        self.hand_in(bob=KERNEL)  # for one submission alone no server of forks is started
        self.hand_in(ada="__device__ constexpr unsigned spin(unsigned k) {\n"
                         "  for (int i = 0; i < 100000; ++i) k = k * 1664525u + 1013904223u;\n"
                         "  return k;\n}\n"
                         "template <unsigned K> struct S {\n"
                         "  enum : unsigned { v = spin(K) + S<K - 1>::v };\n};\n"
                         "template <> struct S<0> { enum : unsigned { v = 0 }; };\n"
                         "static_assert(S<45>::v != 1, \"\");\n" + KERNEL)

    def test_a_compile_worker_that_is_killed_costs_nothing(self):
        self.hand_in_what_compiles_slowly()
        self.kill_while_grading(FORKS, 1)
        self.assertEqual((self.result("ada")["state"], self.result("ada")["points"]), ("graded", 6))

    def test_a_compiler_that_is_killed_again_is_no_mistake_of_the_submission(self):
        self.hand_in_what_compiles_slowly()
        self.kill_while_grading(FORKS, 2, code=4)
        self.assertEqual(self.result("ada")["state"], "grader_error")
        self.assertIn("the compiler was ended twice by something else", self.result("ada")["staff"])

    def test_a_second_time_is_the_graders_fault_and_not_kept(self):
        self.kill_while_grading("--confined", 2, code=4)
        self.assertEqual(self.result("ada")["state"], "grader_error")
        self.assertIn("ended twice by something else", self.result("ada")["staff"])
        self.assertIn("1 graded now", self.grade()[0])
        self.assertEqual(self.result("ada")["points"], 6)

    def test_a_grade_process_that_is_killed_while_it_starts(self):
        self.hand_in(ada=KERNEL)
        self.kill_while_grading("warpmark-grader", 1)
        self.assertEqual(self.result("ada")["points"], 6)


if __name__ == "__main__":
    unittest.main()
