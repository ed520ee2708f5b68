// The record of `warpmark judge`: the verdict on one candidate, such as a kernel that a machine wrote.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/words.hpp"

namespace warpmark {

/// The first of these that holds, from the gravest on.
enum class JudgedAs : uint8_t {
  not_judged,    ///< the judge is at fault, or was interrupted: try again
  refused,       ///< it is no candidate, or has what the task forbids
  not_compiled,  ///< the compiler refuses it, or takes too long
  unclean,       ///< an access out of bounds, a race, a wrong barrier, an uninitialised value
  wrong,         ///< wrong values, or a limit was reached
  right
};
constexpr auto words(JudgedAs) {
  return words_are("not judged", "refused", "not compiled", "unclean", "wrong", "right");
}

/// One question of the five, and its answer.
struct JudgedPart {
  std::optional<bool>
      holds;           ///< nothing: it could not be asked, since an earlier part does not hold
  std::string reason;  ///< for the writer, without hidden data; "" if it holds
};

/// Cases of the task that the device found something in.
struct JudgedFinding {
  std::string word;  ///< "memory error", "race", "barrier"
  uint64_t cases = 0;
};

/// The candidate's work or time beside that of the task's own kernel. Less is better.
struct JudgedSpeed {
  /// "counters", "gpu", or "" if the task does not ask.
  std::string by;
  std::vector<std::string> counters;
  /// The geometric mean over the cases of candidate over baseline; nothing if it is not known.
  std::optional<double> ratio;
  /// The ends of the 95 % interval of a ratio of times.
  std::optional<double> low, high;
  std::string reason;  ///< why there is no ratio; "" if there is one
};

/// The hashes of all that the verdict depends on.
struct JudgedDigests {
  std::string task;       ///< SHA-256 of the task, its suites, files and headers
  std::string candidate;  ///< SHA-256 of the candidate's text
  std::string
      key;  ///< of both, the program, device, compiler and secret: equal keys, equal verdict
};

struct JudgedLimits {
  uint64_t instructions = 0;  ///< thread-instructions of a launch
  double timeout_s = 0;       ///< of a launch
  double total_s = 0;         ///< of all cases
  double compile_cpu_s = 0;
  uint64_t compile_mib = 0, memory_mib = 0;
};

struct Judgement {
  JudgedAs verdict = JudgedAs::not_judged;
  /// The text to hand back to the writer: all reasons, without hidden data.
  std::string feedback;
  JudgedPart compiled, right, clean, honest;
  JudgedSpeed fast;
  std::string log;  ///< the compiler's, capped and stripped of control characters
  uint64_t cases = 0, passed = 0;
  uint64_t trials = 0;  ///< of each case, with other inputs and another schedule of the threads
  std::vector<JudgedFinding> findings;
  std::vector<std::string>
      noticed;  ///< in the compiled code, as "uses clock64": for the task's owner
  JudgedDigests digests;
  JudgedLimits limits;
  std::string warpmark, device, date;
  std::vector<std::string> sandbox;  ///< the walls that held
  std::string problem;               ///< of the judge itself; "" unless not_judged
  double seconds = 0;
};

constexpr int kJudgementVersion = 1;

/// By schema/judgement.json.
nlohmann::ordered_json to_json(const Judgement& judgement);
nlohmann::ordered_json judgement_schema();

}  // namespace warpmark
