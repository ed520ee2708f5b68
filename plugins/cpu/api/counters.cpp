// Counters of traffic as JSON: of a whole launch, and of each line of its source.
#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/json_text.hpp"
#include "api/report.hpp"
#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kClassNames[kClasses] = {
#define CLASS(name) #name,
#include "warpmark/counters.def"
};

// The statements of a block of the graph, as Instruction::statement counts them.
template <typename Body>
void for_statements(const Program& program, const BasicBlock& block, Body body) {
  if (block.weight == 0) return;
  for (std::uint32_t i = block.statement + 1 - block.weight; i <= block.statement; ++i) {
    if (const Statement* statement = program.statement(i)) body(*statement);
  }
}

bool is_branch(const Program& program, const BasicBlock& block) {
  if (block.exit != Exit::branch || block.weight == 0) return false;
  const Statement* statement = program.statement(block.statement);
  return statement != nullptr && (statement->facts->mnemonic == Mnemonic::bra ||
                                  statement->facts->mnemonic == Mnemonic::brx);
}

// Counts of the statements of a launch, or of one line.
struct Executed {
  ClassCounts threads{}, warps{};
  std::uint64_t branches = 0, divergent = 0;
  std::uint64_t all_threads = 0, all_warps = 0;
  std::uint64_t executions = 0;  ///< warps that reached the most executed statement
};

void add(Executed& to, const Statement& statement, const Visits& visits) {
  const auto which = static_cast<std::size_t>(statement.facts->which);
  to.threads[which] += visits.lanes;
  to.warps[which] += visits.warps;
  to.all_threads += visits.lanes;
  to.all_warps += visits.warps;
  to.executions = std::max(to.executions, visits.warps);
}

// How many blocks of the launch a multiprocessor takes, and what keeps it from taking more.
Json occupancy(const Kernel& kernel, const LaunchShape& shape) {
  const std::uint64_t threads = std::uint64_t{shape.block[0]} * shape.block[1] * shape.block[2];
  const std::uint64_t warps = (threads + 31) / 32;
  const std::uint64_t blocks = active_blocks(kernel, threads, shape.dynamic_shared);
  const std::uint64_t by_warps = std::min<std::uint64_t>(32, 64 / warps);
  const std::uint64_t by_registers = std::min(by_warps, warps_with_registers(kernel) / warps);
  const char* limit = blocks < by_registers     ? "shared memory"
                      : by_registers < by_warps ? "registers"
                      : blocks == 32            ? "blocks"
                                                : "warps";
  Json json = {{"blocks", blocks},
               {"warps", blocks * warps},
               {"most_warps", 64},
               {"limited_by", limit},
               {"shared_bytes", shape.dynamic_shared + kernel.code->checked.shared_bytes}};
  if (kernel.registers != 0) json["registers"] = kernel.registers;
  return json;
}

using Line = std::pair<std::string_view, std::uint32_t>;  // file, line

struct LineCounts {
  Executed executed;
  std::array<Measures, kTrafficKinds> traffic{};
};

class Lines {
 public:
  explicit Lines(const Program& program) : program_(program) {}
  // Null if nobody knows where the statement comes from.
  LineCounts* of(const Statement* statement) {
    if (statement == nullptr) return nullptr;
    const auto file = program_.module->files.find(statement->location.file);
    if (file == program_.module->files.end() || statement->location.line == 0) return nullptr;
    return &lines_[{file->second, statement->location.line}];
  }
  [[nodiscard]] Json json() const;

 private:
  const Program& program_;
  std::map<Line, LineCounts> lines_;
};

void set(Json& json, const std::string& name, std::uint64_t value) {
  if (value != 0) json[name] = value;
}

