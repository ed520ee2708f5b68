#include "runtime/session.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>

#include "base/file.hpp"
#include "base/shared_memory.hpp"
#include "base/text.hpp"
#include "runtime/artifacts.hpp"
#include "runtime/inputs.hpp"
#include "runtime/judge.hpp"
#include "runtime/protocol.hpp"
#include "runtime/worker.hpp"

namespace warpmark {

namespace {

using Clock = std::chrono::steady_clock;

Clock::duration seconds(double count) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
}

uint64_t machine_memory() {
  return static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

// Ends a case from the depth of it: the outcome has been filled in.
struct CaseEnded {};

// The worker was of no use before the case's kernel ran, because of a case before.
struct SpoiltWorker {};

// Driver results that blame the image, and so the kernel's source or the compiler's options.
bool blames_image(int result) {
  return result == CUDA_ERROR_INVALID_IMAGE || result == CUDA_ERROR_NO_BINARY_FOR_GPU ||
         result == CUDA_ERROR_INVALID_PTX || result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION ||
         result == CUDA_ERROR_INVALID_SOURCE;
}

}  // namespace

class Session::State {
 public:
  State(Interpreter& python, SessionOptions options)
      : python_(python), options_(std::move(options)), wake_(::eventfd(0, EFD_CLOEXEC)) {
    if (!wake_) {
      throw environment_error(std::string("cannot make an eventfd: ") + std::strerror(errno),
                              "raise the limit of open files (`ulimit -n`)");
    }
    start_worker();
    python_.begin_importing_numpy();
  }

  const DeviceFacts& require() {
    if (!ready_) {
      greet();
      python_.require_numpy();
      ready_ = true;
    }
    return facts_;
  }

  Outcome verify(const Case& which, const PlannedCase& planned, uint64_t trial,
                 CaseArtifacts* artifacts) {
    artifacts_ = artifacts;
    Outcome outcome = outcome_of(which, [&](Outcome& into) { run(which, planned, trial, into); });
    artifacts_ = nullptr;
    return outcome;
  }

  Outcome examine(const Case& which, const PlannedCase& planned, const LookAtCase& look) {
    return outcome_of(which, [&](Outcome& outcome) { examine(which, planned, look, outcome); });
  }

  void interrupt() noexcept {
    interrupted_ = true;
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t ignored = ::write(wake_.get(), &one, sizeof one);
  }
  bool interrupted() const noexcept { return interrupted_; }

 private:
  template <typename Steps>
  Outcome outcome_of(const Case& which, const Steps& steps) {
    const auto start = Clock::now();
    Outcome outcome;
    outcome.suite = which.suite->name;
    outcome.case_id = which.id;
    try {
      if (interrupted()) throw_interrupted(outcome);
      require();
      try {
        steps(outcome);
      } catch (const SpoiltWorker&) {
        steps(outcome);  // on a fresh one, which throws no more of these
      }
    } catch (const CaseEnded&) {
    } catch (const Error&) {
      // An interrupt also ends the wait for a worker that is being replaced.
      if (!interrupted()) throw;
      outcome.verdict = Verdict::interrupted;
      outcome.reason = "interrupted";
    }
    worker_is_fresh_ = false;
    outcome.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return outcome;
  }

  void start_worker() {
    worker_ = options_.in_process
                  ? Worker::on_thread(options_.openers)
                  : Worker::spawn(options_.program.empty() ? "/proc/self/exe" : options_.program);
    greeted_ = false;
    worker_is_fresh_ = true;
    const protocol::Hello hello{options_.device, options_.use_cache};
    hello_sent_ = worker_->channel().send(protocol::to_json(hello));
  }

  void greet() {
    if (worker_ && greeted_) return;
    if (!worker_) start_worker();
    const auto deadline = Clock::now() + seconds(options_.start_timeout_s);
    const Channel::Received received =
        hello_sent_ ? worker_->channel().receive(deadline, wake_.get()) : Channel::Received{};
    if (!received.message) {
      if (received.end == ChannelEnd::timeout && options_.in_process) leave_thread();
      std::string how = end_worker(received.end);
      if (received.end == ChannelEnd::timeout) {
        how = fmt::format("gave no answer within {:g} s", options_.start_timeout_s);
      }
      throw environment_error("the worker did not start" + (how.empty() ? "" : ": it " + how),
                              "`warpmark doctor` shows what can be used here");
    }
    protocol::Reply reply = protocol::reply_from_json(received.message->body);
    if (const auto* failure = std::get_if<protocol::Failure>(&reply)) {
      const Error error = failure->error();
      const bool no_device = failure->no_device;
      end_worker();
      if (no_device) throw NoDeviceError(error);
      throw error;
    }
    facts_ = std::get<DeviceFacts>(std::move(reply));
    greeted_ = true;
  }

