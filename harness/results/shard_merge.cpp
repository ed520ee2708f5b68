#include "results/shard_merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/log_text.hpp"
#include "base/text.hpp"
#include "results/exit_code.hpp"
#include "results/journal.hpp"
#include "results/outcome_record.hpp"
#include "results/run_fields.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Error no_shard(const fs::path& file, const std::string& why) {
  return usage_error(fmt::format("{} is no shard's: {}", display_path(file), why), {},
                     "a run with --shard writes them");
}

// The members that all parts of a run have in common, with the words for them in errors.
const std::vector<std::pair<std::string, std::string>>& common_members() {
  static const std::vector<std::pair<std::string, std::string>> kMembers = {
      {"the version of Warpmark", "/warpmark"},
      {"the seed", "/seed"},
      {"the number of trials", "/trials"},
      {"the device", "/device/name"},
      {"the device's architecture", "/device/architecture"},
      {"the target of compilation", "/device/target"},
      {"the driver's version", "/device/driver_version"},
      {"the version of NVRTC", "/device/nvrtc_version"},
      {"the choice of cases", "/asked_cases"},
      {"the choice of cases", "/asked_select"},
      {"the number of cases that were left out", "/deselected"}};
  return kMembers;
}

struct JournalPart {
  fs::path file;
  JournalContents contents;
};

ShardPart part_of(const JournalPart& journal) {
  ShardPart part{journal.file, {}, {}};
  if (!journal.contents.run.contains("shard")) throw no_shard(journal.file, "it is of a whole run");
  part.shard = shard_from(journal.contents.run["shard"], journal.file);
  for (const Json& record : journal.contents.cases) {
    const auto found = record.find("position");
    if (found == record.end() || !found->is_number_unsigned()) {
      throw no_shard(journal.file, "a case has no position");
    }
    part.positions.push_back(found->get<size_t>());
  }
  return part;
}

ExitCode exit_code_of(const Json& end) {
  return static_cast<ExitCode>(end.at("exit_code").get<int>());
}

// The exit code of the whole from the last records of two parts. Two codes hold for the whole only
// if no part has another code: that every case was skipped, and that nothing could be loaded, which
// leaves no error message.
ExitCode of_the_whole(const Json& a, const Json& b) {
  const ExitCode code = graver(exit_code_of(a), exit_code_of(b));
  if (exit_code_of(a) == exit_code_of(b)) return code;
  if (code == ExitCode::skipped) return ExitCode::success;
  const Json& graver_end = exit_code_of(a) == code ? a : b;
  const bool nothing_loaded = (code == ExitCode::usage || code == ExitCode::environment) &&
                              graver_end.at("error").is_null();
  const ExitCode other = exit_code_of(a) == code ? exit_code_of(b) : exit_code_of(a);
  const bool judged = graver(other, ExitCode::verdict) == ExitCode::verdict;
  return nothing_loaded && judged ? ExitCode::verdict : code;
}

Json merged_end(const std::vector<JournalPart>& journals) {
  Json end = *journals.front().contents.end;
  for (size_t i = 1; i < journals.size(); ++i) {
    const Json& other = *journals[i].contents.end;
    for (const char* count : {"passed", "failed", "skipped", "interrupted", "not_run", "seconds"}) {
      if (!end[count].is_number() || !other.at(count).is_number()) continue;
      if (end[count].is_number_float() || other.at(count).is_number_float()) {
        end[count] = end[count].get<double>() + other.at(count).get<double>();
      } else {
        end[count] = end[count].get<int64_t>() + other.at(count).get<int64_t>();
      }
    }
    end["exit_code"] = static_cast<int>(of_the_whole(end, other));
    if (end["error"].is_null()) end["error"] = other.at("error");
  }
  return end;
}

// The text of each object of the array that begins after `at`. The text is trusted to be well
// formed, since it was read as JSON before.
std::vector<std::string> object_texts(const std::string& text, size_t at) {
  std::vector<std::string> objects;
  int depth = 0;
  bool quoted = false;
  size_t begin = 0;
  for (; at < text.size(); ++at) {
    const char one = text[at];
    if (quoted) {
      if (one == '\\') ++at;
      if (one == '"') quoted = false;
    } else if (one == '"') {
      quoted = true;
    } else if (one == '{' && depth++ == 0) {
      begin = at;
    } else if (one == '}' && --depth == 0) {
      objects.push_back(text.substr(begin, at + 1 - begin));
    } else if (one == ']' && depth == 0) {
      break;
    }
  }
  return objects;
}

}  // namespace

ShardContext shard_from(const Json& value, const fs::path& file) {
  ShardContext shard;
  try {
    read_record(RecordField(value, Position{display_path(file), 0, 0}), shard);
  } catch (const Error&) {
    throw no_shard(file, "what it says of its shard cannot be read");
  }
  if (shard.index > shard.count || shard.count > shard.cases) {
    throw no_shard(file, fmt::format("there is no shard {} of {}", shard.index, shard.count));
  }
  return shard;
}

