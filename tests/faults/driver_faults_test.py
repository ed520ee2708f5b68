# Each driver call of each subcommand fails in turn, on a device that keeps books on its caller.
import collections
import json
import re
import unittest

from faults import EXHAUSTIVE, FaultTest, documented

# Result, name, whether it stays. 801 is what old drivers and virtual GPUs say.
RESULTS = [(1, "INVALID_VALUE", False), (2, "OUT_OF_MEMORY", False), (100, "NO_DEVICE", False),
           (700, "ILLEGAL_ADDRESS", True), (702, "LAUNCH_TIMEOUT", True),
           (801, "NOT_SUPPORTED", False), (999, "UNKNOWN", True)]

RELEASES = ("cuMemFree_v2", "cuModuleUnload", "cuStreamDestroy_v2", "cuCtxDestroy_v2",
            "cuEventDestroy_v2")

# Calls that may do nothing and report success without affecting a verdict, and why.
MAY_BE_SILENT = dict.fromkeys(RELEASES, "the context is destroyed in the end") | {
    "cuDeviceGet": "leaves device 0, which is the one",
    "cuDeviceGetName": "a name for people",
    "cuDeviceGetUuid_v2": "a name for people",
    "cuDeviceTotalMem_v2": "a number for a suite's expressions, which this one does not use",
    "cuDeviceGetAttribute": "numbers that only judge whether a launch fits",
    "cuFuncGetAttribute": "numbers that only judge whether a launch fits",
    "cuDriverGetVersion": "a number for people, on a device that takes PTX",
    "cuCtxGetCurrent": "the context is then pushed once more",
    "cuCtxPopCurrent_v2": "the context stays current, as it may",
    "cuCtxSynchronize": "the CPU device has finished when a call returns",
    "cuStreamSynchronize": "the CPU device has finished when a call returns",
    "cuMemsetD8_v2": "only what a kernel does not write would show it",
    "cuMemGetInfo_v2": "0 bytes free: the case is skipped and says so",
}


class Sequence:
    """The calls of a run without faults: whose they are, and which of them matter."""

    def __init__(self, calls, cases, loads_of_case=1):
        self.calls = calls
        # A case begins by dropping what the last one loaded, then loads: get, push, load.
        loads = [i for i, name in enumerate(calls) if name == "cuModuleLoadDataEx"]
        self.starts = [load - 2 for load in loads[::loads_of_case]]
        self.cases = cases

    def case_of(self, index):
        """The case that a call belongs to; None before the first."""
        begun = [case for case, start in zip(self.cases, self.starts) if index >= start]
        return begun[-1] if begun else None

    def clean_up(self, index):
        """Returns whether the call is part of a release, whose failure no result depends on."""
        name = self.calls[index]
        after = self.calls[index + 1:index + 3]
        if name in RELEASES or name == "cuCtxPopCurrent_v2":
            return self.case_of(index) is not None
        return (name == "cuCtxGetCurrent" and after[1:] and after[1] in RELEASES or
                name == "cuCtxPushCurrent_v2" and after[:1] and after[0] in RELEASES or
                name == "cuCtxGetCurrent" and after[:1] and after[0] in RELEASES)

    def launched(self, index):
        """Returns whether the call's case had launched its kernel."""
        start = max(start for start in self.starts if start <= index)
        return "cuLaunchKernel" in self.calls[start:index + 1]

    def sample(self):
        """The first call of each function before the first case, and in the second."""
        seen, chosen = set(), []
        for index, name in enumerate(self.calls):
            case = self.case_of(index)
            part = (name, case is None, self.clean_up(index))
            if case in (None, self.cases[1]) and part not in seen:
                seen.add(part)
                chosen.append(index)
        # Calls that only the end of the session makes.
        return chosen + [index for index, name in enumerate(self.calls)
                         if name not in {self.calls[at] for at in chosen}]