  [[noreturn]] void leave_thread() {
    worker_->abandon();
    worker_.reset();
    throw environment_error("the worker does not answer, and it is a thread, which cannot be ended",
                            "without --in-process only the case would fail");
  }

  // A worker whose end of the channel closed is dying, and its memory may take a while to go; one
  // that must be ended gets no time.
  std::string end_worker(ChannelEnd why = ChannelEnd::timeout) {
    const std::chrono::milliseconds patience(why == ChannelEnd::closed ? 10000 : 0);
    std::string how = worker_ ? worker_->end(patience) : "";
    worker_.reset();
    greeted_ = false;
    return how;
  }

  // A sticky error may come to light when a case's memory is released, after its verdict: the next
  // case must not fail of it.
  void end_spoilt_worker(const protocol::Failure& failure) {
    if (!failure.sticky) return;
    end_worker();
    if (!failure.launched && !worker_is_fresh_) throw SpoiltWorker{};
  }

  [[noreturn]] static void throw_interrupted(Outcome& outcome) {
    outcome.verdict = Verdict::interrupted;
    outcome.reason = "interrupted";
    throw CaseEnded{};
  }

  // One request and its reply; what ends the worker ends the case.
  protocol::Reply ask(const nlohmann::json& request, const std::vector<int>& fds, Outcome& outcome,
                      std::optional<double> limit_s = {}) {
    const double timeout_s = limit_s.value_or(options_.timeout_s);
    const auto deadline = Clock::now() + seconds(timeout_s);
    const bool sent = worker_->channel().send(request, fds);
    const Channel::Received received =
        sent ? worker_->channel().receive(deadline, wake_.get()) : Channel::Received{};
    if (received.message) return protocol::reply_from_json(received.message->body);
    if (received.end == ChannelEnd::timeout && options_.in_process) {
      leave_thread();
    }
    const std::string how = end_worker(received.end);
    switch (received.end) {
      case ChannelEnd::woken:
        throw_interrupted(outcome);
      case ChannelEnd::timeout:
        fail(outcome, FailureKind::limit,
             verdict_error(fmt::format("no answer within {:g} s; the worker was ended", timeout_s),
                           {},
                           limit_s ? "the suite's `limits.timeout_s` says how long a case may take"
                                   : "a kernel that needs longer gets it with --timeout-s"));
        break;
      case ChannelEnd::garbage:
        fail(outcome, FailureKind::crash,
             verdict_error("the worker sent what is no message, and was ended"));
        break;
      case ChannelEnd::closed:
        fail(outcome, FailureKind::crash,
             verdict_error("the worker died in the middle of the case" +
                           (how.empty() ? std::string() : ": it " + how)));
        break;
    }
    throw CaseEnded{};
  }

  void check_requirements(const Plan& plan, Outcome& outcome) const {
    for (const std::string& wanted : plan.requirements) {
      const auto& have = facts_.capabilities;
      if (std::find(have.begin(), have.end(), wanted) == have.end()) {
        skip(outcome, fmt::format("needs {}, which {} does not have", wanted, facts_.name));
        throw CaseEnded{};
      }
    }
  }

