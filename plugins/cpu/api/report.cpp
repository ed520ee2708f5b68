// Faults and counters as the JSON lines that warpmark/device.h describes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "api/state.hpp"

namespace warpmark::cpu {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::illegal_address:
      return "illegal_address";
    case FaultKind::misaligned_address:
      return "misaligned_address";
    case FaultKind::limit:
      return "limit";
    case FaultKind::barrier:
      return "barrier";
    case FaultKind::trap:
      return "trap";
    case FaultKind::stack:
      return "stack_overflow";
    case FaultKind::invalid_pc:
      return "invalid_pc";
    case FaultKind::handle:
      return "invalid_handle";
    case FaultKind::surface:
      return "surface_out_of_range";
    case FaultKind::assertion:
      return "assert";
    case FaultKind::waiting:
      return "waiting";
    case FaultKind::heap:
      return "heap";
    case FaultKind::race:
      return "race";
    case FaultKind::uninitialised:
      return "uninitialised";
    case FaultKind::sync:
      return "sync";
  }
  return "";
}

const char* name_of(Space space) {
  switch (space) {
    case Space::shared:
      return "shared";
    case Space::local:
      return "local";
    case Space::param:
      return "param";
    case Space::constant:
      return "const";
    default:
      return "global";
  }
}

std::string hexadecimal(std::uint64_t value) {
  char text[19];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string triple(const std::array<std::uint32_t, 3>& at) {
  return "(" + std::to_string(at[0]) + "," + std::to_string(at[1]) + "," + std::to_string(at[2]) +
         ")";
}

// Bytes of a NumPy dtype's element; 0 if unknown.
std::uint64_t element_bytes(const std::string& dtype) {
  static constexpr std::pair<std::string_view, std::uint64_t> kSizes[] = {
      {"bool", 1},    {"int8", 1},     {"uint8", 1},   {"int16", 2},     {"uint16", 2},
      {"float16", 2}, {"bfloat16", 2}, {"int32", 4},   {"uint32", 4},    {"float32", 4},
      {"int64", 8},   {"uint64", 8},   {"float64", 8}, {"complex64", 8}, {"complex128", 16}};
  for (const auto& [name, bytes] : kSizes) {
    if (dtype == name) return bytes;
  }
  return 0;
}

std::string instruction_text(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  return line;
}

// Only what is valid UTF-8 may go into JSON; names in a hostile PTX text may not be.
std::string safe(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f ? '?' : c;
  return out;
}

std::string where_to_nearest(const Fault& fault) {
  const Allocation& allocation = fault.allocation;
  const std::string size = std::to_string(allocation.bytes) + " bytes";
  if (fault.space != Space::global) return "which has " + size;
  if (allocation.bytes == 0) return "where nothing is allocated";
  if (!allocation.live) return "inside an allocation of " + size + " that was freed";
  if (fault.side == Nearest::Side::inside)
    return (allocation.read_only && fault.write ? "inside the read-only allocation of "
                                                : "inside the allocation of ") +
           size;
  return std::to_string(fault.distance) + (fault.distance == 1 ? " byte " : " bytes ") +
         (fault.side == Nearest::Side::before ? "before" : "after") +
         " the nearest allocation of " + size;
}

// Where a statement stands, as members of a report; returns "file.cu:5", or "" if unknown.
std::string add_place(Json& json, const Program& program, std::uint32_t number) {
  const Statement* statement = program.statement(number);
  if (statement == nullptr) return "";
  std::string place;
  const auto file = program.module->files.find(statement->location.file);
  if (file != program.module->files.end()) {
    json["file"] = safe(file->second);
    json["line"] = statement->location.line;
    place = safe(file->second) + ":" + std::to_string(statement->location.line);
  }
  json["ptx_line"] = statement->line;
  json["instruction"] = safe(instruction_text(statement->text));
  return place;
}

void add_other(Json& json, const Fault& fault, const Program& program) {
  if (fault.hazard[0] != 0) json["hazard"] = fault.hazard;
  json["severity"] = fault.warning ? "warning" : "error";
  if (fault.kind == FaultKind::uninitialised)
    json["origin"] = fault.origin == Space::param ? "register" : name_of(fault.origin);
  if (!fault.other.known) return;
  Json other;
  other["thread"] = fault.other.thread;
  other["block"] = fault.other.block;
  add_place(other, program, fault.other.statement);
  json["other"] = other;
}

std::string by_thread(const Fault& fault, const Program& program, const std::string& place) {
  return "by thread " + triple(fault.thread) + " of block " + triple(fault.block) +
         (fault.count > 1 ? " and " + std::to_string(fault.count - 1) + " more" : "") + " in " +
         safe(program.name) + (place.empty() ? "" : " at " + place);
}

// A race, an undefined value, or a barrier that not everybody reaches.
std::string finding_text(const Fault& fault, const Program& program, const std::string& element,
                         const std::string& place) {
  Json ignored;
  const std::string other_place =
      fault.other.known ? add_place(ignored, program, fault.other.statement) : "";
  const std::string at = other_place.empty() ? "" : " at " + other_place;
  switch (fault.kind) {
    case FaultKind::race: {
      std::string where = element.empty() ? "" : " at " + element;
      if (fault.space == Space::shared) where = " at offset " + std::to_string(fault.address);
      return std::string(fault.warning ? "harmless race: " : "race: ") + fault.hazard + " of " +
             std::to_string(fault.bytes) + (fault.bytes == 1 ? " byte" : " bytes") + " of " +
             name_of(fault.space) + " memory" + where +
             (fault.warning ? ", of the same value" : "") + ", " +
             by_thread(fault, program, place) + "; the other access is by thread " +
             triple(fault.other.thread) + " of block " + triple(fault.other.block) + at +
             ", and nothing puts them in order";
    }
    case FaultKind::uninitialised: {
      const std::string what = fault.origin == Space::param
                                   ? "a variable that was never set"
                                   : std::string("uninitialised ") + name_of(fault.origin) +
                                         " memory" +
                                         (other_place.empty() || other_place == place
                                              ? ""
                                              : ", read at " + other_place + ",");
      return "a value from " + what + " is " + fault.hazard +
             (element.empty() ? "" : " (" + element + ")") + ", " +
             by_thread(fault, program, place);
    }
    default:
      return std::string(fault.hazard) + ": " + fault.message + ", " +
             by_thread(fault, program, place) +
             (fault.other.known ? "; the other one is at " + other_place : "");
  }
}

}  // namespace

