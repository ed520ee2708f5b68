// Outcomes and a run for tests of records and reports.
#pragma once

#include <string>

#include "results/run_context.hpp"
#include "runtime/outcome.hpp"

namespace warpmark::testing_results {

inline Outcome outcome(const std::string& suite, const std::string& point, Verdict verdict) {
  Outcome result;
  result.suite = suite;
  result.case_id = suite + "." + point;
  result.verdict = verdict;
  result.seconds = 0.125;
  return result;
}

/// Wrong at z[1, 2] of a 4 x 4 array.
inline Outcome wrong_outcome() {
  Outcome result = outcome("doublify", "n=16", Verdict::failed);
  result.failure = FailureKind::wrong;
  result.reason = "2 of 16 elements of z are wrong";
  result.where = {"suites/doublify.yaml", 14, 3};
  result.message =
      "suites/doublify.yaml:14:3: 2 of 16 elements of `z` are wrong\n"
      "first: z[1, 2] = 0.5, expected 1, error 0.5, bound 0\n";
  OutputVerdict verdict{"z", "float32", {4, 4}, {}};
  verdict.comparison.elements = 16;
  verdict.comparison.wrong = 2;
  verdict.comparison.first = Mismatch{MismatchKind::value, 6, "0.5", "1", "0.5", "0"};
  result.outputs = {verdict};
  return result;
}

inline RunContext context() {
  RunContext run;
  run.version = "1.2.3";
  run.date = "2026-11-21T00:00:00Z";
  run.command = "warpmark check suites";
  run.device.kind = "gpu";
  run.device.name = "NVIDIA H200";
  run.device.reason = "using NVIDIA H200 (sm_90)";
  run.device.architecture = 90;
  run.device.target = "sm_90a";
  run.device.driver_version = 13000;
  run.device.nvrtc_version = "13.0";
  run.device.attributes = {{"warp_size", 32}};
  return run;
}

}  // namespace warpmark::testing_results
