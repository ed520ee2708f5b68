# `warpmark-cpu --debug PROGRAM`: the debugger beside a program, which keeps its input and output.
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from debug_adapter_test import Client
from debug_test import HAS_VARIABLES
from program import BUILD, PROGRAM, ProgramTest

LAUNCHER = BUILD / "bin" / "warpmark-cpu"
NVCC = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
SOURCE = """#include <cstdio>
#include <cuda_runtime.h>
template <typename T>
__device__ T twice(T v) {
  T sum = v + v;
  return sum;
}
template <typename T>
__global__ void add(T *out, const T *src, int n) {
  __shared__ T tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = src[i];
  __syncthreads();
  if (i < n)
    out[i] = twice(tile[threadIdx.x ^ 1]);
  if (i == 0)
    printf("in the kernel\\n");
}
__global__ void bump(int *a) {
  a[threadIdx.x] += 1;
}
__global__ void spin(volatile int *a) {
  while (*a == 0) {}
}
int main(int count, char **words) {
  char line[100] = "";
  if (fgets(line, sizeof line, stdin)) printf("read %s", line);
  int n = count > 1 ? atoi(words[1]) : 100;
  float *out, *src;
  cudaMalloc(&out, 100 * sizeof *out);
  cudaMallocManaged(&src, 128 * sizeof *src);
  for (int i = 0; i < 128; ++i) src[i] = i;
  add<float><<<2, 64>>>(out, src, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 9;
  int *a;
  cudaMalloc(&a, 128);
  cudaMemset(a, 0, 128);
  for (int i = 0; i < 3; ++i) bump<<<1, 32>>>(a);
  add<int><<<1, 64>>>((int *)out, (int *)src, 64);
  if (count > 2) {
    cudaMemset(a, 0, 128);
    spin<<<1, 32>>>(a);
  }
  int last[32];
  cudaMemcpy(last, a, sizeof last, cudaMemcpyDeviceToHost);
  printf("a[3] = %d\\n", last[3]);
  return 3;
}
"""