Json Lines::json() const {
  Json all = Json::array();
  for (const auto& [place, counts] : lines_) {
    Json line;
    line["file"] = safe(place.first);
    line["line"] = place.second;
    const Executed& executed = counts.executed;
    set(line, "executions", executed.executions);
    set(line, "ptx_thread_instructions", executed.all_threads);
    set(line, "ptx_warp_instructions", executed.all_warps);
    set(line, "ptx_branches", executed.branches);
    set(line, "ptx_divergent_branches", executed.divergent);
    for (const TrafficCounter& counter : traffic_counters()) {
      set(line, counter.name,
          counts.traffic[static_cast<std::size_t>(counter.kind)][counter.measure]);
    }
    all.push_back(std::move(line));
  }
  return all;
}

}  // namespace

std::string choose_counters(const std::vector<std::string>& names, Limits& limits) {
  bool traffic = false, lines = false, samples = false, coverage = false;
  for (const std::string& name : names) {
    if (name == "traffic")
      traffic = true;
    else if (name == "lines")
      traffic = lines = true;
    else if (name == "samples")
      traffic = samples = true;
    else if (name == "coverage")
      coverage = true;
    else if (name != "basic")
      return name.empty() ? "\"\"" : name;
  }
  limits.traffic = traffic;
  limits.lines = lines;
  limits.samples = samples;
  limits.coverage = coverage;
  return "";
}

std::string render_profile(const Kernel& kernel, const LaunchShape& shape,
                           const LaunchResult& result, bool with_lines) {
  const Program& program = kernel.code->checked;
  const Profile& profile = result.profile;
  Executed executed;
  Lines lines(program);
  for (std::size_t node = 0; node < profile.visits.size(); ++node) {
    const Visits& visits = profile.visits[node];
    if (visits.warps == 0) continue;
    const BasicBlock& block = program.blocks[node];
    for_statements(program, block, [&](const Statement& statement) {
      add(executed, statement, visits);
      LineCounts* line = with_lines ? lines.of(&statement) : nullptr;
      if (line != nullptr) add(line->executed, statement, visits);
    });
    if (!is_branch(program, block)) continue;
    executed.branches += visits.warps;
    executed.divergent += profile.divergences[node];
    LineCounts* line = with_lines ? lines.of(program.statement(block.statement)) : nullptr;
    if (line == nullptr) continue;
    line->executed.branches += visits.warps;
    line->executed.divergent += profile.divergences[node];
  }
  std::array<Measures, kTrafficKinds> traffic{};
  const std::vector<TrafficMap::Site>& sites = shape.traffic->sites();
  for (std::size_t i = 0; i < profile.sites.size(); ++i) {
    const auto kind = static_cast<std::size_t>(sites[i].kind);
    traffic[kind].add(profile.sites[i]);
    LineCounts* line =
        with_lines && profile.sites[i][Measure::requests] != 0
            ? lines.of(program.statement(program.code[sites[i].instruction].statement))
            : nullptr;
    if (line != nullptr) line->traffic[kind].add(profile.sites[i]);
  }

  Json json;
  const std::uint64_t threads = std::uint64_t{shape.block[0]} * shape.block[1] * shape.block[2];
  const std::uint64_t blocks = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
  json["blocks"] = blocks;
  json["warps"] = blocks * ((threads + 31) / 32);
  json["threads"] = blocks * threads;
  json["ptx_branches"] = executed.branches;
  json["ptx_divergent_branches"] = executed.divergent;
#define GREATEST(name) json[#name] = profile.name;
#include "warpmark/counters.def"
  for (std::size_t i = 0; i < kClasses; ++i) {
    const std::string name = "ptx_" + std::string(kClassNames[i]);
    json[name + "_thread_instructions"] = executed.threads[i];
    json[name + "_warp_instructions"] = executed.warps[i];
  }
  for (const TrafficCounter& counter : traffic_counters()) {
    if (counter.basic) continue;
    json[counter.name] = traffic[static_cast<std::size_t>(counter.kind)][counter.measure];
  }
  json["occupancy"] = occupancy(kernel, shape);
  if (with_lines) json["lines"] = lines.json();
  std::string text = json_text(json);
  text.front() = ',';
  text.pop_back();
  return text;
}

}  // namespace warpmark::cpu
