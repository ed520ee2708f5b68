// What a grader asks the course's own kernels for, asked before students have none.
#pragma once

#include <string>

#include "grade/assignment/handout_store.hpp"
#include "grade/handout/handout_items.hpp"
#include "python/interpreter.hpp"

namespace warpmark {

/// Of each visible item the types of its arguments, where the kernel decides them, and the counters
/// of what composites hold it against. Throws usage errors for a kernel that does not compile, fit or
/// pass, and environment errors for what the device lacks.
HandoutStore measure_handout(const Assignment& assignment, const HandoutItems& items,
                             const std::string& device, Interpreter& python);

}  // namespace warpmark