class Check(FaultTest):
    def record(self, *arguments):
        done, what = self.check_faulty("", *arguments)
        self.assertEqual((done.code, done.misuse, done.leaks), (0, [], []), what)
        sequence = Sequence(done.calls, self.cases)
        self.assertEqual(len(sequence.starts), 3, what)
        self.assertGreater(len(done.calls), 200)
        return sequence

    def chosen(self, sequence):
        """Pairs of a call's index and a result."""
        if EXHAUSTIVE:
            end = sequence.starts[2]
            return [(index, result) for index in range(end) for result in RESULTS]
        return [(index, RESULTS[number % len(RESULTS)])
                for number, index in enumerate(sequence.sample())]

    def one(self, sequence, index, result, arguments):
        number, error, sticky = result
        name = sequence.calls[index]
        done, what = self.check_faulty(
            "call=%d,result=%d%s" % (index + 1, number, ",sticky" if sticky else ""), *arguments)
        what = "call %d, %s\n%s" % (index + 1, name, what)
        if not done.fired:  # a worker's last calls may come too late for it
            self.assertGreater(index, sequence.starts[2], what)
            return
        self.assertEqual(done.fired, [name], what)
        self.books(sequence, index, sticky, done, what, "--in-process" in arguments)
        case = sequence.case_of(index)
        words = ["%s failed with CUDA_ERROR_%s (%d)" % (documented(name), error, number)]
        if case is None:
            self.assertEqual(done.code, 3, what)
            self.assertEqual(done.cases, [], what)
            self.assertIn(words[0], done.errors, what)
            return
        failed = [one["case"] for one in done.cases if one["verdict"] != "passed"]
        if sequence.clean_up(index):
            # A sticky error is met by the next call, if that is the same case's.
            self.assertIn(failed, [[], [case]] if sticky else [[]], what)
            return
        if name == "cuFuncGetParamInfo" and number in (1, 801):
            # 1 ends the list, 801 says that there is none: then the PTX's sizes were the check.
            self.assertIn(failed, [[], [case]], what)
            for one in done.cases:
                if one["verdict"] == "failed":
                    self.assertRegex(one["message"], r"cuFuncGetParamInfo|has \d parameters?, but 4 "
                                                     r"arguments are given", what)
            return
        elif sticky and case != self.cases[0] and not sequence.launched(index):
            # No kernel of this case is at fault, but one before may be: tried on a fresh worker.
            self.assertEqual(failed, [], what)
        else:
            self.assertEqual(failed, [case], what)
        for one in done.cases:
            if one["verdict"] != "failed":
                continue
            self.assertIn(words[0], one["message"], what)
            self.assertIn(one["failure"], ("driver", "fault", "limit"), what)
            if name in ("cuLaunchKernel", "cuStreamSynchronize"):
                self.assertEqual(one["failure"],
                                 {700: "fault", 999: "fault", 702: "limit"}.get(number, "driver"))

    def books(self, sequence, index, sticky, done, what, in_process):
        if in_process:
            self.assertTrue(done.ended, what)
        self.assertEqual(done.leaks, [], what)
        name, expected = sequence.calls[index], []
        if sequence.clean_up(index):
            if name == "cuCtxPushCurrent_v2":  # it is still tried, for drivers that need none
                expected.append(r"\w+ without a current context")
            if sticky:  # a destructor cannot throw: the next call meets it
                expected.append(r"\w+ after a sticky error")
        for text in done.misuse:
            self.assertTrue(any(re.fullmatch(pattern, text) for pattern in expected),
                            "%s\n%s" % (text, what))

    def each_fails(self, *arguments):
        sequence = self.record(*arguments)
        self.sweep([lambda index=index, result=result: self.one(sequence, index, result, arguments)
                    for index, result in self.chosen(sequence)])

    def test_each_call_with_a_worker(self):
        self.each_fails()

    def test_each_call_in_process(self):
        self.each_fails("--in-process")

    def test_calls_that_do_nothing_and_say_they_did(self):
        sequence = self.record()

        def one(index):
            name = sequence.calls[index]
            done, what = self.check_faulty("call=%d,silent" % (index + 1))
            if done.code == 0 and not sequence.clean_up(index):
                self.assertIn(name, MAY_BE_SILENT, what)
            elif done.cases:
                failed = [case["case"] for case in done.cases if case["verdict"] == "failed"]
                allowed = [sequence.case_of(index)] if sequence.case_of(index) else self.cases
                self.assertLessEqual(set(failed), set(allowed), what)
        indices = range(sequence.starts[2]) if EXHAUSTIVE else sequence.sample()
        self.sweep([lambda index=index: one(index) for index in indices])

    def test_a_worker_that_dies_at_each_call(self):
        sequence = self.record()

        def one(index):
            done, what = self.check_faulty("call=%d,signal=11" % (index + 1))
            if not done.fired:
                self.assertGreater(index, sequence.starts[2], what)
                return
            failed = [case["case"] for case in done.cases if case["verdict"] != "passed"]
            if sequence.case_of(index) is None:
                self.assertEqual((done.code, done.cases), (3, []), what)
                self.assertIn("the worker did not start: it ended by signal 11",
                              done.errors, what)
                return
            # A module is dropped when the next case loads its own, whose worker that is.
            at = self.cases.index(sequence.case_of(index))
            self.assertIn(failed, [[case] for case in self.cases[at:at + 2]] + [[]], what)
            self.assertEqual(failed == [], done.code == 0, what)
            for case in done.cases:
                if case["verdict"] == "failed":
                    self.assertEqual(case["failure"], "crash", what)
                    self.assertIn("it ended by signal 11", case["message"], what)
            if not sequence.clean_up(index):
                self.assertEqual(failed, [sequence.case_of(index)], what)
        indices = range(sequence.starts[2]) if EXHAUSTIVE else sequence.sample()
        self.sweep([lambda index=index: one(index) for index in indices])

    def test_a_worker_that_somebody_kills_costs_nothing(self):
        sequence = self.record()

        def one(index):
            done, what = self.check_faulty("call=%d,signal=9" % (index + 1))
            self.assertEqual(done.code, 0, what)
            self.assertEqual([case["verdict"] for case in done.cases], ["passed"] * 3, what)
        indices = sequence.sample()
        self.sweep([lambda index=index: one(index) for index in indices[::8]])

    def test_texts_that_cannot_be_had(self):
        for name in ("cuGetErrorName", "cuGetErrorString"):
            for how in ("result=999", "silent"):
                done, what = self.check_faulty(
                    "name=cuLaunchKernel,result=2;name=%s,%s" % (name, how))
                self.assertEqual([case["verdict"] for case in done.cases],
                                 ["failed", "passed", "passed"], what)
                self.assertRegex(done.cases[0]["message"], r"cuLaunchKernel failed with .*\(2\)")

    def test_numbers_that_lie(self):
        """Counts, sizes and limits that cannot be: an end, and no pass of what did not run."""
        for spec in ("name=cuDeviceGetCount,value=-1", "name=cuDeviceGetCount,value=0",
                     "name=cuDeviceTotalMem_v2,value=-1", "name=cuMemGetInfo_v2,value=0",
                     "name=cuDriverGetVersion,value=-7", "name=cuDriverGetVersion,value=2147483647",
                     "name=cuFuncGetAttribute,occurrence=0,value=-1",
                     "name=cuDeviceGetAttribute,occurrence=0,value=-2147483648",
                     "name=cuDeviceGetAttribute,occurrence=0,value=2147483647",
                     "name=cuFuncGetParamInfo,occurrence=0,silent"):
            with self.subTest(spec):
                done, what = self.check_faulty(spec)
                if "FuncGetAttribute" in spec:
                    self.assertNotEqual(done.code, 0, what)

    def test_extensions_that_are_spoilt(self):
        for extension, code, words in (
                ("version", 3, "speaks version 99 of the device interface"),
                ("size", 1, "cuModuleLoadDataEx failed with"),  # no capability: it gets a cubin
                ("configure", 3, "refused the options"),
                ("label", 1, "refused the label"),
                ("no_functions", 3, "has no options to set"),
                ("garbage", 1, "3 failed")):  # what is no warning is a mistake
            with self.subTest(extension):
                done, what = self.check_faulty("", WARPMARK_FAULTY_EXTENSION=extension)
                self.assertEqual(done.code, code, what)
                self.assertIn(words, done.out + done.errors, what)

    def test_garbage_reports_of_a_fault(self):
        self.write_scale(axes="{n: [100, 101, 102]}",
                         kernel_text='extern "C" __global__ void k(float *out, const float *src, '
                                     'float f, int n) { out[n + threadIdx.x] = f; }\n')
        done, what = self.check_faulty("", WARPMARK_FAULTY_EXTENSION="garbage")
        for case in done.cases:
            self.assertEqual((case["verdict"], case["failure"]), ("failed", "fault"), what)
        self.assertNotIn("\x1b", done.out)

    # A code that the suite expects, but from a call that has nothing to do with the kernel.
    def test_an_expected_fault_is_the_kernels(self):
        self.write_scale(axes="{n: [100, 101, 102]}", reference=None,
                         more="expect: {fault: illegal_address}\n")
        for name in ("cuMemAlloc_v2", "cuMemcpyHtoD_v2", "cuFuncGetAttribute"):
            done, what = self.check_faulty("name=%s,occurrence=0,result=700,sticky" % name)
            self.assertEqual({case["verdict"] for case in done.cases}, {"failed"}, what)


    def test_registering_large_memory_is_only_a_help(self):
        self.write_scale(axes="{n: [100, 101, 102, 8388608]}")  # the last are 32 MiB
        self.cases = [*self.cases, "t.n=8388608"]
        for in_process in ([], ["--in-process"]):
            done, what = self.check_faulty("", *in_process)
            self.assertEqual((done.code, done.misuse, done.leaks), (0, [], []), what)
            self.assertEqual(done.calls.count("cuMemHostRegister_v2"), 3, what)
            self.assertEqual(done.calls.count("cuMemHostUnregister"), 3, what)
            for result in (1, 801):
                done, what = self.check_faulty(
                    "name=cuMemHostRegister_v2,occurrence=0,result=%d" % result, *in_process)
                self.assertEqual((done.code, done.leaks), (0, []), what)


