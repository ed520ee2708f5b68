// What is the same for every case of a run: program, device, seed, command.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/session.hpp"

namespace warpmark {

/// The program's version, "0.1.0".
std::string warpmark_version();

/// The time now as RFC 3339 text in UTC, "2026-11-21T02:53:50Z".
std::string utc_date();

struct RunContext {
  std::string version = warpmark_version();
  std::string date = utc_date();  ///< of the start
  std::string command;            ///< the command line, as a shell would take it
  std::string device_request;     ///< what --device said; "" if it was not given
  bool seed_given = false;        ///< by --seed
  uint64_t seed = 0;
  DeviceFacts device;
};

}  // namespace warpmark
