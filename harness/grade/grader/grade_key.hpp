// The key of a result: equal keys need no new grading.
#pragma once

#include <string>

#include "grade/assignment/assignment.hpp"
#include "grade/submission/submission.hpp"
#include "runtime/session.hpp"

namespace warpmark {

/// The part of the key that is the same for all submissions of a run.
struct KeyContext {
  std::string program;  ///< differs between builds
  std::string device, driver_version, nvrtc_version;
  std::string secret;  ///< fingerprint of the secret
  bool no_sandbox = false;
};

/// The context of a run on that device. Reads the program and the driver's library, as much as
/// 0.3 s.
KeyContext key_context(const DeviceFacts& device, const std::string& secret_fingerprint,
                       bool no_sandbox);

/// SHA-256, in hexadecimal digits, over all inputs that decide a result: the submission and its
/// student, the assignment with its suites and headers, program, device, driver, compiler and
/// secret.
std::string grade_key(const Submission& submission, const Assignment& assignment,
                      const KeyContext& context);

}  // namespace warpmark
