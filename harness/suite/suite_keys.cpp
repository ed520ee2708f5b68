// The keys of suites and what they may be, a line each; argument_keys.cpp has those of arguments
// and launches.
#include "suite/suite_keys.hpp"

namespace warpmark {

using F = KeyForm;

namespace {

constexpr const char* kSymbol = "^([A-Za-z_][A-Za-z0-9_]*::)*[A-Za-z_][A-Za-z0-9_]*$";
constexpr const char* kTypeName = "^([A-Za-z_][A-Za-z0-9_]*::)*[A-Za-z_][A-Za-z0-9_]*(<.*>)?$";

}  // namespace

const KeyTable& kernel_keys() {
  static const std::vector<Key> kKeys = {
      {"file", "A .cu file with device code, relative to the suite's folder.", F::text()},
      {"source", "CUDA C++ as text, instead of a file.", F::text()},
      {"ptx", "A file of PTX, relative to the suite's folder, instead of a source.", F::text()},
      {"cubin", "A cubin, machine code for one kind of GPU, relative to the suite's folder.",
       F::text()},
      {"fatbin", "A fatbin, machine code for several GPUs, or PTX, relative to the suite's folder.",
       F::text()},
      {"compiler",
       "Who compiles the file: `nvrtc` (default), which leaves code for the CPU out, `nvcc`, where "
       "there is one, or NAME for the program `warpmark-compiler-NAME`.",
       F::like("^[a-z0-9_-]+$")},
      {"triton",
       "A kernel of Triton: `kernels.py:add`, a Python file relative to the suite's folder and a "
       "function of it with `@triton.jit`. The installed Triton compiles it.",
       F::like("^.+:[^:]+$")},
      {"numba",
       "A kernel of Numba: `kernels.py:add`, a Python file relative to the suite's folder and a "
       "function of it with `@cuda.jit`. The installed Numba compiles it.",
       F::like("^.+:[^:]+$")},
      {"constexpr",
       "The values of a Triton kernel's `tl.constexpr` parameters (arithmetic over axes).",
       F::by_name(F::of("arithmetic"))},
      {"arch",
       "What to compile the sources for, such as `sm_90a`, which has wgmma; default: what the "
       "device has. A device that does not run such code skips the cases.",
       F::like("^sm_([1-9][0-9]|9[0-9]a|[1-9][0-9]{2}[af]?)$")},
      {"entry",
       "The name of the `__global__` function; for a template with its arguments, as in "
       "`scale<float, 4>`, in which macros of `define` are replaced. Parts in braces are "
       "arithmetic over axes: `scale<{ctype(dtype)}, {items}>`; `{{` is a brace.",
       F::text()},
      {"define", "Macros: `{T: ctype(dtype)}` becomes `-DT=float` (arithmetic over axes).",
       F::by_name(F::of("arithmetic"))},
      {"options",
       "Further options for the compiler: of NVRTC or nvcc as they write them, of Triton "
       "`num_warps=8`.",
       F::list_of(F::text())},
      {"link",
       "Further .cu files, relative to the suite's folder, that are compiled as relocatable device "
       "code and linked with the kernel.",
       F::list_of(F::text())},
      {"include",
       "Folders with headers, relative to the suite's folder, searched after the folder of the "
       "including file.",
       F::list_of(F::text())},
  };
  static const KeyTable kTable = KeyTable(kKeys).never_both(
      {"arch ptx", "arch cubin", "arch fatbin", "file source", "file ptx", "source ptx",
       "file cubin", "source cubin", "ptx cubin", "file fatbin", "source fatbin", "ptx fatbin",
       "cubin fatbin"});
  return kTable;
}

const KeyTable& output_tolerance_keys() {
  static const std::vector<Key> kKeys = {
      {"ulp", "Units in the last place. With `atol`, the greater of both bounds counts.",
       F::of("numpy")},
      {"rtol", "Relative to the reference.", F::of("numpy")},
      {"atol", "Absolute.", F::of("numpy")},
      {"from_float64",
       "In place of bounds: how many times what the reference itself is off in the case's "
       "precision; the word alone is 8.",
       F::of("numpy")},
      {"nan", "Whether NaN equals NaN, or fails.", F::words_of<NanPolicy>().normally("\"equal\"")},
  };
  static const KeyTable kTable = KeyTable(kKeys).never_both(
      {"ulp rtol", "from_float64 ulp", "from_float64 rtol", "from_float64 atol"});
  return kTable;
}

const KeyTable& tolerance_keys() {
  static const std::vector<Key> kKeys = {
      {"outputs",
       "Tolerances for single outputs by name; each replaces the whole tolerance for its output.",
       F::by_name(F::of("tolerance"))},
  };
  static const KeyTable kTable = output_tolerance_keys().with(kKeys);
  return kTable;
}

const KeyTable& baseline_keys() {
  static const std::vector<Key> kKeys = {
      {"plugin", "The plugin of its kernel, if it differs from the suite's.",
       F::of("#/properties/plugin")},
      {"kernel", "", F::of("#/properties/kernel").needed()},
      {"launch", "Its launch geometry, if it differs from the suite's.",
       F::of("#/properties/launch")},
  };
  static const KeyTable kTable = KeyTable(kKeys).rules(
      R"({"if": {"properties": {"kernel": {"required": ["triton"]}}},
          "else": {"properties": {"launch": {"$ref": "#/definitions/blocks"}}}})");
  return kTable;
}

