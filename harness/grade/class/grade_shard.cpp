#include "grade/class/grade_shard.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/text.hpp"
#include "results/outcome_record.hpp"
#include "results/record_field.hpp"

namespace warpmark {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr int kShardVersion = 1;
constexpr const char* kFile = "shard.json";

Json json_of(const GradeShard& shard) {
  Json submissions = Json::array(), files = Json::object();
  for (const GradeShard::Part& one : shard.submissions) {
    submissions.push_back({{"position", one.position}, {"student", one.student}});
  }
  for (const auto& [name, hash] : shard.files) files[name] = hash;
  Json json = {{"grade_shard", kShardVersion},
               {"index", shard.shard.index},
               {"count", shard.shard.count},
               {"class", shard.shard.cases},
               {"division", shard.shard.division},
               {"finished", shard.finished},
               {"warpmark", shard.warpmark},
               {"assignment", shard.assignment},
               {"assignment_sha256", shard.assignment_sha256},
               {"assignment_version", shard.assignment_version},
               {"device", shard.device},
               {"driver_version", shard.driver_version},
               {"nvrtc_version", shard.nvrtc_version},
               {"no_sandbox", shard.no_sandbox},
               {"files", std::move(files)},
               {"submissions", std::move(submissions)},
               {"notes",
                {{"left_out", shard.notes.left_out},
                 {"unmatched", shard.notes.unmatched},
                 {"missing", shard.notes.missing},
                 {"unknown", shard.notes.unknown}}}};
  if (!shard.sources) return json;
  Json sources = Json::array();
  for (const ShardSources::Source& one : shard.sources->sources) {
    sources.push_back({{"student", one.student}, {"compiled", one.compiled}});
  }
  json["similar"] = {{"sources", std::move(sources)},
                     {"template_ptx", shard.sources->template_ptx}};
  return json;
}

size_t count_of(const RecordField& field) {
  const int64_t number = field.integer();
  if (number < 0) throw field.wrong("must not be negative");
  return static_cast<size_t>(number);
}

GradeShard shard_of(const RecordField& record) {
  const RecordField version = record.member("grade_shard");
  if (version.integer() != kShardVersion) {
    throw version.wrong(fmt::format("must be {}, not {}", kShardVersion, version.integer()));
  }
  GradeShard shard;
  shard.shard = {count_of(record.member("index")), count_of(record.member("count")),
                 count_of(record.member("class")), record.member("division").text(), ""};
  const RecordField index = record.member("index");
  if (shard.shard.index < 1 || shard.shard.index > shard.shard.count)
    throw index.wrong(fmt::format("is of no shard of {}", shard.shard.count));
  shard.finished = record.member("finished").boolean();
  shard.warpmark = record.member("warpmark").text();
  shard.assignment = record.member("assignment").text();
  shard.assignment_sha256 = record.member("assignment_sha256").text();
  shard.assignment_version = record.member("assignment_version").text();
  shard.device = record.member("device").text();
  shard.driver_version = record.member("driver_version").text();
  shard.nvrtc_version = record.member("nvrtc_version").text();
  shard.no_sandbox = record.member("no_sandbox").boolean();
  for (const auto& [name, hash] : record.member("files").members())
    shard.files.emplace_back(name, hash.text());
  for (const RecordField& one : record.member("submissions").elements()) {
    shard.submissions.push_back({count_of(one.member("position")), one.member("student").text()});
  }
  const RecordField notes = record.member("notes");
  shard.notes = {notes.member("left_out").texts(), notes.member("unmatched").texts(),
                 notes.member("missing").texts(), notes.member("unknown").texts()};
  const auto similar = record.find("similar");
  if (!similar) return shard;
  shard.sources.emplace();
  shard.sources->template_ptx = similar->member("template_ptx").texts();
  for (const RecordField& one : similar->member("sources").elements()) {
    shard.sources->sources.push_back(
        {one.member("student").text(), one.member("compiled").boolean()});
  }
  return shard;
}

}  // namespace

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
  return shard_of(RecordField(json, where, "schema/grade_shard.json"));
}

void write_grade_shard(const fs::path& folder, const GradeShard& shard) {
  write_file_atomically(folder / kFile, json_document(strict_json(json_of(shard))));
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
