// warpmark_device_v1: configuration, labels, reports and counters.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/checks.hpp"
#include "api/debug.hpp"
#include "api/json_text.hpp"
#include "api/report.hpp"
#include "api/state.hpp"
#include "api/symbols.hpp"

namespace warpmark::cpu {
namespace {

using Json = nlohmann::ordered_json;

// Draining and configuring work after a sticky error, so this does not look for one.
Context* context_of(warpmark_device_context handle) {
  if (handle != nullptr) return driver().find(static_cast<CUcontext>(handle));
  const std::vector<CUcontext>& stack = context_stack();
  return stack.empty() ? nullptr : driver().find(stack.back());
}

CUresult set_flag(const std::string& key, const Json& value, bool& into) {
  if (!value.is_boolean())
    return fail(CUDA_ERROR_INVALID_VALUE, "configure: \"" + key + "\" must be true or false");
  into = value.get<bool>();
  return CUDA_SUCCESS;
}

CUresult set_option(const std::string& key, const Json& value, Limits& limits) {
  const auto count = [&](std::uint64_t& into) -> CUresult {
    if (!value.is_number_unsigned())
      return fail(CUDA_ERROR_INVALID_VALUE,
                  "configure: \"" + key + "\" must be a whole number, 0 or more");
    into = value.get<std::uint64_t>();
    return CUDA_SUCCESS;
  };
  if (key == "instruction_budget") return count(limits.instruction_budget);
  if (key == "wall_limit_ms") return count(limits.wall_limit_ms);
  if (key == "schedule_seed") {
    if (!value.is_null()) return count(limits.schedule_seed);
    limits.schedule_seed = driver().environment_schedule;
    return CUDA_SUCCESS;
  }
  if (key == "workers") {
    std::uint64_t workers = 0;
    const CUresult result = count(workers);
    if (result == CUDA_SUCCESS) limits.workers = worker_count(workers);
    return result;
  }
  if (key == "strict_proxies") return set_flag(key, value, limits.strict_proxies);
  if (key == "checks" || key == "counters") {
    if (!value.is_array())
      return fail(CUDA_ERROR_INVALID_VALUE, "configure: \"" + key + "\" must be a list of names");
    std::vector<std::string> names;
    for (const Json& name : value) names.push_back(name.is_string() ? name.get<std::string>() : "");
    const bool checks = key == "checks";
    const std::string unknown =
        checks ? choose_checks(names, limits) : choose_counters(names, limits);
    if (unknown.empty()) return CUDA_SUCCESS;
    return fail(CUDA_ERROR_INVALID_VALUE,
                (checks ? "configure: unknown check \"" : "configure: unknown counters \"") +
                    unknown + "\"; known are " +
                    (checks ? kCheckNames : "basic, traffic, lines, samples, coverage"));
  }
  if (key == "check") {
    if (value == "memory" || value == "none") {
      limits.exact_bounds = value == "memory";
      limits.checks = {};
      return CUDA_SUCCESS;
    }
    return fail(CUDA_ERROR_INVALID_VALUE, "configure: \"check\" must be \"memory\" or \"none\"");
  }
  if (key == "cc") {
    const bool pair = value.is_array() && value.size() == 2 && value[0].is_number_unsigned() &&
                      value[1].is_number_unsigned();
    if (!pair || value[0] > 99 || value[0] < 5 || value[1] > 9)
      return fail(CUDA_ERROR_INVALID_VALUE, "configure: \"cc\" must be a pair such as [9, 0]");
    if (driver().initialised)
      return fail(CUDA_ERROR_INVALID_VALUE, "configure: \"cc\" can only be set before cuInit");
    driver().properties.major = value[0].get<int>();
    driver().properties.minor = value[1].get<int>();
    return CUDA_SUCCESS;
  }
  return fail(CUDA_ERROR_INVALID_VALUE,
              "configure: unknown key \"" + key +
                  "\"; known are cc, instruction_budget, wall_limit_ms, "
                  "schedule_seed, workers, check, checks, strict_proxies, counters, registers");
}

// A thread has at most 255 registers; 0 forgets a number.
CUresult set_registers(const Json& value, Context* context) {
  constexpr std::uint32_t kMost = 255;
  if (context == nullptr)
    return fail(CUDA_ERROR_INVALID_CONTEXT, "configure: \"registers\" are of a context's kernels");
  std::map<std::string, std::uint32_t, std::less<>> registers = context->registers;
  bool good = value.is_object();
  for (const auto& [kernel, count] : value.items()) {
    good = good && count.is_number_unsigned() && count <= kMost;
    if (good) registers[kernel] = count.get<std::uint32_t>();
  }
  if (!good)
    return fail(CUDA_ERROR_INVALID_VALUE,
                "configure: \"registers\" must be an object of kernels and numbers up to 255");
  context->registers = std::move(registers);
  return CUDA_SUCCESS;
}

int configure(warpmark_device_context handle, const char* text) {
  return enter("configure", [&]() -> CUresult {
    const Json json = text == nullptr ? Json() : Json::parse(text, nullptr, false);
    if (!json.is_object())
      return fail(CUDA_ERROR_INVALID_VALUE, "configure: expected a JSON object");
    Context* context = context_of(handle);
    if (handle != nullptr && context == nullptr)
      return fail(CUDA_ERROR_INVALID_CONTEXT, "configure: no such context");
    // Without a context the options hold for contexts that are made later.
    Limits& target = context != nullptr ? context->launch_limits : driver().default_limits;
    Limits limits = target;
    for (const auto& [key, value] : json.items()) {
      const CUresult result =
          key == "registers" ? set_registers(value, context) : set_option(key, value, limits);
      if (result != CUDA_SUCCESS) return result;
    }
    target = limits;
    if (context != nullptr) context->arena.track_values(limits.checks.init);
    return CUDA_SUCCESS;
  });
}

int label(warpmark_device_context handle, std::uint64_t address, std::uint64_t bytes,
          const char* name, const char* dtype) {
  return enter("label", [&]() -> CUresult {
    Context* context = context_of(handle);
    if (context == nullptr) return fail(CUDA_ERROR_INVALID_CONTEXT, "label: no such context");
    if (name == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "label: no name");
    if (bytes == 0 || context->arena.find(address, bytes) == nullptr) {
      return fail(CUDA_ERROR_INVALID_VALUE, "label: the range is not inside one allocation");
    }
    Allocation* allocation = context->arena.find(address);
    allocation->label = name;
    allocation->dtype = dtype == nullptr ? "" : dtype;
    allocation->label_address = address;
    allocation->label_bytes = bytes;
    allocation->whole_bytes.reset();
    allocation->row = allocation->pitch = 0;
    return CUDA_SUCCESS;
  });
}

int elements(warpmark_device_context handle, std::uint64_t address, std::uint64_t bytes) {
  return enter("elements", [&]() -> CUresult {
    Context* context = context_of(handle);
    if (context == nullptr) return fail(CUDA_ERROR_INVALID_CONTEXT, "elements: no such context");
    Allocation* allocation = context->arena.find(address);
    if (allocation == nullptr || allocation->label.empty() || allocation->label_address != address)
      return fail(CUDA_ERROR_INVALID_VALUE, "elements: no label begins at the address");
    allocation->whole_bytes = bytes;
    return CUDA_SUCCESS;
  });
}

int rows(warpmark_device_context handle, std::uint64_t address, std::uint64_t row,
         std::uint64_t pitch) {
  return enter("rows", [&]() -> CUresult {
    Context* context = context_of(handle);
    if (context == nullptr) return fail(CUDA_ERROR_INVALID_CONTEXT, "rows: no such context");
    Allocation* allocation = context->arena.find(address);
    if (allocation == nullptr || allocation->label.empty() || allocation->label_address != address)
      return fail(CUDA_ERROR_INVALID_VALUE, "rows: no label begins at the address");
    if (row == 0 || row > pitch)
      return fail(CUDA_ERROR_INVALID_VALUE, "rows: a row does not fit in the pitch");
    allocation->row = row;
    allocation->pitch = pitch;
    return CUDA_SUCCESS;
  });
}

int protect(warpmark_device_context handle, std::uint64_t address, std::uint64_t bytes,
            int read_only) {
  return enter("protect", [&]() -> CUresult {
    Context* context = context_of(handle);
    if (context == nullptr) return fail(CUDA_ERROR_INVALID_CONTEXT, "protect: no such context");
    Allocation* allocation = context->arena.find(address);
    if (allocation == nullptr || allocation->address != address || allocation->bytes != bytes)
      return fail(CUDA_ERROR_INVALID_VALUE, "protect: the range is not one whole allocation");
    allocation->read_only = read_only != 0;
    return CUDA_SUCCESS;
  });
}

int forget(warpmark_device_context handle, std::uint64_t address, std::uint64_t bytes) {
  return enter("forget", [&]() -> CUresult {
    Context* context = context_of(handle);
    if (context == nullptr) return fail(CUDA_ERROR_INVALID_CONTEXT, "forget: no such context");
    if (bytes == 0 || context->arena.find(address, bytes) == nullptr)
      return fail(CUDA_ERROR_INVALID_VALUE, "forget: the range is not inside one allocation");
    context->arena.set_values(address, bytes, false);
    return CUDA_SUCCESS;
  });
}

std::string line_of(std::string& report) {
  return std::move(report);
}
std::string line_of(const LaunchCounters& counters) {
  return render_counters(counters);
}
std::string line_of(const ModuleCoverage& coverage) {
  return coverage.json();
}

// The sink is called without the lock, so that it may call the driver.
template <typename Line>
void drain(warpmark_device_context handle, std::deque<Line> Context::*from,
           warpmark_device_sink sink, void* user) {
  std::vector<std::string> lines;
  enter("drain", [&]() -> CUresult {
    Context* context = context_of(handle);
    if (context == nullptr) return CUDA_SUCCESS;
    std::deque<Line> drained;
    drained.swap(context->*from);
    if (sink == nullptr) return CUDA_SUCCESS;
    lines.reserve(drained.size());
    for (Line& line : drained) lines.push_back(line_of(line));
    return CUDA_SUCCESS;
  });
  for (const std::string& line : lines) sink(user, line.data(), line.size());
}

void drain_reports(warpmark_device_context context, warpmark_device_sink sink, void* user) {
  drain(context, &Context::reports, sink, user);
}
void drain_counters(warpmark_device_context context, warpmark_device_sink sink, void* user) {
  drain(context, &Context::counters, sink, user);
  drain(context, &Context::coverage, sink, user);
}
void list_symbols(warpmark_device_sink sink, void* user) {
  std::size_t index = 0;
  for (const Symbol& symbol : symbols()) {
    Json line = {{"symbol", symbol.name},
                 {"state", symbol.implemented ? "implemented" : "stub"},
                 {"exported", symbol.exported},
                 {"base", symbol.base},
                 {"version", symbol.version}};
    if (symbol.variant != nullptr) {
      line["per_thread"] = std::string(symbol.name) + symbol.variant;
      line["per_thread_version"] = symbol.variant_version;
    }
    if (!symbol.implemented) line["calls"] = stub_calls(index);
    const std::string text = json_text(line);
    sink(user, text.data(), text.size());
    ++index;
  }
}

const char* last_error_text() {
  return last_error().c_str();
}

}  // namespace
}  // namespace warpmark::cpu

extern "C" const warpmark_device* warpmark_device_v1(void) {
  using namespace warpmark::cpu;
  static constexpr warpmark_device kDevice = {
      sizeof(warpmark_device),
      WARPMARK_DEVICE_VERSION,
      WARPMARK_IMAGE_PTX | WARPMARK_EXACT_BOUNDS | WARPMARK_REPORTS | WARPMARK_COUNTERS |
          WARPMARK_DETERMINISTIC | WARPMARK_PROFILE | WARPMARK_CHECKS | WARPMARK_BASELINE_FEATURES |
          WARPMARK_DEBUGGER,
      0,
      configure,
      label,
      drain_reports,
      drain_counters,
      last_error_text,
      list_symbols,
      protect,
      forget,
      elements,
      rows,
      debug,
  };
  return &kDevice;
}
