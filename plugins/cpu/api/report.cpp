// Faults and counters as the JSON lines that warpmark/device.h describes.
#include "api/report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "api/json_text.hpp"
#include "api/race_order.hpp"
#include "program/source_place.hpp"

namespace warpmark::cpu {

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

std::string safe(std::string_view text) {
  constexpr std::size_t kMost = 64 << 10;  // a name in a hostile PTX text may have megabytes
  if (text.size() > kMost) return safe(text.substr(0, kMost)) + "...";
  std::string out;
  for (const char c : text)
    out += static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f ? '?' : c;
  return out;
}

namespace {

using Json = nlohmann::ordered_json;

// In the order of FaultKind.
constexpr std::array kFaultNames = {"illegal_address",
                                    "misaligned_address",
                                    "limit",
                                    "barrier",
                                    "trap",
                                    "stack_overflow",
                                    "invalid_pc",
                                    "invalid_handle",
                                    "surface_out_of_range",
                                    "invalid_handle",
                                    "assert",
                                    "waiting",
                                    "heap",
#define CHECK(name, found, word, places) #found,
#include "warpmark/checks.def"
                                    "incomplete"};
static_assert(kFaultNames.size() == static_cast<std::size_t>(FaultKind::count));

std::string plural(std::uint64_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// Returns whether a global address is near 0, as an element of an array at a null pointer is.
bool is_null(const Fault& fault) {
  return fault.space == Space::global && fault.address < 1 << 16;
}
constexpr std::uint64_t kFar = std::uint64_t{1} << 30;
// Returns whether an access is so far from an allocation that it was probably not meant for it.
bool is_far(const Fault& fault) {
  return fault.space == Space::global && fault.distance >= kFar && !fault.meant;
}

// The block whose shared memory was accessed, if not the accessing block's own.
std::string of_block(const Fault& fault) {
  return fault.home.known ? " of block " + triple(fault.home.block) : "";
}

// " at offset 252 of tile": in shared memory, of the variable if that is known, or else of
// `memory`, if that is given.
std::string at_offset(const Fault& fault, const std::string& memory = "") {
  const Fault::Variable& variable = fault.variable;
  const bool known = !variable.name.empty();
  const auto offset = static_cast<std::int64_t>(fault.address - (known ? variable.address : 0));
  const std::string of = known ? safe(variable.name) : memory;
  if (offset < 0)
    return ", " + plural(0 - static_cast<std::uint64_t>(offset), "byte") + " before " + of;
  return " at offset " + std::to_string(offset) + (of.empty() ? "" : " of " + of);
}

// A store to what is between rows.
bool leaves_rows(const Fault& fault) {
  return fault.write && fault.allocation.pitch != 0 &&
         fault.allocation.leaves_rows(fault.address, fault.bytes);
}

std::string past_row(const Fault& fault) {
  const Allocation& allocation = fault.allocation;
  const Allocation::Place place = allocation.place_of(fault.address);
  if (place.before)
    return ", " + plural(place.offset, "byte") + " before the first row, where no elements are";
  const std::string row = " row " + std::to_string(place.row) + ", where no elements are";
  if (place.offset >= allocation.row)
    return ", " + plural(place.offset - allocation.row + 1, "byte") + " after" + row;
  const std::uint64_t past = place.offset + fault.bytes - allocation.row;
  return ", of which " + plural(past, "byte") + (past == 1 ? " is" : " are") + " past the end of" +
         row;
}

std::string where_to_nearest(const Fault& fault) {
  const Allocation& allocation = fault.allocation;
  std::string size = std::to_string(allocation.bytes) + " bytes";
  if (fault.home.gone && !fault.home.known) return ", of a block that the cluster does not have";
  if (fault.space != Space::global) {
    const std::string memory = fault.space == Space::shared  ? "the block's shared memory"
                               : fault.space == Space::local ? "the thread's local memory"
                                                             : "the kernel's parameters";
    return (fault.home.known ? at_offset(fault) + of_block(fault) + "'s shared memory"
                             : at_offset(fault, memory)) +
           (fault.home.gone               ? ", whose threads have all exited, which had "
            : fault.space == Space::param ? ", which have "
                                          : ", which has ") +
           size;
  }
  if (is_null(fault)) return " through a null pointer (address " + hexadecimal(fault.address) + ")";
  // A label says more than how often somebody called.
  if (allocation.label.empty() && allocation.by != nullptr)
    size += " (allocation " + std::to_string(allocation.number) + ", by " + allocation.by + ")";
  if (allocation.bytes == 0) return ", where nothing is allocated";
  if (allocation.absent != nullptr)
    return ", inside an address range of " + size + " that is " + allocation.absent;
  if (!allocation.live) return ", inside an allocation of " + size + " that was freed";
  if (fault.side == Nearest::Side::inside && leaves_rows(fault)) return past_row(fault);
  if (fault.side == Nearest::Side::inside)
    return (allocation.read_only && fault.write ? ", inside the read-only allocation of "
                                                : ", inside the allocation of ") +
           size;
  // It begins inside and ends outside.
  if (fault.side == Nearest::Side::after && fault.distance == 1 &&
      fault.address < allocation.address + allocation.bytes) {
    const std::uint64_t past = fault.address + fault.bytes - allocation.address - allocation.bytes;
    return ", of which " + plural(past, "byte") + (past == 1 ? " is" : " are") +
           " past the end of the allocation of " + size;
  }
  if (is_far(fault) && fault.lands_in.empty())
    return " at address " + hexadecimal(fault.address) + ", far from any allocation";
  const bool meant = !fault.lands_in.empty() || fault.distance >= kFar;
  return ", " + plural(fault.distance, "byte") +
         (fault.side == Nearest::Side::before ? " before" : " after") +
         (meant ? " its allocation of " : " the nearest allocation of ") + size +
         (fault.lands_in.empty() ? "" : ", inside " + safe(fault.lands_in));
}

void add_line(Json& json, const SourceLine& line) {
  json["file"] = safe(line.file);
  json["line"] = line.line;
  if (!line.function.empty()) json["function"] = safe(line.function);
  if (line.merged) json["approximate"] = true;
}

// As a person has written it.
std::string name_of(const Program& program) {
  return safe(readable_name(program.name));
}

// Calls of a function of which it is not known through which one of them a thread came.
constexpr std::size_t kMostChoices = 4;

// Where a statement stands, as members of a report; returns "file.cu:5", or "" if unknown, with
// "(inlined at file.cu:9)" where it was. If that is a header of the toolkit it stands behind the
// line that uses it: "file.cu:5 (in cuda/std/barrier:300)".
std::string add_place(Json& json, const Program& program, std::uint32_t number,
                      const std::vector<std::uint32_t>& through,
                      const std::vector<std::uint32_t>& choices = {}) {
  const Statement* statement = program.statement(number);
  if (statement == nullptr) return "";
  std::string place, calls;
  bool called = false;
  const std::vector<SourceLine> lines = source_lines(program, number, through);
  const std::size_t own = own_line(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const SourceLine& line = lines[i];
    const std::string at = safe(line.file) + ":" + std::to_string(line.line);
    Json call;
    add_line(i == 0 ? json : call, line);
    if (i != 0) json["inlined_at"].push_back(call);
    if (i + 1 == own) calls = "in " + at;
    if (i == own) place = line.merged ? at + " or near" : at;
    if (i <= own) continue;
    // "inlined at a.cu:3, a.cu:9, called at a.cu:20"
    const char* how = line.calls ? "called at " : "inlined at ";
    calls += calls.empty() ? how : ", " + std::string(called == line.calls ? "" : how);
    calls += at;
    called = line.calls;
  }
  std::string either;
  for (std::size_t i = 0; i < std::min(choices.size(), kMostChoices); ++i) {
    const std::vector<SourceLine> there = source_lines(program, choices[i]);
    if (there.empty()) continue;
    either += either.empty() ? "" : " or ";
    either += safe(there.back().file) + ":" + std::to_string(there.back().line);
  }
  if (!either.empty() && choices.size() > kMostChoices) either += " or elsewhere";
  if (place.empty())
    place = either;  // a function of a header without lines
  else if (!either.empty())
    calls += (calls.empty() ? "called at " : ", called at ") + either;
  if (!calls.empty()) place += " (" + calls + ")";
  json["ptx_line"] = statement->line;
  json["instruction"] = safe(instruction_text(statement->text));
  return place;
}

// The other side's place. The record of an access names the statement, and not the calls that led
// to it: those are known all the same if the function is called once.
std::string add_other_place(Json& json, const Fault& fault, const Program& program) {
  const Fault::Other& other = fault.other;
  if (!other.calls.empty()) return add_place(json, program, other.statement, other.calls);
  const Callers callers = callers_of(program, other.statement);
  return add_place(json, program, other.statement, callers.calls, callers.choices);
}

void add_other(Json& json, const Fault& fault, const Program& program) {
  if (fault.hazard[0] != 0) json["hazard"] = fault.hazard;
  if (fault.both_orders) json["both_orders"] = true;
  json["severity"] = fault.warning ? "warning" : "error";
  if (const char* name = race_name(fault)) json["name"] = name;
  if (fault.kind == FaultKind::uninitialised)
    json["origin"] = fault.origin != Space::param ? name_of(fault.origin)
                     : fault.other.known          ? "lane"
                                                  : "register";
  if (!fault.source.empty()) json["source"] = safe(fault.source);
  for (const Fault::Use& use : fault.uses) {
    Json more;
    more["hazard"] = use.what;
    more["count"] = use.count;
    add_place(more, program, use.statement, use.calls);
    json["uses"].push_back(more);
  }
  if (!fault.other.known) return;
  Json other;
  other["thread"] = fault.other.thread;
  other["block"] = fault.other.block;
  add_other_place(other, fault, program);
  json["other"] = other;
}

// The first that met it, how many more, and where.
std::string threads_text(const Fault& fault, const Program& program, const std::string& place) {
  return "thread " + triple(fault.thread) + " of block " + triple(fault.block) +
         (fault.count > 1 ? " and " + std::to_string(fault.count - 1) + " more" : "") + " in " +
         name_of(program) + (place.empty() ? "" : " at " + place);
}

std::string by_thread(const Fault& fault, const Program& program, const std::string& place) {
  return "by " + threads_text(fault, program, place);
}

// Where else a value that was read before it was written is used.
std::string further_uses(const Fault& fault, const Program& program) {
  constexpr std::size_t kMost = 3;
  const std::size_t named = std::min(fault.uses.size(), kMost), rest = fault.uses.size() - named;
  std::string text;
  for (std::size_t k = 0; k < named; ++k) {
    Json ignored;
    const Fault::Use& use = fault.uses[k];
    const std::string place = add_place(ignored, program, use.statement, use.calls);
    text += k == 0 ? "; it is also " : k + 1 == named && rest == 0 ? " and " : ", ";
    if (k == 0 || place.empty() || std::strcmp(use.what, fault.uses[k - 1].what) != 0)
      text += use.what + std::string(place.empty() ? "" : " at ");
    text += place;
  }
  return rest == 0 ? text : text + ", and used at " + plural(rest, "further place");
}

// Races that the same barrier would prevent.
std::string further_races(const Fault& fault, const Program& program) {
  constexpr std::size_t kMost = 5;
  const std::size_t count = fault.beside.size(), named = std::min(count, kMost);
  if (count == 0) return "";
  std::string text = "; the same missing barrier causes " + std::to_string(count) +
                     (count == 1 ? " more race" : " more races") + ": ";
  for (std::size_t k = 0; k < named; ++k) {
    const Fault::Beside& race = fault.beside[k];
    Json ignored;
    const std::string one = add_place(ignored, program, race.other, {});
    const std::string other = add_place(ignored, program, race.statement, {});
    text += (k == 0 ? "" : ", ") + one + " with " + other +
            (race.variable.empty() ? "" : " (" + safe(race.variable) + ")");
  }
  return text + (count == named ? "" : ", and " + std::to_string(count - named) + " others");
}

// One that only the barrier of a block orders, and what no launch's result depends on, are
// warnings.
std::string race_text(const Fault& fault, const Program& program, const std::string& element,
                      const std::string& place, const std::string& at) {
  if (!fault.message.empty()) {  // of registers
    return "race: " + fault.message + ", " + by_thread(fault, program, place) +
           (at.empty() ? "" : "; the other access is" + at);
  }
  std::string where = element.empty() ? "" : " at " + element;
  if (fault.space == Space::shared) where = at_offset(fault);
  const auto place_of = [&](std::uint32_t statement) {
    Json ignored;
    return add_place(ignored, program, statement, {});
  };
  const std::string order = ", " + race_order(fault, program, place_of);
  return race_head(fault) + fault.hazard + " of " + std::to_string(fault.bytes) +
         (fault.bytes == 1 ? " byte" : " bytes") + " of " + name_of(fault.space) + " memory" +
         of_block(fault) + where + (is_harmless(fault) ? ", of the same value" : "") + ", " +
         by_thread(fault, program, place) + "; the other access is by thread " +
         triple(fault.other.thread) + " of block " + triple(fault.other.block) + at + order +
         (fault.both_orders ? " (met in both orders)" : "") +
         (fault.pairs == 0 ? ""
                           : "; " + std::to_string(fault.pairs) +
                                 " more pairs of accesses to it are not in order either") +
         further_races(fault, program);
}

// A race, an undefined value, or a barrier that not everybody reaches.
std::string finding_text(const Fault& fault, const Program& program, const std::string& element,
                         const std::string& place) {
  Json ignored;
  const std::string other_place = fault.other.known ? add_other_place(ignored, fault, program) : "";
  const std::string at = other_place.empty() ? "" : " at " + other_place;
  switch (fault.kind) {
    case FaultKind::incomplete:
      return fault.message + ", in " + name_of(program);
    case FaultKind::race:
      return race_text(fault, program, element, place, at);
    case FaultKind::uninitialised: {
      const bool absent = fault.origin == Space::param && fault.other.known;
      const std::string read_at =
          other_place.empty() || other_place == place ? "" : ", read at " + other_place + ",";
      const std::string what =
          absent ? "a lane that takes no part in the shuffle" + read_at
          : fault.origin == Space::param
              ? std::string("a variable that was never set")
              : std::string("uninitialised ") + name_of(fault.origin) + " memory" +
                    (fault.has_access && fault.space == fault.origin && fault.space != Space::global
                         ? at_offset(fault)
                     : fault.source.empty() ? ""
                                            : " (" + safe(fault.source) + ")") +
                    read_at;
      return "a value from " + what + " is " + fault.hazard +
             (element.empty() ? "" : " (" + element + ")") + ", " +
             by_thread(fault, program, place) + further_uses(fault, program);
    }
    default:
      return std::string(fault.hazard) + ": " + fault.message + fault.detail + ", " +
             by_thread(fault, program, place) +
             (!fault.other.known ? ""
              : other_place.empty()
                  ? "; the other one is where thread " + triple(fault.other.thread) + " is"
                  : "; the other one is at " + other_place);
  }
}

std::string access_text(const Fault& fault, const Program& program, const std::string& element,
                        const std::string& place) {
  const bool forbidden = fault.allocation.read_only && fault.write && fault.distance == 0;
  return std::string(fault.kind == FaultKind::misaligned_address ? "misaligned "
                     : forbidden                                 ? "forbidden "
                                                                 : "out-of-bounds ") +
         name_of(space_of(fault)) + (fault.write ? " write of " : " read of ") +
         std::to_string(fault.bytes) + (fault.bytes == 1 ? " byte" : " bytes") +
         (element.empty() ? "" : " at " + element) + where_to_nearest(fault) + fault.detail + ", " +
         by_thread(fault, program, place) +
         (fault.goes_on ? "; a GPU reads zeros there, because shared memory comes in granules of " +
                              std::to_string(kSharedGranule) + " bytes, and goes on"
                        : "");
}

// Returns whether a place in the program is at fault.
bool has_place(const Fault& fault) {
  return fault.kind != FaultKind::limit && fault.kind != FaultKind::incomplete;
}

// The text for a kernel that was stopped by something other than an access: an assertion, a limit,
// waiting threads …
std::string stop_text(const Fault& fault, const Program& program, const std::string& place) {
  const std::string message = fault.message + fault.detail;
  if (fault.kind == FaultKind::barrier || fault.kind == FaultKind::waiting)
    return message + ": " + threads_text(fault, program, place);
  if (has_place(fault) && fault.kind != FaultKind::assertion)
    return message + ", " + by_thread(fault, program, place);
  return place.empty() ? message : message + ", in " + name_of(program) + " at " + place;
}

// The same of an array with rows: elements are counted without what is between these.
std::string add_element_of_rows(Json& json, const Fault& fault, std::uint64_t size) {
  const Allocation& allocation = fault.allocation;
  const Allocation::Place place = allocation.place_of(fault.address);
  const std::uint64_t of_row = allocation.row / size;
  json["elements"] = allocation.label_bytes / allocation.pitch * of_row;
  if (leaves_rows(fault)) json["row"] = place.before ? -1 : static_cast<std::int64_t>(place.row);
  if (!place.before && place.offset < allocation.row) {
    const std::uint64_t index = place.row * of_row + place.offset / size;
    json["index"] = index;
    return allocation.label + "[" + std::to_string(index) + "]";
  }
  return allocation.label;
}

// Adds the argument of the kernel that the address belongs to; "a[7]", or "" without one.
std::string add_argument(Json& json, const Fault& fault) {
  const Allocation& allocation = fault.allocation;
  if (fault.space != Space::global || allocation.label.empty() || is_null(fault) || is_far(fault))
    return "";
  json["argument"] = allocation.label;
  if (!allocation.dtype.empty()) json["dtype"] = allocation.dtype;
  const std::uint64_t size = allocation.element_bytes();
  if (size == 0) return allocation.label;
  if (allocation.pitch != 0) return add_element_of_rows(json, fault, size);
  const auto offset = static_cast<std::int64_t>(fault.address - allocation.label_address);
  const auto width = static_cast<std::int64_t>(size);
  const std::int64_t index = offset >= 0 ? offset / width : -((-offset + width - 1) / width);
  json["index"] = index;
  json["elements"] = allocation.label_bytes / size;
  return allocation.label + "[" + std::to_string(index) + "]";
}

// Adds what the accessed address belongs to; the element of an argument, or "".
std::string add_memory(Json& json, const Fault& fault) {
  json["address"] = hexadecimal(fault.address);
  if (fault.home.known) json["memory_of"] = fault.home.block;
  if (!fault.variable.name.empty()) json["variable"] = safe(fault.variable.name);
  std::string element = add_argument(json, fault);
  if (fault.allocation.bytes != 0)
    json["allocation"] =
        allocation_json(fault.allocation, fault.side, fault.distance, fault.space == Space::global);
  if (!fault.lands_in.empty()) json["lands_in"] = safe(fault.lands_in);
  return element;
}

}  // namespace

Json allocation_json(const Allocation& allocation, Nearest::Side side, std::uint64_t distance,
                     bool global) {
  Json json;
  if (global) json["address"] = hexadecimal(allocation.address);
  json["bytes"] = allocation.bytes;
  json["distance"] = distance;
  json["side"] = side == Nearest::Side::before  ? "before"
                 : side == Nearest::Side::after ? "after"
                                                : "inside";
  if (allocation.absent != nullptr)
    json["absent"] = allocation.absent;
  else if (!allocation.live)
    json["freed"] = true;
  if (allocation.read_only) json["read_only"] = true;
  if (allocation.by != nullptr) {
    json["number"] = allocation.number;
    json["by"] = allocation.by;
  }
  return json;
}

std::string render_fault(const Fault& fault, const Program& program, std::uint64_t launch) {
  Json json;
  json["launch"] = launch;
  json["kind"] = kFaultNames[static_cast<std::size_t>(fault.kind)];
  json["kernel"] = safe(program.name);
  if (fault.has_access) {
    json["space"] = name_of(space_of(fault));
    json["access"] = fault.write ? "write" : "read";
    json["bytes"] = fault.bytes;
  }
  if (fault.kind != FaultKind::incomplete) {
    json["thread"] = fault.thread;
    json["block"] = fault.block;
    json["count"] = fault.count;
  }
  const std::string element = fault.has_access ? add_memory(json, fault) : "";
  const std::string place =
      has_place(fault) ? add_place(json, program, fault.statement, fault.calls) : "";
  const bool finding = is_finding(fault.kind);
  if (fault.goes_on) json["severity"] = "error";
  if (finding) add_other(json, fault, program);
  json["message"] = finding            ? finding_text(fault, program, element, place)
                    : fault.has_access ? access_text(fault, program, element, place)
                                       : stop_text(fault, program, place);
  return json_text(json);
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
  std::string text = json_text(json);
  if (!launch.more.empty()) text.insert(text.size() - 1, launch.more);
  return text;
}

}  // namespace warpmark::cpu
