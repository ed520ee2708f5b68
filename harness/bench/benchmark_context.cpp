#include "bench/benchmark_context.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <optional>

#include "base/file.hpp"
#include "base/sha256.hpp"
#include "results/outcome_record.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;

Json suite_hashes(const std::vector<BenchWork>& work) {
  Json list = Json::array();
  for (const BenchWork& item : work) {
    const Suite& suite = *item.work.which.suite;
    if (!list.empty() && list.back()["name"] == suite.name) continue;  // cases come suite by suite
    Json hash;
    try {
      hash = sha256_hex(read_file(suite.file));
    } catch (const Error&) {  // it was there when it was loaded; the cases' own hashes remain
    }
    list.push_back({{"name", suite.name}, {"sha256", std::move(hash)}});
  }
  return list;
}

// Where each case stands in the whole run, and the first of each of the suites.
Json shard_of(const ShardContext& shard, const std::vector<BenchWork>& work) {
  Json record = shard_record(shard);
  record["positions"] = Json::array();
  record["first"] = Json::array();
  std::string suite;
  for (const BenchWork& item : work) {
    const size_t position = item.work.position.value_or(0);
    record["positions"].push_back(position);
    const std::string& name = item.work.which.suite->name;
    if (record["first"].empty() || name != suite) record["first"].push_back(position);
    suite = name;
  }
  return record;
}

void add_processors(Json& context) {
  const benchmark::CPUInfo& info = benchmark::CPUInfo::Get();
  context["num_cpus"] = info.num_cpus;
  context["mhz_per_cpu"] = std::llround(info.cycles_per_second / 1e6);
  Json caches = Json::array();
  for (const auto& cache : info.caches) {
    caches.push_back({{"type", cache.type},
                      {"level", cache.level},
                      {"size", cache.size},
                      {"num_sharing", cache.num_sharing}});
  }
  context["caches"] = std::move(caches);
  context["load_avg"] = info.load_avg;
}

}  // namespace

Json benchmark_context(const RunContext& run, const std::vector<BenchWork>& work) {
  Json context = {{"date", run.date}, {"executable", "warpmark"}};
  add_processors(context);
  context["library_build_type"] = "release";
  context["json_schema_version"] = 1;
  context["warpmark"] = run.version;
  context["command"] = run.command;
  const DeviceFacts& device = run.device;
  context["device"] = device.name;
  context["device_kind"] = device.kind;
  context["device_uuid"] = device.uuid;
  context["architecture"] = device.architecture;
  context["driver_version"] = device.driver_version;
  context["nvrtc_version"] = device.nvrtc_version;
  if (run.bench) {
    const BenchContext& bench = *run.bench;
    context["cuda_version"] = bench.cuda_version;
    context["system"] = bench.host.system;
    context["processor"] = bench.host.processor;
    context["memory_bytes"] = bench.host.memory_bytes;
    context["git_commit"] = bench.git ? Json(bench.git->commit) : Json(nullptr);
    context["git_dirty"] = bench.git ? Json(bench.git->dirty) : Json(nullptr);
    if (bench.ceilings) {
      context["copy_bytes_per_second"] = bench.ceilings->copy_bytes_per_s;
      context["read_bytes_per_second"] = bench.ceilings->read_bytes_per_s;
    }
  }
  context["suites"] = suite_hashes(work);
  if (run.shard) context["shard"] = shard_of(*run.shard, work);
  return context;
}

void add_clocks(Json& context, const DeviceState& state) {
  const auto add = [&](const char* key, const std::optional<int64_t>& value) {
    if (value && !context.contains(key)) context[key] = *value;
  };
  add("sm_clock_mhz", state.sm_clock_mhz);
  add("memory_clock_mhz", state.memory_clock_mhz);
  add("max_sm_clock_mhz", state.max_sm_clock_mhz);
}

}  // namespace warpmark
