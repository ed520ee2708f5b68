// What front and worker say to each other: typed requests and replies, and their JSON form.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "compiler/compiler.hpp"
#include "compiler/signature.hpp"
#include "suite/restore.hpp"
#include "worker/confinement.hpp"
#include "worker/device_facts.hpp"
#include "worker/measurement.hpp"

namespace warpmark::protocol {

/// What a worker in a sandbox is for, and what it must know before it enters it.
struct Confined {
  enum class Role : uint8_t { compile, run };
  Role role = Role::run;
  /// "NAME=VALUE" of what it is started without and libraries are found by.
  std::vector<std::string> environment;
  Confinement confinement;
};

/// The first request: choose and start a device, open NVRTC; of the two only its own for a confined
/// worker, which then enters its sandbox.
struct Hello {
  std::string device = "auto";
  bool use_cache = true;
  std::optional<Confined> confined = {};
  int further = 0;  ///< which device behind the one that is chosen; behind the last comes number 0
};

/// A header that came with a unit, beside those that the worker has.
struct OwnHeader {
  std::string spelling;  ///< as it is included
  std::string name;      ///< for errors and line information
  std::string text;
};

/// A translation unit with its text: workers open no file of a suite but headers.
struct UnitText {
  std::string name;    ///< relative to `folder`, for errors and line information
  std::string folder;  ///< of the suite, for its headers
  std::string source;
  Position origin;  ///< of the first line, if the text is part of a suite file
  std::vector<std::string> options;
  std::vector<std::string> include;  ///< folders of headers, relative to `folder`
  std::vector<size_t> link;          ///< units that are linked with it
  std::vector<SourceRegion> regions;
  std::vector<std::string> variables = {};   ///< of the module, that the host reaches
  std::vector<LayoutQuestion> layouts = {};  ///< structs that are to be laid out
  SourceLanguage language = SourceLanguage::cuda;
  std::vector<OwnHeader> headers = {};  ///< only of what is compiled by a confined worker
};

/// What can only be set for a context as a whole; 0 leaves the driver's own limit.
struct ContextLimits {
  uint64_t stack_bytes = 0;  ///< a thread
  uint64_t heap_bytes = 0;   ///< of malloc() in kernels
  friend bool operator==(const ContextLimits&, const ContextLimits&) = default;
};

struct KernelName {
  size_t unit = 0;
  std::string entry;
  std::vector<GivenArgument> arguments = {};  ///< of a kernel by name: they tell overloads apart
};

/// Compile; the reply has the kernels' signatures. Kernels are launched by their index here.
struct Prepare {
  std::vector<UnitText> units;
  std::vector<KernelName> kernels;
  ContextLimits limits;
  bool load = true;      ///< false: signatures are all that is wanted, and nothing can be launched
  bool images = false;   ///< the reply is to have what was compiled
  int architecture = 0;  ///< for a worker without a device: 90 compiles for sm_90
  uint64_t devices = 1;  ///< that are to run it at a time
  bool times = false;    ///< it is to be timed
};

/// Whether a reply has as much as the request asks for: the worker is not trusted.
bool answers(const Prepare& request, const Signatures& reply);

/// Load what a confined compile worker made, for a worker that compiles nothing itself. The reply
/// is a Prepared without kernels.
struct Load {
  struct Unit {
    std::string name;
    std::string image;  ///< PTX or cubin, as the device takes it
    std::vector<size_t> link;
    /// variable_names() of its PTX, where it is to be timed.
    std::optional<std::vector<std::string>> variables = {};
  };
  std::vector<Unit> units;
  std::vector<KernelName> kernels;  ///< by symbol
  ContextLimits limits;
};

/// What one unit was compiled to.
struct UnitImage {
  std::string ptx, cubin, log;
};

struct Prepared : Signatures {
  std::string misfit;             ///< not empty: the device cannot do it, and why
  std::vector<UnitImage> images;  ///< one for each unit, if they were asked for
  std::vector<std::string> notices;
  bool from_cache = false;
};

/// A buffer that is a CUDA array with a texture or surface object.
struct ImageShape {
  std::array<uint64_t, 3> extents{};  ///< elements in x, y and z; 0 for dimensions there are not
  uint64_t channels = 1;
  bool surface = false, linear = false, normalized = false, read_normalized = false;
  std::array<int, 3> address{};  ///< CUaddress_mode
};

/// A buffer of one run; its descriptors travel with the message, in order: the initial bytes of an
/// `in` or `inout`, then the memory that takes the bytes after the launch.
struct BufferBytes {
  std::string name;
  std::string dtype;
  uint64_t bytes = 0;
  bool has_initial = false;
  bool inout = false;  ///< steps may change it, and it can be restored
  /// Bytes of what has a value as a whole to the kernels, 0 for records; none if it is not known.
  std::optional<uint64_t> element;
  std::string holder = {};  ///< the buffer that has its bytes after the steps; "" itself
  std::string symbol = {};  ///< of the first unit's module, whose memory it is; "" its own memory
  std::vector<std::string> pointers = {};  ///< buffers whose addresses it holds
  std::optional<ImageShape> image = {};
  /// Bytes in front of the first element, of a row, and from one row to the next, which is 0 where
  /// there is nothing between them. What is around elements has no value.
  uint64_t lead = 0, row = 0, pitch = 0;
  /// Of several devices each has an equal part of the bytes.
  bool partition = false;
  /// What it holds after the steps is compared with what is expected.
  bool judged = false;
};

struct ScalarBytes {
  /// At byte `offset` is the address of a buffer.
  struct Pointer {
    uint64_t offset = 0;
    std::string buffer;
  };
  std::string name;
  std::string bytes;
  std::vector<Pointer> pointers = {};
};

struct Launch {
  size_t kernel = 0;
  std::array<int64_t, 3> grid{}, block{};
  int64_t shared = 0;
  std::vector<std::string> arguments;
  std::array<int64_t, 3> cluster{};  ///< blocks; 0 is what the kernel says
  bool cooperative = false;
  std::map<std::string, uint64_t> offsets = {};  ///< bytes into buffers, by the argument's index
};
struct Copy {
  std::string from, to;
};
struct Fill {
  std::string buffer;
  uint8_t byte = 0;
};
using Step = std::variant<Launch, Copy, Fill>;

/// Where buffers lie, on devices that do not find accesses beyond them by themselves.
enum class Guard : uint8_t {
  none,
  front,  ///< each at the front of pages of its own, inputs not writable
  back    ///< at their back
};

/// One run of what was prepared last.
struct Run {
  std::vector<BufferBytes> buffers;
  std::vector<ScalarBytes> scalars;
  std::vector<Step> steps;
  // What devices with `reports` keep, of one launch; 0 is none.
  double wall_limit_s = 0;
  uint64_t instructions = 0;          ///< thread-instructions
  uint64_t schedule = 0;              ///< another order of threads (warpmark/device.h); 0 the usual
  std::vector<std::string> checks;    ///< what is looked for (warpmark/device.h); none: the usual
  std::vector<std::string> counters;  ///< sets to count and report, of devices with `profile`
  Guard guard = Guard::none;
  std::optional<uint64_t> timed_step;  ///< of `steps`, a launch: those before it run once; or all
  uint64_t devices = 1;                ///< that run it at a time, as many as were prepared for
};

/// Run it once: restore, poison, launch, synchronise, fetch. Variables and heap are as the modules
/// have them when they are loaded.
struct Verify {
  Run run;
  uint8_t poison = 0;
};

/// Run it again and again, and time it. Descriptors are those of `run`, as of a Verify, and then
/// those of `other`.
struct Time {
  Run run;
  uint8_t poison = 0;
  TimingOptions options;
  Restore restore = Restore::never;
  /// The same with other inputs, which is launched before.
  std::optional<Run> other = {};
  bool fetch = true;  ///< what the last run of `run` left
};

/// Measure what the device can do at best.
struct Calibrate {};

/// Where the buffers of the last run were on the device.
struct BufferPlace {
  std::string name, dtype;
  uint64_t address = 0, bytes = 0;
};

/// Why a run was not begun, with both numbers.
struct Misfit {
  std::string text;              ///< "" for a run that fits
  std::optional<uint64_t> step;  ///< of the run, a launch that does not fit
  bool anywhere = false;         ///< it fits no device of any kind
};

struct Verified {
  Misfit misfit;
  std::vector<std::string> trespasses;  ///< guarded buffers around which something was written
  std::vector<nlohmann::ordered_json> reports;
  std::vector<BufferPlace> places;
  std::vector<nlohmann::ordered_json> counters;  ///< of each launch, if the run asked for them
  /// Schedules, one after another, that may show that the order of threads decides a result; 0 where
  /// it decides none, and on devices without schedules.
  uint64_t schedules = 0;
  /// An input that a step has changed, whatever later ones did.
  struct ChangedInput {
    std::string buffer;
    uint64_t step = 0;
  };
  std::optional<ChangedInput> changed_input = {};
};

struct Timed {
  Misfit misfit;
  Measurement measurement;
};

struct Calibrated {
  std::optional<Ceilings> ceilings;
};

/// A request that failed.
/// A variable of the module that cannot take what it is given.
struct SmallVariable {
  std::string name;               ///< of the buffer that stands for it
  std::optional<uint64_t> bytes;  ///< nothing: the module has none
};

struct Failure {
  ExitCode code = ExitCode::internal;
  std::string message, hint;
  Position where;
  int result = 0;                ///< CUresult, 0 if it was no driver call
  bool sticky = false;           ///< the worker is of no more use
  bool launched = false;         ///< this request had launched a kernel, which may be at fault
  std::optional<uint64_t> step;  ///< of several, the one that failed
  bool no_device = false;        ///< what was asked for is not there
  bool refused = false;  ///< by the compiler or linker, whose log follows the message's first line
  std::vector<nlohmann::ordered_json> reports;
  std::vector<BufferPlace> places;  ///< if the request was a run
  std::optional<SmallVariable> variable = {};

  /// One that says no more than the error.
  static Failure of(const Error& error);
  Error error() const { return {code, message, where, hint}; }
};

nlohmann::json to_json(const Hello& request);
nlohmann::json to_json(const Prepare& request);
nlohmann::json to_json(const Load& request);
nlohmann::json to_json(const Verify& request);
nlohmann::json to_json(const Time& request);
nlohmann::json to_json(const Calibrate& request);
using Request = std::variant<Hello, Prepare, Load, Verify, Time, Calibrate>;
/// Throws an internal error for what is no request.
Request request_from_json(const nlohmann::json& json);

nlohmann::json to_json(const DeviceFacts& reply);
nlohmann::json to_json(const Prepared& reply);
nlohmann::json to_json(const Verified& reply);
nlohmann::json to_json(const Timed& reply);
nlohmann::json to_json(const Calibrated& reply);
nlohmann::json to_json(const Failure& reply);
using Reply = std::variant<DeviceFacts, Prepared, Verified, Timed, Calibrated, Failure>;
/// Throws an internal error for what is no reply: the worker is not trusted.
Reply reply_from_json(const nlohmann::json& json);

}  // namespace warpmark::protocol