void require_same(const std::string& what, const Json& value, const Json& first,
                  const fs::path& file, const fs::path& first_file) {
  if (value == first) return;
  throw usage_error(fmt::format("{}: {} is {}, and in {} it is {}: these are not parts of one run",
                                display_path(file), what, printable(json_line(value)),
                                display_path(first_file), printable(json_line(first))));
}

namespace {

// The first name whose value differs or is missing in either map; "" if they are equal.
std::string difference(const std::map<std::string, std::string>& one,
                       const std::map<std::string, std::string>& other) {
  for (const auto& [name, value] : one) {
    const auto there = other.find(name);
    if (there == other.end() || there->second != value) return name;
  }
  return one.size() == other.size() ? "" : difference(other, one);
}

// Verdicts with other settings, or about other files, do not belong to one run.
void require_same_run(const ShardPart& part, const ShardPart& first) {
  const std::string setting = difference(part.shard.settings, first.shard.settings);
  if (!setting.empty()) {
    const auto value = [&](const ShardPart& of) {
      const auto found = of.shard.settings.find(setting);
      return found == of.shard.settings.end() ? std::string("not given")
                                              : "`" + printable(found->second) + "`";
    };
    throw usage_error(
        fmt::format("{}: the option `{}` is {}, and in {} it is {}: these are not "
                    "parts of one run",
                    display_path(part.file), printable(setting), value(part),
                    display_path(first.file), value(first)));
  }
  const std::string suite = difference(part.shard.texts, first.shard.texts);
  if (suite.empty()) return;
  throw usage_error(
      fmt::format("{} and {} have other files of the suite {}: these are not parts of one run",
                  display_path(first.file), display_path(part.file), printable(suite)),
      {}, "all shards need the same suite, kernels and headers");
}

}  // namespace

std::vector<CasePlace> whole_run(const std::vector<ShardPart>& parts, const ShardWords& words) {
  if (parts.empty()) throw usage_error("there is nothing to merge");
  const ShardPart& first = parts.front();
  std::map<size_t, const ShardPart*> seen;
  for (const ShardPart& part : parts) {
    require_same("the number of shards", part.shard.count, first.shard.count, part.file,
                 first.file);
    require_same(fmt::format("the number of {} of all shards", words.all), part.shard.cases,
                 first.shard.cases, part.file, first.file);
    require_same_run(part, first);
    if (part.shard.division != first.shard.division) {
      throw usage_error(
          fmt::format("{} and {} divide the {} in different ways", display_path(first.file),
                      display_path(part.file), words.all),
          {}, fmt::format("all shards need {} and the same --shard-times", words.division));
    }
    const auto [place, is_new] = seen.emplace(part.shard.index, &part);
    if (is_new) continue;
    throw usage_error(fmt::format("shard {} of {} is there twice: {} and {}", part.shard.index,
                                  part.shard.count, display_path(place->second->file),
                                  display_path(part.file)));
  }
  std::vector<std::string> missing;
  for (size_t index = 1; index <= first.shard.count; ++index) {
    if (!seen.contains(index)) missing.push_back(std::to_string(index));
  }
  if (!missing.empty()) {
    throw usage_error(fmt::format("of {} shards {} missing: {}", first.shard.count,
                                  missing.size() == 1 ? "one is" : "some are",
                                  join(missing, ", ")));
  }
  const auto in_no_shard = [&](size_t count) {
    return usage_error(
        fmt::format("{} of {} {} are in no shard", count, first.shard.cases, words.all), {},
        "a shard was ended early: run it again");
  };
  size_t given = 0;
  for (const ShardPart& part : parts) given += part.positions.size();
  // This comes before the allocation, since a damaged file may claim any number of cases.
  if (given < first.shard.cases) throw in_no_shard(first.shard.cases - given);
  std::vector<std::optional<CasePlace>> places(first.shard.cases);
  for (size_t i = 0; i < parts.size(); ++i) {
    for (size_t j = 0; j < parts[i].positions.size(); ++j) {
      const size_t position = parts[i].positions[j];
      if (position >= places.size() || places[position]) {
        throw usage_error(fmt::format("{}: {} {} of {} is there twice, or is none",
                                      display_path(parts[i].file), words.one, position + 1,
                                      places.size()));
      }
      places[position] = CasePlace{i, j};
    }
  }
  std::vector<CasePlace> whole;
  for (const auto& place : places) {
    if (!place) {
      throw in_no_shard(
          static_cast<size_t>(std::count(places.begin(), places.end(), std::nullopt)));
    }
    whole.push_back(*place);
  }
  return whole;
}

