// The key of a result: equal keys need no new grading.
#pragma once

#include <string>

#include "grade/assignment/assignment.hpp"
#include "grade/submission/submission.hpp"
#include "runtime/session.hpp"

namespace warpmark {

/// What is the same for all submissions of a run.
struct KeyContext {
  std::string program;  ///< differs between builds
  std::string device, driver_version, nvrtc_version;
  std::string secret;  ///< its fingerprint
  bool no_sandbox = false;
};

/// The context of a run on that device. Reads the program and the driver's library, as much as
/// 0.3 s.
KeyContext key_context(const DeviceFacts& device, const std::string& secret_fingerprint,
                       bool no_sandbox);

/// SHA-256, in hexadecimal digits, over all that decides a result: the submission and whose it is,
/// the assignment with its suites and headers, program, device, driver, compiler and secret.
std::string grade_key(const Submission& submission, const Assignment& assignment,
                      const KeyContext& context);

}  // namespace warpmark
