// A kernel suite as given in its YAML file, typed, every value with its place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/error.hpp"
#include "base/words.hpp"
#include "suite/contents.hpp"
#include "suite/entry_name.hpp"
#include "suite/lint_exception.hpp"
#include "suite/output_check.hpp"
#include "suite/race_exception.hpp"
#include "suite/restore.hpp"
#include "suite/suite_steps.hpp"
#include "suite/yaml_node.hpp"

namespace warpmark {

/// A value that Python computes: a NumPy expression, or a function of a file beside the suite.
struct PythonText : Located {
  bool function = false;  ///< the text is "FILE.py:NAME", the file relative to the suite's folder
  bool tensors = false;   ///< the function is called with tensors of PyTorch

  /// The key of such a text in plans: "numpy", "function" or "torch".
  const char* kind() const { return tensors ? "torch" : function ? "function" : "numpy"; }
};

/// The text of a reference that is still to be written: it loads, and its cases fail.
inline constexpr std::string_view kUnwrittenReference = "TODO";

struct NamedExpression {
  std::string name;
  Position where;  ///< place of the name
  Expression value;
};

struct NamedText {
  std::string name;
  Position where;  ///< place of the name
  PythonText value;
};

/// The kernel to compile. The keys that every plugin shares are typed; the others are the plugin's
/// own.
struct Kernel {
  Position where;
  std::optional<Located> file;      ///< as written, relative to the suite's folder
  std::optional<Located> image;     ///< a compiled file, likewise
  std::string image_form;           ///< key of `image`, one of image_forms()
  std::optional<Located> compiler;  ///< "nvrtc", "nvcc", or a program's: "triton"
  std::optional<Located> arch;      ///< what to compile for, "sm_90a"; nothing: the device
  std::optional<Located> source;    ///< CUDA C++; `where` is the place of its first line
  std::optional<EntryName> entry;
  std::vector<NamedExpression> define;
  std::vector<Located> options;  ///< for NVRTC
  std::vector<Located> link;     ///< further .cu files to link with it
  std::vector<Located> include;  ///< folders of headers, relative to the suite's folder
  std::vector<YamlMember> other;
};

struct AxisValue {
  Position where;
  ArithmeticValue value;
  std::string label;  ///< "" if case ids use the value itself
};

/// Whole numbers of which an axis may have any.
struct AxisRange {
  Position where;
  int64_t least = 0, greatest = 0;  ///< the bounds, which belong to it
  int64_t multiple_of = 1;          ///< a divisor of each number
};

/// One axis of the cartesian product: a list of values, or a Python expression that computes it.
/// Without either, the axis has values in listed cases only.
struct Axis {
  std::string name;
  Position where;
  std::vector<AxisValue> values;
  std::optional<Located> python;
  std::optional<Located> zip;         ///< the axis that this one goes along with, value by value
  std::optional<AxisRange> any = {};  ///< a range of which `values` are the usual ones: its ends,
                                      ///< and one between them
};

/// The axes to expand: the suite's own, or those of `bench` in their places.
enum class Purpose : uint8_t { check, bench };

enum class ArgumentKind : uint8_t {
  in,
  inout,
  out,
  scalar,
  scratch,    ///< an array that only the kernels use: its final contents do not matter
  null,       ///< a null pointer
  pointers,   ///< an array of pointers to other arguments
  texture,    ///< an input that the kernel reads by coordinates
  tensor_map  ///< a CUtensorMap of another argument, by value
};
constexpr auto words(ArgumentKind /*kind*/) {
  return words_are("in", "inout", "out", "scalar", "scratch", "null", "pointers", "texture",
                   "tensor_map");
}
/// True if an argument of this kind is an array without a value before the launch.
inline bool has_shape(ArgumentKind kind) {
  return kind == ArgumentKind::out || kind == ArgumentKind::scratch;
}
/// True if an argument of this kind is an array with elements that expressions know.
inline bool is_array(ArgumentKind kind) {
  return kind != ArgumentKind::scalar && kind != ArgumentKind::null &&
         kind != ArgumentKind::pointers && kind != ArgumentKind::tensor_map;
}
/// True if an argument of this kind is an array that is judged after the launch.
inline bool is_output(ArgumentKind kind) {
  return kind == ArgumentKind::out || kind == ArgumentKind::inout;
}

/// A struct that the kernels use.
struct StructType {
  std::string name;  ///< its name in the kernels
  Position where;
  std::string dtype;  ///< name for find_dtype
};

/// The settings of an array as a texture or a surface.
struct SuiteImage {
  Position where;
  bool surface = false;              ///< true for a surface, false for a texture
  std::vector<std::string> address;  ///< wrap, clamp, mirror, border: one for all axes, or each
  bool linear = false;               ///< interpolates
  bool normalized = false;           ///< coordinates are from 0 to 1
  bool read_normalized = false;      ///< integers are read as floats from 0 or −1 to 1
  int channels = 1;                  ///< channels of an element; the last axis, if more than 1
};

/// The description of an array for copies of its boxes.
struct SuiteTensorMap {
  Position where;
  Located array;  ///< the name of an argument
  std::vector<Expression> box, element_strides, shape, strides;
  /// Words by their keys, tensor_map_words(): one of them, or an axis of such words.
  std::map<std::string, Located> words;
};

/// A field of a struct that holds the address of an array.
struct SuiteFieldPointer {
  Located field;  ///< "x", "inner.x"
  Located array;  ///< the name of an argument
};

struct Argument {
  std::string name;
  Position where;
  ArgumentKind kind = ArgumentKind::in;
  PythonText value;               ///< for in, inout and scalar
  std::vector<Expression> shape;  ///< for out and scratch; an element may be a tuple (`x.shape`)
  std::optional<Expression> dtype;
  std::vector<Located> pointers;  ///< arguments that it points to; "" is a null pointer
  std::optional<SuiteImage> image;
  std::optional<SuiteTensorMap> tensor_map;
  std::optional<Expression> pitch;           ///< bytes from one row of an array to the next
  std::optional<Expression> offset;          ///< elements before an array in its memory
  std::optional<Position> partition;         ///< divided along its first axis, with a part for each
                                             ///< device
  std::vector<SuiteFieldPointer> points_to;  ///< pointer fields of a scalar that is a struct
  std::string symbol;                        ///< C++ name of a variable of the module, "ns::table"
  std::optional<ContentClass> contents = {};  ///< patterns that may replace the value
};

/// The launches of the kernel: one launch, or several steps.
struct SuiteLaunch {
  Position where;
  std::optional<LaunchGeometry> single;
  std::vector<SuiteStep> steps;
};

enum class ToleranceKind : uint8_t {
  exact,
  ulp,
  close,
  from_float64  ///< close, with bounds that the reference's own rounding errors give
};
constexpr auto words(ToleranceKind /*kind*/) {
  return words_are("exact", "ulp", "close", "from_float64");
}
enum class NanPolicy : uint8_t { equal, forbid };
constexpr auto words(NanPolicy /*policy*/) {
  return words_are("equal", "forbid");
}

/// The tolerance of an output; the bounds are NumPy.
struct SuiteTolerance {
  Position where;
  ToleranceKind kind = ToleranceKind::exact;
  std::optional<Located> ulp, rtol, atol;
  std::optional<Located> times;  ///< of from_float64: how many of the reference's errors
  NanPolicy nan = NanPolicy::equal;
};

/// A check of outputs, beside a reference or in its place.
struct SuiteCheck {
  CheckKind kind = CheckKind::function;
  Position where;
  Located subject;                ///< the output; for a function "FILE.py:NAME"
  std::vector<NamedText> values;  ///< NumPy, by the keys of its form
  std::vector<Located> args;      ///< NumPy, for `distribution`
  std::optional<Located> word;    ///< `order` for `sorted`, `cdf` for `distribution`
};

/// A tolerance of one output, in place of the suite's.
struct OutputTolerance {
  std::string output;
  Position where;  ///< place of the name
  SuiteTolerance tolerance;
};

/// The fault that a case must end in.
struct ExpectedFault {
  Located kind;                     ///< one of fault_kinds()
  std::optional<Located> argument;  ///< the argument that the report must name
};

/// The findings that a case must give: some of each kind.
struct ExpectedReports {
  std::vector<Located> kinds;       ///< from report_kinds(), each once; at least one
  std::optional<Located> argument;  ///< the argument that each of them must name
};

/// The compile error of a source that the compiler must refuse.
struct ExpectedCompileError {
  Position where;
  std::optional<Located> text;  ///< text that its log must contain
};

/// A bound that a counter of the case's launches must keep.
struct ExpectedCounter {
  std::string name;        ///< one of counter_names()
  Position where;          ///< place of the name
  std::string comparison;  ///< one of == != <= >= < >
  Expression bound;
};

/// The allowed growth of a kernel's instructions with its work.
struct ExpectedWork {
  Position where;
  Expression work;                       ///< amount at one point: only its growth counts, in any
                                         ///< unit
  std::vector<NamedExpression> smaller;  ///< axes, and their values at the point with less work
};

/// The composites that counters must satisfy, beside bounds (runtime/composites.hpp).
struct ExpectedComposites {
  bool parallel = false, coalesced = false, conflict_free = false;
  std::optional<Expression> tiled;  ///< the most sectors that loads of global memory may move
  std::optional<ExpectedWork> work_efficient;
  Position where;  ///< place of the first; unknown if there are none
  bool any() const { return where.known(); }
};

/// The kernel that composites measure against, with the arguments of the suite.
struct Baseline {
  Position where;
  std::optional<Located> plugin;
  Kernel kernel;
  std::optional<SuiteLaunch> launch;  ///< nothing: the suite's
};

/// The limits of one case, over the axes; units as in the keys.
struct Limits {
  Position where;
  std::optional<Expression> timeout_s;     ///< wall clock, in place of the option's
  std::optional<Expression> memory_mib;    ///< memory of all buffers; a point that needs more is
                                           ///< skipped
  std::optional<Expression> instructions;  ///< thread-instructions of one launch
  std::optional<Expression> stack_bytes;   ///< stack of a thread
  std::optional<Expression> heap_mib;      ///< heap of malloc() in kernels
};

struct SkipRule {
  Expression when;
  Located reason;
};

/// The times to take: with the device's last-level cache flushed before each, without, or both.
enum class CacheChoice : uint8_t { cold, hot, both };
constexpr auto words(CacheChoice /*choice*/) {
  return words_are("cold", "hot", "both");
}

/// One value of an axis, in the form of case ids.
struct AxisChoice {
  std::string axis;
  Position where;  ///< place of the axis's name
  Located label;
};

/// A listed point: one value for each axis that it names; other axes run over all of their values.
struct ListedCase {
  Position where;
  std::vector<Axis> axes;   ///< each with one value
  bool overridden = false;  ///< changed by an option, so that it may be another case now
};

/// The setting to time the suite's baseline in turns with each case.
struct AgainstBaseline {
  Position where;
  std::optional<Expression> most;  ///< limit as a share of the baseline's time, over the axes;
                                   ///< nothing: no limit
};

struct Bench {
  Position where;
  std::vector<Axis> axes;      ///< replace the axes of the same name
  std::vector<Located> sweep;  ///< one best point is chosen among those that differ only in these
                               ///< axes
  std::vector<AxisChoice> relative_to;  ///< each point is compared with the point that has these
                                        ///< values
  std::optional<Located> step;          ///< the step to time; nothing: all of them together
  std::optional<Expression> bytes, flops;
  std::optional<Expression> peak_flops_per_s;  ///< the peak that the flops are compared with
  std::optional<CacheChoice> cache;
  std::optional<bool> graph;           ///< true to time runs in CUDA graphs, too
  std::optional<bool> transfers;       ///< true to time copies between host and device, too
  std::optional<Expression> budget_s;  ///< wall clock of one point's samples, over the axes
  std::optional<AgainstBaseline> against_baseline;
  Restore restore = Restore::never;  ///< when `inout` buffers are restored between timed launches
};

struct Suite {
  std::string name;              ///< path below the suites root: "doublify/double_array_new"
  std::filesystem::path file;    ///< absolute
  std::filesystem::path folder;  ///< absolute; files of the suite are relative to it
  Position where;                ///< place of the whole file
  std::string about;
  Located plugin;  ///< "source" if the file names none
  Kernel kernel;
  std::vector<Axis> axes;         ///< the first varies slowest
  std::vector<ListedCase> cases;  ///< beside the product of the axes
  std::vector<StructType> types;
  std::vector<Argument> arguments;  ///< in the kernel's parameter order
  std::vector<Argument> globals;    ///< variables of the module: `constants` and `globals`
  std::optional<SuiteLaunch> launch;
  std::optional<Expression> devices;  ///< number of devices that run it at a time; nothing: one
  std::vector<NamedText> reference;
  std::vector<SuiteCheck> checks;  ///< checks of outputs, after references have passed
  SuiteTolerance tolerance;
  std::vector<OutputTolerance> output_tolerances;
  Bench bench;
  // The expected end of cases; at most one is set, and without one they must pass.
  std::optional<ExpectedFault> fault;
  std::optional<ExpectedReports> report;
  std::optional<ExpectedCompileError> compile_error;
  std::vector<ExpectedCounter> counters;  ///< for cases that must pass, as are composites
  ExpectedComposites composites;
  std::optional<Baseline> baseline;  ///< nothing: the suite's own kernel
  Limits limits;
  std::vector<Located> requirements;  ///< each one of capability_names()
  std::vector<SkipRule> skip;
  std::vector<RaceException> allow;
  std::vector<LintException> lint;
};

/// The forms of a compiled file: the keys of `kernel` that name one.
const std::vector<std::string>& image_forms();

/// The suite's kernel and, if it has one, the baseline's.
std::vector<const Kernel*> kernels(const Suite& suite);

/// The faults for `expect: {fault: …}`: kinds of a device's reports (warpmark/device.h).
const std::vector<std::string>& fault_kinds();
/// The findings of checks in a launch that continues.
const std::vector<std::string>& finding_kinds();
/// The reports for `expect: {report: …}`: both of these.
const std::vector<std::string>& report_kinds();
/// The counters for `expect: {counters: …}`: those of a device with `profile` (warpmark/device.h),
/// and KIND_conflicts, its wavefronts beyond the ideal.
const std::vector<std::string>& counter_names();
/// The capabilities of devices for `requires`.
const std::vector<std::string>& capability_names();

/// The arguments of the kernels, followed by the variables of their module.
std::vector<const Argument*> all_arguments(const Suite& suite);

/// Every value that Python computes: arguments, references and checks by functions.
std::vector<PythonText> python_texts(const Suite& suite);

/// The Python files of these functions, relative to the suite's folder; each once, sorted.
std::vector<std::string> python_files(const Suite& suite);

/// The files of kernels that steps name, relative to the suite's folder.
std::vector<Located> step_files(const Suite& suite);

/// The argument of that name; null if there is none.
const Argument* find_argument(const Suite& suite, std::string_view name);

/// True if the name is that of an argument with patterns for values.
bool has_contents(const Suite& suite, std::string_view name);

/// The struct of that name; nothing if there is none.
const StructType* find_type(const Suite& suite, const std::string& name);

/// Loads and checks one file. Throws a usage error with file, line and column.
std::shared_ptr<const Suite> load_suite(const std::filesystem::path& file);
/// The same from a text; `file` names it, and gives the suite's name and folder.
std::shared_ptr<const Suite> parse_suite(const std::string& text,
                                         const std::filesystem::path& file);

/// The axes of that purpose, in the suite's order.
std::vector<const Axis*> axes_of(const Suite& suite, Purpose purpose);
/// For each of the axes the index of the one that decides its value: the axis itself, or the one
/// that it is zipped with. Throws a usage error for an axis that is zipped with none of them, with
/// itself, or with one that is zipped, too.
std::vector<size_t> zip_leaders(const std::vector<const Axis*>& axes);

/// Throws a usage error, with the nearest known name, for a name that arithmetic of a plan cannot
/// have: axes, attributes of array arguments and of the device are known.
void check_name(const Suite& suite, const NameUse& use);

/// The name of the suite in `file`: its path without ".yaml" below the nearest parent folder called
/// `suites` (without one, below the file's own folder); `suite.yaml` has its folder's name. A minus
/// becomes "~"; throws a usage error for other characters outside [A-Za-z0-9_/].
std::string suite_name(const std::filesystem::path& file);

/// The suite files of the paths: a file itself, or all *.yaml below a folder (hidden folders left
/// out), each once, sorted. Throws a usage error for a path that does not exist, for a folder
/// without a suite, and for two files with one suite name.
std::vector<std::filesystem::path> find_suites(const std::vector<std::filesystem::path>& paths);

}  // namespace warpmark
