/* The functions of a driver library beyond the CUDA driver API.
 *
 * A library that exports the driver API may also export one function, warpmark_device_v1. Warpmark
 * looks it up with dlsym after dlopen; a library without it (NVIDIA's) has no extra capabilities.
 * The struct only ever grows at its end: read a member only if `size` covers it.
 */
#ifndef WARPMARK_DEVICE_H
#define WARPMARK_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WARPMARK_DEVICE_VERSION 1

/* Capabilities, as bits of warpmark_device.capabilities. */
enum {
  WARPMARK_IMAGE_PTX = 1 << 0,         /* modules are loaded from PTX text, never from a cubin */
  WARPMARK_EXACT_BOUNDS = 1 << 1,      /* every access is checked to the byte */
  WARPMARK_REPORTS = 1 << 2,           /* drain_reports explains faults and findings */
  WARPMARK_COUNTERS = 1 << 3,          /* drain_counters counts instructions and bytes, exactly */
  WARPMARK_DETERMINISTIC = 1 << 4,     /* equal input gives equal bytes, findings and counters */
  WARPMARK_PROFILE = 1 << 5,           /* configure knows "counters": traffic, and line by line */
  WARPMARK_CHECKS = 1 << 6,            /* configure takes "checks", those of checks.def too */
  WARPMARK_BASELINE_FEATURES = 1 << 7, /* it executes what sm_90 has, and not all that sm_90a has */
  WARPMARK_DEBUGGER = 1 << 8 /* debug stops launches, and lets one look at their threads */
};

/* A context of the library, a CUcontext; null means the current one. */
typedef void* warpmark_device_context;

/* Receives one line of JSON, UTF-8 without a newline; valid only during the call. */
typedef void (*warpmark_device_sink)(void* user, const char* json, size_t length);

/* --- stopping launches: see `debug` of warpmark_device */

/* Why a debugger is called. */
enum {
  WARPMARK_DEBUG_BEGIN = 0,   /* a launch begins; there is no thread yet */
  WARPMARK_DEBUG_BEFORE = 1,  /* lanes of a warp are about to execute a statement */
  WARPMARK_DEBUG_FINDING = 2, /* the same, and since the last call something was found */
  WARPMARK_DEBUG_END = 3      /* a launch has ended */
};

/* Spaces of memory. */
enum {
  WARPMARK_DEBUG_GENERIC = 0, /* an address as a pointer of the program has it */
  WARPMARK_DEBUG_GLOBAL = 1,
  WARPMARK_DEBUG_SHARED = 2, /* an offset in the block's shared memory */
  WARPMARK_DEBUG_LOCAL = 3,  /* an offset in the frame of a function, or with NO_FRAME in all of
                                the thread's local memory */
  WARPMARK_DEBUG_PARAM = 4   /* an offset in the parameters of the kernel */
};

#define WARPMARK_DEBUG_NO_FRAME 0xffffffffu

/* Where the launch is. Its members hold during the call only. */
typedef struct warpmark_debug_point {
  uint64_t launch; /* launches since `debug` was called, from 1 */
  uint64_t count;  /* statements that warps of the launch have executed: the same in each run */
  uint32_t reason; /* WARPMARK_DEBUG_… */
  uint32_t depth;  /* 0, or how many launches by kernels led to this one */
  uint32_t block[3];
  uint32_t warp;      /* in its block */
  uint32_t lanes;     /* bits of those that are about to execute the statement */
  uint32_t statement; /* a number of the launch's statements */
  const void* launch_state;
} warpmark_debug_point;

/* Memory whose stores a debugger wants to know. */
typedef struct warpmark_debug_range {
  uint32_t space;      /* GENERIC, GLOBAL, SHARED or LOCAL */
  uint32_t block[3];   /* of shared and local memory */
  uint32_t warp, lane; /* of local memory, whose offset is that in all of the thread's */
  uint64_t address, bytes;
} warpmark_debug_range;

