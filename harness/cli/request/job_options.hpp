// Every option of a job, described once: for the command line and for run configurations.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/program/argument_parser.hpp"
#include "cli/request/job_request.hpp"
#include "cli/request/option_rule.hpp"
#include "suite/yaml_node.hpp"

namespace warpmark {

enum class OptionKind : uint8_t {
  flag,     ///< true or false in a file
  word,     ///< one text or number
  choice,   ///< a word that the command line may leave out: --x{a} is --x=a
  list,     ///< known words, separated by commas; in a file a list, too
  amounts,  ///< a number, or a map of them by name: N and NAME=N on the command line
  words,    ///< several: a list in a file, a repeated option on the command line
  axes      ///< `-a AXIS=VALUE,…`, a map of lists in a file
};

/// The jobs that take an option.
enum class Takers : uint8_t { every, check, bench };

struct JobOption {
  const char* flags;  ///< "-k,--select"; "" for an option of files only
  const char* key;    ///< key in a run configuration; "" for an option of a single job's command
                      ///< only
  const char* type;   ///< type of the value in --help: "EXPR"; "" for a flag
  OptionKind kind;
  Takers takers;
  const char* help;
  OptionRule rule;  ///< of each word
  /// Replaces the value in the request. Throws a usage error.
  void (*read)(JobRequest& request, const OptionValue& value);
  bool seldom = false;  ///< not in the help of `warpmark run`, which takes the options of all jobs

  bool is_for(JobKind job) const;
  bool is_key() const { return *key != '\0'; }
  bool is_one_word() const { return kind == OptionKind::word || kind == OptionKind::choice; }
  /// The key's in a run configuration.
  nlohmann::ordered_json schema(JobKind job) const;
};

/// Options in the order of --help and of schema/run.json.
const std::vector<JobOption>& job_options();

/// Adds the argument PATHS, for suite_files().
void add_suite_paths(const ArgumentParser& app, std::vector<std::filesystem::path>& paths);

/// The options as arguments of a subcommand.
class JobArguments {
 public:
  /// Adds the options with flags: of every job, of one kind, or with these keys.
  void add_to(const ArgumentParser& app);
  void add_to(const ArgumentParser& app, JobKind job);
  void add_to(const ArgumentParser& app, const std::vector<std::string>& keys);
  /// Puts the options that were given, and that are for its kind, into the request: all, or those
  /// with these keys. Throws a usage error.
  void apply(JobRequest& request, const std::vector<std::string>& keys = {}) const;
  /// The first option that was given and is for none of the jobs; "" if there is none.
  std::string unused_by(const std::vector<JobKind>& jobs) const;

 private:
  void add(const ArgumentParser& app, const JobOption& option);

  struct Given {
    const JobOption* option;
    CommandOption argument;
    std::vector<std::string> words;
  };
  std::vector<std::unique_ptr<Given>> given_;  ///< CLI11 keeps addresses of the words
};

/// Reads a key of a run configuration. Throws a usage error with its place.
void read_option(const JobOption& option, const YamlNode& node, const std::filesystem::path& folder,
                 JobRequest& request);

}  // namespace warpmark
