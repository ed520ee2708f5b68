#include "mutate/mutation_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "base/error_json.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace {

using Json = nlohmann::json;

Json json_of(const NamedMutant& one) {
  return {{"file", one.where.file},
          {"line", one.where.line},
          {"column", one.where.column},
          {"before", one.before},
          {"after", one.after}};
}

NamedMutant named(const Json& json) {
  return {
      {json.at("file"), json.at("line"), json.at("column")}, json.at("before"), json.at("after")};
}

Json json_of(const std::vector<NamedMutant>& all) {
  Json list = Json::array();
  for (const NamedMutant& one : all) list.push_back(json_of(one));
  return list;
}

std::vector<NamedMutant> all_named(const Json& list) {
  std::vector<NamedMutant> all;
  for (const Json& one : list) all.push_back(named(one));
  return all;
}

template <typename Element>
void append(std::vector<Element>& to, std::vector<Element>& from) {
  to.insert(to.end(), std::move_iterator(from.begin()), std::move_iterator(from.end()));
}

Error warning_of(const LiveMutant& live, const std::string& suite) {
  const std::string hint = live.killer.empty()
                               ? "add a case that fails for it, or accept it under `lint`"
                               : fmt::format("`{}` kills it: add that case", live.killer);
  return usage_error(fmt::format("a mutant lives in {}: {}\n  - {}\n  + {}", suite, live.reason,
                                 live.mutant.before, live.mutant.after),
                     live.mutant.where, hint);
}

// Lines that no suite executes, as ranges without an executed mutant between them.
void add_unexecuted(const std::vector<SuiteMutants>& suites, std::vector<Error>& warnings) {
  std::map<std::string, std::map<int, bool>> lines;  // of files: whether some suite executes it
  const auto add = [&](const NamedMutant& one, bool executed) {
    bool& known = lines[one.where.file].try_emplace(one.where.line, false).first->second;
    known = known || executed;
  };
  for (const SuiteMutants& one : suites) {
    for (const NamedMutant& mutant : one.killed) add(mutant, true);
    for (const NamedMutant& mutant : one.accepted) add(mutant, true);
    for (const LiveMutant& live : one.live) add(live.mutant, true);
    for (const NamedMutant& mutant : one.not_executed) add(mutant, false);
  }
  for (const auto& [file, all] : lines) {
    for (auto at = all.begin(); at != all.end(); ++at) {
      if (at->second) continue;
      const int first = at->first;
      while (std::next(at) != all.end() && !std::next(at)->second) ++at;
      const std::string range = first == at->first
                                    ? fmt::format("line {}", first)
                                    : fmt::format("lines {} to {}", first, at->first);
      warnings.push_back(
          usage_error(fmt::format("no case executes {}, so that any mutant there lives", range),
                      {file, first, 0}));
    }
  }
}

}  // namespace

void SuiteMutants::add(SuiteMutants part) {
  append(killed, part.killed);
  append(live, part.live);
  append(accepted, part.accepted);
  append(not_executed, part.not_executed);
  equivalent += part.equivalent;
  uncompiled += part.uncompiled;
  left_out += part.left_out;
  if (note.empty()) note = part.note;
  if (!refusal) refusal = part.refusal;
}

Json to_json(const SuiteMutants& mutants) {
  Json live = Json::array();
  for (const LiveMutant& one : mutants.live) {
    live.push_back(
        {{"mutant", json_of(one.mutant)}, {"reason", one.reason}, {"killer", one.killer}});
  }
  Json json = {{"suite", mutants.suite},
               {"killed", json_of(mutants.killed)},
               {"live", live},
               {"accepted", json_of(mutants.accepted)},
               {"not_executed", json_of(mutants.not_executed)},
               {"equivalent", mutants.equivalent},
               {"uncompiled", mutants.uncompiled},
               {"left_out", mutants.left_out},
               {"note", mutants.note}};
  if (mutants.refusal) json["refusal"] = error_json(*mutants.refusal);
  return json;
}

SuiteMutants suite_mutants(const Json& json) {
  SuiteMutants mutants;
  mutants.suite = json.at("suite");
  mutants.killed = all_named(json.at("killed"));
  for (const Json& one : json.at("live")) {
    mutants.live.push_back({named(one.at("mutant")), one.at("reason"), one.at("killer")});
  }
  mutants.accepted = all_named(json.at("accepted"));
  mutants.not_executed = all_named(json.at("not_executed"));
  mutants.equivalent = json.at("equivalent");
  mutants.uncompiled = json.at("uncompiled");
  mutants.left_out = json.at("left_out");
  mutants.note = json.at("note");
  if (json.contains("refusal")) mutants.refusal = error_from(json.at("refusal"));
  return mutants;
}

std::string summary_of(const SuiteMutants& mutants) {
  if (!mutants.note.empty()) return fmt::format("mutants of {}: {}", mutants.suite, mutants.note);
  std::string text = fmt::format("mutants of {}: {} of {} killed", mutants.suite,
                                 mutants.killed.size(), mutants.counted());
  const auto add = [&](uint64_t count, const char* what) {
    if (count > 0) text += fmt::format(", {} {}", count, what);
  };
  add(mutants.equivalent, "equivalent");
  add(mutants.live.size(), "live");
  add(mutants.accepted.size(), "accepted");
  add(mutants.not_executed.size(), "not executed");
  add(mutants.left_out, "left out");
  return text;
}

std::vector<Error> mutant_warnings(const std::vector<SuiteMutants>& suites) {
  std::set<std::string> killed;
  for (const SuiteMutants& one : suites) {
    for (const NamedMutant& mutant : one.killed) killed.insert(mutant.key());
    for (const NamedMutant& mutant : one.accepted) killed.insert(mutant.key());
  }
  std::vector<Error> warnings;
  std::set<std::string> told;
  for (const SuiteMutants& one : suites) {
    for (const LiveMutant& live : one.live) {
      const std::string key = live.mutant.key();
      if (killed.contains(key) || !told.insert(key).second) continue;
      warnings.push_back(warning_of(live, one.suite));
    }
  }
  add_unexecuted(suites, warnings);
  std::ranges::stable_sort(warnings, {}, [](const Error& one) {
    return std::tuple(one.where().file, one.where().line, one.where().column, one.message());
  });
  return warnings;
}

}  // namespace warpmark
