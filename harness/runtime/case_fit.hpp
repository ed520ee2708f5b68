// Checks that a case fits the device, and the limits that its suite sets.
#pragma once

#include "plan/plugin_loader.hpp"
#include "runtime/inputs.hpp"
#include "runtime/session.hpp"
#include "worker/protocol.hpp"

namespace warpmark {

/// Each check ends the case (see case_dialogue.hpp) if it does not fit.

/// Skips the case if the device lacks a capability that the plan requires.
void check_requirements(const PlannedCase& planned, const DeviceFacts& facts, Outcome& outcome);

/// Skips the case if its suite says what to compile for, and the device does not run such code.
/// Where submissions are walled in, a GPU takes no PTX, which would serve later devices.
void check_architecture(const PlannedCase& planned, const DeviceFacts& facts, bool confined,
                        Outcome& outcome);

/// For a case that expects counters on a device that has none: a skip if they are `required`, else
/// a notice that only its outputs are judged.
void check_counting(const PlannedCase& planned, const DeviceFacts& facts, bool required,
                    Outcome& outcome);

/// Ends a run that the worker did not begin: a skip if another device could run it, else a failure.
void end_misfit(const PlannedCase& planned, const protocol::Misfit& misfit, Outcome& outcome);

/// Fails the case if the worker reports that a variable of the module is missing, or has fewer
/// elements than the suite gives. The worker may be untrusted: impossible reports are left to other
/// checks.
void end_small_variable(const PlannedCase& planned, const CaseInputs& inputs,
                        const std::optional<protocol::SmallVariable>& variable, Outcome& outcome);

/// Ends a case that can never fit before it is tried, because the host would have to hold it, too.
/// A skip if the buffers of the suite are too large; a failure if the variables of the kernel's own
/// code are (`artifacts`, which may be null, has their size and gets the excess).
void check_memory(const PlannedCase& ready, const CaseInputs& inputs, const DeviceFacts& facts,
                  CaseArtifacts* artifacts, Outcome& outcome);

}  // namespace warpmark
