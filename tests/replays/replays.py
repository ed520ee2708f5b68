"""Kernels that answer from an earlier launch, and an honest one that does the same work.

Each is a text of CUDA C++ with one kernel `k`. What a bench says of it is right if it fails the case,
or gives it a time that the honest kernel needs too: a kernel that finds nothing of an earlier launch
does its work.
"""

import dataclasses
import json
import pathlib
import textwrap

N = 1000

WORK = """
__device__ __forceinline__ float work(const float *x, int i, int n) {
  float v = x[i];
  for (int j = 0; j < 1000; ++j) v = v * 0.999f + x[(i + j) % n];
  return v;
}
__device__ __forceinline__ unsigned long long now() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}
__device__ __forceinline__ float *writable(const float *constant) {
  unsigned long long address = (unsigned long long)constant;
  asm volatile("" : "+l"(address));
  return (float *)address;
}
__device__ __forceinline__ unsigned key_of(const float *x, int n) {  // of all elements, by one block
  __shared__ unsigned key;
  if (threadIdx.x == 0) key = 0;
  __syncthreads();
  if (threadIdx.x < n) atomicXor(&key, __float_as_uint(x[threadIdx.x]) * (2 * threadIdx.x + 1));
  __syncthreads();
  return key | 1;
}
"""

REFERENCE = """
import numpy as np

def answer(x, n):
    v = x.astype(np.float64).copy()
    i = np.arange(n)
    for j in range(1000):
        v = v * np.float32(0.999) + x[(i + j) % n]
    return v
"""


@dataclasses.dataclass(frozen=True)
class Replay:
    """One kernel: where it keeps what it finds again, and its text."""

    name: str
    keeps: str
    body: str
    outside: str = ""
    modes: tuple = ("cold",)
    scratch: bool = False
    in_place: bool = False


def _kept(name, keeps, outside, test, answer, keep, **more):
    """Where `test` holds, writes `answer`; else does the work, and does `keep` with `v`."""
    body = f"""
    const bool found = {test};
    __syncthreads();
    if (found) {{ if (i < n) y[i] = {answer}; return; }}
    if (i < n) {{ const float v = work(x, i, n); y[i] = v; {keep} }}
    """
    return Replay(name, keeps, body, outside, **more)


ALL_MODES = ("cold", "hot", "cold_graph", "hot_graph")