class Bench(FaultTest):
    """Each call of a bench fails in turn: a case has times only if it was right before and after."""

    def bench(self, spec, *arguments):
        journal = self.folder / ("bench%d.jsonl" % next(self.numbers))
        done, what = self.run_faulty(spec, "bench", "suites", "--device", "faulty", "--journal",
                                     journal, *arguments)
        if not journal.exists():
            self.assertEqual(done.code, 3, what)
            self.assertRegex(done.errors, r"(?m)^error: ", what)
            return done._replace(cases=[]), what
        _, *cases, end = self.journal(journal)
        self.assertEqual([case["case"] for case in cases], self.cases, what)
        self.assertEqual(end["exit_code"], done.code, what)
        for case in cases:
            self.assertEqual("measurement" in case, case["verdict"] == "passed", what)
            for series in case.get("measurement", {}).get("series", []):
                self.assertGreater(series["min_s"], 0, what)
                self.assertGreaterEqual(series["count"], 1, what)
        return done._replace(cases=cases), what

    def one(self, sequence, index, result):
        number, error, sticky = result
        name = sequence.calls[index]
        done, what = self.bench("call=%d,result=%d%s"
                                % (index + 1, number, ",sticky" if sticky else ""))
        what = "call %d, %s\n%s" % (index + 1, name, what)
        if not done.fired:  # a worker's last calls may come too late for it
            self.assertGreater(index, sequence.starts[2], what)
            return
        self.assertEqual((done.fired, done.leaks), ([name], []), what)
        case = sequence.case_of(index)
        bad = [one["case"] for one in done.cases if one["verdict"] != "passed"]
        if case is None:
            self.assertEqual((done.code, bad), (3, []), what)
        elif name in ("cuLaunchKernel", "cuMemAlloc_v2", "cuModuleGetFunction") and not sticky:
            self.assertEqual((done.code, bad), (1, [case]), what)
        else:
            self.assertIn(bad, ([], [case]), what)
        if name == "cuFuncGetParamInfo" and number in (1, 801):
            return  # as in a check: 1 ends the list of parameters, and their number is reported
        for one in done.cases:
            if one["verdict"] == "failed":
                self.assertIn("CUDA_ERROR_%s (%d)" % (error, number), one["message"], what)

    def test_each_call(self):
        done, what = self.bench("")
        self.assertEqual((done.code, done.misuse, done.leaks), (0, [], []), what)
        sequence = Sequence(done.calls, self.cases, loads_of_case=2)
        self.assertEqual(len(sequence.starts), 3, what)
        start, end = sequence.starts[1], sequence.starts[2]
        launches = [at for at in range(start, end) if sequence.calls[at] == "cuLaunchKernel"]
        self.assertGreater(len(launches), 4, "verify, count and time")
        if EXHAUSTIVE:
            chosen = [(index, result) for index in range(end) for result in RESULTS]
        else:
            indices = sorted({*sequence.sample(), launches[0], launches[1], launches[3],
                              launches[-1]})
            chosen = [(index, RESULTS[number % len(RESULTS)])
                      for number, index in enumerate(indices)]
        self.sweep([lambda index=index, result=result: self.one(sequence, index, result)
                    for index, result in chosen])

    def test_a_worker_that_dies_between_two_samples(self):
        done, what = self.bench("")
        sequence = Sequence(done.calls, self.cases, loads_of_case=2)
        launches = [at for at in range(sequence.starts[1], sequence.starts[2])
                    if sequence.calls[at] == "cuLaunchKernel"]
        for index in (launches[1], launches[3], launches[-1]):
            done, what = self.bench("call=%d,signal=9" % (index + 1))
            self.assertEqual(done.code, 0, what)  # somebody's doing, not the kernel's
            done, what = self.bench("call=%d,signal=11" % (index + 1))
            self.assertEqual(done.code, 1, what)
            self.assertEqual([one["verdict"] for one in done.cases],
                             ["passed", "failed", "passed"], what)
            self.assertEqual(done.cases[1]["failure"], "crash", what)

    def test_a_launch_that_hangs_while_it_is_timed(self):
        done, what = self.bench("")
        sequence = Sequence(done.calls, self.cases, loads_of_case=2)
        launches = [at for at in range(sequence.starts[1], sequence.starts[2])
                    if sequence.calls[at] == "cuLaunchKernel"]
        done, what = self.bench("call=%d,delay_ms=20000" % (launches[3] + 1), "--timeout-s", "1",
                                "--budget-s", "0.5")
        self.assertEqual(done.code, 1, what)
        self.assertEqual([one["verdict"] for one in done.cases], ["passed", "failed", "passed"],
                         what)
        self.assertEqual(done.cases[1]["failure"], "limit", what)


