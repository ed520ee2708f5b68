// The circumstances common to all cases of a run: program, device, seed, command.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/host.hpp"
#include "runtime/session.hpp"

namespace warpmark {

/// The program's version, "0.1.0".
std::string warpmark_version();

/// The time now as RFC 3339 text in UTC, "2026-11-21T02:53:50Z".
std::string utc_date();

/// The circumstances that only a bench records.
struct BenchContext {
  Host host;
  std::optional<GitState> git;       ///< state of the repository of the first suite's folder
  std::optional<Ceilings> ceilings;  ///< nothing on devices that count
  int64_t cuda_version = 0;          ///< of the cuda.h that we were built with: 13000
};

/// A run that is one of several shards (jobs/shard.hpp).
struct ShardContext {
  size_t index = 1, count = 1;
  size_t cases = 0;      ///< number of cases of the whole run
  std::string division;  ///< SHA-256 of the assignment of cases to shards: equal for all of them
  std::string command;   ///< the command of the whole run
  /// Settings and texts that verdicts depend on, by name, and that all shards of one run share:
  /// given options, and a digest of the files of each suite of the whole run.
  std::map<std::string, std::string> settings = {}, texts = {};
};

struct RunContext {
  std::string verb = "check";  ///< the command that runs cases, and repeats one
  std::string version = warpmark_version();
  std::string date = utc_date();  ///< date of the start
  std::string launcher;           ///< in front of a command: "mpirun -n 4", or ""
  std::string command;            ///< the command line, as a shell would take it
  std::string device_request;     ///< the value of --device; "" if not given
  bool seed_given = false;        ///< true if --seed gave it
  uint64_t seed = 0;
  std::string checks;               ///< the value of --checks; "" if not given
  std::string sanitize;             ///< the tool of --sanitize; "" if not given
  std::optional<double> timeout_s;  ///< the value of --timeout-s, in seconds
  uint64_t first_trial = 0;
  uint64_t trials = 1;                 ///< trials of each case, from `first_trial` on
  bool trials_given = false;           ///< true if --trials or --trial gave them
  size_t deselected = 0;               ///< cases that -k or --last-failed left out
  std::vector<std::string> asked_ids;  ///< the values of --case; empty for all
  std::string asked_select;            ///< the value of -k; "" for all
  std::vector<std::string> notes;      ///< lines for the head of a console report
  DeviceFacts device;
  std::optional<BenchContext> bench;  ///< set only for a bench
  std::optional<ShardContext> shard;  ///< set only for a part of a run
};

}  // namespace warpmark
