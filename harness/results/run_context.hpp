// What is the same for every case of a run: program, device, seed, command.
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

/// What only a bench says of its run.
struct BenchContext {
  Host host;
  std::optional<GitState> git;       ///< of the first suite's folder
  std::optional<Ceilings> ceilings;  ///< nothing on devices that count
  int64_t cuda_version = 0;          ///< of the cuda.h that we were built with: 13000
};

/// A run that is one of several shards (ranks/shard.hpp).
struct ShardContext {
  size_t index = 1, count = 1;
  size_t cases = 0;      ///< of the whole run
  std::string division;  ///< SHA-256 of which case is in which shard: equal for all of them
  std::string command;   ///< that would have been the whole run's
  /// What verdicts depend on, by name, which is the same for all shards of one run: options that
  /// were given, and a digest of the files of each suite of the whole run.
  std::map<std::string, std::string> settings = {}, texts = {};
};

struct RunContext {
  std::string verb = "check";  ///< the command that runs cases, and repeats one
  std::string version = warpmark_version();
  std::string date = utc_date();  ///< of the start
  std::string launcher;           ///< in front of a command: "mpirun -n 4", or ""
  std::string command;            ///< the command line, as a shell would take it
  std::string device_request;     ///< what --device said; "" if it was not given
  bool seed_given = false;        ///< by --seed
  uint64_t seed = 0;
  std::string checks;               ///< what --checks said; "" if it was not given
  std::string sanitize;             ///< the tool of --sanitize; "" if it was not given
  std::optional<double> timeout_s;  ///< what --timeout-s said, in seconds
  uint64_t first_trial = 0;
  uint64_t trials = 1;                 ///< of each case, from `first_trial` on
  bool trials_given = false;           ///< by --trials or --trial
  size_t deselected = 0;               ///< cases that -k or --last-failed left out
  std::vector<std::string> asked_ids;  ///< what --case said; empty for all
  std::string asked_select;            ///< what -k said; "" for all
  std::vector<std::string> notes;      ///< lines for the head of a console report
  DeviceFacts device;
  std::optional<BenchContext> bench;  ///< only of a bench
  std::optional<ShardContext> shard;  ///< only of a part of a run
};

}  // namespace warpmark