  std::vector<Entry> prepare(const Case& which, const PlannedCase& planned, bool load,
                             Outcome& outcome) {
    const Suite& suite = *which.suite;
    protocol::Prepare request;
    request.load = load;
    for (const Unit& unit : planned.plan.units) {
      protocol::UnitText text;
      text.folder = suite.folder.string();
      text.options = unit.options;
      text.include = unit.include;
      text.link = unit.link;
      if (unit.file.empty()) {
        text.source = unit.source;
        text.name = suite.file.filename().string();
        // As all that a compiler sees, relative to the suite's folder.
        const auto in_folder = [&](Position where) {
          if (where.known()) where.file = text.name;
          return where;
        };
        for (const Region& region : unit.regions) {
          const bool written = !region.at.empty();
          text.regions.push_back(
              {region.line,
               written ? in_folder(planned.positions.find_text(region.at)) : Position{}});
        }
        if (text.regions.empty()) {
          text.origin = in_folder(planned.positions.find(unit.at));
        } else {
          text.name = suite.file.stem().string() + ".generated.cu";
        }
      } else {
        text.name = unit.file;
        text.source =
            read_source(suite.folder / unit.file, planned.positions.find(unit.at), outcome);
      }
      request.units.push_back(std::move(text));
    }
    for (const Step& step : planned.plan.steps) {
      if (const auto* launch = std::get_if<LaunchStep>(&step)) {
        request.kernels.push_back({launch->unit, launch->entry});
      }
    }
    const PlanLimits& limits = planned.plan.limits;
    request.limits = {static_cast<uint64_t>(limits.stack_bytes.value_or(0)),
                      static_cast<uint64_t>(limits.heap_mib.value_or(0)) << 20};
    request.images = artifacts_ != nullptr;
    if (artifacts_ != nullptr) {
      for (const protocol::UnitText& unit : request.units) {
        artifacts_->units.push_back({unit.name, unit.source, "", "", ""});
      }
    }
    const nlohmann::json wire = protocol::to_json(request);
    // Most cases of a suite are compiled alike, and without a launch nothing else is wanted.
    if (!load && wire == known_request_) {
      if (!known_error_) return known_kernels_;
      fail(outcome, FailureKind::compile, *known_error_);
      throw CaseEnded{};
    }
    protocol::Reply reply = ask(wire, {}, outcome);
    if (auto* failure = std::get_if<protocol::Failure>(&reply)) {
      end_spoilt_worker(*failure);
      if (failure->result != 0 && !blames_image(failure->result)) {
        fail(outcome, FailureKind::driver, failure->error());
        throw CaseEnded{};
      }
      failure->where = in_suite(failure->where, suite);
      if (planned.plan.compile_error && failure->refused) {
        judge_refusal(planned, failure->error(), outcome);
        throw CaseEnded{};
      }
      known_request_ = wire;
      known_error_ = failure->error().at(planned.positions.find("/kernel/entry"));
      fail(outcome, FailureKind::compile, *known_error_);
      throw CaseEnded{};
    }
    auto& prepared = std::get<protocol::Prepared>(reply);
    if (!prepared.misfit.empty()) {
      skip(outcome, prepared.misfit);
      throw CaseEnded{};
    }
    outcome.notices = prepared.notices;
    outcome.compiled_from_cache = prepared.from_cache;
    if (prepared.kernels.size() != request.kernels.size()) {
      throw internal_error("the worker told of the wrong number of kernels");
    }
    known_request_ = wire;
    known_kernels_ = prepared.kernels;
    known_error_.reset();
    keep_images(std::move(prepared.images));
    if (planned.plan.compile_error) {
      judge_missing_refusal(planned, outcome);
      throw CaseEnded{};
    }
    return std::move(prepared.kernels);
  }

  void keep_images(std::vector<protocol::UnitImage> images) const {
    if (artifacts_ == nullptr) return;
    if (images.size() != artifacts_->units.size()) {
      throw internal_error("the worker told of the wrong number of units");
    }
    for (size_t i = 0; i < images.size(); ++i) {
      artifacts_->units[i].ptx = std::move(images[i].ptx);
      artifacts_->units[i].cubin = std::move(images[i].cubin);
      artifacts_->units[i].log = std::move(images[i].log);
    }
  }

  std::string read_source(const std::filesystem::path& path, const Position& where,
                          Outcome& outcome) {
    try {
      return read_file(path);
    } catch (const Error& error) {
      fail(outcome, FailureKind::compile, error.at(where));
      throw CaseEnded{};
    }
  }

  // The compiler names files relative to the suite's folder; a person finds them from where they
  // stand.
  static Position in_suite(Position where, const Suite& suite) {
    if (where.known()) where.file = display_path(suite.folder / where.file);
    return where;
  }

  Facts facts_for(const Plan& plan, const CaseInputs& inputs) const {
    Facts facts;
    facts.device = facts_.attributes;
    for (const Buffer& buffer : plan.buffers) {
      ArrayFacts array{{}, inputs.dtypes.at(buffer.name)};
      const auto found = inputs.arrays.find(buffer.name);
      if (found != inputs.arrays.end()) array.shape = found->second.shape();
      facts.arrays.emplace(buffer.name, std::move(array));
    }
    return facts;
  }

  std::map<std::string, DType> dtypes_of(const PlannedCase& planned,
                                         const std::vector<Entry>& kernels, Outcome& outcome) {
    try {
      return argument_dtypes(planned, kernels);
    } catch (const Error& error) {
      end_case(outcome, FailureKind::signature, error);
    }
  }