std::string render_fault(const Fault& fault, const Program& program, std::uint64_t launch) {
  Json json;
  json["launch"] = launch;
  json["kind"] = name_of(fault.kind);
  json["kernel"] = safe(program.name);
  std::string message;
  if (fault.has_access) {
    json["space"] = name_of(fault.space);
    json["access"] = fault.write ? "write" : "read";
    json["bytes"] = fault.bytes;
  }
  json["thread"] = fault.thread;
  json["block"] = fault.block;
  json["count"] = fault.count;
  std::string element;
  if (fault.has_access) {
    json["address"] = hexadecimal(fault.address);
    const Allocation& allocation = fault.allocation;
    if (fault.space == Space::global && !allocation.label.empty()) {
      json["argument"] = allocation.label;
      element = allocation.label;
      if (!allocation.dtype.empty()) json["dtype"] = allocation.dtype;
      if (const std::uint64_t size = element_bytes(allocation.dtype); size != 0) {
        const auto offset = static_cast<std::int64_t>(fault.address - allocation.label_address);
        const auto width = static_cast<std::int64_t>(size);
        const std::int64_t index = offset >= 0 ? offset / width : -((-offset + width - 1) / width);
        json["index"] = index;
        json["elements"] = allocation.label_bytes / size;
        element += "[" + std::to_string(index) + "]";
      }
    }
    if (allocation.bytes != 0) {
      Json nearest;
      if (fault.space == Space::global) nearest["address"] = hexadecimal(allocation.address);
      nearest["bytes"] = allocation.bytes;
      nearest["distance"] = fault.distance;
      nearest["side"] = fault.side == Nearest::Side::before  ? "before"
                        : fault.side == Nearest::Side::after ? "after"
                                                             : "inside";
      if (!allocation.live) nearest["freed"] = true;
      if (allocation.read_only) nearest["read_only"] = true;
      json["allocation"] = nearest;
    }
  }
  const std::string place =
      fault.kind == FaultKind::limit ? "" : add_place(json, program, fault.statement);
  if (is_finding(fault.kind)) {
    message = finding_text(fault, program, element, place);
    add_other(json, fault, program);
  } else if (fault.has_access) {
    const bool forbidden = fault.allocation.read_only && fault.write && fault.distance == 0;
    message = std::string(fault.kind == FaultKind::misaligned_address ? "misaligned "
                          : forbidden                                 ? "forbidden "
                                                                      : "out-of-bounds ") +
              name_of(fault.space) + (fault.write ? " write of " : " read of ") +
              std::to_string(fault.bytes) + (fault.bytes == 1 ? " byte" : " bytes") +
              (element.empty() ? "" : " at " + element) + ", " + where_to_nearest(fault) +
              ", by thread " + triple(fault.thread) + " of block " + triple(fault.block) +
              (fault.count > 1 ? " and " + std::to_string(fault.count - 1) + " more" : "") +
              " in " + safe(program.name) + (place.empty() ? "" : " at " + place);
  } else {
    message = fault.message + (place.empty() ? "" : ", in " + safe(program.name) + " at " + place);
  }
  json["message"] = message;
  return json.dump();
}

void print_report(const std::string& line) {
  // "stderr" or a file's name; a program that drains reports sets nothing.
  static std::FILE* const file = []() -> std::FILE* {
    const char* name = std::getenv("WARPMARK_CPU_REPORT");
    if (name == nullptr || *name == '\0') return nullptr;
    return std::strcmp(name, "stderr") == 0 ? stderr : std::fopen(name, "ae");
  }();
  if (file == nullptr) return;
  const Json report = Json::parse(line, nullptr, false);
  if (!report.is_object()) return;
  std::fprintf(file, "========= %s\n", report.value("message", "").c_str());
  std::fflush(file);
}

std::string render_counters(const LaunchCounters& launch) {
  Json json;
  json["launch"] = launch.number;
  json["kernel"] = safe(launch.kernel);
  json["launches"] = 1;
  json["ptx_thread_instructions"] = launch.thread_instructions;
  json["ptx_warp_instructions"] = launch.warp_instructions;
  for (std::size_t i = 0; i < launch.counters.size(); ++i)
    json[std::string(kCounterNames[i])] = launch.counters[i];
  std::string text = json.dump();
  if (!launch.more.empty()) text.insert(text.size() - 1, launch.more);
  return text;
}

}  // namespace warpmark::cpu
