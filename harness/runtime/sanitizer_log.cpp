// Parses the forms in compute-sanitizer's manual, of 2022 to 2025 ("Address 0x… is" became "Access
// to 0x… is"). A GPU runs what a student wrote: no line here is trusted to be well-formed.
#include "runtime/sanitizer_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

#include "base/characters.hpp"
#include "base/dtype.hpp"
#include "base/text.hpp"
#include "compiler/compiler.hpp"
#include "compiler/kernel_name.hpp"

namespace warpmark {

namespace {

constexpr size_t kMostReports = 1000;
constexpr size_t kMostQuoted = 400;  // bytes of a log that contain no report
constexpr std::string_view kMark = "=========";
constexpr const char* kUnknown = "sanitizer";  // the kind of a finding that fits no other

// Takes words and numbers off the front of a line.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  std::string_view rest() const { return rest_; }
  bool accept(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  /// Returns the text before `end`, and skips both.
  std::optional<std::string_view> until(std::string_view end) {
    const size_t at = rest_.find(end);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view before = rest_.substr(0, at);
    rest_.remove_prefix(at + end.size());
    return before;
  }
  /// "4000", "4,000".
  std::optional<uint64_t> number() {
    std::string digits;
    while (!rest_.empty() && digits.size() < 19 &&
           (is_digit(rest_[0]) || (rest_[0] == ',' && !digits.empty()))) {
      if (rest_[0] != ',') digits += rest_[0];
      rest_.remove_prefix(1);
    }
    if (digits.empty()) return std::nullopt;
    return std::stoull(digits);
  }
  /// "0x7f…".
  std::optional<uint64_t> address() {
    if (!accept("0x")) return std::nullopt;
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, 16);
    if (error != std::errc()) return std::nullopt;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }
  /// "(1,2,3)".
  std::optional<std::array<uint64_t, 3>> triple() {
    std::array<uint64_t, 3> values{};
    const size_t close = rest_.find(')');
    if (!accept("(") || close == std::string_view::npos) return std::nullopt;
    for (size_t i = 0; i < 3; ++i) {
      uint64_t value = 0;
      const auto [end, error] =
          std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, 10);
      if (error != std::errc()) return std::nullopt;
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      if (!accept(i < 2 ? "," : ")")) return std::nullopt;
      values.at(i) = value;
    }
    return values;
  }

 private:
  std::string_view rest_;
};

struct Place {
  std::string kernel, file;
  uint64_t line = 0;
};

// "sumKernel(int *, int *)+0x90 in f.cu:41"; before 2022 "0x90 in f.cu:41:sumKernel(int *)".
Place place_of(std::string_view text) {
  Place place;
  const size_t in = text.rfind(" in ");
  std::string_view function = text.substr(0, in), source;
  if (in != std::string_view::npos) source = text.substr(in + 4);
  const size_t colon = function.starts_with("0x") ? source.find(':') : source.rfind(':');
  if (colon != std::string_view::npos) {
    Scanner line(source.substr(colon + 1));
    std::string_view file = source.substr(0, colon);
    // Sources compiled in memory have paths below a virtual folder.
    if (file.starts_with(kVirtualRoot)) file.remove_prefix(kVirtualRoot.size());
    place.file = printable(file);
    place.line = line.number().value_or(0);
    if (line.accept(":")) function = line.rest();
  }
  const std::string name = plain_name(function);
  if (!name.starts_with("0x")) place.kernel = printable(name);
  return place;
}

void add_place(nlohmann::ordered_json& json, const Place& place) {
  if (place.file.empty() || place.line == 0) return;
  json["file"] = place.file;
  json["line"] = place.line;
}

std::string text_of(const Place& place) {
  return place.file.empty() ? "" : fmt::format(" at {}:{}", place.file, place.line);
}

std::string triple_text(const std::array<uint64_t, 3>& at) {
  return fmt::format("({},{},{})", at[0], at[1], at[2]);
}

