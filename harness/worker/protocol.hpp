// The messages between front and worker: typed requests and replies, and their JSON form.
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
#include "base/shared_memory.hpp"
#include "base/tensor_map.hpp"
#include "compiler/compiler.hpp"
#include "compiler/signature.hpp"
#include "suite/restore.hpp"
#include "worker/confinement.hpp"
#include "worker/device_facts.hpp"
#include "worker/measurement.hpp"

namespace warpmark::protocol {

/// The purpose of a worker in a sandbox, and the data that it needs before it enters it.
struct Confined {
  enum class Role : uint8_t { compile, run };
  Role role = Role::run;
  /// "NAME=VALUE" of the variables by which libraries are found; the worker is started without
  /// them.
  std::vector<std::string> environment;
  Confinement confinement;
};

/// The first request: choose and start a device, open NVRTC; a confined worker does only its part
/// of this, and then enters its sandbox.
struct Hello {
  std::string device = "auto";
  bool use_cache = true;
  std::optional<Confined> confined = {};
  int further = 0;     ///< offset from the chosen device; after the last device comes number 0
  bool times = false;  ///< a GPU gets at once what timing needs beside a case
};

/// A header that came with a unit, in addition to those that the worker has.
struct OwnHeader {
  std::string spelling;  ///< as written in the include directive
  std::string name;      ///< for errors and line information
  std::string text;
};

/// A translation unit with its text: workers open no files of a suite except headers.
struct UnitText {
  std::string name;    ///< relative to `folder`, for errors and line information
  std::string folder;  ///< folder of the suite, for its headers
  std::string source;
  Position origin;  ///< place of the first line, if the text is part of a suite file
  std::vector<std::string> options;
  std::vector<std::string> include;  ///< folders of headers, relative to `folder`
  std::vector<size_t> link;          ///< units to link with it
  std::vector<SourceRegion> regions;
  std::vector<std::string> variables = {};   ///< variables of the module that the host uses
  std::vector<LayoutQuestion> layouts = {};  ///< structs whose layout is wanted
  SourceLanguage language = SourceLanguage::cuda;
  std::string compiler = {};            ///< CompileRequest::program
  bool may_have_host_code = false;      ///< CompileRequest::may_have_host_code
  std::vector<OwnHeader> headers = {};  ///< set only for units that a confined worker compiles
};

/// The settings that can only be made for a context as a whole; 0 leaves the driver's own limit.
struct ContextLimits {
  uint64_t stack_bytes = 0;  ///< stack of a thread
  uint64_t heap_bytes = 0;   ///< heap of malloc() in kernels
  friend bool operator==(const ContextLimits&, const ContextLimits&) = default;
};

struct KernelName {
  size_t unit = 0;
  std::string entry;
  std::vector<GivenArgument> arguments = {};  ///< arguments of a kernel given by name: they tell
                                              ///< overloads apart
  uint64_t registers = 0;                     ///< of a thread, as ptxas reports them; 0: unknown
};

/// Compile; the reply has the kernels' signatures. Kernels are launched by their index here.
struct Prepare {
  std::vector<UnitText> units;
  std::vector<KernelName> kernels;
  ContextLimits limits;
  bool load = true;     ///< false: only signatures are wanted, and nothing can be launched
  bool images = false;  ///< the reply must have the compiled images
  /// The architecture to compile for, as "sm_90a"; "": that of the worker's own device.
  std::string target = {};
  uint64_t devices = 1;  ///< number of devices that run it at a time
  bool times = false;    ///< it will be timed
  /// The kernels are those that will be timed by turns with what was prepared before, which stays.
  bool beside = false;
  bool tensor_maps = false;  ///< kernels take tensor maps
  bool assembles = false;    ///< CompileRequest::assembles
};

/// True if a reply has as many items as the request asks for: the worker is not trusted.
bool answers(const Prepare& request, const Signatures& reply);

/// Load the images of a confined compile worker, for a worker that compiles nothing itself. The
/// reply is a Prepared without kernels.
struct Load {
  struct Unit {
    std::string name;
    std::string image;  ///< PTX or cubin, whichever the device takes
    std::vector<size_t> link;
    /// variable_names() of its PTX, if it will be timed.
    std::optional<std::vector<std::string>> variables = {};
  };
  std::vector<Unit> units;
  std::vector<KernelName> kernels;  ///< by symbol
  ContextLimits limits;
};

/// The images of one compiled unit.
struct UnitImage {
  std::string ptx, cubin, log;
};

struct Prepared : Signatures {
  std::string misfit;             ///< why the device cannot do it; "" if it can
  std::vector<UnitImage> images;  ///< one for each unit, if they were asked for
  std::vector<std::string> notices;
  bool from_cache = false;
};

/// A buffer that is a CUDA array with a texture or surface object.
struct ImageShape {
  std::array<uint64_t, 3> extents{};  ///< elements in x, y and z; 0 for missing dimensions
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
  /// Bytes of an element with a value as a whole for the kernels, 0 for records; nothing if
  /// unknown.
  std::optional<uint64_t> element;
  std::string holder = {};  ///< the buffer that has its bytes after the steps; "" for itself
  std::string symbol = {};  ///< variable of the first unit's module that is its memory; "" for
                            ///< separate memory
  std::vector<std::string> pointers = {};  ///< buffers whose addresses it holds
  std::optional<ImageShape> image = {};
  /// Bytes before the first element, of a row, and from one row to the next, which is 0 for rows
  /// without gaps. Bytes around elements have no value.
  uint64_t lead = 0, row = 0, pitch = 0;
  /// With several devices, each has an equal part of the bytes.
  bool partition = false;
  /// Its contents after the steps are compared with the expected values.
  bool judged = false;
  /// The initial bytes in the front's own memory, of which the descriptor is the file; nothing for
  /// a memfd.
  std::optional<SharedMemory::Place> initial_place = {};
};

struct ScalarBytes {
  /// The address of a buffer, at byte `offset`.
  struct Pointer {
    uint64_t offset = 0;
    std::string buffer;
  };
  std::string name;
  std::string bytes;
  std::vector<Pointer> pointers = {};
  /// A tensor map of a buffer, which is all of the bytes.
  struct Map {
    std::string buffer;
    TensorMapForm form;
  };
  std::optional<Map> map = {};
};

struct Launch {
  size_t kernel = 0;
  std::array<int64_t, 3> grid{}, block{};
  int64_t shared = 0;
  std::vector<std::string> arguments;
  std::array<int64_t, 3> cluster{};  ///< blocks; 0 is the kernel's own value
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

/// The placement of buffers, for devices that do not find out-of-bounds accesses themselves.
enum class Guard : uint8_t {
  none,
  front,  ///< each buffer is at the front of separate pages, inputs not writable
  back    ///< each buffer is at the back of its pages
};

/// One run of the kernels that were prepared last.
struct Run {
  std::vector<BufferBytes> buffers;
  std::vector<ScalarBytes> scalars;
  std::vector<Step> steps;
  // These are limits of one launch, for devices with `reports`; 0 is none.
  double wall_limit_s = 0;
  uint64_t instructions = 0;  ///< thread-instructions
  uint64_t schedule = 0;      ///< another order of threads (warpmark/device.h); 0 is the
                              ///< usual one
  uint64_t threads =
      0;  ///< threads of the host that execute blocks, where a device has some; 0 for
          ///< as many as it is set to
  std::vector<std::string> checks;    ///< checks (warpmark/device.h); empty for the usual ones
  std::vector<std::string> counters;  ///< sets of counters to report, for devices with `profile`
  Guard guard = Guard::none;
  std::optional<uint64_t> timed_step;  ///< index of a launch in `steps`: steps before it run once;
                                       ///< nothing: all are timed
  uint64_t devices = 1;                ///< number of devices that run it at a time, as many as were
                                       ///< prepared for
  /// Kernels of a submission, which must reach neither the host's memory nor the values of the next
  /// run.
  bool confined = false;
};

/// Run it once: restore, poison, launch, synchronise, fetch. Variables and heap are as they were
/// when the modules were loaded.
struct Verify {
  Run run;
  uint8_t poison = 0;
};

/// A copy of a buffer's initial value that a worker keeps on the device.
struct KeptCopy {
  std::string buffer;
  std::string handle;   ///< for other processes (IpcMemory)
  uint64_t digest = 0;  ///< of the value: a handle may outlive what it names
};

/// A run to be timed. Its descriptors are those of `run`, as of a Verify, and then those of `other`.
struct TimedSide {
  Run run;
  Restore restore = Restore::never;
  /// The same with other inputs, which is launched first.
  std::optional<Run> other = {};
  bool fetch = true;                  ///< fetch the results of the last run of `run`
  std::vector<KeptCopy> copies = {};  ///< copies that another worker keeps
};

/// Run it again and again, and time it.
struct Time : TimedSide {
  uint8_t poison = 0;
  TimingOptions options = {};
  /// A run of the kernels beside (Prepare::beside), timed by turns with this one; its descriptors
  /// follow.
  std::optional<TimedSide> against = {};
  /// Its buffers that are memory of the buffers of the same names in `run`, with the same values.
  std::vector<std::string> shared = {};
  bool loads_against_first = false;  ///< its modules come first: places change from load to load
};

/// Measure the best rates of the device.
struct Calibrate {};

/// The place of a buffer of the last run on the device.
struct BufferPlace {
  std::string name, dtype;
  uint64_t address = 0, bytes = 0;
};

/// The reason why a run was not begun, with both numbers.
struct Misfit {
  std::string text;              ///< "" for a run that fits
  std::optional<uint64_t> step;  ///< the step of a launch that does not fit
  bool anywhere = false;         ///< it fits no device of any kind
};

/// An input that a step has changed, even if a later step restored it.
struct ChangedInput {
  std::string buffer;
  uint64_t step = 0;
};

struct Verified {
  Misfit misfit;
  std::vector<std::string> trespasses;  ///< guarded buffers around which bytes were written
  std::vector<nlohmann::ordered_json> reports;
  std::vector<BufferPlace> places;
  std::vector<nlohmann::ordered_json> counters;  ///< counters of each launch, if the run asked for
                                                 ///< them
  std::vector<nlohmann::ordered_json> coverage = {};  ///< of each text, if the run asked for it
  /// Schedules, one after another, that may show that the order of threads decides a result; 0 if
  /// it decides none, and on devices without schedules.
  uint64_t schedules = 0;
  std::optional<ChangedInput> changed_input = {};
  /// The device's own look at large buffers, which saves copies to the host; never while grading.
  struct OnDevice {
    /// Inputs that have the bytes that they had before; they are not fetched.
    std::vector<std::string> unchanged;
    std::optional<uint64_t> digest;  ///< of the judged outputs, as Measurement::digest
    std::vector<KeptCopy> copies;
  };
  OnDevice on_device = {};
};

struct Timed {
  Misfit misfit;
  Measurement measurement;
  std::optional<Measurement> against = {};
};

struct Calibrated {
  std::optional<Ceilings> ceilings;
};

/// A variable of the module that is missing, or too small for its value.
struct SmallVariable {
  std::string name;               ///< name of the buffer for the variable
  std::optional<uint64_t> bytes;  ///< nothing: the module has no such variable
};

/// A request that failed.
struct Failure {
  ExitCode code = ExitCode::internal;
  std::string message, hint;
  Position where;
  int result = 0;                ///< CUresult, 0 if no driver call failed
  bool sticky = false;           ///< the worker is useless now
  bool launched = false;         ///< this request had launched a kernel, which may be at fault
  std::optional<uint64_t> step;  ///< the step that failed, if there are several
  bool no_device = false;        ///< the requested device is missing
  bool refused = false;  ///< refused by the compiler or linker, whose log follows the message's
                         ///< first line
  std::vector<nlohmann::ordered_json> reports;
  std::vector<BufferPlace> places;                    ///< set if the request was a run
  std::vector<nlohmann::ordered_json> coverage = {};  ///< Verified::coverage, up to the failure
  std::optional<SmallVariable> variable = {};

  /// A failure with only the data of the error.
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
/// Throws an internal error for a value that is no request.
Request request_from_json(const nlohmann::json& json);

nlohmann::json to_json(const DeviceFacts& reply);
nlohmann::json to_json(const Prepared& reply);
nlohmann::json to_json(const Verified& reply);
nlohmann::json to_json(const Timed& reply);
nlohmann::json to_json(const Calibrated& reply);
nlohmann::json to_json(const Failure& reply);
using Reply = std::variant<DeviceFacts, Prepared, Verified, Timed, Calibrated, Failure>;
/// Throws an internal error for a value that is no reply: the worker is not trusted.
Reply reply_from_json(const nlohmann::json& json);

}  // namespace warpmark::protocol