@unittest.skipUnless(NVCC and shutil.which("g++"), "no nvcc")
class DebugProgram(ProgramTest):
    REAL_STARTS = True

    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="warpmark-debug-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.home, ignore_errors=True)
        cls.source, cls.program = cls.home / "k.cu", cls.home / "prog"
        cls.source.write_text(SOURCE)
        done = subprocess.run([LAUNCHER, NVCC, "-G", "-o", cls.program, cls.source], capture_output=True, text=True,
                              check=False, env=dict(os.environ, HOME=str(cls.home)))
        if done.returncode != 0:
            raise AssertionError(done.stderr)

    def debug(self, *commands, arguments=(), code=3, given="some line\n", options=()):
        """Returns the texts of the program and of the debugger."""
        words = [LAUNCHER, *options, "--debug", "--batch"]
        for command in commands:
            words += ["--command", command]
        done = subprocess.run([*words, self.program, *arguments], cwd=self.folder, env=self.environment, text=True,
                              input=given, capture_output=True, check=False, timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def attached(self, name="socket", *arguments):
        """A program that waits for a debugger, and its socket."""
        path = str(self.folder / name)
        process = subprocess.Popen([LAUNCHER, "--debug-socket", path, self.program, *arguments], cwd=self.folder, text=True,
                                   env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        while "waits for a debugger: warpmark debug --attach " + path not in (line := process.stderr.readline()):
            self.assertTrue(line)
        return process, path


class Stops(DebugProgram):
    def test_kernels_lines_and_launches(self):
        printed, said = self.debug("break bump", "break k.cu:15 if i == 70", "info breakpoints", "continue", "delete 2", "continue",
                                   "delete 1", "break launch 5", "info breakpoints", "continue", "info position", "continue")
        # The host writes into a pipe when it ends.
        self.assertEqual(sorted(printed.splitlines()), ["a[3] = 3", "in the kernel", "in the kernel", "read some line"])
        self.assertIn("Breakpoint 1: no code of this launch is there; later launches may have it\n", said)
        self.assertRegex(said, r"Breakpoint 2\n\[block \(1,0,0\), thread \(6,0,0\), warp 0, lane 6\] add<float>.* at .*k.cu:15\n15\t    out\[i\]")
        self.assertRegex(said, r"Breakpoint 1\n\[block \(0,0,0\), thread .* bump at .*k.cu:20\n")
        self.assertIn("3 breakpoint launch 5 (no code), hit 0 times\n", said)
        self.assertRegex(said, r"Breakpoint 3\n.*add<int>.* at ")
        self.assertIn("launch 5, 0 statements of its warps before this one\n", said)
        self.assertIn("The program has exited with code 3\n", said)

    def test_a_finding_stops_before_it_happens(self):
        printed, said = self.debug("finding", "info position", "continue", arguments=["110"], code=9)
        self.assertRegex(said, r"Found here: out-of-bounds global write.*\n\[block \(1,0,0\), thread \(36,0,0\).* at .*k.cu:15\n")
        self.assertIn("Invalid __global__ write", said)  # the device's own report, when it has happened
        self.assertTrue(printed.startswith("read some line\n"))
        self.assertNotIn("a[3]", printed)

    def test_it_runs_again_and_quits(self):
        _, said = self.debug("break bump", "continue", "run", "quit", code=0, given="")
        self.assertEqual(said.count("Breakpoint 1\n"), 2)
        self.assertNotIn("has exited", said)

    def test_wrong_words(self):
        for words, code, text in ((["--debug"], 2, "which program?"), (["--debug", "--batch"], 2, "which program?"),
                                  (["--debug", "--command"], 2, "--command needs a value"),
                                  (["--debug", "--fast", "x"], 2, "unknown option '--fast' of --debug"),
                                  (["--debug", "--batch", "/no/such/program"], 127, "The program has exited with code 127")):
            done = subprocess.run([LAUNCHER, *words], cwd=self.folder, env=self.environment, text=True, capture_output=True,
                                  stdin=subprocess.DEVNULL, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(text, done.stderr)

    def test_arguments_are_the_programs(self):
        done = subprocess.run([LAUNCHER, "--debug", "--batch", "--", "printf", "%s|", "--batch", "a b", "-x", "--", ""],
                              cwd=self.folder, env=self.environment, text=True, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "--batch|a b|-x|--||"))

    def test_the_terminal_is_the_debuggers_where_the_input_is_not(self):
        pid, terminal = pty.fork()
        if pid == 0:  # the program reads from a file, and the debugger from the terminal
            os.chdir(self.folder)
            os.execve("/bin/sh", ["sh", "-c", "echo from a file | %s --debug %s >out; echo ended" % (LAUNCHER, self.program)],
                      dict(self.environment, TERM="dumb"))
        said = b""

        def until(text):
            nonlocal said
            while text not in said:
                said += os.read(terminal, 4096)
            said = said.split(text, 1)[1]

        until(b"(warpmark) ")
        os.write(terminal, b"break bump\n")
        until(b"(warpmark) ")
        os.write(terminal, b"continue\n")
        until(b"Breakpoint 1")
        until(b"(warpmark) ")
        os.write(terminal, b"delete 1\ncontinue\n")
        until(b"exited with code 3")
        os.write(terminal, b"quit\n")
        until(b"ended")
        os.waitpid(pid, 0)
        os.close(terminal)
        self.assertIn("read from a file\n", (self.folder / "out").read_text())


class Back(DebugProgram):
    def test_the_launch_runs_again_and_the_program_does_not(self):
        printed, said = self.debug("break bump", "continue", "continue", "print a[3]", "next", "print a[3]", "reverse-next",
                                   "print a[3]", "delete 1", "reverse-continue", "info position", "break bump", "continue",
                                   "continue", "print a[3]", "delete 2", "continue", "reverse-continue")
        values = [line for line in said.splitlines() if line.startswith("a[3] = ")]
        if HAS_VARIABLES:
            self.assertEqual(values, ["a[3] = 1", "a[3] = 2", "a[3] = 1", "a[3] = 2"])
        self.assertIn("the program has ended: run starts it again\n", said)
        self.assertIn("The beginning: there is nothing before\n", said)
        self.assertIn("launch 3, 0 statements", said)
        self.assertIn("a[3] = 3\n", printed)
        self.assertEqual(printed.count("read some line"), 1)

    @unittest.skipUnless(HAS_VARIABLES, "no libdw")
    def test_who_wrote_memory(self):
        _, said = self.debug("break k.cu:15 if i == 3", "continue", "writers tile", "writer tile[40]", "quit", code=0)
        self.assertRegex(said, r"tile\[0:32\]: threads \(0,0,0\) to \(31,0,0\) of block \(0,0,0\) at .*k.cu:12, statement \d+\n"
                               r"tile\[32:64\]: threads \(32,0,0\) to \(63,0,0\)|tile\[0:64\]: threads \(0,0,0\) to \(63,0,0\)")
        self.assertRegex(said, r"tile\[40\]: 40, written by thread \(40,0,0\) of block \(0,0,0\) at .*k.cu:12\n")

    @unittest.skipUnless(HAS_VARIABLES, "no libdw")
    def test_instances_of_a_template(self):
        _, said = self.debug("break twice<float>", "continue", "backtrace", "up", "print i", "print v", "delete 1",
                             "break twice<int>", "continue", "backtrace", "quit", code=0)
        self.assertRegex(said, r"#0 twice<float>.* at .*k.cu:\d+\n#1 .*add<float>.* at .*k.cu:15\n")
        self.assertRegex(said, r"\ni = (0|32)\n")  # warps come there in any order
        self.assertRegex(said, r"#0 twice<int>.* at .*k.cu:\d+\n#1 .*add<int>.* at .*k.cu:15\n")


class WithoutDebugInformation(DebugProgram):
    def plain(self, *options):
        program = self.folder / "plain"
        subprocess.run([LAUNCHER, NVCC, *options, "-o", program, self.source], check=True, capture_output=True, env=self.environment)
        return program

    def said(self, program, *commands):
        words = [LAUNCHER, "--debug", "--batch"]
        for command in commands:
            words += ["--command", command]
        done = subprocess.run([*words, program], cwd=self.folder, env=self.environment, text=True, input="", capture_output=True,
                              check=False, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_parameters_and_shared_variables_by_name(self):
        said = self.said(self.plain("-lineinfo"), "break k.cu:15 if threadIdx.x == 5", "continue", "info args", "print src[3]", "print tile[3]",
                         "print n + 1", "info locals", "quit")
        self.assertRegex(said, r"\nout = 0x[0-9a-f]+.*\nsrc = 0x[0-9a-f]+.*\nn = 100\n")
        self.assertIn("src[3] = 3\n", said)
        self.assertIn("tile[3] = 0x40400000\n", said)  # the bits of 3: T is the template's
        self.assertIn("n + 1 = 101\n", said)
        self.assertIn("locals are not known: ", said)

    def test_without_lines_the_types_of_the_symbol_are_left(self):
        said = self.said(self.plain(), "break add", "info breakpoints", "continue", "info args", "print param_1[3]", "print param_2",
                         "list", "next", "backtrace", "quit")
        self.assertNotIn("Breakpoint 1: no code", said)
        self.assertRegex(said, r"\nBreakpoint 1\n\[block \(0,0,0\), thread \(32,0,0\), warp 1, lane 0\] add<float> at `")
        self.assertIn("param_1[3] = 3\n", said)
        self.assertIn("param_2 = 100\n", said)
        self.assertIn("the kernel has no lines: x/i shows its PTX\n", said)
        self.assertRegex(said, r"\) next\n\[block \(0,0,0\), thread \(32,0,0\), warp 1, lane 0\] add<float> at `.*\n\(warpmark\) backtrace\n#0 add<float> at `")


class Interrupted(DebugProgram):
    def test_a_kernel_that_hangs(self):
        process, path = self.attached("hangs", "100", "spin")
        front = subprocess.Popen([PROGRAM, "debug", "--attach", path], cwd=self.folder, env=self.environment, text=True,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        front.stdin.write("continue\n")
        front.stdin.flush()
        while "(warpmark) continue" not in front.stdout.readline():
            pass
        time.sleep(2)
        front.send_signal(signal.SIGINT)
        out, _ = front.communicate("info position\nquit\n", timeout=60)
        self.assertIn("Interrupted\n", out)
        self.assertRegex(out, r"at .*k.cu:2[23]\n")
        self.assertIsNone(process.poll())  # it goes on without a debugger


class Clients(DebugProgram):
    def test_a_second_client_is_refused(self):
        _, path = self.attached()
        first = subprocess.Popen([PROGRAM, "debug", "--attach", path], cwd=self.folder, env=self.environment, text=True,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        while "The first statement" not in first.stdout.readline():
            pass
        words = self.refused("debug", "--attach", path, "--batch")
        self.assertIn("another debugger is at `%s` already: a program has one" % path, words)
        client = Client(self.folder)
        client.request("initialize", adapterID="warpmark")
        answer = client.response(client.send("attach", socket=path))
        self.assertFalse(answer["success"])
        self.assertIn("another debugger is at", answer["message"])
        client.request("disconnect")
        self.assertEqual(client.end(), 0)
        first.communicate("quit\n", timeout=60)

    def test_a_program_goes_on_without_its_client(self):
        for leaves in ("quit\n", None):
            process, path = self.attached()
            front = subprocess.Popen([PROGRAM, "debug", "--attach", path], cwd=self.folder, env=self.environment, text=True,
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            while "The first statement" not in front.stdout.readline():
                pass
            if leaves is None:
                front.kill()  # and its socket stays behind: the next round takes it away
            front.communicate(leaves, timeout=60)
            out, _ = process.communicate(timeout=60)
            self.assertIn("a[3] = 3\n", out)
            self.assertEqual(process.returncode, 3)

    def test_two_side_by_side(self):
        fronts = []
        for i in range(2):
            _, path = self.attached("socket%d" % i)
            fronts.append(subprocess.Popen([PROGRAM, "debug", "--attach", path, "--batch", "--command", "break bump",
                                            "--command", "continue", "--command", "delete 1", "--command", "continue"],
                                           cwd=self.folder, env=self.environment, text=True, stdout=subprocess.PIPE))
        for front in fronts:
            out, _ = front.communicate(timeout=60)
            self.assertIn("Breakpoint 1\n", out)
            self.assertIn("The program has ended\n", out)

    def test_a_second_process_of_the_program_runs_without(self):
        script = self.write("both.sh", "%s & sleep 1; %s; wait\n" % (self.program, self.program))
        done = subprocess.run([LAUNCHER, "--debug", "--batch", "--command", "break bump", "--command", "continue", "--command",
                               "delete 1", "--command", "continue", "sh", script], cwd=self.folder, env=self.environment,
                              text=True, capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=120)
        self.assertEqual(done.stdout.count("a[3] = 3\n"), 2, done.stderr)
        self.assertIn("Breakpoint 1\n", done.stderr)


class Editor(DebugProgram):
    def test_a_program_in_an_editor(self):
        client = Client(self.folder)
        client.request("initialize", adapterID="warpmark")
        client.request("launch", program=str(self.program), args=["100"], env={"SOME": "1"}, cwd=str(self.folder))
        client.event("initialized")
        known = client.request("setBreakpoints", source={"path": str(self.source)}, breakpoints=[{"line": 15}, {"line": 20}])
        self.assertEqual([one["verified"] for one in known["breakpoints"]], [True, False])
        client.request("setFunctionBreakpoints", breakpoints=[{"name": "launch 5"}])
        client.request("configurationDone")
        stopped = client.event("stopped")
        frames = client.request("stackTrace", threadId=stopped["threadId"])["stackFrames"]
        self.assertEqual((frames[0]["line"], frames[0]["source"]["path"]), (15, str(self.source)))
        if HAS_VARIABLES:
            result = client.request("evaluate", expression="writers tile", frameId=frames[0]["id"])["result"]
            self.assertIn("at %s:12" % frames[0]["source"]["path"], result)
            self.assertEqual(client.request("evaluate", expression="tile[3]", frameId=frames[0]["id"])["result"], "3")
            wrong = client.response(client.send("evaluate", expression="writers nothing", frameId=frames[0]["id"]))
            self.assertFalse(wrong["success"])
        client.request("setBreakpoints", source={"path": str(self.source)}, breakpoints=[{"line": 20}])
        client.request("continue", threadId=1)
        stopped = client.event("stopped")
        self.assertEqual(client.event("breakpoint")["breakpoint"]["line"], 20)
        client.request("setBreakpoints", source={"path": str(self.source)}, breakpoints=[])
        client.request("continue", threadId=1)
        stopped = client.event("stopped")
        frames = client.request("stackTrace", threadId=stopped["threadId"])["stackFrames"]
        self.assertIn("add<int>", frames[0]["name"])
        client.request("continue", threadId=1)
        self.assertEqual(client.event("exited")["exitCode"], 3)
        client.event("terminated")
        printed = "".join(one["body"]["output"] for one in client.events if one.get("event") == "output")
        self.assertIn("a[3] = 3\n", printed)
        client.request("disconnect")
        self.assertEqual(client.end(), 0)

    def test_all_that_a_program_prints_comes_before_its_end(self):
        client = Client(self.folder)
        client.request("initialize", adapterID="warpmark")
        # The editor is busy until the program has ended: both pipes are full.
        with client.may_read:
            client.send("launch", program="seq", args=["14000"])
            time.sleep(0.5)
        self.assertEqual(client.event("exited")["exitCode"], 0)
        printed = "".join(one["body"]["output"] for one in client.events
                          if one.get("event") == "output" and one["body"]["category"] == "stdout")
        self.assertEqual(printed, "".join("%d\n" % one for one in range(1, 14001)))
        client.request("disconnect")
        self.assertEqual(client.end(), 0)

    def test_a_client_that_leaves_ends_the_program(self):
        client = Client(self.folder)
        client.request("initialize", adapterID="warpmark")
        client.request("launch", program="sleep", args=["1000"])
        client.request("pause", threadId=1)
        self.assertEqual(client.end(), 0)


if __name__ == "__main__":
    unittest.main()