REPLAYS = (
    Replay("honest", "nothing", "if (i < n) y[i] = work(x, i, n);", modes=ALL_MODES),
    _kept("variable_by_element", "variables", "__device__ float kept[1024], key;", "key == x[0]", "kept[i]",
          "kept[i] = v; if (i == 0) key = x[0];", modes=ALL_MODES),
    _kept("variable_by_hash", "variables", "__device__ float kept[1024]; __device__ unsigned key;",
          "key == key_of_x", "kept[i]", "kept[i] = v; if (i == 0) key = key_of_x;", modes=ALL_MODES),
    _kept("variable_table", "variables", "__device__ float kept[8][1024]; __device__ unsigned key[8];",
          "key[key_of_x % 8] == key_of_x", "kept[key_of_x % 8][i]",
          "kept[key_of_x % 8][i] = v; if (i == 0) key[key_of_x % 8] = key_of_x;", modes=ALL_MODES),
    _kept("variable_once", "variables", "__device__ float kept[1024]; __device__ int there;", "there", "kept[i]",
          "kept[i] = v; if (i == 0) there = 1;", modes=ALL_MODES),
    _kept("static_variable", "variables", "", "there && key == x[1]", "kept[i]",
          "kept[i] = v; if (i == 0) { there = 1; key = x[1]; }"),
    _kept("hidden_variable", "variables",
          "namespace { __device__ float kept[1024]; template <int N> __device__ float key = 0; }",
          "key<3> == x[2]", "kept[i]", "kept[i] = v; if (i == 0) key<3> = x[2];"),
    _kept("constant", "constants", "__constant__ float kept[1024]; __constant__ float key;",
          "*(volatile const float *)&key == x[0]", "((volatile const float *)kept)[i]",
          "writable(kept)[i] = v; if (i == 0) *writable(&key) = x[0];"),
    _kept("text_literal", "constants", "", "kept[1023] == x[0] && key == 0x40000000", "kept[i]",
          "kept[i] = v; if (i == 0) { kept[1023] = x[0]; ((unsigned *)kept)[1022] = 0x40000000; }"),
    Replay("own_output", "outputs", """
    __shared__ int done;
    if (i == 0) done = y[0] == work(x, 0, n);
    __syncthreads();
    if (!done && i < n) y[i] = work(x, i, n);
    """, modes=ALL_MODES),
    Replay("own_output_last", "outputs", """
    __shared__ int done;
    if (i == n - 1) done = y[i] == work(x, i, n);
    __syncthreads();
    if (!done && i < n) y[i] = work(x, i, n);
    """, modes=ALL_MODES),
    Replay("fill_known", "outputs", "if (i < n && __float_as_uint(y[i]) == 0xCBCBCBCBu) y[i] = work(x, i, n);",
           modes=ALL_MODES),
    Replay("fill_repeats", "outputs", """
    const unsigned was = i < n ? __float_as_uint(y[i]) : 0;
    if (i < n && was == (was & 255) * 0x01010101u) y[i] = work(x, i, n);
    """, modes=ALL_MODES),
    Replay("fill_of_first", "outputs", """
    const unsigned was = __float_as_uint(y[0]);
    __syncthreads();
    if (i < n && was == (was & 255) * 0x01010101u) y[i] = work(x, i, n);
    """, modes=ALL_MODES),
    Replay("scratch", "outputs", """
    const bool found = scratch[0] == x[0] && scratch[1] == 2 * x[1];
    __syncthreads();
    if (found) { if (i < n) y[i] = scratch[2 + i]; return; }
    if (i < n) { const float v = work(x, i, n); y[i] = v; scratch[2 + i] = v; }
    if (i == 0) { scratch[0] = x[0]; scratch[1] = 2 * x[1]; }
    """, scratch=True, modes=ALL_MODES),
    Replay("heap_by_variable", "heap", """
    const bool found = there && there[0] == x[0];
    __syncthreads();
    if (found) { if (i < n) y[i] = there[1 + i]; return; }
    if (i == 0) there = (float *)malloc(4 * 1100);
    __syncthreads();
    if (i < n) { const float v = work(x, i, n); y[i] = v; there[1 + i] = v; }
    if (i == 0) there[0] = x[0];
    """, "__device__ float *there;", modes=ALL_MODES),
    Replay("heap_stale", "heap", """
    __shared__ float *block;
    __shared__ int found;
    if (i == 0) { block = (float *)malloc(4 * 1100); found = block[1] == x[0] && block[2] == x[1]; }
    __syncthreads();
    if (i < n) {
      const float v = found ? block[4 + i] : work(x, i, n);
      y[i] = v; block[4 + i] = v;
    }
    __syncthreads();
    if (i == 0) { block[1] = x[0]; block[2] = x[1]; free(block); }
    """, modes=ALL_MODES),
    Replay("behind_output", "outside", """
    const bool found = y[n + 24] == x[0];
    __syncthreads();
    if (found) { if (i < n) y[i] = y[n + 40 + i]; return; }
    if (i < n) { const float v = work(x, i, n); y[i] = v; y[n + 40 + i] = v; }
    if (i == 0) y[n + 24] = x[0];
    """, modes=ALL_MODES),
    Replay("far_behind_output", "outside", """
    float *far = y + (1 << 18);
    const bool found = far[0] == x[0];
    __syncthreads();
    if (found) { if (i < n) y[i] = far[1 + i]; return; }
    if (i < n) { const float v = work(x, i, n); y[i] = v; far[1 + i] = v; }
    if (i == 0) far[0] = x[0];
    """, modes=ALL_MODES),
    Replay("behind_variable", "outside", """
    const bool found = (&anchor)[100] == x[0];
    __syncthreads();
    if (found) { if (i < n) y[i] = (&anchor)[200 + i]; return; }
    if (i < n) { const float v = work(x, i, n); y[i] = v + 0 * anchor; (&anchor)[200 + i] = v; }
    if (i == 0) (&anchor)[100] = x[0];
    """, "__device__ float anchor;", modes=ALL_MODES),
    Replay("shared_stale", "outside", """
    __shared__ float left[1100];
    const bool found = left[0] == x[0] && left[1] == 2 * x[1];
    __syncthreads();
    if (found) { if (i < n) y[i] = left[2 + i]; return; }
    if (i < n) { const float v = work(x, i, n); y[i] = v; left[2 + i] = v; }
    if (i == 0) { left[0] = x[0]; left[1] = 2 * x[1]; }
    """, modes=ALL_MODES),
    Replay("launch_number", "launch numbers", """
    unsigned long long number;
    asm volatile("mov.u64 %0, %%gridid;" : "=l"(number));
    if (number % 2 == 0 && i < n) y[i] = work(x, i, n);
    """, modes=ALL_MODES),
    Replay("launch_number_late", "launch numbers", """
    unsigned long long number;
    asm volatile("mov.u64 %0, %%gridid;" : "=l"(number));
    if ((number < 20 || number % 16 == 0) && i < n) y[i] = work(x, i, n);
    """, modes=ALL_MODES),
    Replay("every_second", "launch numbers", """
    const int number = launches;
    __syncthreads();
    if (i == 0) launches = number + 1;
    if (number % 2 == 0 && i < n) y[i] = work(x, i, n);
    """, "__device__ int launches;", modes=ALL_MODES),
    Replay("first_few", "launch numbers", """
    const int number = launches;
    __syncthreads();
    if (i == 0) launches = number + 1;
    if (number < 3 && i < n) y[i] = work(x, i, n);
    """, "__device__ int launches;", modes=ALL_MODES),
    Replay("within_batch", "launch numbers", """
    const unsigned long long last = ended, begin = now();
    __syncthreads();
    if (begin - last > 20000 && i < n) y[i] = work(x, i, n);
    __syncthreads();
    if (i == 0) ended = now();
    """, "__device__ unsigned long long ended;", modes=ALL_MODES),
    Replay("address_seen", "addresses", """
    const bool seen = address == y;
    __syncthreads();
    if (i == 0) address = y;
    if (!seen && i < n) y[i] = work(x, i, n);
    """, "__device__ float *address;", modes=ALL_MODES),
    Replay("address_first", "addresses", """
    if (i == 0 && first == nullptr) first = y;
    __syncthreads();
    if (first == y && i < n) y[i] = work(x, i, n);
    """, "__device__ float *volatile first;", modes=ALL_MODES),
    Replay("clock_half", "clocks", """
    __shared__ int works;
    if (i == 0) works = now() / 1048576 % 2 == 0;
    __syncthreads();
    if (works && i < n) y[i] = work(x, i, n);
    """, modes=ALL_MODES),
    Replay("clock_part", "clocks", """
    __shared__ int works;
    if (i == 0) works = now() / 4096 % 4 == 0;
    __syncthreads();
    if (works && i < n) y[i] = work(x, i, n);
    """, modes=ALL_MODES),
    Replay("clock_after_start", "clocks", """
    if (i == 0 && started == 0) started = now();
    __syncthreads();
    if (now() - started < 3000000 && i < n) y[i] = work(x, i, n);
    """, "__device__ volatile unsigned long long started;", modes=ALL_MODES),
    Replay("in_place_marked", "inputs", """
    const bool done = y[n] == 1;
    __syncthreads();
    float v = 0;
    if (!done && i < n) v = work(y, i, n);
    __syncthreads();
    if (!done && i < n) y[i] = v;
    if (i == 0) y[n] = 1;
    """, in_place=True, modes=ALL_MODES),
)

