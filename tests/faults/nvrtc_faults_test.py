# Each NVRTC call fails in turn, or returns sizes and versions that cannot be.
import re
import unittest

from faults import BUILD, EXHAUSTIVE, FaultTest

# Results by their numbers in nvrtc.h.
RESULTS = {1: "OUT_OF_MEMORY", 3: "INVALID_INPUT", 5: "INVALID_OPTION", 6: "COMPILATION",
           7: "BUILTIN_OPERATION_FAILURE", 11: "INTERNAL_ERROR"}

# Calls that no case needs, and why.
HARMLESS = {
    "nvrtcDestroyProgram": "frees memory",
    "nvrtcGetNumSupportedArchs": "compiling for what there is not fails by itself",
    "nvrtcGetSupportedArchs": "compiling for what there is not fails by itself",
    "nvrtcGetErrorString": "the number is printed instead",
}


class Nvrtc(FaultTest):
    variable = "WARPMARK_FAULTY_NVRTC"

    def setUp(self):
        super().setUp()
        real = re.search(r"NVRTC +[\d.]+ at (.*)", FaultTest.doctor).group(1)
        self.environment["WARPMARK_FAULTY_NVRTC_LIBRARY"] = real
        self.environment["WARPMARK_NVRTC"] = str(BUILD / "tests/drivers/libfaulty_nvrtc.so")
        # In the place of the folder in which the library's version would be kept for the next run.
        self.write("cache/warpmark/nvrtc", "")
        # With a name that the source defines, its types are the compiler's to say, in a second program.
        kernel = self.folder / "suites/k.cu"
        kernel.write_text("using number = float;\n" + kernel.read_text().replace("float *", "number *"))

    def check_nvrtc(self, spec, *arguments, **environment):
        done, what = self.check_faulty(spec, "--no-cache", *arguments, device="cpu", **environment)
        self.assertEqual((done.misuse, done.leaks), ([], []), what)
        return done, what

    def record(self, *arguments):
        done, what = self.check_nvrtc("", *arguments)
        self.assertEqual(done.code, 0, what)
        # The driver's books may be lost with a process that is ended; with a thread they are not.
        self.assertTrue(done.ended or "--in-process" not in arguments, what)
        return done.calls

    def test_each_call(self):
        # The first case's second program, inside its first, gives the types of its kernels.
        calls = self.record("--in-process")
        first = calls.index("nvrtcCompileProgram")
        second = [i for i, name in enumerate(calls) if name == "nvrtcDestroyProgram"][1]

        def one(index, number):
            name = calls[index]
            done, what = self.check_nvrtc("call=%d,result=%d" % (index + 1, number), "--in-process")
            what = "call %d, %s\n%s" % (index + 1, name, what)
            self.assertEqual(done.fired, [name], what)
            self.assertTrue(done.ended, what)
            verdicts = [case["verdict"] for case in done.cases]
            if name == "nvrtcVersion":
                self.assertEqual((done.code, verdicts), (3, []), what)
                self.assertIn("does not report its version", done.errors, what)
                return
            if name in HARMLESS:
                self.assertEqual(verdicts, ["passed"] * 3, what)
                return
            self.assertEqual(verdicts, ["failed", "passed", "passed"], what)
            case = done.cases[0]
            if index > first and name == "nvrtcCompileProgram" and number == 6:
                # The types of this source are not known; then the suite has to give them.
                self.assertIn("the dtype of argument `out` is not known", case["message"], what)
                return
            self.assertEqual(case["failure"], "compile", what)
            if name == "nvrtcCompileProgram":
                words = ("k.cu does not compile" if number in (5, 6)
                         else "failed on k.cu with NVRTC_ERROR_" + RESULTS[number])
            else:
                words = "%s failed with NVRTC_ERROR_%s" % (name.replace("Size", ""),
                                                           RESULTS[number])
            self.assertIn(words, case["message"], what)
        numbers = list(RESULTS)
        self.sweep([lambda index=index, number=number: one(index, number)
                    for index in range(second + 1)
                    for number in (numbers if EXHAUSTIVE else [numbers[index % len(numbers)]])])

    def test_calls_that_do_nothing_and_say_they_did(self):
        calls = self.record()
        for name in sorted(set(calls) - set(HARMLESS)):
            with self.subTest(name):
                done, what = self.check_nvrtc("name=%s,occurrence=0,silent" % name)
                # The first case is reported to pass only if nothing of it was needed.
                if done.code == 0:
                    self.assertIn(name, (
                        "nvrtcGetCUBINSize", "nvrtcGetCUBIN", "nvrtcGetLoweredName",
                        "nvrtcAddNameExpression", "nvrtcGetProgramLogSize", "nvrtcGetProgramLog"),
                        what)

    def test_sizes_that_lie(self):
        """Sizes too small are not tried: NVRTC would write past what was asked for by itself."""
        for name in ("nvrtcGetPTXSize", "nvrtcGetCUBINSize", "nvrtcGetProgramLogSize"):
            for value in (-1, 2**62, 2**40, 2**31) if EXHAUSTIVE else (-1, 2**31):
                with self.subTest(name, value=value):
                    done, what = self.check_nvrtc("name=%s,value=%d" % (name, value))
                    self.assertEqual([case["verdict"] for case in done.cases],
                                     ["failed", "passed", "passed"], what)
                    self.assertIn("%s of " % name, done.cases[0]["message"], what)
            for value in (0, 10**6):  # nothing, and a tail of zeros
                with self.subTest(name, value=value):
                    done, what = self.check_nvrtc("name=%s,value=%d" % (name, value))
                    if name == "nvrtcGetPTXSize" and value == 0:
                        self.assertEqual(done.code, 1, what)
                    else:
                        self.assertEqual(done.code, 0, what)
        for value in (-1, 0, 1, 10**4, 2**31 - 1):
            done, what = self.check_nvrtc(
                "name=nvrtcGetNumSupportedArchs,occurrence=0,value=%d" % value)

    def test_versions_that_lie(self):
        for value, code in ((-1, 3), (0, 3), (11, 3), (99, 0), (2**31 - 1, 0)):
            done, what = self.check_nvrtc("name=nvrtcVersion,value=%d" % value)
            self.assertEqual(done.code, code, what)
            if code == 3:
                self.assertIn("Warpmark needs 12.4 or newer", done.errors, what)

    def test_a_compiler_without_words(self):
        done, what = self.check_nvrtc("name=nvrtcCompileProgram,result=11;"
                                      "name=nvrtcGetErrorString,occurrence=0,silent")
        self.assertEqual([case["verdict"] for case in done.cases], ["failed", "passed", "passed"],
                         what)
        self.assertIn("NVRTC error 11", done.cases[0]["message"], what)

    def test_a_worker_that_dies_while_it_compiles(self):
        done, what = self.check_nvrtc("name=nvrtcCompileProgram,occurrence=2,signal=9")
        self.assertEqual([case["failure"] for case in done.cases], ["none"] * 3, what)
        # Or else a sanitizer handles the signal.
        done, what = self.check_nvrtc("name=nvrtcCompileProgram,occurrence=2,signal=11",
                                      ASAN_OPTIONS="handle_segv=0", TSAN_OPTIONS="handle_segv=0")
        self.assertEqual(sorted(case["failure"] for case in done.cases), ["crash", "none", "none"],
                         what)

    def test_doctor_reports(self):
        done, what = self.run_faulty("name=nvrtcVersion,result=11", "doctor")
        self.assertEqual(done.code, 3, what)
        self.assertRegex(done.out, r"(?m)^missing +NVRTC .* does not report its version$")
        self.assertRegex(done.out, r"(?m)^ok +cpu ")


if __name__ == "__main__":
    unittest.main()
