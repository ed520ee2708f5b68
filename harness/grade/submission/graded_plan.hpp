// The plan of a case with the changes for grading submissions.
#pragma once

#include <memory>
#include <string>

#include "grade/assignment/assignment.hpp"
#include "grade/submission/submission.hpp"
#include "plan/plugin_loader.hpp"

namespace warpmark {

/// Gives the plan the assignment's limits where the suite has none.
void set_limits(PlannedCase& planned, const GradeLimits& limits);

/// A launch may execute so many times the instructions of the suite's own kernel, and as many as the
/// least limit, where neither suite nor assignment limits them.
inline constexpr uint64_t kTimesOwnKernel = 100;
inline constexpr uint64_t kLeastInstructions = 100'000'000;

/// True if the instructions of the suite's own kernel limit those of others: asked before set_limits.
bool is_limited_by_own(const PlannedCase& planned, const GradeLimits& limits);

/// Sets the instructions that a launch of the case, and of its smaller point, may execute.
void limit_instructions(PlannedCase& planned, uint64_t most);

/// The case alone, with nothing that it is measured by or held against.
PlannedCase unmeasured(PlannedCase planned);

/// The least time limit, in seconds, of an item on a device that counts instructions: those are its
/// limit, and the clock, which depends on the load of the machine, is only a safety net.
double least_net();

/// The same assignment with limits of elapsed time that a container with less than one processor
/// needs: what ends a kernel must not be that its machine is slow.
std::shared_ptr<const Assignment> with_time_for(std::shared_ptr<const Assignment> assignment,
                                                double slowness);

/// Widens the plan's time limit to that net.
void widen_net(PlannedCase& planned);

/// Makes the device report the counters of the plan and of the kernels it is compared with.
void compare_counters(PlannedCase& planned);

/// True if the kernel's parameters decide the type of an argument.
bool has_open_dtypes(const Plan& plan);

/// Fixes the type of every argument, and the number of elements of those by value. Else a
/// submission could choose its computation by the types of its parameters: half precision, or
/// bytes.
void fix_types(PlannedCase& planned, const ArgumentTypes& types);

/// "scale(float *out, const float *src, float f, int n)": the kernel as the plan launches it first,
/// with types as far as they are fixed. "" for a plan without a launch.
std::string signature_text(const Plan& plan);

/// The unit of the launched kernel, which a submission replaces. Throws a usage error for a plan
/// without a launch, or with kernels of several units.
size_t submitted_unit(const PlannedCase& planned);

/// The plan's own kernel as the baseline of a submission: the suite gives none, and counters are
/// compared with one. Else null.
std::shared_ptr<const PlannedCase> own_baseline(const PlannedCase& planned);

/// The plan with the file in place of that unit's source; `name` is the file's name for the
/// compiler. If the suite gives no baseline, its own kernel becomes the baseline.
PlannedCase with_submission(PlannedCase planned, const std::string& name,
                            const SubmittedFile& file);

}  // namespace warpmark
