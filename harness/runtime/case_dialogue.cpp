#include "runtime/case_dialogue.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "runtime/judge.hpp"
#include "worker/confined_start.hpp"

namespace warpmark {

void end_case(Outcome& outcome, FailureKind kind, const Error& error) {
  fail(outcome, kind, error);
  throw CaseEnded{};
}

void end_unready(Outcome& outcome, FailureKind kind, const Error& error) {
  if (error.code() != ExitCode::verdict && error.code() != ExitCode::usage) throw error;
  end_case(outcome, kind, error);
}

void end_skipped(Outcome& outcome, const std::string& reason, const Position& where) {
  skip(outcome, reason, where);
  throw CaseEnded{};
}

void end_interrupted(Outcome& outcome) {
  outcome.verdict = Verdict::interrupted;
  outcome.reason = "interrupted";
  throw CaseEnded{};
}

CaseDialogue::CaseDialogue(WorkerLink& worker, const SessionOptions& options)
    : worker_(worker),
      timeout_s_(options.timeout_s),
      report_s_(options.report_s),
      confined_(options.confinement.has_value()) {}

protocol::Reply CaseDialogue::ask(const nlohmann::json& request, const std::vector<int>& fds,
                                  Outcome& outcome, std::optional<double> limit_s, double more_s,
                                  bool keeps_limits, const Error* late) {
  const double timeout_s = limit_s.value_or(timeout_s_);
  const double wait_s = timeout_s + more_s;
  const char* const hint = limit_s ? "the suite's `limits.timeout_s` says how long a case may take"
                                   : "--timeout-s gives a slow kernel more time";
  const auto start = Clock::now();
  auto answer = worker_.ask(request, fds, keeps_limits ? wait_s + report_s_ + wait_s / 4 : wait_s);
  if (auto* reply = std::get_if<protocol::Reply>(&answer)) {
    const double taken_s = seconds_since(start);
    const bool ended = std::holds_alternative<protocol::Failure>(*reply);
    if (!keeps_limits || ended || taken_s <= wait_s) return std::move(*reply);
    end_case(outcome, FailureKind::limit,
             verdict_error(fmt::format("it took {:.3g} s, and may take {:g} s", taken_s, wait_s),
                           {}, hint));
  }
  const auto& silence = std::get<WorkerLink::Silence>(answer);
  const std::string& how = silence.how;
  switch (silence.end) {
    case ChannelEnd::woken:
      end_interrupted(outcome);
    case ChannelEnd::timeout:
      if (late != nullptr) end_case(outcome, FailureKind::limit, *late);
      end_case(
          outcome, FailureKind::limit,
          verdict_error(fmt::format("no answer within {:g} s; the worker was ended", timeout_s), {},
                        hint));
    case ChannelEnd::garbage:
      end_case(outcome, FailureKind::crash,
               verdict_error("the worker sent something that is not a message, and was ended"));
    case ChannelEnd::closed:
      break;
  }
  if (silence.used.killed) {
    if (!std::exchange(killed_, true)) throw SpoiltWorker{};
    if (confined_) {
      throw environment_error("the worker was ended twice by something else: it " + how,
                              "the system may be out of memory; grade again");
    }
  }
  // One that finds no memory in the depth of a launch aborts.
  if (confined_ && how.find("signal 6 ") != std::string::npos &&
      silence.used.peak_bytes >= run_bytes(0) / 4 * 3) {
    end_case(outcome, FailureKind::limit,
             verdict_error(fmt::format("the kernel's run took {} of memory, more than it may, and "
                                       "was ended",
                                       format_bytes(silence.used.peak_bytes))));
  }
  end_case(outcome, FailureKind::crash,
           verdict_error("the worker died in the middle of the case" +
                         (how.empty() ? std::string() : ": it " + how)));
}

void CaseDialogue::end_spoilt_worker(const protocol::Failure& failure) {
  if (!failure.sticky) return;
  const bool fresh = worker_.fresh();
  worker_.end();
  if (!failure.launched && !fresh) throw SpoiltWorker{};
}

void CaseDialogue::end_garbled(Outcome& outcome) {
  worker_.end();
  end_case(outcome, FailureKind::crash,
           verdict_error("the worker sent something that is not an answer, and was ended"));
}

}  // namespace warpmark
