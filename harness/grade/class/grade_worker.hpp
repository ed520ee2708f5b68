// A process that grades one submission after another, so that a crash costs one submission only.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "grade/assignment/assignment.hpp"
#include "grade/grader/grader.hpp"
#include "grade/submission/submission.hpp"
#include "python/interpreter.hpp"
#include "worker/channel.hpp"

namespace warpmark {

/// The settings that every process of a run grades by.
struct GradeSetup {
  Interpreter* python = nullptr;
  std::shared_ptr<const Assignment> assignment;
  GraderOptions grading;  ///< with a secret
  /// Devices that processes get in turn; empty: all get that of `grading`.
  std::vector<std::string> devices;
};

/// The request to grade a submission.
nlohmann::json to_message(const Submission& submission, bool more);

/// Turns a fork of this process into one of a ProcessPool, until the connection ends: the answer to
/// a submission is its result (grade_result_from_json). It has a process group of its own and the
/// name "warpmark-grader", and output of kernels goes nowhere.
void serve_as_grader(const GradeSetup& setup, Channel& channel);

}  // namespace warpmark
