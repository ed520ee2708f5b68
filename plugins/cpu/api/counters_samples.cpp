// Samples of traffic and of branches as JSON, worst lines first.
#include <algorithm>
#include <bit>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "api/branch_ways.hpp"
#include "api/json_text.hpp"
#include "api/report.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

using Json = nlohmann::ordered_json;

// The lines, and the branches beside the one warp's, of which a launch has samples.
constexpr std::size_t kMostAccesses = 8, kMostBranches = 8;
constexpr std::uint64_t kLine = 128;     // bytes of a line of the caches
constexpr std::uint64_t kLocalWord = 4;  // bytes of a lane that lie side by side in local memory

constexpr std::string_view kKindNames[kTrafficKinds] = {
#define KIND(name, ...) #name,
#include "warpmark/counters.def"
};

bool is_of(TrafficKind kind, std::string_view space) {
  return kKindNames[static_cast<std::size_t>(kind)].find(space) != std::string_view::npos;
}
bool is_load(TrafficKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)].ends_with("load");
}
bool is_atomic(TrafficKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)].ends_with("atomic");
}

std::uint64_t excess_of(const Measures& measures) {
  const auto beyond = [&](Measure all, Measure ideal) {
    return measures[all] - std::min(measures[all], measures[ideal]);
  };
  return beyond(Measure::sectors, Measure::ideal_sectors) +
         beyond(Measure::wavefronts, Measure::ideal_wavefronts) + measures[Measure::turns];
}

bool put_line(Json& json, const Program& program, const Statement* statement) {
  if (statement == nullptr || !is_located(*program.module, statement->location)) return false;
  json["file"] = safe(program.module->files.at(statement->location.file));
  json["line"] = statement->location.line;
  return true;
}

void put_place(Json& json, const WarpPlace& place) {
  json["block"] = place.block;
  json["warp"] = place.warp;
}

// The allocation by its label, and how many bytes of it are before the address.
void put_argument(Json& json, const Arena& arena, std::uint64_t address) {
  const Nearest nearest = arena.nearest(address, 1);
  if (nearest.allocation == nullptr || nearest.allocation->label.empty() ||
      nearest.side != Nearest::Side::inside)
    return;
  json["argument"] = safe(nearest.allocation->label);
  if (!nearest.allocation->dtype.empty()) json["dtype"] = safe(nearest.allocation->dtype);
  json["offset"] = static_cast<std::int64_t>(address - nearest.allocation->label_address);
}

Json access_json(const AccessSample& sample, TrafficKind kind, const Arena& arena) {
  Json json;
  json["kind"] = kKindNames[static_cast<std::size_t>(kind)];
  put_place(json, sample.place);
  json["bytes"] = sample.bytes;
  std::uint64_t at[32];
  std::ranges::copy(sample.at, std::begin(at));
  const bool global = is_of(kind, "global"), local = is_of(kind, "local");
  std::uint32_t lanes = sample.lanes;
  if (is_of(kind, "shared") && !is_atomic(kind))
    lanes = slowest_part(at, lanes, sample.bytes, is_load(kind));
  json["lanes"] = lanes;
  if (lanes != sample.lanes) json["all_lanes"] = sample.lanes;
  std::uint64_t least = ~std::uint64_t{0};
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    least = std::min(least, at[std::countr_zero(rest)]);
  const std::uint64_t base = global  ? least - least % kLine
                             : local ? least - least % kLocalWord
                                     : 0;
  Json places = Json::array();
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    places.push_back(at[std::countr_zero(rest)] - base);
  json["places"] = std::move(places);
  if (global) put_argument(json, arena, least);
  for (std::size_t i = 0; i < kMeasures; ++i) {
    const auto measure = static_cast<Measure>(i);
    const bool said =
        measure == Measure::requests || measure == Measure::bytes || measure == Measure::row_excess;
    if (!said && sample.measures[measure] != 0)
      json[std::string(kMeasureNames[i])] = sample.measures[measure];
  }
  return json;
}

