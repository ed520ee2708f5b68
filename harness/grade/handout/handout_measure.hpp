// Measures the data of the course's own kernels that a grader needs, for students who do not get
// the kernels.
#pragma once

#include <string>

#include "grade/assignment/handout_store.hpp"
#include "grade/handout/handout_items.hpp"
#include "python/interpreter.hpp"

namespace warpmark {

/// Measures for each visible item the types of its arguments, if the kernel decides them, and the
/// counters of the composites that it is compared with. Throws usage errors for a kernel that does
/// not compile, fit or pass, and environment errors for anything that the device lacks.
HandoutStore measure_handout(const Assignment& assignment, const HandoutItems& items,
                             const std::string& device, Interpreter& python);

}  // namespace warpmark