std::string bytes_text(uint64_t bytes) {
  return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

// One finding, as its lines describe it.
struct Finding {
  std::string kind, space, access, hazard, said;
  uint64_t bytes = 0, count = 1;
  Place place, other;
  bool has_other = false;
  std::optional<std::array<uint64_t, 3>> thread, block;
  std::optional<uint64_t> address;
  std::optional<uint64_t> near_address, near_bytes, distance;
  std::string side;
};

bool same_cause(const Finding& a, const Finding& b) {
  const auto same = [](const Place& x, const Place& y) {
    return x.kernel == y.kernel && x.file == y.file && x.line == y.line;
  };
  return a.kind == b.kind && a.space == b.space && a.access == b.access && a.bytes == b.bytes &&
         a.hazard == b.hazard && a.near_address == b.near_address && a.side == b.side &&
         same(a.place, b.place) && same(a.other, b.other);
}

// "__global__ write of size 4 bytes".
bool read_access(Scanner& line, Finding& finding) {
  if (!line.accept("__")) return false;
  const auto space = line.until("__ ");
  if (!space) return false;
  finding.space = printable(*space);
  line.accept("memory ");
  finding.access = line.accept("write") ? "write" : line.accept("atomic") ? "write" : "read";
  if (line.until("of size ")) finding.bytes = line.number().value_or(0);
  return true;
}

class LogReader {
 public:
  std::vector<Finding> read(std::string_view log) {
    size_t begin = 0;
    while (begin < log.size()) {
      const size_t end = std::min(log.find('\n', begin), log.size());
      std::string_view line = log.substr(begin, end - begin);
      begin = end + 1;
      while (line.ends_with('\r')) line.remove_suffix(1);
      if (!line.starts_with(kMark)) continue;
      line.remove_prefix(kMark.size());
      const size_t text = line.find_first_not_of(' ');
      if (text == std::string_view::npos) {
        finish();
        continue;
      }
      // A line with one leading blank begins a report, and lines with more continue it.
      if (text == 1) {
        finish();
        head(line.substr(text));
      } else if (finding_) {
        detail(line.substr(text));
      }
    }
    finish();
    return std::move(findings_);
  }
  uint64_t errors() const { return errors_; }
  /// The first report of an unknown form, if there was one.
  const std::optional<Finding>& unknown() const { return unknown_; }

 private:
  void finish() {
    if (!finding_) return;
    if (finding_->kind == kUnknown) {
      if (!unknown_) unknown_ = *finding_;
      finding_.reset();
      return;
    }
    const auto known = std::ranges::find_if(
        findings_, [&](const Finding& one) { return same_cause(one, *finding_); });
    if (known != findings_.end())
      known->count += finding_->count;
    else if (findings_.size() < kMostReports)
      findings_.push_back(*finding_);
    finding_.reset();
  }

  void begin(const char* kind, std::string_view said) {
    finding_.emplace();
    finding_->kind = kind;
    while (said.ends_with('.')) said.remove_suffix(1);
    finding_->said = printable(said);
  }

  void head(std::string_view text) {
    Scanner line(text);
    if (line.accept("Invalid ")) {
      begin("illegal_address", text);
      if (!read_access(line, *finding_)) finding_.reset();
    } else if (line.accept("Uninitialized ")) {
      begin("uninitialised", text);
      if (!read_access(line, *finding_)) finding_.reset();
    } else if (line.accept("Error: Race reported between ") ||
               line.accept("Warning: Race reported between ")) {
      // A warning is a race between lanes of one warp: just as wrong, and an error on our own
      // device.
      begin("race", text);
      finding_->count = 0;
      finding_->has_other = true;
      first_writes_ = line.accept("Write");
      if (line.until("access at ")) finding_->other = place_of(line.rest());
    } else if (line.accept("Barrier error detected. ")) {
      begin("sync", text);
      std::string_view hazard = line.rest();
      while (hazard.ends_with('.')) hazard.remove_suffix(1);
      finding_->hazard = printable(hazard);
    } else if (line.accept("Malloc/Free error encountered : ")) {
      begin("heap", text);
    } else if (line.accept("ERROR SUMMARY: ") || line.accept("RACECHECK SUMMARY: ")) {
      errors_ = std::max(errors_, line.number().value_or(0));
    } else if (text != "COMPUTE-SANITIZER") {
      begin(kUnknown, text);
    }
  }

  void detail(std::string_view text) {
    Scanner line(text);
    Finding& finding = *finding_;
    if (finding.kind == "race" && line.accept("and ")) {
      // For several accesses against one, the place of the first and their number are reported.
      const bool writes = line.accept("Write");
      if (!line.until("access at ")) return;
      const auto place = line.until(" [");
      finding.count += place ? line.number().value_or(1) : 1;
      if (!finding.hazard.empty()) return;
      finding.place = place_of(place.value_or(line.rest()));
      finding.hazard =
          fmt::format("{} after {}", writes ? "write" : "read", first_writes_ ? "write" : "read");
    } else if (line.accept("at ")) {
      if (finding.place.kernel.empty() && finding.place.file.empty())
        finding.place = place_of(line.rest());
    } else if (line.accept("by thread ")) {
      finding.thread = line.triple();
      if (line.until("block ")) finding.block = line.triple();
    } else if (line.accept("Address ") || line.accept("Access to ") || line.accept("Access at ")) {
      finding.address = line.address();
      if (finding.kind == "illegal_address" &&
          line.rest().find("misaligned") != std::string_view::npos)
        finding.kind = "misaligned_address";
    } else if (line.accept("and is ")) {
      if (line.accept("inside")) {
        finding.side = "inside";
      } else {
        finding.distance = line.number();
        line.until("bytes ");
        finding.side = line.accept("before") ? "before" : "after";
      }
      if (line.until("allocation at ")) finding.near_address = line.address();
      if (line.until("of size ")) finding.near_bytes = line.number();
    }
  }

  std::optional<Finding> finding_;
  bool first_writes_ = false;
  std::vector<Finding> findings_;
  std::optional<Finding> unknown_;
  uint64_t errors_ = 0;
};

// Finds the buffer's element for an address: the address lies in the buffer, or the buffer is
// nearest to it. Returns "dest[400]", or "".
std::string add_argument(nlohmann::ordered_json& json, const Finding& finding,
                         const std::vector<protocol::BufferPlace>& buffers) {
  if (finding.space != "global" || !finding.address) return "";
  const uint64_t address = *finding.address;
  const auto holds = [&](const protocol::BufferPlace& one, uint64_t at) {
    return at >= one.address && at - one.address < one.bytes;
  };
  auto found = std::ranges::find_if(buffers, [&](const protocol::BufferPlace& one) {
    return holds(one, address) || (finding.near_address && holds(one, *finding.near_address));
  });
  if (found == buffers.end()) return "";
  json["argument"] = found->name;
  json["dtype"] = found->dtype;
  const auto dtype = find_dtype(found->dtype);
  if (!dtype || dtype->bytes == 0) return found->name;
  const auto width = static_cast<int64_t>(dtype->bytes);
  const auto offset = static_cast<int64_t>(address - found->address);
  const int64_t index = offset >= 0 ? offset / width : -((-offset + width - 1) / width);
  json["index"] = index;
  json["elements"] = found->bytes / dtype->bytes;
  return fmt::format("{}[{}]", found->name, index);
}

std::string nearest_text(const Finding& finding) {
  if (!finding.near_bytes) return "";
  const std::string size = bytes_text(*finding.near_bytes);
  if (finding.side == "inside") return ", inside the allocation of " + size;
  return fmt::format(", {} {} the nearest allocation of {}",
                     bytes_text(finding.distance.value_or(0)), finding.side, size);
}

// The sentence that our own device would give.
std::string message_of(const Finding& finding, const std::string& element) {
  std::string by;
  if (finding.thread && finding.block)
    by = fmt::format(", by thread {} of block {}", triple_text(*finding.thread),
                     triple_text(*finding.block));
  if (finding.count > 1 && finding.kind != "race")
    by += fmt::format(" and {} more", finding.count - 1);
  if (!finding.place.kernel.empty()) by += " in " + finding.place.kernel;
  by += text_of(finding.place);
  const std::string at = element.empty() ? "" : " at " + element;
  if (finding.kind == "illegal_address" || finding.kind == "misaligned_address") {
    return fmt::format(
        "{} {} {} of {}{}{}{}", finding.kind == "illegal_address" ? "out-of-bounds" : "misaligned",
        finding.space, finding.access, bytes_text(finding.bytes), at, nearest_text(finding), by);
  }
  if (finding.kind == "uninitialised") {
    return fmt::format("a value from uninitialised {} memory is read{}{}", finding.space,
                       element.empty() ? "" : " (" + element + ")", by);
  }
  if (finding.kind == "race") {
    return fmt::format(
        "race: {} of shared memory{}; the other access is{}, and nothing puts them in order "
        "[{} hazards]",
        finding.hazard, by, text_of(finding.other), finding.count);
  }
  return finding.said + by;
}

nlohmann::ordered_json report_of(const Finding& finding,
                                 const std::vector<protocol::BufferPlace>& buffers) {
  nlohmann::ordered_json json;
  json["kind"] = finding.kind;
  if (!finding.place.kernel.empty()) json["kernel"] = finding.place.kernel;
  const bool race = finding.kind == "race";
  if (race) json["space"] = "shared";
  if (!finding.space.empty()) json["space"] = finding.space;
  if (finding.kind == "uninitialised") json["origin"] = finding.space;
  if (!finding.access.empty()) json["access"] = finding.access;
  if (finding.bytes != 0) json["bytes"] = finding.bytes;
  if (finding.thread) json["thread"] = *finding.thread;
  if (finding.block) json["block"] = *finding.block;
  json["count"] = finding.count;
  if (finding.address) json["address"] = fmt::format("{:#x}", *finding.address);
  const std::string element = add_argument(json, finding, buffers);
  if (finding.near_address && finding.near_bytes) {
    json["allocation"] = {{"address", fmt::format("{:#x}", *finding.near_address)},
                          {"bytes", *finding.near_bytes},
                          {"distance", finding.distance.value_or(0)},
                          {"side", finding.side}};
  }
  add_place(json, finding.place);
  if (!finding.hazard.empty()) json["hazard"] = finding.hazard;
  json["severity"] = "error";
  if (finding.has_other) {
    nlohmann::ordered_json other = nlohmann::ordered_json::object();
    add_place(other, finding.other);
    json["other"] = other;
  }
  json["message"] = message_of(finding, element);
  return json;
}

}  // namespace

