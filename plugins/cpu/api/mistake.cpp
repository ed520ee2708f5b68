#include "api/mistake.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "api/report.hpp"

namespace warpmark::cpu {
namespace {

using Json = nlohmann::ordered_json;

std::string origin_of(const Allocation& allocation) {
  if (allocation.by == nullptr) return "";
  return "allocation " + std::to_string(allocation.number) + ", " +
         std::to_string(allocation.bytes) + " bytes, by " + allocation.by;
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
  print_report(json.dump(),
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
    const std::string of = allocation->by != nullptr
                               ? origin_of(*allocation)
                               : "an allocation of " + std::to_string(allocation->bytes) + " bytes";
    where = twice ? "freed before: " + of
            : nearest.side == Nearest::Side::inside
                ? std::to_string(address - allocation->address) + " bytes inside " + of
                : std::to_string(nearest.distance) + " bytes " +
                      (nearest.side == Nearest::Side::before ? "before " : "after ") + of;
  }
  const std::string what = twice ? "Double free" : "Invalid pointer to free";
  json["message"] = std::string(twice ? "double free" : "free of what is no allocation") + " by " +
                    call + " of " + hexadecimal(address) + ", " + where;
  std::string line = json.dump();
  print_report(line,
               "========= Program hit CUDA_ERROR_INVALID_VALUE (error 1) due to \"invalid "
               "argument\" on CUDA API call to " +
                   std::string(call) + ".\n=========     " + what + " of " + hexadecimal(address) +
                   "\n=========     " + where + "\n",
               {});
  if (context.reports.size() < Context::kMostReports) context.reports.push_back(std::move(line));
}

CUresult refuse_ptx(const PtxError& error) {
  const std::string message = std::string("PTX ") + error.what();
  if (error.unsupported()) {
    Json json;
    json["kind"] = "unsupported_instruction";
    json["severity"] = "error";
    json["message"] = message;
    print_report(
        json.dump(),
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

void report_end() {
  if (!reports_are_printed()) return;
  for (const auto& [handle, context] : driver().contexts) report_leaks(*context);
  print_summary(driver().default_limits.leaks);
}

}  // namespace warpmark::cpu
