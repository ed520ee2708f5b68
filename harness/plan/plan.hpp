// A plan: what to compile, allocate, launch and expect for one case, as pure data.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/dtype.hpp"
#include "base/launch_limits.hpp"
#include "base/tensor_map.hpp"
#include "suite/case.hpp"
#include "suite/position_map.hpp"

namespace warpmark {

/// A NumPy expression, or a function of a Python file beside the suite, and its JSON Pointer into
/// the case, which a PositionMap turns into a line.
struct NumpyText {
  std::string text;
  std::string at;
  bool function = false;  ///< the text is "FILE.py:NAME"
  bool tensors = false;   ///< the function is called with tensors of PyTorch
  friend bool operator==(const NumpyText&, const NumpyText&) = default;
};

/// The name of a kernels' struct, and its dtype.
struct PlanType {
  std::string name;
  DType dtype;
  friend bool operator==(const PlanType&, const PlanType&) = default;
};

struct PlanAxis {
  std::string name;
  ArithmeticValue value;
  friend bool operator==(const PlanAxis&, const PlanAxis&) = default;
};

/// Arithmetic that waits for arrays or a device, and its JSON Pointer into the case.
struct Symbolic {
  std::string text;
  std::string at;
  std::vector<PlanAxis> with = {};  ///< names beside the axes: indices of loops
  friend bool operator==(const Symbolic&, const Symbolic&) = default;
};

/// A count, or the arithmetic that gives it.
using Size = std::variant<int64_t, Symbolic>;
/// A cost: flops may be a float.
using Amount = std::variant<int64_t, double, Symbolic>;

/// Lines of a generated source that come from the suite: until the next region, errors and line
/// information point there.
struct Region {
  int64_t line = 0;  ///< first line in the source, from 1
  std::string at;    ///< JSON Pointer of the text in the case; "": generated lines again
  friend bool operator==(const Region&, const Region&) = default;
};

/// A header that comes with a unit as a text.
struct UnitHeader {
  std::string spelling;  ///< as written in the include directive
  std::string name;      ///< for errors and line information
  std::string text;
  friend bool operator==(const UnitHeader&, const UnitHeader&) = default;
};

/// One translation unit: a file or a text.
struct Unit {
  std::string file;    ///< relative to the suite's folder; "" for a text
  std::string source;  ///< CUDA C++; "" for a file. With both, the text replaces the file's
  std::string at;      ///< JSON Pointer of a text, whose first line is the first line there
  std::vector<std::string> options;       ///< for NVRTC, as in "-DT=float"
  std::vector<std::string> include = {};  ///< folders of headers, relative to the suite's folder
  /// Indices of units that are compiled as relocatable device code and linked with this one. They
  /// link no others, and nothing is launched from them.
  std::vector<size_t> link = {};
  std::vector<Region> regions = {};  ///< regions of a text without `at`, by ascending line
  std::string compiler = {};         ///< "nvcc", a program's name; "": NVRTC
  std::string image = {};            ///< kind of a compiled file (image_forms); "": a source
  /// Headers of a submission, and whether code for the CPU may be left out of it: no plan of a plugin
  /// has them. Outside of grading, texts in place of the suite's headers of those names.
  std::vector<UnitHeader> headers = {};
  bool may_have_host_code = false;
  friend bool operator==(const Unit&, const Unit&) = default;
};

/// An array that kernels reach through a texture or surface object: a CUDA array of up to three
/// dimensions, slowest first, as in NumPy.
struct PlanImage {
  bool surface = false;              ///< true for a surface, false for a texture
  int64_t channels = 1;              ///< 1, 2 or 4: the last axis, if more than 1
  std::vector<std::string> address;  ///< wrap, clamp, mirror, border; none: clamp
  bool linear = false;               ///< filter
  bool normalized = false;           ///< coordinates from 0 to 1
  bool read_normalized = false;      ///< integers as floats
  std::string at;
  friend bool operator==(const PlanImage&, const PlanImage&) = default;
};

/// Device memory of one array argument.
struct Buffer {
  std::string name;
  ArgumentKind direction = ArgumentKind::in;  ///< never scalar
  std::optional<DType> dtype;                 ///< nothing: the kernel parameter's type
  std::vector<Size> shape;  ///< for `out` or `scratch`; an element may be a tuple (`x.shape`)
  std::optional<NumpyText> value;  ///< for `in` or `inout`
  std::string at;
  std::string symbol = {};  ///< the variable of the module that holds it; "": separate memory
  /// For an `in` of the addresses of these buffers; "" is a null pointer.
  std::vector<std::string> pointers = {};
  std::optional<PlanImage> image = {};  ///< the kernel gets its texture or surface object
  std::optional<Size> pitch = {};       ///< bytes from one row to the next; nothing: rows without
                                        ///< gaps
  std::optional<Size> offset = {};      ///< elements in its memory before its first one
  bool partition = false;               ///< each device has a part, along the first axis
  std::string contents = {};  ///< the pattern (suite/contents.hpp) in place of `value`; "": none
  /// True if its elements fill its memory.
  bool is_dense() const { return !pitch && !offset; }
  friend bool operator==(const Buffer&, const Buffer&) = default;
};

/// A field of a struct by value that holds the address of a buffer.
struct FieldPointer {
  std::string field;  ///< "x", "inner.x"
  std::string array;
  std::string at;
  friend bool operator==(const FieldPointer&, const FieldPointer&) = default;
};

/// A CUtensorMap of a buffer: how copies see it as boxes. Axes are in NumPy's order.
struct PlanTensorMap {
  std::string array;
  std::vector<Size> box;
  std::vector<Size> element_strides = {};  ///< nothing: 1 for each axis
  /// Elements, if not those of the array; an element may be a tuple (`x.shape`). Nothing: the array's.
  std::vector<Size> shape = {};
  std::vector<Size> strides = {};  ///< bytes, of all axes but the last; nothing: as the array lies
  TensorMapSettings settings = {};
  std::string at = {};
  friend bool operator==(const PlanTensorMap&, const PlanTensorMap&) = default;
};

/// A parameter passed by value.
struct Scalar {
  std::string name;
  std::optional<DType> dtype;  ///< nothing: the kernel parameter's type
  NumpyText value;             ///< unused if there is an integer
  std::string at;
  std::optional<Size> integer;  ///< an integer that the plugin made; of either sign
  bool null = false;            ///< a null pointer
  /// Elements that a parameter must have; nothing: as many as fill it. Set for grading, where a
  /// submission must not choose their number.
  std::optional<size_t> count = {};
  std::vector<FieldPointer> points_to = {};
  std::optional<PlanTensorMap> tensor_map = {};  ///< it is a CUtensorMap, without a value
  friend bool operator==(const Scalar&, const Scalar&) = default;
};

/// Elements `start`, `start + step` … of a buffer, `count` of them, which the steps access for any
/// values. A buffer that lacks one of them is reported before the launch.
struct Access {
  std::string buffer;
  Size start = int64_t{0}, step = int64_t{1};  ///< of either sign
  Size count = int64_t{0};
  /// An input whose values are the elements, in place of these three; "" for none.
  std::string indices = {};
  std::string reason;  ///< the reason for the accesses: "`operation` has `y[i]` for each element of
                       ///< `x`"
  std::string at;
  friend bool operator==(const Access&, const Access&) = default;
};

/// An argument of a launch that points into its buffer.
struct ElementPointer {
  size_t argument = 0;  ///< index into the launch's arguments
  Size element = int64_t{0};
  std::string at;
  friend bool operator==(const ElementPointer&, const ElementPointer&) = default;
};

struct LaunchStep {
  size_t unit = 0;  ///< index into Plan::units
  std::string entry;
  std::array<Size, 3> grid = {int64_t{1}, int64_t{1}, int64_t{1}};
  std::array<Size, 3> block = {int64_t{1}, int64_t{1}, int64_t{1}};
  Size shared = int64_t{0};            ///< bytes of dynamic shared memory
  std::vector<std::string> arguments;  ///< names of buffers and scalars in parameter order
  std::string at;
  std::optional<std::array<Size, 3>> cluster = {};  ///< blocks; nothing: the kernel's own
  bool cooperative = false;                         ///< all blocks run at a time
  std::vector<ElementPointer> pointers = {};        ///< arguments that do not point to their first
                                                    ///< element
  std::string name = {};   ///< name in messages about several steps; "": the entry
  std::string round = {};  ///< "i = 3": the iteration of a loop; "" outside of loops