const KeyTable& bench_keys() {
  static const KeyTable kTable({
      {"axes", "", F::of("axes")},
      {"step", "The name of a step: it is timed alone, and those before it run once.", F::text()},
      {"bytes", "Bytes that one run must move (arithmetic).", F::of("arithmetic")},
      {"flops", "Floating-point operations of one run (arithmetic).", F::of("arithmetic")},
      {"peak_flops_per_s",
       "What `flops` over the time are held against, more than 0 (arithmetic); default: what fused "
       "multiply-adds of the widest floating type among the arrays were measured to do.",
       F::of("arithmetic")},
      {"restore", "When `inout` arrays are restored between timed launches.",
       F::words_of<Restore>().normally("\"never\"")},
      {"cache",
       "Whether the device's last-level cache is flushed before each run (`cold`), is not (`hot`), "
       "or both are measured. `--cache` overrides it.",
       F::words_of<CacheChoice>().normally("\"cold\"")},
      {"graph", "Whether runs in CUDA graphs are timed, too. `--graph` overrides it.",
       F::truth().normally("false")},
      {"transfers",
       "Whether copies of all inputs to the device and of all results from it are timed, too, from "
       "pinned and pageable memory. `--transfers` overrides it.",
       F::truth().normally("false")},
      {"budget_s",
       "Seconds that the samples of one case may take (arithmetic over axes); default 5. "
       "`--budget-s` overrides it.",
       F::of("arithmetic")},
      {"sweep",
       "Axes that are parameters of the kernel, such as block sizes: of all points that differ "
       "only in them, reports mark the best.",
       F::list_of(F::of("name"))},
      {"against_baseline",
       "`true`: the suite's `baseline` is timed by turns with each case, and reports give the "
       "ratio. Or the most of the baseline's time that a case may take, as 1.05 (arithmetic over "
       "axes): a case whose ratio is more, with its whole 95 % interval, fails as `slower`.",
       F::any_of({R"({"const": true})", F::of("arithmetic")})},
      {"relative_to",
       "Values of axes, as `{kernel: naive}`: reports give each point's time over that of the "
       "point that has these values.",
       F::by_name(F::of("axisValue"), 1)},
  });
  return kTable;
}

const KeyTable& fault_keys() {
  static const KeyTable kTable({
      {"fault", "The launch must end in a fault of this kind.", F::words(fault_kinds()).needed()},
      {"argument", "The array argument that the report must name.", F::text()},
  });
  return kTable;
}

const KeyTable& report_keys() {
  static const KeyTable kTable({
      {"report",
       "The device must report findings of this kind, or of each of these kinds, and no other. "
       "Needs the capability `reports`, and `checks` for what a check finds.",
       F::any_of({F::of("reportKind"), F::list_of(F::of("reportKind")).unique()}).needed()},
      {"argument", "The array argument that the report must name.", F::text()},
  });
  return kTable;
}

