#include "runtime/case_units.hpp"

#include <fmt/format.h>

#include <utility>

#include "runtime/case_fit.hpp"
#include "runtime/judge.hpp"
#include "runtime/requests.hpp"
#include "worker/unit_compiler.hpp"

namespace warpmark {

namespace {

// True for results of the driver that blame the image, and so the kernel's source or the compiler's
// options.
bool blames_image(int result) {
  return result == CUDA_ERROR_INVALID_IMAGE || result == CUDA_ERROR_NO_BINARY_FOR_GPU ||
         result == CUDA_ERROR_INVALID_PTX || result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION ||
         result == CUDA_ERROR_INVALID_SOURCE;
}

protocol::Prepare request_for(const Case& which, const PlannedCase& planned,
                              CaseUnits::Purpose purpose, CaseArtifacts* artifacts,
                              Outcome& outcome) {
  protocol::Prepare request;
  try {
    request = prepare_request(*which.suite, planned);
  } catch (const Error& error) {
    end_unready(outcome, FailureKind::compile, error);
  }
  request.load = purpose != CaseUnits::Purpose::look;
  request.beside = purpose == CaseUnits::Purpose::beside;
  request.times = request.beside || purpose == CaseUnits::Purpose::time;
  request.images = artifacts != nullptr;
  if (artifacts != nullptr) {
    // A case may be run again, on a fresh worker.
    artifacts->units.clear();
    artifacts->kernels.clear();
    for (const protocol::UnitText& unit : request.units) {
      artifacts->units.push_back({unit.name, unit.source, "", "", "", unit.origin, unit.regions});
    }
  }
  return request;
}

// The place of the setting that a context does not support: the stack or the heap that the suite
// asks for, further devices, or linking.
Position place_of_misfit(const PlannedCase& planned) {
  const PlanLimits& limits = planned.plan.limits;
  return planned.positions.find(limits.stack_bytes     ? "/limits/stack_bytes"
                                : limits.heap_mib      ? "/limits/heap_mib"
                                : planned.plan.devices ? "/devices"
                                                       : "/kernel/link");
}

// The error of units that cannot be compiled. If the compiler does not serve the suite's
// architecture, another one is the remedy, too.
Error error_of(const protocol::Failure& failure, const PlannedCase& planned) {
  const Error error = failure.error();
  if (planned.plan.arch.empty() || error.code() != ExitCode::environment) {
    return error.at(planned.positions.find("/kernel/entry"));
  }
  const std::string hint = error.hint().empty() ? "" : error.hint() + ", or ";
  return environment_error(error.message(), hint + "change `arch`")
      .at(planned.positions.find("/kernel/arch"));
}

void keep_images(const std::vector<protocol::UnitImage>& images, const std::vector<Entry>& kernels,
                 CaseArtifacts* artifacts) {
  if (artifacts == nullptr) return;
  for (const Entry& kernel : kernels) artifacts->kernels.push_back(kernel.name);
  if (images.size() != artifacts->units.size()) {
    throw internal_error("the worker reported a wrong number of units");
  }
  for (size_t i = 0; i < images.size(); ++i) {
    artifacts->units[i].ptx = images[i].ptx;
    artifacts->units[i].cubin = images[i].cubin;
    artifacts->units[i].log = images[i].log;
  }
}

}  // namespace

CaseUnits::CaseUnits(const SessionOptions& options, WorkerLink& worker, CaseDialogue& dialogue,
                     RankGroup* ranks)
    : timeout_s_(options.timeout_s), worker_(worker), dialogue_(dialogue), ranks_(ranks) {
  if (options.confinement) compiler_.emplace(options);
}

void CaseUnits::add_facts(DeviceFacts& facts) {
  if (compiler_) compiler_->add_facts(facts);
}

void CaseUnits::interrupt() noexcept {
  if (compiler_) compiler_->interrupt();
}

Signatures CaseUnits::prepare(const Case& which, const PlannedCase& planned, Purpose purpose,
                              CaseArtifacts* artifacts, Outcome& outcome) {
  protocol::Prepare request = request_for(which, planned, purpose, artifacts, outcome);
  const bool load = request.load;
  if (load) check_architecture(planned, worker_.facts(), compiler_.has_value(), outcome);
  request.devices = static_cast<uint64_t>(
      devices_of(planned.plan, worker_.facts().attributes, planned.positions));
  const uint64_t devices = request.devices;
  if (devices > 1 && compiler_) end_skipped(outcome, "several devices do not grade");
  if (ranks_ != nullptr) {
    if (devices > static_cast<uint64_t>(ranks_->size())) {
      end_skipped(
          outcome,
          fmt::format("runs on {} devices, and there are {} ranks", devices, ranks_->size()),
          planned.positions.find("/devices"));
    }
    request.devices = 1;
  }
  if (compiler_) return prepare_confined(which, planned, request, artifacts, outcome);
  const nlohmann::json wire = protocol::to_json(request);
  // Most cases of a suite are compiled alike, and without a launch only the result of the
  // compilation is needed.
  if (!load && wire == known_request_) {
    if (!known_error_) {
      keep_images(known_images_, known_.kernels, artifacts);
      return known_;
    }
    end_case(outcome, FailureKind::compile, *known_error_);
  }
  const std::optional<Error> late = late_error(request, planned);
  if (late && wire == late_request_) end_case(outcome, FailureKind::limit, *late);
  protocol::Reply reply;
  try {
    reply = ask(wire, load ? devices : 1, planned, late, outcome);
  } catch (const CaseEnded&) {
    if (outcome.failure == FailureKind::limit) late_request_ = wire;
    throw;
  }
  if (auto* failure = std::get_if<protocol::Failure>(&reply)) {
    end_unloaded(*failure, outcome);
    failure->where = in_suite(failure->where, *which.suite);
    if (planned.plan.compile_error && failure->refused) {
      judge_refusal(planned, failure->error(), outcome);
      throw CaseEnded{};
    }
    known_request_ = wire;
    known_error_ = error_of(*failure, planned);
    end_case(outcome, FailureKind::compile, *known_error_);
  }
  auto& prepared = std::get<protocol::Prepared>(reply);
  if (!prepared.misfit.empty()) {
    end_skipped(outcome, prepared.misfit, place_of_misfit(planned));
  }
  outcome.notices = prepared.notices;
  outcome.compiled_from_cache = prepared.from_cache;
  if (!protocol::answers(request, prepared)) {
    throw internal_error("the worker reported a wrong number of kernels, variables or structs");
  }
  known_request_ = wire;
  if (!load && artifacts != nullptr) {
    compiled_.push_back(
        {protocol::to_json(compile_alone(std::move(request), worker_.facts())), prepared, {}, {}});
  }
  known_ = prepared;
  known_error_.reset();
  known_images_ = std::move(prepared.images);
  keep_images(known_images_, known_.kernels, artifacts);
  if (planned.plan.compile_error) {
    judge_missing_refusal(planned, outcome);
    throw CaseEnded{};
  }
  return known_;
}

// The error of a compiler that does not end: it is a program that may run the suite's Python.
std::optional<Error> CaseUnits::late_error(const protocol::Prepare& request,
                                           const PlannedCase& planned) const {
  for (const protocol::UnitText& unit : request.units) {
    if (unit.compiler.empty()) continue;
    return verdict_error(fmt::format("the compiler {} did not end within {:g} s for {}, and was "
                                     "ended",
                                     unit.compiler, timeout_s_, unit.name),
                         planned.positions.find("/kernel/entry"),
                         "--timeout-s gives it more time, if the file itself comes to an end");
  }
  return std::nullopt;
}

// The reply of this process's worker. Of several ranks, a failure of another that this one does not
// have ends the case.
protocol::Reply CaseUnits::ask(const nlohmann::json& wire, uint64_t devices,
                               const PlannedCase& planned, const std::optional<Error>& late,
                               Outcome& outcome) {
  const auto ask_own = [&](Outcome& into) {
    return dialogue_.ask(wire, {}, into, {}, 0, false, late ? &*late : nullptr);
  };
  if (ranks_ == nullptr || devices <= 1) return ask_own(outcome);
  std::vector<RankAnswer> answers = ranks_->prepare(wire, devices, ask_own, outcome);
  for (size_t rank = 0; rank < answers.size(); ++rank) {
    if (answers[rank].reply) continue;
    try {
      end_with_rank(answers[rank], outcome);
    } catch (const CaseEnded&) {
      blame_rank(outcome, rank);
      throw;
    }
  }
  if (std::holds_alternative<protocol::Failure>(*answers.front().reply)) {
    return std::move(*answers.front().reply);
  }
  for (size_t rank = 1; rank < answers.size(); ++rank) {
    if (const auto* failure = std::get_if<protocol::Failure>(&*answers[rank].reply)) {
      const Position where = planned.positions.find("/kernel/entry");
      fail(outcome, blames_image(failure->result) ? FailureKind::compile : FailureKind::driver,
           failure->error().at(where));
    } else if (const auto& prepared = std::get<protocol::Prepared>(*answers[rank].reply);
               !prepared.misfit.empty()) {
      skip(outcome, prepared.misfit, place_of_misfit(planned));
    } else {
      continue;
    }
    blame_rank(outcome, rank);
    throw CaseEnded{};
  }
  return std::move(*answers.front().reply);
}

// Ends the case for a failure to load that is not the source's fault.
void CaseUnits::end_unloaded(const protocol::Failure& failure, Outcome& outcome) {
  dialogue_.end_spoilt_worker(failure);
  if (failure.result == 0 || blames_image(failure.result)) return;
  end_case(outcome, FailureKind::driver, failure.error());
}

// Loads the images anew for every run, so that no variable of the module keeps a value of an
// earlier run.
Signatures CaseUnits::prepare_confined(const Case& which, const PlannedCase& planned,
                                       const protocol::Prepare& request, CaseArtifacts* artifacts,
                                       Outcome& outcome) {
  const protocol::Prepared& made =
      compiler_->compile(compile_alone(request, worker_.facts()), which, outcome);
  if (outcome.verdict != Verdict::passed) throw CaseEnded{};
  outcome.notices = made.notices;
  keep_images(made.images, made.kernels, artifacts);
  if (!request.load) return made;
  const bool as_ptx = worker_.facts().has("image_ptx");
  const protocol::Load load = load_request(request, made.kernels, made.images, as_ptx);
  protocol::Reply reply = dialogue_.ask(protocol::to_json(load), {}, outcome);
  if (const auto* failure = std::get_if<protocol::Failure>(&reply)) {
    end_unloaded(*failure, outcome);
    end_case(outcome, FailureKind::compile,
             failure->error().at(planned.positions.find("/kernel/entry")));
  }
  const auto* loaded = std::get_if<protocol::Prepared>(&reply);
  if (loaded == nullptr) dialogue_.end_garbled(outcome);
  if (!loaded->misfit.empty()) end_skipped(outcome, loaded->misfit, place_of_misfit(planned));
  return made;
}

}  // namespace warpmark