class Devices(FaultTest):
    """`devices` and `doctor` look at each device, and say what is wrong with it."""

    def sequence(self, *arguments):
        done, what = self.run_faulty("", *arguments)
        self.assertEqual((done.misuse, done.leaks), ([], []), what)
        self.assertTrue(done.ended, what)
        return done.calls

    def each_fails(self, look, *arguments):
        calls = self.sequence(*arguments)
        self.assertIn("cuInit", calls)
        self.sweep([lambda index=index, result=RESULTS[(index + shift) % len(RESULTS)]:
                    self.one(calls, index, result, look, arguments)
                    for index in range(len(calls)) for shift in range(7 if EXHAUSTIVE else 1)])

    def one(self, calls, index, result, look, arguments):
        number, error, sticky = result
        done, what = self.run_faulty(
            "call=%d,result=%d%s" % (index + 1, number, ",sticky" if sticky else ""), *arguments)
        self.assertEqual(done.fired, [calls[index]], what)
        self.assertEqual((done.misuse, done.leaks), ([], []), what)
        # The CPU device is there as well, so there is one to use.
        self.assertEqual((done.code, done.errors), (0, ""), what)
        self.assertIn("%s failed with CUDA_ERROR_%s (%d)" % (documented(calls[index]), error,
                                                             number), look(done), what)

    def test_devices(self):
        def look(done):
            self.assertRegex(done.out, r"(?m)^cpu:0  Warpmark CPU device$")
            return next(line for line in done.out.splitlines() if line.startswith("no faulty"))
        self.each_fails(look, "devices")

    def test_devices_as_json(self):
        def look(done):
            found = json.loads(done.out)
            self.assertIn("cpu", [device["kind"] for device in found["devices"]])
            missing = {one["kind"]: one for one in found["missing"]}
            return missing.get("faulty", missing.get("faulty:0"))["reason"]
        self.each_fails(look, "devices", "--json")

    def test_doctor(self):
        def look(done):
            self.assertRegex(done.out, r"(?m)^ok +cpu ")
            self.assertRegex(done.out, r"(?m)^ok +NumPy ")  # the rest is examined
            self.assertRegex(done.out, r"Warpmark can check kernels on (gpu:0, )?cpu:0\b")
            return re.sub(r"\n +", " ", done.out)
        self.each_fails(look, "doctor")


