// Suites for tests: a small good one, and changes to it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "suite/suite.hpp"

namespace warpmark::testing_suites {

/// Lines 1 to 14 of every suite that a test changes.
inline std::string good() {
  return "warpmark: 1\n"               // 1
         "about: An example.\n"        // 2
         "kernel:\n"                   // 3
         "  source: void f();\n"       // 4
         "  entry: f\n"                // 5
         "axes:\n"                     // 6
         "  n: [1, 2**4]\n"            // 7
         "arguments:\n"                // 8
         "  a: {in: rng.random(n)}\n"  // 9
         "  z: {out: a.shape}\n"       // 10
         "launch:\n"                   // 11
         "  block: 128\n"              // 12
         "reference:\n"                // 13
         "  z: 2 * a\n";               // 14
}

/// The good suite with one text replaced; an empty `from` appends.
inline std::string changed(const std::string& from, const std::string& to) {
  std::string text = good();
  if (from.empty()) return text + to;
  const size_t at = text.find(from);
  if (at == std::string::npos) return "the test's text to replace is not there: " + from;
  return text.replace(at, from.size(), to);
}

inline std::shared_ptr<const Suite> parse(const std::string& text) {
  return parse_suite(text, "/nowhere/suites/example.yaml");
}

/// "LINE:COLUMN message | hint" of the error that loading throws, else "no error".
inline std::string error_of(const std::string& text) {
  try {
    (void)parse(text);
  } catch (const Error& error) {
    if (error.code() != ExitCode::usage) return "wrong exit code: " + error.message();
    if (error.where().file != "/nowhere/suites/example.yaml") return "wrong file";
    return std::to_string(error.where().line) + ":" + std::to_string(error.where().column) + " " +
           error.message() + (error.hint().empty() ? "" : " | " + error.hint());
  }
  return "no error";
}

}  // namespace warpmark::testing_suites
