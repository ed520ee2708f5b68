// The record of a shard in its folder: OUT/shard.json, by schema/grade_shard.json.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/run_context.hpp"

namespace warpmark {

/// Sentences about the whole class. Every shard finds the same ones, and the merge prints them.
struct ClassNotes {
  std::vector<std::string> left_out;   ///< files that are no submission
  std::vector<std::string> unmatched;  ///< students whom the roster does not have
  std::vector<std::string> missing;    ///< students of the roster without a submission
  std::vector<std::string> unknown;    ///< rows of the course's files about unknown students
};

/// The data for the comparison of submissions, beside their texts, which are with the results.
struct ShardSources {
  struct Source {
    std::string student;
    bool compiled = false;  ///< the student's result has fingerprints of this text
  };
  std::vector<Source> sources;
  std::vector<std::string> template_ptx;  ///< fingerprints of the template
};

struct GradeShard {
  struct Part {
    size_t position = 0;  ///< in the whole class
    std::string student;
  };
  ShardContext shard;  ///< its `cases` are submissions
  bool finished =
      false;             ///< each submission has been graded or refused, or the grader failed at it
  std::string warpmark;  ///< version
  std::string assignment, assignment_sha256;
  std::string assignment_version;  ///< keyed by the course's secret, so that it tells two apart
  std::string device, driver_version, nvrtc_version;
  bool no_sandbox = false;
  std::vector<std::pair<std::string, std::string>> files;  ///< "roster" …: SHA-256
  std::vector<Part> submissions;
  ClassNotes notes;
  std::optional<ShardSources> sources;  ///< set only if submissions are to be compared
};

bool is_shard_folder(const std::filesystem::path& folder);

/// Throws a usage error, "FOLDER is no shard's: …", for a folder without a record that can be read.
GradeShard read_grade_shard(const std::filesystem::path& folder);
/// Writes the record. Throws an environment error.
void write_grade_shard(const std::filesystem::path& folder, const GradeShard& shard);

/// schema/grade_shard.json.
nlohmann::ordered_json grade_shard_schema();

/// Throws a usage error if a folder for results is a shard's, and not of this one. `shard` is null
/// for a run that is no shard.
void require_own_folder(const std::filesystem::path& folder, const ShardContext* shard);

}  // namespace warpmark