namespace {

MergedFile merged_journals(const std::vector<fs::path>& files) {
  std::vector<JournalPart> journals;
  std::vector<ShardPart> parts;
  for (const fs::path& file : files) {
    std::vector<JournalContents> runs = read_journal_runs(file);
    if (runs.size() != 1) throw no_shard(file, "it has several runs");
    journals.push_back({file, std::move(runs.front())});
  }
  std::ranges::stable_sort(journals, [](const auto& a, const auto& b) {
    const Json none = Json::object();
    const auto index = [&](const JournalPart& one) {
      return one.contents.run.value("shard", none).value("index", 0);
    };
    return index(a) < index(b);
  });
  parts.reserve(journals.size());
  for (const JournalPart& journal : journals) parts.push_back(part_of(journal));
  const JournalPart& first = journals.front();
  for (const JournalPart& journal : journals) {
    for (const auto& [what, pointer] : common_members()) {
      const Json::json_pointer place(pointer);
      require_same(what, journal.contents.run.value(place, Json()),
                   first.contents.run.value(place, Json()), journal.file, first.file);
    }
    if (!journal.contents.end) {
      throw usage_error(
          fmt::format("{} has no end: its run was ended, or goes on", display_path(journal.file)),
          {}, "run that shard again");
    }
  }
  const std::vector<CasePlace> places = whole_run(parts);
  Json run = first.contents.run;
  for (const JournalPart& journal : journals) {
    run["date"] = std::min(run["date"].get<std::string>(),
                           journal.contents.run.at("date").get<std::string>());
  }
  run["command"] = parts.front().shard.command;
  run["cases"] = places.size();
  run.erase("shard");
  std::string text = record_text(run) + "\n";
  std::vector<Json> lines;
  for (const CasePlace& place : places) {
    Json record = journals[place.part].contents.cases[place.index];
    record.erase("position");
    for (const Json& line : journals[place.part].contents.lines) {
      if (line.value("case", Json()) == record.value("case", Json())) lines.push_back(line);
    }
    text += record_text(record) + "\n";
  }
  for (const Json& line : lines) text += record_text(line) + "\n";
  const Json end = merged_end(journals);
  return {text + record_text(end) + "\n", exit_code_of(end)};
}

}  // namespace

MergedFile merge_journals(const std::vector<fs::path>& files) {
  try {
    return merged_journals(files);
  } catch (const nlohmann::json::exception&) {
    throw usage_error("a journal has a record that Warpmark does not write");
  }
}

MergedFile merge_google_benchmark(const std::vector<fs::path>& files) {
  std::vector<ShardPart> parts;
  std::vector<Json> contexts;
  std::map<size_t, std::string> entries;  // by position
  std::vector<std::pair<size_t, Json>> suites;
  std::set<std::string> known_suites;
  for (const fs::path& file : files) {
    const std::string text = read_file(file);
    const Json json = try_parse_ordered_json(text);
    if (!json.is_object() || !json.contains("context") || !json.contains("benchmarks")) {
      throw no_shard(file, "it is no JSON of Google Benchmark");
    }
    Json context = json["context"];
    if (!context.contains("shard")) throw no_shard(file, "it is of a whole run");
    ShardPart& part = parts.emplace_back(ShardPart{file, shard_from(context["shard"], file), {}});
    try {
      part.positions = context["shard"].at("positions").get<std::vector<size_t>>();
      const std::vector<std::string> texts = object_texts(text, text.find("\"benchmarks\": ["));
      for (size_t i = 0; i < texts.size(); ++i) {
        const auto family = json["benchmarks"].at(i).at("family_index").get<size_t>();
        const size_t position = part.positions.at(family);
        const std::string was = fmt::format("\"family_index\": {},", family);
        std::string entry = texts[i];
        entry.replace(entry.find(was), was.size(), fmt::format("\"family_index\": {},", position));
        entries[position] = std::move(entry);
      }
      const Json& firsts = context["shard"].at("first");
      for (size_t i = 0; i < context.at("suites").size(); ++i) {
        suites.emplace_back(firsts.at(i).get<size_t>(), context["suites"][i]);
      }
    } catch (const std::exception&) {
      throw no_shard(file, "its benchmarks are not those of a shard");
    }
    context.erase("shard");
    contexts.push_back(std::move(context));
  }
  whole_run(parts);
  size_t first = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].shard.index == 1) first = i;
    for (const char* member :
         {"warpmark", "device", "architecture", "driver_version", "nvrtc_version"}) {
      require_same(fmt::format("`{}`", member), contexts[i].value(member, Json()),
                   contexts.front().value(member, Json()), files[i], files.front());
    }
  }
  Json context = contexts[first];
  for (const Json& one : contexts) {
    if (one.contains("date")) context["date"] = std::min(context["date"], one.at("date"));
  }
  context["command"] = parts[first].shard.command;
  std::ranges::sort(suites, {}, [](const auto& one) { return one.first; });
  context["suites"] = Json::array();
  for (auto& [position, suite] : suites) {
    if (known_suites.insert(suite.at("name").get<std::string>()).second) {
      context["suites"].push_back(std::move(suite));
    }
  }
  std::string text =
      "{\n\"context\": " + json_page(strict_json(context)) + ",\n\"benchmarks\": [\n";
  for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
    text += (entry == entries.begin() ? "    " : ",\n    ") + entry->second;
  }
  return {json_without_commands(text + "\n  ]\n}\n")};
}

}  // namespace warpmark
