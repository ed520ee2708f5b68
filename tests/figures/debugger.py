#!/usr/bin/env python3
"""Measures the debugger in a launch of 2^20 threads, and the size of pages with pictures.

    tests/figures/debugger.py [PROGRAM] [--json FILE]

Steps are requests of the Debug Adapter Protocol, from the request to the stop: at the first block and at the last one, with all
checks. Prints the median of each kind in milliseconds, smallest and largest beside it. Asserts nothing.
"""
import json
import os
import subprocess
import tempfile
import time

from figures import ROOT, parser_of, spread, this_machine, write_record

KERNEL = """__device__ float twice(float v) {
  float sum = v + v;
  return sum;
}
extern "C" __global__ void k(float *out, const float *src, int n) {
  __shared__ float tile[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = src[i];
  __syncthreads();
  float v = 0;
  for (int j = 0; j < 4; ++j)
    v += tile[(threadIdx.x + j) % 1024];
  __syncthreads();
  if (i < n)
    out[i] = twice(v);
}
"""
BLOCKS = 1024
SUITE = """warpmark: 1
kernel: {file: k.cu, entry: k}
arguments: {out: {out: 2**20}, src: {in: rng.random(2**20)}, n: {scalar: 2**20}}
launch: {block: 1024, grid: %d}
reference: {out: 'np.zeros(2**20)'}
""" % BLOCKS
# A race, bank conflicts and wasted sectors, in many suites.
WRONG = """extern "C" __global__ void k(float *out, const float *src) {
  __shared__ float tile[64];
  tile[threadIdx.x * %d %% 64] = src[threadIdx.x * 8 %% 64];
  out[threadIdx.x] = 2 * tile[63 - threadIdx.x];
}
"""
WRONG_SUITE = """warpmark: 1
kernel: {file: %s.cu, entry: k}
arguments: {out: {out: 64}, src: {in: rng.random(64)}}
launch: {block: 64}
reference: {out: src}
"""
# The pages, the commands that write them, and their exit codes.
PAGES = [("profile of three suites", ["profile", "suites/course/transpose", "-o", "{page}"], 0),
         ("profile of 116 cases", ["profile", "suites/course", "-o", "{page}"], 0),
         ("check of 100 wrong suites", ["check", "{folder}/wrong", "--counters", "--format", "html={page}"], 1)]


class Client:
    def __init__(self, program, folder):
        self.process = subprocess.Popen([program, "debug", "--dap"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0

    def send(self, command, **arguments):
        self.number += 1
        text = json.dumps({"seq": self.number, "type": "request", "command": command, "arguments": arguments}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.process.stdin.flush()

    def wait(self, wanted):
        """The next event of that name, or the response to the last request of it."""
        while True:
            length = int(self.process.stdout.readline().split(b":")[1])
            self.process.stdout.readline()
            message = json.loads(self.process.stdout.read(length))
            if message.get("success") is False:
                raise SystemExit("%s: %s" % (message["command"], message["message"]))
            if wanted in (message.get("event"), message.get("command")):
                return message.get("body", {})

    def ask(self, command, **arguments):
        self.send(command, **arguments)
        return self.wait(command)


def seconds_of_stop(client, command, **arguments):
    start = time.perf_counter()
    client.send(command, **arguments)
    stopped = client.wait("stopped")
    return time.perf_counter() - start, stopped


# The kinds of steps, their requests, and how often: a thread of the kernel above comes to so many lines.
STEPS = [("line", "next", {}, 13), ("line, into functions", "stepIn", {}, 13), ("statement", "next", {"granularity": "instruction"}, 40),
         ("line of the warp", "evaluate", {"expression": "next warp", "context": "repl"}, 13), ("back by a line", "stepBack", {}, 3),
         ("back by a statement", "stepBack", {"granularity": "instruction"}, 3)]


def stopped_client(program, folder, block):
    """A client that stands in a block, behind its first barrier; the thread; and the seconds to there."""
    client = Client(program, folder)
    client.ask("initialize", adapterID="figures")
    client.send("launch", suite="suite.yaml")
    client.wait("initialized")
    source = {"path": os.path.join(folder, "k.cu")}
    client.ask("setBreakpoints", source=source,
               breakpoints=[{"line": 10, "condition": "blockIdx.x == %d && threadIdx.x == 40" % block}])
    seconds, stopped = seconds_of_stop(client, "configurationDone")
    client.ask("setBreakpoints", source=source, breakpoints=[])
    return client, stopped["threadId"], seconds


def main():
    parser = parser_of(__doc__)
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    figures = []

    def note(name, times):
        figures.append({"figure": name, **spread(times, 4)})
        row = figures[-1]
        print("%-50s %8.1f ms (%.1f to %.1f)" % (name, 1e3 * row["median_s"], 1e3 * row["min_s"], 1e3 * row["max_s"]))

    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("k.cu", KERNEL), ("suite.yaml", SUITE)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        os.mkdir(os.path.join(folder, "wrong"))
        for i in range(100):
            for name, text in (("s%d.cu" % i, WRONG % (2 * i + 32)), ("s%d.yaml" % i, WRONG_SUITE % ("s%d" % i))):
                with open(os.path.join(folder, "wrong", name), "w", encoding="utf-8") as file:
                    file.write(text)
        for block in (0, BLOCKS - 1):
            where = "block %d of %d: " % (block + 1, BLOCKS)
            ways = []
            for name, command, words, count in STEPS:
                client, thread, seconds = stopped_client(program, folder, block)
                ways.append(seconds)
                if command != "evaluate":
                    words = {"threadId": thread, **words}
                note(where + name, [seconds_of_stop(client, command, **words)[0] for _ in range(count)])
                client.ask("disconnect")
                client.process.wait()
            note(where + "to a breakpoint with a condition", ways)
        pages = []
        for name, words, code in PAGES:
            page = os.path.join(folder, "page.html")
            words = [word.format(folder=folder, page=page) for word in words]
            done = subprocess.run([program, *words, "--device", "cpu"], cwd=ROOT, capture_output=True, text=True, check=False)
            if done.returncode != code:
                raise SystemExit(done.stdout + done.stderr)
            with open(page, encoding="utf-8") as file:
                text = file.read()
            pages.append({"page": name, "bytes": len(text.encode()), "pictures": text.count('<figure class="picture">')})
            print("%-50s %8d bytes, %d pictures" % (name, pages[-1]["bytes"], pages[-1]["pictures"]))
    write_record(arguments.json, {"command": "tests/figures/debugger.py", **this_machine(), "threads": BLOCKS * 1024,
                                  "figures": figures, "pages": pages})


if __name__ == "__main__":
    main()
