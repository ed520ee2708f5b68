// A case's units from source to loaded kernels: by one worker, or in a sandbox by two.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "plan/plugin_loader.hpp"
#include "runtime/artifacts.hpp"
#include "runtime/case_dialogue.hpp"
#include "runtime/confined_compiler.hpp"
#include "runtime/rank_group.hpp"
#include "runtime/session.hpp"

namespace warpmark {

class CaseUnits {
 public:
  /// Starts a compile worker in a confined session, and waits for nothing.
  /// `ranks`, which may be null, are the devices of a case that has several.
  CaseUnits(const SessionOptions& options, WorkerLink& worker, CaseDialogue& dialogue,
            RankGroup* ranks = nullptr);

  /// Adds the facts of the compile worker, if there is one; waits for it.
  void add_facts(DeviceFacts& facts);

  /// The purpose of the units: to know their kernels, to launch them, or to time them, alone or by
  /// turns with those that were prepared to be timed before.
  enum class Purpose : std::uint8_t { look, launch, time, beside };
  /// Compiles the plan's units, loads them unless only a look is wanted, and returns the compiler's
  /// facts about its kernels (Plan::kernels), variables and structs. A refusal, a fault or a
  /// missing kernel ends the case, as does a compile error that the plan expects. `artifacts`,
  /// unless null, gets sources, images and logs.
  Signatures prepare(const Case& which, const PlannedCase& planned, Purpose purpose,
                     CaseArtifacts* artifacts, Outcome& outcome);

  /// The requests that were compiled for a look so far, without a confinement.
  const CompiledRequests& compiled() const { return compiled_; }

  void interrupt() noexcept;

 private:
  Signatures prepare_confined(const Case& which, const PlannedCase& planned,
                              const protocol::Prepare& request, CaseArtifacts* artifacts,
                              Outcome& outcome);
  protocol::Reply ask(const nlohmann::json& wire, uint64_t devices, const PlannedCase& planned,
                      const std::optional<Error>& late, Outcome& outcome);
  std::optional<Error> late_error(const protocol::Prepare& request,
                                  const PlannedCase& planned) const;
  void end_unloaded(const protocol::Failure& failure, Outcome& outcome);

  double timeout_s_;
  WorkerLink& worker_;
  CaseDialogue& dialogue_;
  RankGroup* ranks_;
  std::optional<ConfinedCompiler> compiler_;  ///< in a separate worker, in a confined session
  nlohmann::json known_request_;              ///< the last request that was compiled, with its
                                              ///< result
  Signatures known_;
  std::vector<protocol::UnitImage> known_images_;  ///< if they were wanted
  std::optional<Error> known_error_;
  CompiledRequests compiled_;
  nlohmann::json late_request_;  ///< the last whose program did not end, and would not again
};

}  // namespace warpmark
