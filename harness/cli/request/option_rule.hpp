// Rules for the values of a job's options: words are read, and schema/run.json is made, by them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "suite/suite.hpp"

namespace warpmark {

/// The value of an option, from the command line or a file.
struct OptionValue {
  std::string what;              ///< its name in errors: "--seed", "`seed`"
  std::vector<Located> words;    ///< one for OptionKind::word; their places if from a file
  bool on = true;                ///< value of a flag
  std::vector<Axis> axes;        ///< for OptionKind::axes, if from a file
  std::filesystem::path folder;  ///< where relative paths start; "" for the working directory

  // The only word, as OptionRule::read() understands it.
  uint64_t whole = 0;
  double real = 0;
  std::filesystem::path path;
  std::string text;

  /// A relative path is below `folder`. Throws a usage error for an empty one.
  std::filesystem::path path_of(const Located& word) const;
  /// The error about a word.
  Error wrong(const Located& word, const std::string& wanted) const;
};

struct OptionRule {
  enum class Kind : uint8_t {
    text,
    path,
    whole,  ///< a number from `least` to `most`
    real,   ///< above 0, and up to `most`
    share,  ///< a number from 0
    words,  ///< one of `words`
    json    ///< what `schema` says
  };
  Kind kind = Kind::text;
  uint64_t least = 0;
  std::optional<uint64_t> most = {};
  std::vector<std::string> words = {};
  std::vector<std::string> more_words = {};  ///< of `bench` only
  const char* wanted = "";                   ///< of real numbers, in errors
  const char* schema = "";                   ///< a text's pattern, or JSON
  const char* standard = "";                 ///< what it is where nobody says it, as JSON

  /// The same with a standard value.
  OptionRule normally(const char* value) const;
  /// Throws a usage error for a word that breaks the rule.
  void read(OptionValue& value) const;
  /// The JSON schema of one word, without its standard value.
  nlohmann::ordered_json word_schema(bool of_bench) const;
};

OptionRule whole_number(uint64_t least, std::optional<uint64_t> most = {});
OptionRule positive_number(const char* wanted, std::optional<uint64_t> most = {});
OptionRule one_of(std::vector<std::string> words);

/// "a, b and c".
std::string listed(std::vector<std::string> words, const std::string& last);

}  // namespace warpmark
