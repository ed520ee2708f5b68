#include "grade/class/grade_shard.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/record_table.hpp"
#include "results/outcome_record.hpp"

namespace warpmark {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr int kShardVersion = 1;
constexpr const char* kFile = "shard.json";
constexpr const char* kSha256 = "^[0-9a-f]{64}$";

}  // namespace

template <typename Visit>
void each_field(ShardSources::Source& one, const Visit& visit) {
  visit("student", one.student);
  visit({"compiled", "`ptx_prints` of the student's result are of this text."}, one.compiled);
}

template <typename Visit>
void each_field(ShardSources& similar, const Visit& visit) {
  visit("sources", similar.sources);
  visit({"template_ptx", "Fingerprints of the template."}, similar.template_ptx);
}

template <typename Visit>
void each_field(ClassNotes& notes, const Visit& visit) {
  visit({"left_out", "Files that are no submission."}, notes.left_out);
  visit({"unmatched", "Students whom the roster does not have."}, notes.unmatched);
  visit({"missing", "Students of the roster without a submission."}, notes.missing);
  visit({"unknown", "Rows of the course's files about unknown students."}, notes.unknown);
}

template <typename Visit>
void each_field(GradeShard::Part& one, const Visit& visit) {
  visit({"position", "In the whole class, from 0."}, one.position);
  visit("student", one.student);
}

template <typename Visit>
void each_field(GradeShard& shard, const Visit& visit) {
  visit({"grade_shard", "The version of this format."}, Constant{kShardVersion});
  visit(FieldInfo("index", "Of the shard, from 1.").at_least(1), shard.shard.index);
  visit(FieldInfo("count", "Of the shards.").at_least(1), shard.shard.count);
  visit(FieldInfo("class", "Submissions of all shards together.").at_least(1), shard.shard.cases);
  visit(
      FieldInfo("division", "A SHA-256 of the division of submissions into shards.").like(kSha256),
      shard.shard.division);
  visit({"finished", "Each submission has its result. The device is empty before."},
        shard.finished);
  visit({"warpmark", "The version of the program."}, shard.warpmark);
  visit({"assignment", "The assignment's id."}, shard.assignment);
  visit(FieldInfo("assignment_sha256", "Of the assignment and all that it names.").like(kSha256),
        shard.assignment_sha256);
  visit({"assignment_version",
         "The same keyed by the course's secret, which is the seed of all inputs."},
        shard.assignment_version);
  visit({"device", "Its name and architecture."}, shard.device);
  visit("driver_version", shard.driver_version);
  visit("nvrtc_version", shard.nvrtc_version);
  visit({"no_sandbox", "True if --no-sandbox was given."}, shard.no_sandbox);
  visit(FieldInfo("files", "The SHA-256 of each file that says what applies to students.")
            .one_of("roster,extensions,adjustments,times")
            .like(kSha256),
        ByName{shard.files});
  visit({"submissions", "Those of this shard."}, shard.submissions);
  visit({"notes",
         "Sentences about the whole class, which every shard finds and `warpmark merge` prints."},
        shard.notes);
  visit(FieldInfo("similar",
                  "Only with --similar: the data that compare submissions. Their texts "
                  "are OUT/staff/NAME/similar.txt, the template's OUT/staff/.template.")
            .if_set(),
        shard.sources);
}

static void check_record(const RecordField& record, const GradeShard& shard) {
  if (shard.shard.index > shard.shard.count)
    throw record.member("index").wrong(fmt::format("is of no shard of {}", shard.shard.count));
}

RecordJson grade_shard_schema() {
  return schema_document(
      "grade_shard",
      fmt::format("The part of a class in the folder of `warpmark grade --shard`, version {}",
                  kShardVersion),
      "OUT/shard.json, for `warpmark merge`. It names students: keep it from them.",
      record_schema(GradeShard(), /*closed=*/true));
}

bool is_shard_folder(const fs::path& folder) {
  std::error_code code;
  return fs::exists(folder / kFile, code);
}

GradeShard read_grade_shard(const fs::path& folder) {
  if (!is_shard_folder(folder)) {
    throw usage_error(fmt::format("{} is no shard's: it has no {}", display_path(folder), kFile),
                      {}, "`warpmark grade --shard I/N -o OUT` writes OUT");
  }
  const fs::path file = folder / kFile;
  const Json json = try_parse_ordered_json(read_file(file));
  if (!json.is_object()) {
    throw usage_error(
        fmt::format("{} is no shard's: its {} is no JSON of one", display_path(folder), kFile), {},
        "run that shard again");
  }
  const Position where{display_path(file), 0, 0};
  GradeShard shard;
  read_record(RecordField(json, where, "schema/grade_shard.json"), shard);
  return shard;
}

void write_grade_shard(const fs::path& folder, const GradeShard& shard) {
  write_file_atomically(folder / kFile, json_document(strict_json(record_json(shard))));
}

void require_own_folder(const fs::path& folder, const ShardContext* shard) {
  if (!is_shard_folder(folder)) return;
  const ShardContext there = read_grade_shard(folder).shard;
  if (shard != nullptr && there.index == shard->index && there.count == shard->count) return;
  throw usage_error(fmt::format("the folder of -o, {}, is of shard {} of {}", display_path(folder),
                                there.index, there.count),
                    {}, "each shard needs a separate folder, and so does the merged class");
}

}  // namespace warpmark
