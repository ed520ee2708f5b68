#include "api/mistake.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "api/json_text.hpp"
#include "api/report.hpp"
#include "api/static_runtime.hpp"

namespace warpmark::cpu {
namespace {

using Json = nlohmann::ordered_json;

std::string origin_of(const Allocation& allocation) {
  if (allocation.by == nullptr) return "";
  return "allocation " + std::to_string(allocation.number) + ", " +
         std::to_string(allocation.bytes) + " bytes, by " + allocation.by;
}

std::string allocation_text(const Allocation& allocation) {
  if (allocation.by != nullptr) return origin_of(allocation);
  return "an allocation of " + std::to_string(allocation.bytes) + " bytes";
}

std::string error_name(CUresult code) {
  const char* name = nullptr;
  return cuGetErrorName(code, &name) == CUDA_SUCCESS ? name : "";
}
std::string error_text(CUresult code) {
  const char* text = nullptr;
  return cuGetErrorString(code, &text) == CUDA_SUCCESS ? text : "";
}

// The line that compute-sanitizer has for a call that fails.
std::string program_hit(CUresult code, const char* call) {
  return "========= Program hit " + error_name(code) + " (error " + std::to_string(code) +
         ") due to \"" + error_text(code) + "\" on CUDA API call to " + call + ".\n";
}

// The report of a refused call, without the message.
Json refusal(const char* call, CUresult result) {
  Json json;
  json["kind"] = "api_error";
  json["severity"] = "error";
  json["call"] = call;
  json["code"] = error_name(result);
  return json;
}
std::string reason_of(CUresult result) {
  return last_error().empty() ? error_text(result) : safe(last_error());
}

// Prints a report, and keeps it until it is drained.
void report(Context& context, const Json& json, const std::string& text,
            const ReportWeight& weight = {}) {
  std::string line = json_text(json);
  print_report(line, text, weight);
  if (context.reports.size() < Context::kMostReports) context.reports.push_back(std::move(line));
}

std::string count_of(std::uint64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

// Where a range lies that is not inside of one allocation; adds the allocation to the report.
std::string place_of(const RefusedRange& range, Json& json) {
  Nearest nearest = range.arena->nearest(range.address, range.bytes);
  if (nearest.allocation == nullptr) return "where nothing is allocated";
  const Allocation& allocation = *nearest.allocation;
  const std::string of = allocation_text(allocation);
  const std::uint64_t at = range.address - allocation.address;
  std::string where;
  if (range.address < allocation.address) {
    where = count_of(nearest.distance) + " before " + of;
  } else if (at >= allocation.bytes) {
    where = count_of(nearest.distance) + " after " + of;
  } else if (allocation.absent != nullptr) {
    where =
        "in an address range of " + count_of(allocation.bytes) + " that is " + allocation.absent;
  } else if (!allocation.live) {
    where = "in memory that was freed: " + of;
  } else {
    nearest.side = Nearest::Side::after;
    nearest.distance = 1;
    const std::uint64_t past = range.bytes - (allocation.bytes - at);
    where = "of which " + count_of(past) + (past == 1 ? " is" : " are") + " past the end of " + of;
  }
  json["allocation"] = allocation_json(allocation, nearest.side, nearest.distance, true);
  return where;
}

// An address inside of an allocation, if there is one; adds that to the report.
std::string inside_text(Context& context, std::uint64_t address, Json& json) {
  const Arena* arena = driver().arena_of(context, address);
  const Allocation* allocation = arena == nullptr ? nullptr : arena->find(address, 1);
  if (allocation == nullptr) return hexadecimal(address);
  json["allocation"] = allocation_json(*allocation, Nearest::Side::inside, 0, true);
  return hexadecimal(address) + ", " + count_of(address - allocation->address) + " inside " +
         allocation_text(*allocation);
}

void report_leak(const Allocation& allocation, bool heap) {
  Json json;
  json["kind"] = "leak";
  json["severity"] = "error";
  if (heap) json["space"] = "heap";
  json["address"] = hexadecimal(allocation.address);
  json["bytes"] = allocation.bytes;
  json["allocation"] = allocation_json(allocation, Nearest::Side::inside, 0, true);
  const std::string size = std::to_string(allocation.bytes) + " bytes";
  const std::string origin = heap ? "by malloc in a kernel" : origin_of(allocation);
  json["message"] =
      size + " at " + hexadecimal(allocation.address) + " were never freed: " + origin;
  print_report(json_text(json),
               "========= Leaked " + size + " at " + hexadecimal(allocation.address) +
                   "\n=========     " + origin + "\n",
               {true, false, allocation.bytes});
}

}  // namespace

void report_wrong_free(Context& context, const char* call, std::uint64_t address) {
  if (!context.launch_limits.exact_bounds) return;
  const Nearest nearest = context.arena.nearest(address, 1);
  const Allocation* allocation = nearest.allocation;
  const bool twice = allocation != nullptr && !allocation->live && allocation->address == address;
  Json json;
  json["kind"] = twice ? "double_free" : "invalid_free";
  json["severity"] = "error";
  json["call"] = call;
  json["address"] = hexadecimal(address);
  std::string where = "no allocation is near it";
  if (allocation != nullptr) {
    json["allocation"] = allocation_json(*allocation, nearest.side, nearest.distance, true);
    const std::string of = allocation_text(*allocation);
    where = twice ? "freed before: " + of
            : nearest.side == Nearest::Side::inside
                ? std::to_string(address - allocation->address) + " bytes inside " + of
                : std::to_string(nearest.distance) + " bytes " +
                      (nearest.side == Nearest::Side::before ? "before " : "after ") + of;
  }
  const std::string what = twice ? "Double free" : "Invalid pointer to free";
  json["message"] = std::string(twice ? "double free" : "free of an invalid address") + " by " +
                    call + " of " + hexadecimal(address) + ", " + where;
  report(context, json,
         program_hit(CUDA_ERROR_INVALID_VALUE, call) + "=========     " + what + " of " +
             hexadecimal(address) + "\n=========     " + where + "\n");
}

RefusedRange& refused_range() {
  thread_local RefusedRange range;
  return range;
}

CUresult report_refusal(Context& context, const char* call, CUresult result) {
  switch (result) {
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_INVALID_HANDLE:
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
    case CUDA_ERROR_INVALID_CLUSTER_SIZE:
      break;
    default:
      return result;
  }
  if (!context.launch_limits.exact_bounds) return result;
  return report_reason(context, call, result);
}

CUresult report_reason(Context& context, const char* call, CUresult result) {
  Json json = refusal(call, result);
  std::string why = reason_of(result);
  if (const RefusedRange& range = refused_range(); range.arena != nullptr) {
    json["access"] = range.write ? "write" : "read";
    json["bytes"] = range.bytes;
    json["address"] = hexadecimal(range.address);
    why = std::string(range.write ? "write" : "read") + " of " + count_of(range.bytes) + " at " +
          hexadecimal(range.address) + ", " + place_of(range, json);
  }
  json["message"] = std::string(call) + " is refused: " + why;
  report(context, json, program_hit(result, call) + "=========     " + why + "\n");
  return result;
}

void report_overlap(Context& context, const char* call, std::uint64_t address) {
  Json json;
  json["kind"] = "api_error";
  json["severity"] = "warning";
  json["call"] = call;
  json["address"] = hexadecimal(address);
  const std::string where = inside_text(context, address, json);
  const std::string what = std::string(call) + " writes bytes that it reads";
  json["message"] = what + ", so that what it copies is undefined: from " + where;
  report(context, json,
         "========= Warning: " + what + "\n=========     what it copies is undefined, from " +
             where + "\n",
         {false, false, 0});
}

void report_batch_race(Context& context, const char* call, BatchAccess one, BatchAccess other,
                       std::uint64_t address) {
  if (other.copy < one.copy) std::swap(one, other);
  const auto word = [](const BatchAccess& access) { return access.write ? "write" : "read"; };
  const std::string hazard = std::string(word(other)) + " after " + word(one);
  Json json;
  json["kind"] = "race";
  json["severity"] = "error";
  json["hazard"] = hazard;
  json["call"] = call;
  json["address"] = hexadecimal(address);
  const std::string where = inside_text(context, address, json);
  const std::string copies = "copies " + std::to_string(one.copy) + " and " +
                             std::to_string(other.copy) + " of a batch, which has no order";
  json["message"] = "race: " + hazard + " by " + copies + ", at " + where + ", in " + call;
  report(context, json,
         "========= Error: Race reported between " + copies + ", on CUDA API call to " + call +
             "\n=========     " + hazard + " at " + where + "\n",
         {true, true, 0});
}

namespace {

// Returns whether a message is new; a program may repeat the same call many times.
bool first_time(const std::string& message) {
  constexpr std::size_t kMost = 1000;                   // texts that are remembered
  static auto* const seen = new std::set<std::string>;  // lives as long as the driver
  return seen->size() < kMost && seen->insert(message).second;
}

// A refusal that no context keeps.
void print_once(const char* call, CUresult result, const std::string& why) {
  if (!reports_are_printed() || !first_time(why)) return;
  Json json = refusal(call, result);
  json["message"] = std::string(call) + " is refused: " + why;
  print_report(json_text(json), program_hit(result, call) + "=========     " + why + "\n", {});
}

}  // namespace

CUresult out_of_memory(const Context& context, const char* call, std::uint64_t bytes) {
  return out_of_memory(call, bytes, context.arena.capacity() - context.arena.used());
}

CUresult out_of_memory(const char* call, std::uint64_t bytes, std::uint64_t left) {
  const std::string why = std::to_string(bytes) + " bytes were asked for, and " +
                          std::to_string(left) + " of the device's " +
                          std::to_string(driver().properties.memory) +
                          " are free; WARPMARK_CPU_MEMORY=16G gives it more";
  last_error() = why;
  if (reports_are_printed() && first_time(why)) {
    Json json = refusal(call, CUDA_ERROR_OUT_OF_MEMORY);
    json["severity"] = "warning";
    json["message"] = std::string(call) + " is refused: " + why;
    print_report(json_text(json),
                 program_hit(CUDA_ERROR_OUT_OF_MEMORY, call) + "=========     " + why + "\n",
                 {false, false, 0});
  }
  return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult report_refused_image(const char* call, CUresult result) {
  switch (result) {
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_NOT_SUPPORTED:
      break;
    default:
      return result;
  }
  print_once(call, result, reason_of(result));
  return result;
}

void report_missing_tables(const void* caller) {
  print_once("cuGetExportTable", CUDA_ERROR_NOT_SUPPORTED, static_runtime_text(caller));
}

CUresult refuse_ptx(const PtxError& error) {
  const std::string message = std::string("PTX ") + error.what();
  if (error.unsupported() && reports_are_printed() && first_time(safe(message))) {
    Json json;
    json["kind"] = "unsupported_instruction";
    json["severity"] = "error";
    json["message"] = message;
    print_report(
        json_text(json),
        "========= Not implemented on the CPU device\n=========     " + safe(message) + "\n", {});
  }
  return fail(error.unsupported() ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_PTX, message);
}

void report_leaks(const Context& context) {
  if (!context.launch_limits.leaks || !reports_are_printed()) return;
  for (const Allocation* allocation : context.arena.live_allocations())
    report_leak(*allocation, false);
  if (context.heap == nullptr) return;
  for (const Allocation& block : context.heap->live_blocks()) report_leak(block, true);
}

namespace {

// Reports leaked memory without a context: handles, at the address of their first mapping or 0,
// mappings whose handle is gone, and reserved addresses.
void report_mapped_leak(std::uint64_t address, std::uint64_t bytes, bool memory,
                        const std::string& what) {
  Json json;
  json["kind"] = "leak";
  json["severity"] = "error";
  json["address"] = hexadecimal(address);
  json["bytes"] = bytes;
  const std::string size = std::to_string(bytes) + " bytes";
  json["message"] = size + " were never given back: " + what;
  print_report(
      json_text(json),
      "========= Leaked " + size + " at " + hexadecimal(address) + "\n=========     " + what + "\n",
      {true, false, memory ? bytes : 0});
}

void report_mapped_leaks() {
  if (!driver().default_limits.leaks) return;
  const auto first_address = [](const PhysicalMemory* memory) -> std::uint64_t {
    if (driver().virtual_memory == nullptr) return 0;
    for (const auto& [address, mapping] : driver().virtual_memory->mappings()) {
      if (mapping.memory.get() == memory) return address;
    }
    return 0;
  };
  for (const auto& [handle, held] : driver().memory_handles) {
    const bool own = held.memory != nullptr;  // else of devices whose memory is told of itself
    report_mapped_leak(
        own ? first_address(held.memory.get()) : 0,
        own ? held.memory->bytes() : held.multicast->bytes(), own,
        "handle " + std::to_string(handle) + " of " + held.by + " was not released (cuMemRelease)");
  }
  if (driver().virtual_memory == nullptr) return;
  for (const auto& [address, mapping] : driver().virtual_memory->mappings()) {
    if (driver().memory_handles.contains(mapping.memory->handle)) continue;
    report_mapped_leak(address, mapping.bytes, true,
                       std::string("mapped by ") + mapping.by + " at " + hexadecimal(address));
  }
  for (const auto& [address, range] : driver().virtual_memory->reservations()) {
    if (driver().opened.contains(address)) continue;
    report_mapped_leak(address, range.bytes, false,
                       "address range " + std::to_string(range.number) +
                           " of cuMemAddressReserve, at " + hexadecimal(address) +
                           ", was not freed (cuMemAddressFree)");
  }
}

}  // namespace

void report_end() {
  if (!reports_are_printed()) return;
  for (const auto& [handle, context] : driver().contexts) report_leaks(*context);
  report_mapped_leaks();
  print_summary(driver().default_limits.leaks);
}

}  // namespace warpmark::cpu
