// Results of a suite's mutants, as plain data that crosses processes.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace warpmark {

/// A mutant by its place and its change.
struct NamedMutant {
  Position where;
  std::string before, after;  ///< the line (LineDiff)
  std::string key() const { return where.text() + "\n" + after; }
};

/// One that passed every case.
struct LiveMutant {
  NamedMutant mutant;
  std::string reason;  ///< "its results are the same, bit for bit, in every case"
  std::string killer;  ///< the case that would kill it, as in "n=257"; "" if none was found
};

struct SuiteMutants {
  std::string suite;
  std::vector<NamedMutant> killed;
  std::vector<LiveMutant> live;
  std::vector<NamedMutant> accepted;      ///< live, and the suite says why
  std::vector<NamedMutant> not_executed;  ///< on lines that no case of the suite executes
  uint64_t equivalent = 0;                ///< the compiler makes the same of them
  uint64_t uncompiled = 0;
  uint64_t left_out = 0;  ///< beyond the wanted number
  std::string note;       ///< why nothing was mutated; "" if something was
  /// The suite's own kernel fails, or the suite cannot be used.
  std::optional<Error> refusal;

  /// Adds another part of the same suite.
  void add(SuiteMutants part);
  /// Mutants that count: killed and live, the accepted ones too.
  uint64_t counted() const { return killed.size() + live.size() + accepted.size(); }
};

nlohmann::json to_json(const SuiteMutants& mutants);
/// The opposite of to_json().
SuiteMutants suite_mutants(const nlohmann::json& json);

/// "mutants of scan: 41 of 43 killed, 5 equivalent, 2 live"
std::string summary_of(const SuiteMutants& mutants);

/// Warnings of all suites of a run: each live mutant that no other suite kills, and ranges of lines
/// that none executes, by place.
std::vector<Error> mutant_warnings(const std::vector<SuiteMutants>& suites);

}  // namespace warpmark