  ReadyCase make_ready(const Case& which, const PlannedCase& planned,
                       const std::map<std::string, DType>& dtypes, uint64_t trial,
                       Outcome& outcome) {
    ReadyCase ready{planned, {}};
    try {
      const GeneratorKey key{options_.seed, which.suite->name, which.id, "", trial};
      ready.inputs = evaluate_inputs(python_, planned, dtypes, key);
      ready.planned.plan =
          resolve(planned.plan, facts_for(planned.plan, ready.inputs), planned.positions);
      add_integers(ready.planned, ready.inputs);
    } catch (const NoMemoryError& error) {
      skip(outcome,
           fmt::format("{}; this machine has {}", error.message(), format_bytes(machine_memory())));
      throw CaseEnded{};
    } catch (const Error& error) {
      end_case(outcome, FailureKind::input, error);
    }
    for (const PlannedSkip& rule : ready.planned.plan.skip) {
      if (!std::get<bool>(rule.when)) continue;
      skip(outcome, rule.reason);
      throw CaseEnded{};
    }
    check_memory(ready.planned, ready.inputs, outcome);
    return ready;
  }

  void examine(const Case& which, const PlannedCase& planned, const LookAtCase& look,
               Outcome& outcome) {
    greet();
    const std::vector<Entry> kernels = prepare(which, planned, false, outcome);
    const std::map<std::string, DType> dtypes = dtypes_of(planned, kernels, outcome);
    try {
      uint64_t trial = 0;
      // The arrays of one trial go before those of the next are made.
      while (look(make_ready(which, planned, dtypes, trial, outcome))) {
        if (interrupted()) throw_interrupted(outcome);
        ++trial;
      }
    } catch (const Error& error) {
      if (error.code() != ExitCode::verdict) throw;
      fail(outcome, FailureKind::reference, error);
    }
  }

  void run(const Case& which, const PlannedCase& planned, uint64_t trial, Outcome& outcome) {
    greet();
    check_requirements(planned.plan, outcome);
    const std::vector<Entry> kernels = prepare(which, planned, true, outcome);
    const ReadyCase ready =
        make_ready(which, planned, dtypes_of(planned, kernels, outcome), trial, outcome);
    const std::map<std::string, Array> results = make_results(ready.planned.plan, ready.inputs);
    if (artifacts_ != nullptr) {
      artifacts_->inputs = ready.inputs;
      artifacts_->results = results;
    }
    try {
      if (launch_and_judge(ready.planned, ready.inputs, results, kFirstPoison, outcome)) return;
      launch_and_judge(ready.planned, ready.inputs, results, kSecondPoison, outcome);
    } catch (const Error& error) {
      if (error.code() != ExitCode::verdict) throw;
      fail(outcome, FailureKind::reference, error);
    }
  }

  // An Error while a case is made ready fails the case, unless the harness itself is at fault.
  [[noreturn]] static void end_case(Outcome& outcome, FailureKind kind, const Error& error) {
    if (error.code() != ExitCode::verdict && error.code() != ExitCode::usage) throw error;
    fail(outcome, kind, error);
    throw CaseEnded{};
  }

  // What can never fit is not even tried: the host would have to hold it, too.
  void check_memory(const PlannedCase& ready, const CaseInputs& inputs, Outcome& outcome) const {
    uint64_t bytes = 0;
    try {
      bytes = buffer_bytes(ready, inputs);
    } catch (const Error& error) {
      end_case(outcome, FailureKind::input, error);
    }
    const auto over = [&](uint64_t allowed, const std::string& whose) {
      if (bytes <= allowed) return;
      skip(outcome, fmt::format("its buffers take {}, and {} {}", format_bytes(bytes), whose,
                                format_bytes(allowed)));
      throw CaseEnded{};
    };
    if (const auto limit = ready.plan.limits.memory_mib) {
      over(static_cast<uint64_t>(*limit) << 20, "`limits.memory_mib` allows");
    }
    const auto device = facts_.attributes.find("memory_bytes");
    if (device != facts_.attributes.end()) {
      over(static_cast<uint64_t>(device->second), facts_.name + " has");
    }
  }

  static std::map<std::string, Array> make_results(const Plan& plan, const CaseInputs& inputs) {
    std::map<std::string, Array> results;
    for (const Buffer& buffer : plan.buffers) {
      results.emplace(buffer.name,
                      Array(inputs.dtypes.at(buffer.name), buffer_shape(buffer, inputs)));
    }
    return results;
  }