  /// The name of the step in messages: "`scan` (i = 3)".
  std::string title() const;
  friend bool operator==(const LaunchStep&, const LaunchStep&) = default;
};

/// Copies all of one buffer to another of as many bytes, on the device.
struct CopyStep {
  std::string from, to;
  std::string at;
  friend bool operator==(const CopyStep&, const CopyStep&) = default;
};

/// Sets every byte of a buffer.
struct FillStep {
  std::string buffer;
  uint8_t byte = 0;
  std::string at;
  friend bool operator==(const FillStep&, const FillStep&) = default;
};

using Step = std::variant<LaunchStep, CopyStep, FillStep>;

/// Two buffers that exchange names during the steps, and so must be alike.
struct Swap {
  std::string first, second;
  std::string at;
  friend bool operator==(const Swap&, const Swap&) = default;
};

/// After the steps an array is in the place of another: two arrays exchanged their names.
struct Renamed {
  std::string name;
  std::string buffer;  ///< the buffer whose memory it has
  friend bool operator==(const Renamed&, const Renamed&) = default;
};

/// The tolerance of a comparison; the bounds are NumPy.
struct Tolerance {
  ToleranceKind kind = ToleranceKind::exact;
  std::optional<NumpyText> ulp;         ///< for ToleranceKind::ulp, always set
  std::optional<NumpyText> rtol, atol;  ///< at least one for ToleranceKind::close; ulp may have
                                        ///< atol
  NanPolicy nan = NanPolicy::equal;
  std::optional<NumpyText> times = {};  ///< for ToleranceKind::from_float64; nothing: the default
  friend bool operator==(const Tolerance&, const Tolerance&) = default;
};

struct Expected {
  std::string output;  ///< a buffer that is `out` or `inout`
  NumpyText value;
  Tolerance tolerance;
  friend bool operator==(const Expected&, const Expected&) = default;
};

/// A check of outputs, beside expected values or in their place (CheckForm has the keys).
struct PlannedCheck {
  CheckKind kind = CheckKind::function;
  std::string subject;                      ///< an output; for a function "FILE.py:NAME"
  std::string word;                         ///< "" if none is given
  std::map<std::string, NumpyText> values;  ///< by key
  std::vector<NumpyText> args;
  std::string at;
  friend bool operator==(const PlannedCheck&, const PlannedCheck&) = default;
};

/// The fault that the case must end in.
struct Fault {
  std::string kind;      ///< one of fault_kinds()
  std::string argument;  ///< the argument that the report must name; "" for any
  friend bool operator==(const Fault&, const Fault&) = default;
};

/// The findings that the case must give: some of each kind.
struct Reports {
  std::vector<std::string> kinds;  ///< from report_kinds(); at least one
  std::string argument;            ///< the argument that each of them must name; "" for any
  friend bool operator==(const Reports&, const Reports&) = default;
};

/// The compile error of a unit that the compiler must refuse.
struct CompileError {
  std::string text;  ///< text that its log must contain; "" for any
  friend bool operator==(const CompileError&, const CompileError&) = default;
};

/// A bound that a counter, summed over the launches, must keep.
struct CounterBound {
  std::string counter;     ///< one of counter_names()
  std::string comparison;  ///< one of == != <= >= < >
  std::optional<Amount> bound = int64_t{0};
  friend bool operator==(const CounterBound&, const CounterBound&) = default;
};

/// The composites that counters must satisfy (runtime/composites.hpp).
struct PlanComposites {
  bool parallel = false, coalesced = false, conflict_free = false;
  std::optional<Amount> tiled;           ///< the most sectors that loads of global memory may move
  std::optional<Amount> work_efficient;  ///< the amount of work at this point, in any unit
  bool any() const { return parallel || coalesced || conflict_free || tiled || work_efficient; }
  friend bool operator==(const PlanComposites&, const PlanComposites&) = default;
};

/// The limits of the case; nothing leaves the device's or the session's own limit.
struct PlanLimits {
  std::optional<double> timeout_s;
  std::optional<int64_t> memory_mib, instructions, stack_bytes, heap_mib;
  friend bool operator==(const PlanLimits&, const PlanLimits&) = default;
};

/// A rule that waits for arrays or a device: the case is skipped if `when` is true.
struct PlannedSkip {
  std::variant<bool, Symbolic> when;
  std::string reason;
  friend bool operator==(const PlannedSkip&, const PlannedSkip&) = default;
};

/// Races that fail nothing: the name in a suite's `allow`, and the reason.
struct AllowedRace {
  std::string race, reason;
  friend bool operator==(const AllowedRace&, const AllowedRace&) = default;
};

/// The data for running and judging one case. It holds no array values.
struct Plan {
  std::string suite;
  std::string case_id;
  std::vector<PlanAxis> point;