_PRELUDE = {
    "variable_by_hash": "const unsigned key_of_x = key_of(x, n);\n",
    "variable_table": "const unsigned key_of_x = key_of(x, n);\n",
    "static_variable": "static __device__ float kept[1024], key;\nstatic __device__ int there;\n",
    "text_literal": 'float *kept = (float *)TEXT; const unsigned key = ((unsigned *)kept)[1022];\n',
}


def source(replay: Replay) -> str:
    """The CUDA C++ text of a replay."""
    if replay.in_place:
        parameters = "float *y, int n"
    else:
        parameters = "const float *x, float *y, int n" + (", float *scratch" if replay.scratch else "")
    outside = replay.outside
    if replay.name == "text_literal":
        outside = '__device__ const char *const TEXT = "' + "a" * 4100 + '";'
    prelude = _PRELUDE.get(replay.name, "")
    body = textwrap.indent(textwrap.dedent(replay.body).strip(), "  ")
    return (WORK + outside + f'\nextern "C" __global__ void k({parameters}) {{\n'
            f"  const int i = threadIdx.x;\n  {prelude}{body}\n}}\n")


def suite(replay: Replay, mode: str) -> str:
    """The suite file that benches a replay in a mode."""
    cache, graph = mode.split("_")[0], mode.endswith("graph")
    if replay.in_place:
        arguments = ["  y: {inout: 'np.append(rng.random(n), 0)'}"]
        reference = "{y: {function: 'answers.py:in_place'}}"
    else:
        arguments = ["  x: {in: rng.random(n)}", "  y: {out: n}"]
        reference = "{y: {function: 'answers.py:answer'}}"
    arguments.append("  n: {scalar: n}")
    if replay.scratch:
        arguments.append("  scratch: {scratch: n + 2, dtype: float32}")
    return "\n".join([
        "warpmark: 1", f"about: A replay that is kept in {replay.keeps}, timed {mode}.",
        f"kernel: {{file: {replay.name}.cu, entry: k}}", f"axes: {{n: [{N}]}}", "arguments:", *arguments,
        "launch: {block: 1024}", f"reference: {reference}", "tolerance: {rtol: 1e-4}",
        f"bench: {{bytes: 8 * n, cache: {cache}, graph: {str(graph).lower()}}}", ""])


def write(folder: pathlib.Path) -> list[tuple[Replay, str, str]]:
    """Writes every suite into `folder`; each replay, mode and suite's name."""
    written = []
    reference = REFERENCE + "\ndef in_place(y, n):\n    return np.append(answer(y[:-1], n), 1)\n"
    (folder / "answers.py").write_text(reference)
    for replay in REPLAYS:
        (folder / f"{replay.name}.cu").write_text(source(replay))
        for mode in replay.modes:
            (folder / f"{replay.name}_{mode}.yaml").write_text(suite(replay, mode))
            written.append((replay, mode, f"{replay.name}_{mode}"))
    return written


def results(journal: pathlib.Path) -> dict:
    """Returns the last record of a case for each suite of a journal."""
    found = {}
    for line in journal.read_text().splitlines():
        record = json.loads(line)
        if record.get("type") == "case":
            found[record["suite"].rsplit("/", 1)[-1]] = record
    return found
