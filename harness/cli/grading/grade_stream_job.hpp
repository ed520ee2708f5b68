// Grading by lines of JSON: `warpmark grade --stream`, and `warpmark judge`.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "cli/program/output.hpp"
#include "grade/class/grade_stream.hpp"

namespace warpmark {

/// Grades until the input ends, and gives each answer to `answer`, with the facts of the device.
/// Nothing is printed to `out` but what it is told in the meantime, and messages about the whole.
/// ExitCode::internal if the grader failed at some; a line that is no request is the caller's, and
/// ExitCode::usage at the end.
ExitCode stream_grades(
    GradeStreamOptions options, bool quiet, Output& out,
    const std::function<void(const GradeStreamAnswer&, const DeviceFacts&)>& answer);

/// A line of JSON, written at once: somebody waits for it.
void write_answer(const nlohmann::ordered_json& answer, Output& out);

}  // namespace warpmark