  // These members come from the plugin.
  std::vector<Unit> units;
  std::vector<Buffer> buffers;
  std::vector<Scalar> scalars;
  std::vector<Access> accesses;
  std::vector<Step> steps;
  std::vector<Swap> swaps;
  std::vector<Renamed> renamed;
  std::optional<Size> devices;  ///< number of devices that run the steps at a time, each on its
                                ///< parts; nothing: one
  std::vector<Expected> expected;
  std::vector<PlannedCheck> checks;
  std::optional<Amount> bytes, flops;  ///< bytes moved and operations done by one run of the steps

  // These members come from the suite.
  std::vector<PlanType> types;
  // The expected end of the case; at most one is set, and without one the case must pass.
  std::optional<Fault> fault;
  std::optional<Reports> report;
  std::optional<CompileError> compile_error;
  std::vector<CounterBound> counters;
  PlanComposites composites;
  std::vector<AllowedRace> allow;
  PlanLimits limits;
  std::string arch;                       ///< what to compile for, "sm_90a"; "": the device
  std::vector<std::string> requirements;  ///< capabilities that the device must have
  std::vector<PlannedSkip> skip;          ///< rules that are folded to false are left out
  Restore restore = Restore::never;
  std::optional<size_t> timed_step;        ///< index of a launch in `steps`; nothing: all are timed
  std::optional<Amount> peak_flops_per_s;  ///< more than 0; the peak that the flops are compared
                                           ///< with