/* A store, an atomic operation or the end of an asynchronous copy. Those of one statement and lane
 * have one record for each piece of memory. */
typedef struct warpmark_debug_store {
  uint32_t range; /* the number of the range that it hits */
  uint32_t block[3];
  uint32_t warp, lane, statement; /* that stored, or began the copy */
  uint32_t reserved;
  uint64_t address, bytes; /* in the range's space; pieces may reach out of it */
} warpmark_debug_store;

/* The results of `call`. */
enum {
  WARPMARK_DEBUG_LEAVE = 0, /* ends the launch, as if no thread had anything left to do; at its END
                               drops what it has printed */
  WARPMARK_DEBUG_GO_ON = 1,
  WARPMARK_DEBUG_REPEAT = 2 /* ends it, puts memory back and begins it again; only if `kept` */
};

typedef struct warpmark_debugger {
  int (*call)(void* user, const warpmark_debug_point* point);
  void* user;
  /* `call` is called from this count on, and before it for the statements whose byte is not 0 in
   * `stops`, which has one for each statement, or is null; and behind statements that store to one
   * of the ranges. It may change all of them. */
  uint64_t until;
  const uint8_t* stops;
  volatile int32_t pause; /* if not 0, `call` is called before the next statement */
  uint32_t range_count;
  const warpmark_debug_range* ranges;
  /* If not 0, launches keep a copy of the memory that they find, unless there is too much. */
  uint32_t keeps;
  uint32_t kept; /* the device says so of the present launch */
} warpmark_debugger;

/* Where a thread is. */
typedef struct warpmark_debug_lane {
  uint32_t state;     /* 0: it has left the kernel, or never was; 1: it runs; 2: it waits */
  uint32_t statement; /* the next, or the one that it waits at */
  uint32_t thread[3];
} warpmark_debug_lane;

/* One function that a thread is in. */
typedef struct warpmark_debug_frame {
  uint32_t statement; /* where it is in the function, or calls the next inner one */
  uint32_t reserved;
  uint64_t base; /* where its variables begin in the thread's local memory */
} warpmark_debug_frame;

/* Functions for looking at a launch during a call. Threads are those of the point's block; frames
 * count from 0, the innermost. */
typedef struct warpmark_debug_view {
  uint32_t size;
  uint32_t reserved;
  /* One JSON object of the launch: "kernel", "module": a number of its text, "grid", "block",
   * "cluster", "dynamic_shared", "shared_bytes", "statements", "rotates": true if blocks take turns
   * before they have ended;
   * "parameters": [{"name", "offset", "bytes"}, …]; "shared": the same of shared variables, and
   * "shared_window": the generic address of shared memory */
  void (*describe)(const warpmark_debug_point* point, warpmark_device_sink sink, void* user);
  /* One JSON object for each statement, in their order: {"function", "symbol": its mangled name, if
   * that is another, "file", "line", "text", "code": false if nothing is executed for it,
   * "inlined": [{"file", "line", "function"}, …], the calls through which it was inlined, innermost
   * first}. Members that do not apply are absent. */
  void (*statements)(const warpmark_debug_point* point, warpmark_device_sink sink, void* user);
  /* Sections of DWARF, if the kernel was compiled with -G: the name of each, a line feed and its
   * bytes. An address of code is the number of a statement, that of a variable its offset in its
   * space or its device address. */
  void (*sections)(const warpmark_debug_point* point, warpmark_device_sink sink, void* user);
  /* 0 if there is no such thread. */
  int (*lane)(const warpmark_debug_point* point, uint32_t warp, uint32_t lane,
              warpmark_debug_lane* into);
  /* Fills in at most `most` frames, and returns how many there are. */
  uint32_t (*frames)(const warpmark_debug_point* point, uint32_t warp, uint32_t lane,
                     warpmark_debug_frame* into, uint32_t most);
  /* The value of a register by its name in the PTX ("%r1"), the lower half first. Returns its bits;
   * 0 if the function has no such register, or never uses it. */
  uint32_t (*read_register)(const warpmark_debug_point* point, uint32_t warp, uint32_t lane,
                            uint32_t frame, const char* name, uint64_t into[2]);
  /* One line for each register that the function uses: its name. */
  void (*list_registers)(const warpmark_debug_point* point, uint32_t warp, uint32_t lane,
                         uint32_t frame, warpmark_device_sink sink, void* user);
  /* Returns 0 if these bytes are not all within one allocation of the space. */
  int (*read)(const warpmark_debug_point* point, uint32_t warp, uint32_t lane, uint32_t frame,
              uint32_t space, uint64_t address, void* into, uint64_t bytes);
  /* The label of the allocation of global memory that an address lies in and the bytes before the
   * address there, as JSON: {"name", "offset", "bytes"}. */
  void (*pointer)(const warpmark_debug_point* point, uint64_t address, warpmark_device_sink sink,
                  void* user);
  /* The findings of the launch so far: reports, as drain_reports gives them. At a FINDING and at
   * an END. */
  void (*findings)(const warpmark_debug_point* point, warpmark_device_sink sink, void* user);
  /* Fills in at most `most` of the stores to the debugger's ranges since the last call, in their
   * order, and returns how many there are. */
  uint32_t (*stores)(const warpmark_debug_point* point, warpmark_debug_store* into, uint32_t most);
} warpmark_debug_view;