// The sample of each line and kind of traffic with the most excess; the lines by that of all their
// requests.
Json accesses_json(const Program& program, const LaunchShape& shape, const Profile& profile,
                   const Arena& arena) {
  struct Found {
    std::uint64_t all = 0;
    std::uint32_t site = 0;
    const AccessSample* worst = nullptr;
  };
  std::map<std::tuple<std::uint32_t, std::uint32_t, TrafficKind>, Found> lines;
  const std::vector<TrafficMap::Site>& sites = shape.traffic->sites();
  for (const auto& [site, sample] : profile.samples.accesses) {
    const Statement* statement = program.statement(program.code[sites[site].instruction].statement);
    if (statement == nullptr || !is_located(*program.module, statement->location)) continue;
    Found& found = lines[{statement->location.file, statement->location.line, sites[site].kind}];
    found.all += excess_of(profile.sites[site]);
    if (found.worst != nullptr && found.worst->excess >= sample.excess) continue;
    found.site = site;
    found.worst = &sample;
  }
  std::vector<const Found*> order;
  for (const auto& [place, found] : lines) order.push_back(&found);
  std::ranges::stable_sort(order, [](const Found* a, const Found* b) { return a->all > b->all; });
  if (order.size() > kMostAccesses) order.resize(kMostAccesses);
  Json all = Json::array();
  for (const Found* found : order) {
    Json json;
    put_line(json, program,
             program.statement(program.code[sites[found->site].instruction].statement));
    json.update(access_json(*found->worst, sites[found->site].kind, arena));
    all.push_back(std::move(json));
  }
  return all;
}

class Branches {
 public:
  explicit Branches(const Program& program) : program_(program) {}

  // Null for what only the compiler knows as a branch.
  Json json(const Parting& parting) {
    const BasicBlock& node = program_.blocks[parting.node];
    Json json;
    if (node.weight == 0) return nullptr;
    const Program::Source* source = source_of(node.statement);
    if (source == nullptr || !put_line(json, program_, program_.statement(node.statement)))
      return nullptr;
    json["lanes"] = parting.lanes;
    json["taken"] = parting.taken;
    const std::uint32_t index = node.statement - source->first;
    const Function& function = *source->function;
    const Statement& statement = function.statements[index];
    if (statement.facts->mnemonic != Mnemonic::bra) return json;
    const BranchWays& ways =
        ways_.try_emplace(source->function, *program_.module, function).first->second;
    const std::vector<std::uint32_t> targets = branch_targets(function, index);
    if (const auto to = ways.line(targets.at(0), statement.location)) json["to"] = *to;
    if (const auto to = ways.line(targets.at(1), statement.location)) json["other"] = *to;
    return json;
  }

 private:
  [[nodiscard]] const Program::Source* source_of(std::uint32_t number) const {
    const Program::Source* found = nullptr;
    for (const Program::Source& one : program_.sources) {
      if (one.first <= number) found = &one;
    }
    return found;
  }

  const Program& program_;
  std::map<const Function*, BranchWays> ways_;
};

}  // namespace

std::string render_samples(const Kernel& kernel, const LaunchShape& shape, const Profile& profile,
                           const Arena& arena) {
  const Program& program = kernel.code->checked;
  Json json;
  json["accesses"] = accesses_json(program, shape, profile, arena);
  Branches branches(program);
  std::set<std::uint32_t> shown;
  if (profile.samples.way) {
    const WarpWay& way = *profile.samples.way;
    Json& one = json["way"];
    put_place(one, way.place);
    one["count"] = way.count;
    one["partings"] = Json::array();
    for (const Parting& parting : way.partings) {
      shown.insert(parting.node);
      Json made = branches.json(parting);
      if (made.is_object()) one["partings"].push_back(std::move(made));
    }
  }
  Json others = Json::array();
  for (const auto& [node, first] : profile.samples.partings) {
    if (shown.contains(node) || others.size() == kMostBranches) continue;
    Json made = branches.json(first.second);
    if (!made.is_object()) continue;
    put_place(made, first.first);
    others.push_back(std::move(made));
  }
  json["partings"] = std::move(others);
  return ",\"samples\":" + json_text(json);
}

}  // namespace warpmark::cpu