  const Buffer* find_buffer(const std::string& name) const;
  const Scalar* find_scalar(const std::string& name) const;
  /// The buffer whose memory the array has after the steps: its own, unless it was swapped.
  const std::string& holder(const std::string& name) const;
  /// The distinct kernels that the launches use, each by its first launch, and for each launch step,
  /// in order, the index of its kernel among them.
  struct Kernels {
    std::vector<const LaunchStep*> distinct;
    std::vector<size_t> of_launch;
  };
  Kernels kernels() const;
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// The plan as JSON, members in a fixed order.
nlohmann::ordered_json to_json(const Plan& plan);

/// The output of `warpmark plan`: JSON with short lists and objects on one line, newline at the
/// end. Golden files hold exactly this.
std::string describe(const Plan& plan);

/// The facts of an array that arithmetic may use. For outputs the shape is not needed: the plan
/// computes it.
struct ArrayFacts {
  std::vector<int64_t> shape;
  DType dtype;
};

/// The facts that are known only with the inputs and the device.
struct Facts {
  std::map<std::string, ArrayFacts> arrays;  ///< by buffer name, all of them
  std::map<std::string, int64_t> device;     ///< by device_attributes() name
};

/// The plan with every Size, Amount and skip rule evaluated: shapes of outputs first, in order,
/// then the rest, scalars' integers too. An output's shape has no tuples left. Throws a usage error
/// at the line of the suite for a name without a value, a negative or fractional size, arithmetic
/// that fails, and for buffers that are swapped or copied and are not alike.
Plan resolve(Plan plan, const Facts& facts, const PositionMap& positions);

/// Throws a usage error, at the access's line and with both sizes, for a buffer that lacks accessed
/// elements. Accesses that `scope` does not decide are left out, and so are all accesses of a plan
/// that is or may be skipped, or that must not end well.
void check_accesses(const Plan& plan, const Scope& scope, const PositionMap& positions);

/// Throws a verdict error, at the line of the suite and with both numbers, for a launch that no
/// CUDA device can do, and for a stack that none has. `kernels` are the launches' kernels, in
/// order, compiled for `architecture`; none before they are. Sizes that are still open are left
/// out, and so are all launches of a plan that is or may be skipped, or that must not compile.
void check_launches(const Plan& plan, const PositionMap& positions,
                    const std::vector<KernelBounds>& kernels = {}, int architecture = 0);

/// True if a rule skips the plan, or if a rule that is still open may skip it.
bool may_be_skipped(const Plan& plan);

/// The axes of the plan's point, for arithmetic.
Scope axes_of(const Plan& plan);

/// The value of a scalar that is an integer by arithmetic over axes, so that it is known before
/// anything runs; nothing for floats, and for what is NumPy.
std::optional<int64_t> known_integer(const Scalar& scalar, const Plan& plan);

/// The number of an amount; nothing if there is none, or if it is still arithmetic.
std::optional<double> known_amount(const std::optional<Amount>& amount);

/// Throws a usage error for a `peak_flops_per_s` that is known and not more than 0.
void check_peak(const Plan& plan, const PositionMap& positions);

/// Throws a usage error if the work that `work_efficient` states is not more than 0 in both plans,
/// or not less in that of the smaller point: otherwise any growth of instructions would keep the
/// limit. Unknown work is left out, and so are plans that may be skipped by a rule still open.
void check_work(const Plan& plan, const Plan& smaller, const PositionMap& positions);

/// The number of devices that run a plan, on a machine with these attributes. Throws a usage error,
/// at its place, for a number that is not whole or less than 1.
int64_t devices_of(const Plan& plan, const std::map<std::string, int64_t>& device,
                   const PositionMap& positions);

/// The value of a Size of a resolved plan. Throws an internal error for a symbolic one.
int64_t resolved(const Size& size);

}  // namespace warpmark
