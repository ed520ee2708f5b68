// JUnit XML: a model of suites and cases, and the one writer of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace warpmark {

struct JunitCase {
  enum class Result : uint8_t { passed, failure, skipped, error };

  std::string name = {};
  double seconds = 0;
  Result result = Result::passed;
  std::string message = {};                       ///< of one that did not pass
  std::string text = {};                          ///< the same in full; "" if that says no more
  std::string type = {};                          ///< the kind of failure, of those that have kinds
  std::string out = {};                           ///< lines beside it
  Position where = {};                            ///< file and line of the test
  std::string started = {};                       ///< RFC 3339; "" if unknown
  std::optional<size_t> position = std::nullopt;  ///< in a run of which this is a part

  /// Sets what came of it, with one text as the message and in full.
  void set(Result what, const std::string& why);
};

struct JunitSuite {
  std::string name = {}, class_name = {};
  std::vector<JunitCase> cases = {};
  std::vector<std::pair<std::string, std::string>> properties = {};
  std::string out = {};
  std::string started = {};                      ///< "" for that of its first case
  std::optional<double> seconds = std::nullopt;  ///< nothing for the sum of its cases
};

struct JunitDocument {
  std::string name = "AllTests";
  std::vector<JunitSuite> suites = {};

  /// The suite of this name, which is added if there is none.
  JunitSuite& suite(const std::string& name);
  /// Adds a suite `warpmark` with one case, for what is no case's own: an error of the run.
  void add_own(const std::string& name, JunitCase::Result result, const std::string& message);
};

/// The document as XML 1.0 that no text in it breaks out of, and no text of which is a command to a
/// CI runner that prints it. A `comment` is its second line.
std::string junit_text(const JunitDocument& document, const std::string& comment = "");

}  // namespace warpmark