typedef struct warpmark_device {
  uint32_t size;         /* sizeof(warpmark_device) as the library knew it */
  uint32_t version;      /* WARPMARK_DEVICE_VERSION */
  uint32_t capabilities; /* WARPMARK_… bits */
  uint32_t reserved;     /* 0 */

  /* Sets options of a context from a JSON object; unknown keys are an error.
   *   "cc": [9, 0]           compute capability that the device reports (before cuInit only)
   *   "instruction_budget": n   thread-instructions a launch may execute before error 702; 0 = none
   *   "wall_limit_ms": n        wall clock a launch may take before error 702; 0 = none
   *   "schedule_seed": n        another order of blocks, warps and diverged threads, the same for
   *                             each n; 0 = the usual one; null: what WARPMARK_CPU_SCHEDULE_SEED
   *                             says, as without it. For finding out that a result depends on the
   *                             order: seeds that follow each other choose different ways to take
   *                             turns (drain_counters, "schedules")
   *   "workers": n              threads that execute blocks, 0 = one for each processor; 1 unless
   *                             given here or by WARPMARK_CPU_WORKERS. Results, reports and
   *                             counters do not depend on it, unless a kernel has a data race
   *                             between blocks: atomics whose result depends on their order (of
   *                             floating-point numbers, exchanges, those whose old value is used)
   *                             happen in the order of blocks, and kernels that may wait for
   *                             another block (volatile or acquiring loads, swaps, used old values
   *                             in a loop) keep to one thread.
   *   "checks": ["memory", …]   what launches are searched for: memory (exact bounds and alignment
   *                             of each access; the default) and those of warpmark/checks.def,
   *                             which include it. []: an access only stays inside the device's
   *                             memory. leak: allocations that are left when their context goes;
   *                             nothing else includes it
   *   "strict_proxies": true    the check race warns of a copy over what was read without a proxy
   *                             fence behind barriers, too, as the PTX ISA has it; false unless
   *                             WARPMARK_CPU_PROXIES says otherwise
   *   "check": "memory"|"none"  the same as ["memory"] and []
   *   "counters": ["traffic"]   what launches count beside the basic counters: traffic, and with
   *                             "lines" the same for each line of the source; "samples" single
   *                             requests of warps, and branches; "coverage" what of each source
   *                             was executed, also alone; ["basic"] or []:
   *                             nothing else. See drain_counters
   *   "registers": {"symbol": n, …}   registers of a thread that ptxas reports for kernels which
   *                             the context's functions are got of from now on, for limits of a
   *                             block and occupancy; 0 = unknown, and they have no cost. A device
   *                             that runs PTX does not know them
   * With a null context and none current, they hold for contexts that are created later. Returns 0,
   * or an error whose text `last_error` gives. */
  int (*configure)(warpmark_device_context context, const char* json);

  /* Names the device memory [address, address + bytes) for reports: an argument's name and the
   * NumPy name of its dtype, so that a report can say `dest[400]`. Cleared when the memory is
   * freed. */
  int (*label)(warpmark_device_context context, uint64_t address, uint64_t bytes, const char* name,
               const char* dtype);

  /* Hands every report since the last call to `sink`, oldest first; works after a sticky error.
   * A report is one JSON object (schema/report.json):
   *   {"launch": 1, "kind": "illegal_address", "kernel": "multiply_them", "space": "global",
   *    "access": "write", "bytes": 4, "thread": [400,0,0], "block": [0,0,0], "count": 1,
   *    "address": "0x7f…", "argument": "dest", "dtype": "float32", "index": 400, "elements": 400,
   *    "allocation": {"address": "0x7f…", "bytes": 1600, "distance": 1, "side": "after",
   *                   "number": 3, "by": "cuMemAlloc_v2"},
   *    "file": "store.cuh", "line": 3, "function": "store",
   *    "inlined_at": [{"file": "multiply_them.cu", "line": 9}],
   *    "ptx_line": 31, "instruction": "st.global.f32 [%rd10], %f3;",
   *    "message": "…one sentence a person can read…"}
   * There is one for each distinct cause: kind, space, kind of access, allocation, and place, which
   * is a source line with the calls that it was inlined through, or a PTX instruction where no line
   * is known. It names the first thread that met it, and how many accesses did as `count`: a faulty
   * load gives 0, a faulty store does nothing, and the launch goes on to find the other places
   * before it fails. Members that do not apply are absent.
   *   launch      the context's launches count from 1; absent of what no launch did
   *   kind        illegal_address, misaligned_address, limit, barrier, unsupported_instruction,
   *               assert, trap, invalid_pc, stack_overflow, invalid_handle (of a texture or
   *               surface, or no tensor map), surface_out_of_range, heap (a free of what malloc
   *               did not return), waiting (after a limit: where threads were, and for what they
   *               waited); or one of those below
   *   space       global, shared, local, param or const; `access` is read or write, `bytes` those
   *               of one thread's access, `address` the first thread's, in shared and local memory
   *               an offset; `memory_of` is the block of the cluster whose shared memory it is, if
   *               that is another one
   *   argument    the label of the allocation, with its dtype, the index of the element that holds
   *               the address, and how many there are
   *   allocation  the one that the address lies in, or the nearest. `distance` is
   *               compute-sanitizer's: the first byte past the end is 1 byte after; `side` is
   *               before, inside or after; "freed": true or "read_only": true if it is, and of
   *               reserved addresses that nobody may use `absent` says why; `number`
   *               counts the context's allocations from 1, and `by` is the call that made it
   *   function    the device function that holds the line, if it was inlined; `inlined_at` has the
   *               lines of the calls, innermost first, each with its own `function` if that was
   *               inlined in turn
   *   approximate  true: the compiler made the code of several lines, of which `line` is one or near
   * Further kinds are findings, which change neither results nor the launch's end. Their `severity`
   * is error, or warning: a race whose writes are of the same value.
   *   race           "hazard": "write after write", "read after write" or "write after read"; or
   *                  "exit after write" or "exit after read" where a block leaves while another of
   *                  its cluster, or a copy, may still use its shared memory; or "fetch after
   *                  write" of a texture or surface that the same launch has written.
   *                  "both_orders": true if the same two accesses came in the other order, too,
   *                  which `count` includes. "other": {"thread", "block", "file", "line",
   *                  "function", "inlined_at", "ptx_line", "instruction"}, the access that came
   *                  first here. Of two copies of a batch: "call" is the function, and "address" and
   *                  "allocation" say where they meet
   *   uninitialised  "hazard": what was done with the value; "origin": global, shared, local or
   *                  register; "other": where it was read, and "source" the array, if it has a
   *                  name. "uses": [{"hazard", "count", "file", "line", …}], where else values read
   *                  at that place were used
   *   sync           "hazard": compute-sanitizer's word; "other": the other barrier, if any
   *   incomplete     a check ran out of memory or of time stamps and looked no further in this
   *                  launch, or there are more than 100 places of one kind; always a warning
   * And calls of the API can be mistakes, with the severity error and `allocation` as above:
   *   double_free, invalid_free  what cuMemFree and its like refuse: memory that was freed before,
   *                  and addresses that are none that an allocation began at; "call" is the
   *                  function
   *   api_error      a copy, a fill or a launch that is refused: "call" is the function, "code" the
   *                  name of what it returned; of memory that is not there also "access", "bytes"
   *                  and "address" of the whole range. An image that is not loaded, too, but only
   *                  for WARPMARK_CPU_REPORT: the log says it to who loads one
   *   leak           an allocation that was never freed, when its context goes or the process ends;
   *                  "space": heap for what kernels got from malloc. Nobody drains the reports of a
   *                  context that is gone: they are for WARPMARK_CPU_REPORT */
  void (*drain_reports)(warpmark_device_context context, warpmark_device_sink sink, void* user);

  /* Hands one JSON object for each launch since the last call to `sink`, oldest first:
   *   {"launch": 1, "kernel": "doublify", "launches": 1, "ptx_thread_instructions": 4096,
   *    "ptx_warp_instructions": 128, "ptx_flops": 0, "global_load_bytes": 16384, …}
   * `launch` is the launch's number, as in reports; every other number is a counter, and those of
   * several launches may be added. All are there, also those that are 0.
   *   launches                 1
   *   ptx_thread_instructions  instructions; one counts for each thread that comes to it, whether
   *                            or not its guard holds
   *   ptx_warp_instructions    the same for each warp; diverged parts of a warp each on their own
   *   ptx_flops                floating-point operations of threads whose guard holds: add, sub and
   *                            mul count 1, fma and mad 2, for a pair of 16-bit numbers twice as
   *                            much, everything else 0 (as in ncu's counts of FADD, FMUL and FFMA)
   *   SPACE_KIND_bytes         what accesses ask for: the bytes of one (of all elements, for a
   *                            vector) for each thread whose guard holds. SPACE_KIND is one of
   *                            {global,shared,local}_{load,store}, constant_load,
   *                            {global,shared}_atomic (atom and red, once the size of the value)
   *   SPACE_KIND_requests      those accesses, one for each warp in which a guard holds; diverged
   *                            parts of a warp each on their own
   *   barriers                 barriers of the block that warps arrive at: bar.sync, arrive, red
   * A generic address counts for the space that it lies in; one warp's access that lies in several
   * is a request to each. Parameters, of kernels and of calls, count nowhere. An access that is
   * refused (drain_reports) counts like any other: it was asked for. A launch that faults or meets
   * a limit counts what it did until then. Names with `ptx_` are those of the PTX text, before the
   * driver's compiler makes the GPU's own instructions of it.
   *
   *   schedules                where the order of threads may decide what the kernel computes,
   *                            although it has no race (atomic operations whose results are used,
   *                            or which do not commute; volatile, relaxed, acquire and release
   *                            accesses): how many values of "schedule_seed", one after another,
   *                            are all the ways to take turns; absent where it decides nothing
   *
   * With the set "traffic" of configure a launch counts these, too; docs/counters.md has ncu's
   * counterpart of each.
   *   blocks, warps, threads   of the launch
   *   ptx_CLASS_thread_instructions, ptx_CLASS_warp_instructions
   *                            ptx_thread_instructions and ptx_warp_instructions by class: integer,
   *                            half, single, double, special, convert, move, memory, matrix,
   *                            exchange, barrier, control, other
   *   ptx_branches             conditional branches that warps come to
   *   ptx_divergent_branches   those at which some of the lanes go another way than others
   *   ptx_longest_warp_instructions   of the warp that executed most; of several launches the sum
   *   ptx_span_instructions    of warps, along the longest chain through a thread block: a warp
   *                            goes on behind a barrier when the last of those that it waits for
   *                            has come; of the block with the longest; of several launches the sum
   *   KIND_requests, KIND_bytes   as above, also for async_global_{load,store} and
   *                            async_shared_{load,store} (cp.async and cp.async.bulk, both sides),
   *                            texture_load, surface_{load,store,atomic} and prefetch (no bytes)
   *   KIND_sectors             different sectors of 32 bytes that a request touches, summed over
   *                            requests; of global, local, texture, surface and prefetched memory.
   *                            Local memory lies as on a GPU: equal words of 32 lanes side by side
   *   KIND_unique_bytes        different bytes that a request touches; never more than 32 * sectors
   *   KIND_ideal_sectors       sectors that those bytes would need side by side: unique_bytes / 32,
   *                            rounded up for each request (of an atomic for each turn)
   *   KIND_wavefronts          of shared memory: passes that a request takes, each of one word of 4
   *                            bytes from each of 32 banks, which all lanes share that want it. 8
   *                            bytes go in halves of the warp, 16 in quarters; two of them together
   *                            if each lane has the address of its neighbour, or of that 2 further
   *   KIND_ideal_wavefronts    the same if no two words were in one bank: 1 for each such part
   *   KIND_row_excess          wavefronts beyond the ideal that stay if each row of the block's
   *                            threads, those of equal threadIdx.y and z, accesses alone: of the
   *                            worst row of each part
   *   KIND_turns               of an atomic: the number of lanes at its most frequent address; they
   *                            go one after the other, and sectors and wavefronts are those of
   *                            each turn. Of a constant load: different addresses
   * and have the member "occupancy", which is no counter: {"blocks", "warps": of a multiprocessor
   * of compute capability 9.0, "most_warps": 64, "limited_by": "warps", "blocks",
   * "registers" or "shared memory", "shared_bytes", "registers": of a thread}. Registers are left
   * out where configure told none: they have no number before ptxas.
   * With "lines" there is a member "lines", ordered by file and line: [{"file", "line",
   * "executions": warps that came here, and those of the counters above that are not 0, without
   * ptx_flops and barriers, which are counted for the whole launch only}]. An
   * instruction belongs to the line that the compiler gives it, inlined code to that of the inlined
   * function; what has none is in no line.
   * With "samples", which also counts "traffic", there is a member of that name, for pictures:
   *   {"accesses": [{"file", "line", "kind": "global_load", …, "block", "warp", "lanes": bits,
   *                  "bytes": of one lane, "places": each lane's address, "sectors", …}],
   *    "way": {"block", "warp", "count", "partings": [{"file", "line", "lanes": bits of those that
   *            come to the branch, "taken": bits of those that take it, "to": line of these,
   *            "other": line}]},
   *    "partings": [the same with "block" and "warp"]}
   *   accesses    of each line and kind of traffic the request with the most sectors, wavefronts or
   *               turns beyond the ideal, if there are some; the lines with the most of all their
   *               requests first, at most 8. Places in global memory count from the last multiple of
   *               128 that is not behind the least of them, which is "offset" bytes behind the
   *               begin of "argument"; in shared memory they are offsets. Of shared memory "lanes"
   *               are those of the slowest part, and "all_lanes" all if these are more
   *   way         of the warp whose lanes parted most often at branches: how often, and the first 48
   *   partings    of at most 8 other branches the first
   * With "coverage" there follows, behind those of the launches, one object for each text that a
   * kernel was launched of since the last call:
   *   {"coverage": [{"file", "line", "count": n, "branches": [{"to": line, "count": n}, …]}, …],
   *    "functions": [{"name", "file", "line", "count"}], "without_lines": ["kernel"]}
   * It has every line for which the text has an instruction, in any kernel, launched or not, and
   * any function, ordered by file and line. Counts are of threads, over all launches.
   *   count       threads that executed the line: its most executed instruction among those with
   *               an effect (stores, atomics, barriers, branches, calls), else its loads, else any,
   *               since a compiler computes values ahead of the branch behind which they are used.
   *               A guarded instruction is executed by the threads whose guard holds. Copies of a
   *               line, in instances of a template and where a function was inlined, add up
   *   branches    of conditional branches of the line that can go on at several lines: the threads
   *               that went on at each; 0 is a line of another function, as behind a return
   *   functions   kernels, and functions that were not inlined: their lowest line, and the threads
   *               that began them
   *   without_lines   kernels without line information */
  void (*drain_counters)(warpmark_device_context context, warpmark_device_sink sink, void* user);

  /* The text of the last error of this struct's functions or of a driver call on this thread (why a
   * PTX text was refused, with its line); "" if none. Valid until the thread's next call. */
  const char* (*last_error)(void);

  /* Hands one JSON object for each symbol of the driver API to `sink`:
   *   {"symbol": "cuMemcpyHtoD_v2", "state": "implemented", "exported": true,
   *    "base": "cuMemcpyHtoD", "version": 3020, "per_thread": "cuMemcpyHtoD_v2_ptds",
   *    "per_thread_version": 7000}
   * `state` is implemented, or stub: it returns CUDA_ERROR_NOT_SUPPORTED, and "calls" says how
   * often it was called. `base` and `version` are what cuGetProcAddress knows it by (12040 is CUDA
   * 12.4); "exported" is false if only cuGetProcAddress gives it. "per_thread" is there if there
   * is a form whose default stream is the calling thread's. */
  void (*list_symbols)(warpmark_device_sink sink, void* user);

  /* Forbids kernels to write to one allocation, which is exactly [address, address + bytes), or
   * permits it again; copies and fills of the host are not concerned. A kernel's write is then an
   * illegal_address whose allocation has "read_only": true, and whose "side" is "inside". Returns 0
   * or an error, as configure. */
  int (*protect)(warpmark_device_context context, uint64_t address, uint64_t bytes, int read_only);

  /* The bytes [address, address + bytes) of one allocation count as never written from now on, for
   * the check `init`, whatever lies in them: poison, to be recognised if it is still there.
   * Returns 0 or an error, as configure. */
  int (*forget)(warpmark_device_context context, uint64_t address, uint64_t bytes);

  /* Sets the size of the elements that the memory labelled at `address` has for the kernel, for the
   * check `init`: the number of bytes that have a value as a whole, those of a number (4 of a
   * float*) or of a built-in vector (16 of a float4*); or 0 for records (structs, unions, classes,
   * void), whose members and padding may be without values. Unknown unless set. Cleared with the
   * label, and by another label.
   * Returns 0 or an error, as configure. */
  int (*elements)(warpmark_device_context context, uint64_t address, uint64_t bytes);

  /* Declares the memory labelled at `address` as rows of `row` bytes, `pitch` bytes from one to the
   * next: bytes before the first, between them and after the last belong to no element. A store or
   * an atomic operation of a kernel there is an illegal_address, whose report has the "row" before
   * it, from 0, or -1 before the first; a write of a bulk or tensor copy is not reported. Cleared
   * with the label, and by another label. Returns 0 or an error, as configure. */
  int (*rows)(warpmark_device_context context, uint64_t address, uint64_t row, uint64_t pitch);

  /* Has a debugger called at points of every launch of the process, in the thread that launches;
   * null: of none any more. Such a launch runs its blocks on one thread in a fixed order and has no
   * limit of time. `call` must not call the driver. Returns the functions that `call` may use. */
  const warpmark_debug_view* (*debug)(warpmark_debugger* debugger);
} warpmark_device;

/* The one exported symbol. */
typedef const warpmark_device* (*warpmark_device_function)(void);
#define WARPMARK_DEVICE_SYMBOL "warpmark_device_v1"

#ifdef __cplusplus
}
#endif

#endif /* WARPMARK_DEVICE_H */