const KeyTable& compile_error_keys() {
  static const KeyTable kTable({
      {"compile_error",
       "The compiler must refuse the source with an error that contains this text.",
       F::of("text").needed()},
  });
  return kTable;
}

const KeyTable& work_keys() {
  static const std::vector<Key> kKeys = {
      {"work", "The work at a point, in any unit (arithmetic over axes and sizes).",
       F::of("arithmetic").needed()},
      {"smaller", "Axes with their values at a point with less work (arithmetic over axes).",
       F::by_name(F::of("arithmetic"), 1).needed()},
  };
  static const KeyTable kTable = KeyTable(kKeys).hint("as in {work: n, smaller: {n: n // 8}}");
  return kTable;
}

const KeyTable& counted_keys() {
  static const std::vector<Key> kKeys = {
      {"counters",
       "Bounds on counters, in addition to right results: a comparison with arithmetic over axes "
       "and sizes, `\"<= n // 8\"`; arithmetic alone means `==`; in a list every bound must hold. "
       "A device that does not count judges outputs alone.",
       F::by_name(F::one_or_more(R"({"type": ["string", "number"]})"), 1).named("^[a-z_]+$")},
      {"parallel",
       "A block executes at most 2 times as many instructions one after another as a block of the "
       "baseline, and at least half of the lanes are active. Part of every composite. A device "
       "that does not count judges outputs alone.",
       F::truth()},
      {"coalesced",
       "At least 80 % of the moved sectors are needed, or 80 % of the share of the baseline's, and "
       "the kernel moves at most 1.25 times as many sectors as the baseline.",
       F::truth()},
      {"conflict_free",
       "The kernel uses shared memory, at most 5 % of the wavefronts there are bank conflicts "
       "within a row of the block's threads, and it moves at most 1.25 times as many sectors as "
       "the baseline.",
       F::truth()},
      {"tiled",
       "The largest number of sectors of 32 bytes that loads of global memory may move "
       "(arithmetic).",
       F::of("arithmetic")},
      {"work_efficient",
       "From a smaller point to this one, the instructions grow at most 1.25 times as much as the "
       "work; and there are at most 2 times as many as the baseline's.",
       F::keys(&work_keys)},
  };
  static const KeyTable kTable = KeyTable(kKeys).rules(R"({"minProperties": 1})");
  return kTable;
}

const KeyTable& limits_keys() {
  static const KeyTable kTable({
      {"timeout_s", "Seconds that launches and copies may take, instead of `--timeout-s`.",
       F::of("arithmetic")},
      {"memory_mib", "MiB that all arrays may take together; a case that needs more is skipped.",
       F::of("arithmetic")},
      {"instructions",
       "Thread-instructions of one launch, on a device that counts them (the CPU device).",
       F::of("arithmetic")},
      {"stack_bytes", "Bytes of stack of each thread.", F::of("arithmetic")},
      {"heap_mib", "MiB for malloc() in kernels.", F::of("arithmetic")},
  });
  return kTable;
}

const KeyTable& skip_keys() {
  static const KeyTable kTable({
      {"when", "The cases where this is True are skipped (arithmetic).",
       F::of("arithmetic").needed()},
      {"reason", "The reason, for the report.", F::text().needed()},
  });
  return kTable;
}

const KeyTable& race_keys() {
  static const KeyTable kTable({
      {"race",
       "order-by-barrier, order-by-lane, order-decides, proxy-order or warp-synchronous, the "
       "warnings of these names; or the argument or variable at which any race is allowed.",
       F::text().needed()},
      {"reason", "Why it does no harm.", F::text().needed()},
  });
  return kTable;
}

const KeyTable& mutant_keys() {
  static const KeyTable kTable({
      {"mutant",
       "A mutant that the cases may let live: the line as the change makes it, with single blanks.",
       F(R"({"type": "string"})").needed()},
  });
  return kTable;
}

