// Whether a case fits the device, and the limits that its suite sets.
#pragma once

#include "plan/plugin_loader.hpp"
#include "runtime/inputs.hpp"
#include "runtime/session.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

/// Each ends the case (see case_dialogue.hpp) where it does not fit.

/// A skip, if the device lacks a capability that the plan requires.
void check_requirements(const PlannedCase& planned, const DeviceFacts& facts, Outcome& outcome);

/// Of a case that expects counters on a device that has none: a skip if they are `required`, else a
/// notice that its outputs alone are judged.
void check_counting(const PlannedCase& planned, const DeviceFacts& facts, bool required,
                    Outcome& outcome);

/// A run that the worker did not begin: a skip if another device could take it, else a failure.
void end_misfit(const PlannedCase& planned, const protocol::Misfit& misfit, Outcome& outcome);

/// A failure, if the worker says so of a variable of the module: it is not there, or has fewer
/// elements than the suite gives. The worker may be a stranger's: what cannot be is left for others
/// to judge.
void end_small_variable(const PlannedCase& planned, const CaseInputs& inputs,
                        const std::optional<protocol::SmallVariable>& variable, Outcome& outcome);

/// What can never fit is not even tried: the host would have to hold it, too. A skip where the
/// buffers of the suite are too large; a failure where the variables of the kernel's own code are
/// (`artifacts`, which may be null, has their size and gets the excess).
void check_memory(const PlannedCase& ready, const CaseInputs& inputs, const DeviceFacts& facts,
                  CaseArtifacts* artifacts, Outcome& outcome);

}  // namespace warpmark
