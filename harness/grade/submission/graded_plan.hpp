// The plan of a case as submissions are graded by it.
#pragma once

#include <map>
#include <string>

#include "grade/assignment/assignment.hpp"
#include "grade/submission/submission.hpp"
#include "plan/plugin_loader.hpp"

namespace warpmark {

/// Gives the plan the assignment's limits where the suite has none.
void set_limits(PlannedCase& planned, const GradeLimits& limits);

/// Seconds that an item may take at least where the device counts instructions: those are its
/// limit, and the clock, which depends on what else the machine does, is a net under it.
constexpr double kLeastNet = 60;

/// Widens the plan's limit of time to that net.
void widen_net(PlannedCase& planned);

/// Has the counters of the plan and of what it is held against told.
void compare_counters(PlannedCase& planned);

/// Whether the kernel's parameters decide the type of an argument.
bool has_open_dtypes(const Plan& plan);

/// Fixes the type of every argument, and how many elements those by value have. Else a submission would choose what it computes by the types
/// of its parameters: half precision, or bytes.
void fix_types(PlannedCase& planned, const ArgumentTypes& types);

/// "scale(float *out, const float *src, float f, int n)": the kernel as the plan launches it first,
/// its types as far as they are fixed. "" for a plan that launches none.
std::string signature_text(const Plan& plan);

/// The unit of the kernel that is launched, which is what a submission replaces. Throws a usage
/// error for a plan that launches none, or kernels of several units.
size_t submitted_unit(const PlannedCase& planned);

/// The plan with the file in the place of that unit's source; `name` is how the compiler calls it.
/// Without a baseline of the suite's its own kernel becomes the one.
PlannedCase with_submission(PlannedCase planned, const std::string& name,
                            const SubmittedFile& file);

}  // namespace warpmark