std::vector<nlohmann::ordered_json> read_sanitizer_log(
    std::string_view log, const std::vector<protocol::BufferPlace>& buffers) {
  LogReader reader;
  std::vector<nlohmann::ordered_json> reports;
  for (const Finding& finding : reader.read(log)) reports.push_back(report_of(finding, buffers));
  if (!reports.empty() || reader.errors() == 0) return reports;
  const std::string counted = fmt::format("compute-sanitizer counts {} error{}", reader.errors(),
                                          reader.errors() == 1 ? "" : "s");
  nlohmann::ordered_json unknown = {
      {"kind", kUnknown}, {"severity", "error"}, {"message", counted}};
  if (reader.unknown()) {
    unknown = report_of(*reader.unknown(), buffers);
    unknown["message"] = fmt::format("{}, in words that Warpmark does not know: {}", counted,
                                     unknown["message"].get<std::string>());
  }
  reports.push_back(unknown);
  return reports;
}

std::string why_nothing_was_checked(std::string_view log) {
  // The tool may end with "0 errors" even after these messages.
  constexpr std::string_view kNeverStarted[] = {"before first instrumented API call",
                                                "No attachable process found",
                                                "Internal Sanitizer Error", "Device not supported"};
  constexpr std::string_view kSummaries[] = {
      "ERROR SUMMARY: ", "RACECHECK SUMMARY: ", "LEAK SUMMARY: "};
  bool whole = false;
  std::vector<std::string> said;
  for (const std::string& line : split(log, '\n')) {
    std::string_view text = trim(line);
    const bool marked = text.starts_with(kMark);
    if (marked) text = trim(text.substr(kMark.size()));
    if (text.empty() || text == "COMPUTE-SANITIZER") continue;
    for (const std::string_view summary : kSummaries) {
      whole = whole || (marked && text.starts_with(summary));
    }
    for (const std::string_view failure : kNeverStarted) {
      if (marked && text.find(failure) != std::string_view::npos) {
        return fmt::format("it says: {}", printable(text.substr(0, kMostQuoted)));
      }
    }
    said.push_back(printable(text));
  }
  if (whole) return "";
  if (said.empty()) return "its log is empty";
  const std::string all = join(said, " / ");
  return fmt::format("its log has no summary: {}", printable(all.substr(0, kMostQuoted)));
}

}  // namespace warpmark
