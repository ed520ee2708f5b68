#include "debug/case_runs.hpp"

#include <utility>
#include <variant>

#include "driver/choose.hpp"

namespace warpmark::debugging {
namespace {

// A person takes any time: this is about three years.
constexpr double kNoLimitS = 1e8;

// The names and types of each launch's parameters, as far as the plan knows them.
std::vector<Debugger::Parameters> parameters_of(const Plan& plan) {
  std::vector<Debugger::Parameters> all;
  for (const auto& step : plan.steps) {
    const auto* launch = std::get_if<LaunchStep>(&step);
    if (launch == nullptr) continue;
    Debugger::Parameters& parameters = all.emplace_back();
    for (const std::string& name : launch->arguments) {
      const Buffer* buffer = plan.find_buffer(name);
      const Scalar* scalar = plan.find_scalar(name);
      const auto& dtype = buffer != nullptr   ? buffer->dtype
                          : scalar != nullptr ? scalar->dtype
                                              : std::nullopt;
      const TypePointer type = type_of_dtype(std::string(dtype ? dtype->name : ""));
      parameters.emplace_back(name, buffer != nullptr ? pointer_to(type) : type);
    }
  }
  return all;
}

// Has launches call a debugger for as long as this lives.
class Hooked {
 public:
  Hooked(std::shared_ptr<const Driver> driver, Debugger& debugger)
      : driver_(std::move(driver)), debugger_(debugger) {
    renew();
  }
  Hooked(const Hooked&) = delete;
  Hooked& operator=(const Hooked&) = delete;
  ~Hooked() { driver_->debug(nullptr); }
  /// Counts launches from 1 again.
  void renew() { debugger_.use(driver_->debug(&debugger_.hook())); }

 private:
  std::shared_ptr<const Driver> driver_;
  Debugger& debugger_;
};

}  // namespace

PlannedCase debugged_plan(const Debuggee& debuggee) {
  PlannedCase planned = debuggee.planned;
  for (Unit& unit : planned.plan.units) {
    if (debuggee.information && unit.compiler.empty() && unit.image.empty())
      unit.options.emplace_back("--device-debug");
  }
  planned.plan.limits.timeout_s.reset();
  planned.baseline = nullptr;
  planned.compares_counters = false;
  return planned;
}

std::optional<Outcome> run_debugged(Interpreter& python, const Debuggee& debuggee,
                                    Debugger& debugger, CaseArtifacts& artifacts,
                                    const AtEnd& at_end) {
  SessionOptions options = debuggee.session;
  options.in_process = true;
  options.timeout_s = kNoLimitS;
  options.schedules = 0;
  const PlannedCase planned = debugged_plan(debuggee);
  debugger.expect(parameters_of(planned.plan));
  Hooked hook(choose_device(options.device, options.openers).device.driver(), debugger);
  Session session(python, options);
  session.require();
  std::optional<Outcome> last;
  while (!debugger.quits()) {
    debugger.begin_run();
    hook.renew();
    Outcome outcome = session.verify(debuggee.which, planned, {}, &artifacts);
    debugger.end_run();
    if (debugger.quits() || debugger.runs_again()) continue;
    last = outcome;
    debugger.resume_from_end(at_end(outcome));
  }
  return last;
}

}  // namespace warpmark::debugging