const KeyTable& lint_keys() {
  static const KeyTable kTable({
      {"allow", "Answers of kernels that compute nothing, and mutants, that may pass.",
       F::list_of(F::any_of({F::words_of<TrivialAnswer>(), F::keys(&mutant_keys)}))
           .unique()
           .needed()},
      {"when", "Only in the cases where this is True (arithmetic over axes).", F::of("arithmetic")},
      {"reason", "Why the case is useful anyway.", F::text().needed()},
  });
  return kTable;
}

const KeyTable& suite_keys() {
  static const KeyTable kTable({
      {"warpmark", "The version of this format.", F::version()},
      {"about", "One sentence for lists.", F::of("text")},
      {"plugin", "The plugin that turns cases into plans.",
       F::like("^[a-z0-9_-]+$").normally("\"source\"")},
      {"kernel", "What to compile. Plugins other than `source` have their own keys.",
       F::keys(&kernel_keys).needed()},
      {"axes", "", F::of("axes")},
      {"cases",
       "Points beside the product of the axes: a value for each axis that a point names; the "
       "others run over theirs.",
       F::list_of(F::by_name(F::of("axisValue"), 1))},
      {"types",
       "Structs of the kernels by name: their fields in order, laid out as C++ does. A field is a "
       "type, `[type, length, …]`, or a map of fields.",
       F::by_name(F::of("struct")).named(kTypeName)},
      {"arguments",
       "The kernel's arguments by name, in its parameter order. An argument without a value, or "
       "`null`, is a null pointer.",
       F::by_name(
           F::any_of({R"({"type": "null"})", F::keys(&argument_keys), F::keys(&tensor_map_keys)}))},
      {"constants",
       "`__constant__` and other variables that kernels read, by their C++ names: the value "
       "(NumPy), or a map.",
       F::by_name(F::any_of({F::of("python"), F::keys(&constant_keys)})).named(kSymbol)},
      {"globals", "Variables of the module by their C++ names, as arguments are given.",
       F::by_name(F::keys(&variable_keys)).named(kSymbol)},
      {"launch", "The geometry of one launch, x first; or a list of steps.",
       F::any_of({F::keys(&geometry_keys), F::list_of(F::of("step"))})},
      {"devices",
       "How many devices run the launch at a time, each on its parts of the arrays that have a "
       "`partition`: `all`, or a number (arithmetic over axes).",
       F::of("arithmetic")},
      {"reference",
       "The expected value of each output, computed from the inputs as they were before the "
       "launch. `baseline['NAME']` is what the kernel of `baseline` leaves in an output.",
       F::by_name(F::of("python"))},
      {"check",
       "What outputs must be after the launch, beside their references or in their place: one "
       "check or a list.",
       F::one_or_more(F::of("check"))},
      {"tolerance", "How much outputs may differ from their references.",
       F::any_of({F::words({"exact", "from_float64"}), F::keys(&tolerance_keys)})
           .normally("\"exact\"")},
      {"baseline",
       "Another kernel with the suite's arguments: what `baseline['NAME']` in `reference` and "
       "`check` means, and what composites in `expect` compare with. Default for composites: the "
       "suite's own kernel; in grading that is the kernel which the submission replaces.",
       F::keys(&baseline_keys)},
      {"bench",
       "Settings for `warpmark bench`: other axes, and the bytes and operations of one run.",
       F::keys(&bench_keys)},
      {"expect", "How cases must end.",
       F::any_of({F::words({"pass", "compile_error"}), F::keys(&fault_keys), F::keys(&report_keys),
                  F::keys(&compile_error_keys), F::keys(&counted_keys)})
           .normally("\"pass\"")},
      {"limits", "What one case may use (arithmetic over axes).", F::keys(&limits_keys)},
      {"requires", "Capabilities that the device must have; otherwise cases are skipped.",
       F::list_of(F::words(capability_names()))},
      {"skip", "Cases to skip, with the reason.", F::one_or_more(F::keys(&skip_keys))},
      {"allow", "Races that fail no case and give no notice.", F::one_or_more(F::keys(&race_keys))},
      {"lint", "Exceptions for `warpmark lint`: answers that pass although they need no kernel.",
       F::one_or_more(F::keys(&lint_keys))},
  });
  return kTable;
}

}  // namespace warpmark