class Others(FaultTest):
    def test_run_does_as_check(self):
        self.write("c.yaml", "warpmark: 1\ncheck: {suites: [suites], device: faulty}\n")
        record, what = self.run_faulty("", "run", "c.yaml")
        self.assertEqual(record.code, 0, what)
        first = {}
        for index, name in enumerate(record.calls):
            first.setdefault(name, index)
        launch = record.calls.index("cuModuleLoadDataEx")

        def one(name, index):
            done, what = self.run_faulty("call=%d,result=2" % (index + 1), "run", "c.yaml")
            if index < launch - 2:
                self.assertEqual(done.code, 3, what)
            elif name not in RELEASES and name != "cuCtxPopCurrent_v2":
                self.assertEqual(done.code, 1, what)
            else:
                self.assertEqual(done.code, 0, what)
        self.sweep([lambda name=name, index=index: one(name, index)
                    for name, index in first.items()
                    if EXHAUSTIVE or name in ("cuInit", "cuCtxCreate_v2", "cuMemAlloc_v2",
                                              "cuLaunchKernel", "cuModuleUnload")])

    def test_the_others_open_no_driver(self):
        """A library that ends the process when it is opened would end them."""
        self.environment.pop("WARPMARK_PYTHON", None)
        for arguments in (["list", "suites"], ["list", "suites", "--json"],
                          ["plan", "suites/t.yaml", "--case", "t.n=100"],
                          ["lint", "suites"], ["cache"], ["cache", "clear"], ["schema"], ["--help"],
                          ["check", "--help"]):
            counts = collections.Counter()
            done, what = self.run_faulty("nonsense", *arguments)
            counts.update(done.calls)
            self.assertEqual((done.code, counts), (0, {}), what)


if __name__ == "__main__":
    unittest.main()