  static protocol::Step wire_step(const Step& step, size_t& kernel) {
    if (const auto* copy = std::get_if<CopyStep>(&step))
      return protocol::Copy{copy->from, copy->to};
    if (const auto* fill = std::get_if<FillStep>(&step)) {
      return protocol::Fill{fill->buffer, fill->byte};
    }
    const auto& launch = std::get<LaunchStep>(step);
    protocol::Launch wire;
    wire.kernel = kernel++;
    for (size_t axis = 0; axis < 3; ++axis) {
      wire.grid[axis] = resolved(launch.grid[axis]);
      wire.block[axis] = resolved(launch.block[axis]);
    }
    wire.shared = resolved(launch.shared);
    wire.arguments = launch.arguments;
    return wire;
  }

  // Returns false if only a run with another poison can tell.
  bool launch_and_judge(const PlannedCase& ready, const CaseInputs& inputs,
                        const std::map<std::string, Array>& results, std::byte poison,
                        Outcome& outcome) {
    protocol::Verify request;
    std::vector<int> fds;
    request.poison = std::to_integer<uint8_t>(poison);
    for (const Buffer& buffer : ready.plan.buffers) {
      const Array& result = results.at(buffer.name);
      const auto input = inputs.arrays.find(buffer.name);
      const bool has_initial = input != inputs.arrays.end();
      request.buffers.push_back(
          {buffer.name, std::string(result.dtype().name), result.nbytes(), has_initial});
      if (has_initial) fds.push_back(input->second.memory()->fd());
      fds.push_back(result.memory()->fd());
    }
    for (const auto& [name, scalar] : inputs.scalars) {
      request.scalars.push_back(
          {name, {reinterpret_cast<const char*>(scalar.bytes.data()), scalar.bytes.size()}});
    }
    size_t kernel = 0;
    for (const Step& step : ready.plan.steps) request.steps.push_back(wire_step(step, kernel));

    const PlanLimits& limits = ready.plan.limits;
    // A device that can stop its own launch does so before the process has to be ended: its report
    // tells where the kernel was.
    request.wall_limit_s = 0.8 * limits.timeout_s.value_or(options_.timeout_s);
    request.instructions = static_cast<uint64_t>(limits.instructions.value_or(0));
    protocol::Reply reply = ask(protocol::to_json(request), fds, outcome, limits.timeout_s);
    if (const auto* failure = std::get_if<protocol::Failure>(&reply)) {
      end_spoilt_worker(*failure);
      judge_fault(ready, *failure, outcome);
      return true;
    }
    const auto& verified = std::get<protocol::Verified>(reply);
    outcome.findings = verified.reports;
    if (!verified.misfit.empty()) {
      skip(outcome, verified.misfit);
      return true;
    }
    if (ready.plan.fault) {
      judge_missing_fault(ready, outcome);
      return true;
    }
    if (ready.plan.report && !judge_findings(ready, outcome)) return true;
    return judge_results(python_, ready, inputs, results, poison, outcome);
  }

  Interpreter& python_;
  SessionOptions options_;
  UniqueFd wake_;
  std::atomic<bool> interrupted_ = false;
  std::unique_ptr<Worker> worker_;
  bool hello_sent_ = false;
  bool greeted_ = false;
  bool worker_is_fresh_ = true;  ///< no case has been run on it
  bool ready_ = false;
  DeviceFacts facts_;
  nlohmann::json known_request_;  ///< the last one that was compiled, and what it has
  std::vector<Entry> known_kernels_;
  std::optional<Error> known_error_;
  CaseArtifacts* artifacts_ = nullptr;  ///< of the case that runs, if they are wanted
};

Session::Session(Interpreter& python, SessionOptions options)
    : state_(std::make_unique<State>(python, std::move(options))) {}
Session::~Session() = default;

const DeviceFacts& Session::require() {
  return state_->require();
}

Outcome Session::verify(const Case& which, const PlannedCase& planned, uint64_t trial,
                        CaseArtifacts* artifacts) {
  return state_->verify(which, planned, trial, artifacts);
}

Outcome Session::examine(const Case& which, const PlannedCase& planned, const LookAtCase& look) {
  return state_->examine(which, planned, look);
}

void Session::interrupt() noexcept {
  state_->interrupt();
}

bool Session::interrupted() const noexcept {
  return state_->interrupted();
}

}  // namespace warpmark
