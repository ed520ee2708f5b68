#include "runtime/confined_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "runtime/judge.hpp"
#include "runtime/requests.hpp"
#include "worker/confined_start.hpp"

namespace warpmark {

namespace {

SessionOptions link_options(SessionOptions options) {
  options.use_cache = false;
  return options;
}

// False for an impossible answer: the worker is not trusted with its results, including sizes.
bool is_possible(const protocol::Prepare& request, const protocol::Prepared& made) {
  if (!protocol::answers(request, made)) return false;
  if (made.images.size() != request.units.size()) return false;
  return std::ranges::all_of(made.images, [](const protocol::UnitImage& image) {
    return image.ptx.size() <= Confinement::kMostImage &&
           image.cubin.size() <= Confinement::kMostImage;
  });
}

std::string capped(std::string log) {
  if (log.size() <= Confinement::kMostLog) return log;
  log.resize(Confinement::kMostLog);
  return printable(log) + "\n… (the log goes on)";
}

}  // namespace

protocol::Prepare compile_alone(protocol::Prepare request, const DeviceFacts& device) {
  if (request.target.empty()) request.target = device.target;
  request.assembles = !device.has("image_ptx");
  request.load = false;
  request.images = true;
  request.limits = {};
  return request;
}

const CompiledRequest* CompiledRequests::find(const nlohmann::json& wire) const {
  const auto found =
      std::find_if(begin(), end(), [&](const auto& known) { return known.wire == wire; });
  return found == end() ? nullptr : &*found;
}

ConfinedCompiler::ConfinedCompiler(const SessionOptions& options)
    : confinement_(options.confinement.value()),
      before_(options.compiled),
      link_(link_options(options), WorkerLink::Role::compile) {}

void ConfinedCompiler::add_facts(DeviceFacts& facts) {
  const DeviceFacts& own = link_.greet();
  facts.nvrtc_version = own.nvrtc_version;
  facts.nvrtc = own.nvrtc;
  keep_common(facts.sandbox, own.sandbox);
}

uint64_t ConfinedCompiler::allowed_bytes() const {
  return compile_bytes(confinement_);
}

// The clock by which the system ends a process runs ahead of the times that it reports afterwards,
// on a busy machine.
bool ConfinedCompiler::took_its_time(const Worker::Usage& used) const {
  return used.out_of_time || used.cpu_s >= 0.95 * confinement_.compile_cpu_s;
}

bool ConfinedCompiler::reached_limit(const Worker::Usage& used) const {
  return took_its_time(used) || used.peak_bytes >= allowed_bytes() / 2;
}

// A compiler that runs out of memory may end in any way. The memory that it had used shows the
// reason better.
ConfinedCompiler::Known ConfinedCompiler::ended(const Worker::Usage& used, ChannelEnd end,
                                                const std::string& how) const {
  Known known;
  const auto limit = [&known](const std::string& what) {
    known.failure = FailureKind::limit;
    known.error = verdict_error("the compiler took more than it may: " + what, {},
                                "macros or templates that grow without end do that");
  };
  if (end == ChannelEnd::timeout) {
    limit(fmt::format("{:g} s by the clock", confinement_.compile_s));
  } else if (took_its_time(used)) {
    limit(fmt::format("{:g} s of processor time", confinement_.compile_cpu_s));
  } else if (used.peak_bytes >= allowed_bytes() / 2) {
    limit(format_bytes(allowed_bytes()) + " of memory");
  } else {
    known.failure = FailureKind::crash;
    known.error = verdict_error("the compiler did not survive this source" +
                                (how.empty() ? std::string() : ": it " + how));
  }
  return known;
}

ConfinedCompiler::Known ConfinedCompiler::ask(const protocol::Prepare& request,
                                              const nlohmann::json& wire, const Suite& suite,
                                              Outcome& outcome) {
  link_.greet();
  auto answer = link_.ask(wire, {}, confinement_.compile_s);
  const auto ended_by_others = [&] {
    const auto* silence = std::get_if<WorkerLink::Silence>(&answer);
    return silence != nullptr && silence->end == ChannelEnd::closed && silence->used.killed &&
           !reached_limit(silence->used);
  };
  if (ended_by_others()) {
    link_.greet();
    answer = link_.ask(wire, {}, confinement_.compile_s);
  }
  if (ended_by_others()) {
    throw environment_error("the compiler was ended twice by something else: it " +
                                std::get<WorkerLink::Silence>(answer).how,
                            "the system may be out of memory; grade again");
  }
  if (const auto* silence = std::get_if<WorkerLink::Silence>(&answer)) {
    if (silence->end == ChannelEnd::woken) {
      outcome.verdict = Verdict::interrupted;
      outcome.reason = "interrupted";
      return {};
    }
    return ended(silence->used, silence->end, silence->how);
  }
  auto& reply = std::get<protocol::Reply>(answer);
  if (auto* failure = std::get_if<protocol::Failure>(&reply)) {
    // The worker could compile when it started, so that an environment error is caused by the
    // source, too.
    if (failure->code != ExitCode::verdict) {
      return ended(link_.end(), ChannelEnd::closed, "failed: " + failure->message);
    }
    // NVRTC may report it in its own words, which a source can print, too; the memory used decides.
    if (failure->message.find("out of memory") != std::string::npos) {
      const Worker::Usage used = link_.end();
      if (used.peak_bytes >= allowed_bytes() / 2) return ended(used, ChannelEnd::closed, "");
    }
    failure->where = in_suite(failure->where, suite);
    failure->message = capped(std::move(failure->message));
    Known known;
    known.failure = FailureKind::compile;
    known.error = failure->error();
    return known;
  }
  auto* made = std::get_if<protocol::Prepared>(&reply);
  if (made == nullptr || !is_possible(request, *made)) {
    return ended(link_.end(), ChannelEnd::garbage, "sent something that is not an answer");
  }
  for (protocol::UnitImage& image : made->images) image.log = capped(std::move(image.log));
  for (std::string& notice : made->notices) notice = capped(std::move(notice));
  Known known;
  known.made = std::move(*made);
  return known;
}

const protocol::Prepared& ConfinedCompiler::compile(const protocol::Prepare& request,
                                                    const Case& which, Outcome& outcome) {
  nlohmann::json wire = protocol::to_json(request);
  const Known* found = before_ ? before_->find(wire) : nullptr;
  if (found == nullptr) found = known_.find(wire);
  if (found == nullptr) {
    Known known = ask(request, wire, *which.suite, outcome);
    known.wire = std::move(wire);
    known_.push_back(std::move(known));
    found = &known_.back();
    if (outcome.verdict == Verdict::interrupted) {
      known_.pop_back();
      static const protocol::Prepared kNothing;
      return kNothing;
    }
  }
  if (found->error) fail(outcome, found->failure, *found->error);
  return found->made;
}

}  // namespace warpmark
