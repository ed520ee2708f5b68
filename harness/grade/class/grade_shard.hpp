// What the folder of a shard of a class says of itself: OUT/shard.json, by schema/grade_shard.json.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/run_context.hpp"

namespace warpmark {

/// Sentences about the whole class. Every shard finds the same ones, and the merge prints them.
struct ClassNotes {
  std::vector<std::string> left_out;   ///< files that are no submission
  std::vector<std::string> unmatched;  ///< of whom the roster knows nothing
  std::vector<std::string> missing;    ///< students of the roster of whom there is nothing
  std::vector<std::string> unknown;    ///< rows of the course's files about nobody
};

/// What the comparison of submissions needs beside their texts, which lie with the results.
struct ShardSources {
  struct Source {
    std::string student;
    bool compiled = false;  ///< the fingerprints in the student's result are of this text
  };
  std::vector<Source> sources;
  std::vector<std::string> template_ptx;  ///< fingerprints of what students started from
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
  std::optional<ShardSources> sources;  ///< only where submissions are to be compared
};

bool is_shard_folder(const std::filesystem::path& folder);

/// Throws a usage error, "FOLDER is no shard's: …", for a folder without a record that can be read.
GradeShard read_grade_shard(const std::filesystem::path& folder);
/// Throws an environment error.
void write_grade_shard(const std::filesystem::path& folder, const GradeShard& shard);

/// Throws a usage error if a folder for results is a shard's, and not of this one. Null: of no shard.
void require_own_folder(const std::filesystem::path& folder, const ShardContext* shard);

}  // namespace warpmark
