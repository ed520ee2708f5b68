// Faults in compute-sanitizer's words, so that what reads its text reads ours.
#include <cstdint>
#include <string>
#include <vector>

#include "api/report.hpp"
#include "program/memory_words.hpp"
#include "program/source_place.hpp"

namespace warpmark::cpu {
namespace {

// A GPU's instructions have 16 bytes; offsets into a function are those of PTX instructions here.
constexpr std::uint64_t kInstructionBytes = 16;

class Text {
 public:
  explicit Text(const Program& program) : program_(program) {}

  void head(const std::string& line) { text_ += "========= " + line + "\n"; }
  void more(const std::string& line) { text_ += "=========     " + line + "\n"; }
  std::string take() { return std::move(text_); }

  static std::string place_of(const SourceLine& line) {
    return safe(line.file) + ":" + std::to_string(line.line);
  }
  // "sum(int)+0x90 in sum.cu:41": the function that an instruction belongs to.
  [[nodiscard]] std::string place(std::uint32_t number) const {
    std::string name = program_.name;
    std::uint64_t index = number;
    for (const Program::Source& source : program_.sources) {
      if (number < source.first || source.function == nullptr) continue;
      name = std::string(source.function->name);
      index = number - source.first;
    }
    std::string text = safe(readable_name(name)) + "+" + hexadecimal(index * kInstructionBytes);
    const std::vector<SourceLine> lines = source_lines(program_, number);
    if (lines.empty()) return text;
    return text + " in " + place_of(lines[own_line(lines)]);
  }
  void at(std::uint32_t statement, const std::string& before = "at ", const std::string& after = "",
          const std::vector<std::uint32_t>& calls = {}) {
    more(before + place(statement) + after);
    const std::vector<SourceLine> lines = source_lines(program_, statement, calls);
    const std::size_t own = own_line(source_lines(program_, statement));
    for (std::size_t i = own; i > 0; --i) more("    in " + place_of(lines[i - 1]));
    for (std::size_t i = lines.empty() || lines[0].calls ? 0 : own + 1; i < lines.size(); ++i)
      more(std::string(lines[i].calls ? "    called at " : "    inlined at ") + place_of(lines[i]));
  }
  void at(const Fault& fault) { at(fault.statement, "at ", "", fault.calls); }
  void by(const Fault& fault) {
    more("by thread " + triple(fault.thread) + " in block " + triple(fault.block));
  }

  // Facts that compute-sanitizer does not print.
  void further(const Fault& fault) {
    const Allocation& allocation = fault.allocation;
    if (fault.has_access && fault.space == Space::global && allocation.by != nullptr) {
      more("allocation " + std::to_string(allocation.number) + ", " +
           std::to_string(allocation.bytes) + " bytes, by " + allocation.by);
    }
    if (fault.has_access && !fault.variable.name.empty() &&
        fault.address >= fault.variable.address) {
      more("offset " + std::to_string(fault.address - fault.variable.address) + " of " +
           safe(fault.variable.name));
    }
    if (!fault.lands_in.empty()) more("inside " + safe(fault.lands_in));
    const Statement* statement = program_.statement(fault.statement);
    if (statement != nullptr && fault.kind != FaultKind::limit) {
      more("PTX line " + std::to_string(statement->line) + ": " +
           safe(instruction_text(statement->text)));
    }
    if (fault.count > 1)
      more("and " + std::to_string(fault.count - 1) +
           " more of the same, by this thread or others");
  }

 private:
  const Program& program_;
  std::string text_;
};

std::string space_text(Space space) {
  if (space == Space::constant) return "__constant__";
  return std::string("__") + name_of(space) + "__";
}

void access(const Fault& fault, Text& text) {
  text.head("Invalid " + space_text(space_of(fault)) + (fault.write ? " write" : " read") +
            " of size " + std::to_string(fault.bytes) + " bytes");
  text.at(fault);
  text.by(fault);
  const Allocation& nearest = fault.allocation;
  const bool inside = fault.side == Nearest::Side::inside;
  const bool forbidden = nearest.read_only && fault.write && inside;
  text.more("Address " + hexadecimal(fault.address) + " is " +
            (fault.kind == FaultKind::misaligned_address ? "misaligned"
             : forbidden                                 ? "read-only"
                                                         : "out of bounds"));
  if (fault.goes_on)
    text.more("and a GPU reads zeros there, since shared memory comes in granules of " +
              std::to_string(kSharedGranule) + " bytes");
  if (fault.space != Space::global || nearest.bytes == 0) return;
  if (inside && nearest.absent != nullptr) {
    text.more("and is inside the address range at " + hexadecimal(nearest.address) + " of size " +
              std::to_string(nearest.bytes) + " bytes, which is " + nearest.absent);
    return;
  }
  const std::string where = " allocation at " + hexadecimal(nearest.address) + " of size " +
                            std::to_string(nearest.bytes) + " bytes";
  if (inside)
    text.more("and is inside the nearest" + where + (nearest.live ? "" : ", which was freed"));
  else
    text.more("and is " + std::to_string(fault.distance) + " bytes " +
              (fault.side == Nearest::Side::before ? "before" : "after") + " the nearest" + where);
}

// "read after write": which access came first, and which is the fault's.
void race(const Fault& fault, Text& text) {
  const std::string_view hazard = fault.hazard;
  if (!fault.message.empty()) {  // of registers
    text.head("Error: Race reported: " + safe(fault.message));
    text.at(fault);
    text.by(fault);
    if (fault.other.known) text.at(fault.other.statement, "the other access is at ");
    return;
  }
  const bool writes = hazard.starts_with("write"), wrote = hazard.ends_with("write");
  text.head(std::string(fault.warning ? "Warning" : "Error") + ": Race reported between " +
            (wrote ? "Write" : "Read") + " access at " + text.place(fault.other.statement));
  const std::string access = hazard.starts_with("exit") ? "Exit"
                             : writes                   ? "Write access"
                                                        : "Read access";
  text.at(fault.statement, "and " + access + " at ",
          " [" + std::to_string(fault.count) + " hazards]");
  text.more("of " + space_text(fault.space) + " memory at " + hexadecimal(fault.address) +
            ", by thread " + triple(fault.other.thread) + " in block " + triple(fault.other.block) +
            " and thread " + triple(fault.thread) + " in block " + triple(fault.block));
  if (fault.by_lane())
    text.at(fault.released,
            "no __syncwarp() lies in front of where one lane releases for its warp, at ");
}

void uninitialised(const Fault& fault, const Program& program, Text& text) {
  const bool variable = fault.origin == Space::param;
  const Statement* load = fault.other.known ? program.statement(fault.other.statement) : nullptr;
  const std::uint32_t bytes = load != nullptr    ? loaded_bytes(*load)
                              : fault.has_access ? fault.bytes
                                                 : 0;
  text.head("Uninitialized " + (variable ? std::string("register") : space_text(fault.origin)) +
            " memory read" + (bytes != 0 ? " of size " + std::to_string(bytes) + " bytes" : ""));
  text.at(fault.other.known ? fault.other.statement : fault.statement);
  text.by(fault);
  if (fault.has_access && fault.origin == fault.space)
    text.more("Address " + hexadecimal(fault.address));
  text.at(fault.statement, std::string("the value is ") + fault.hazard + " at ");
  for (const Fault::Use& use : fault.uses)
    text.at(use.statement, std::string("and ") + use.what + " at ");
}

}  // namespace

std::string sanitizer_text(const Fault& fault, const Program& program) {
  Text text(program);
  switch (fault.kind) {
    case FaultKind::illegal_address:
    case FaultKind::misaligned_address:
      access(fault, text);
      break;
    case FaultKind::race:
      race(fault, text);
      break;
    case FaultKind::uninitialised:
      uninitialised(fault, program, text);
      break;
    case FaultKind::sync:
    case FaultKind::barrier:
      text.head(std::string("Barrier error detected. ") +
                (fault.kind == FaultKind::sync ? fault.hazard : "Divergent thread(s) in block"));
      text.at(fault);
      text.by(fault);
      text.more(safe(fault.message + fault.detail));
      break;
    case FaultKind::heap:
      text.head(std::string("Malloc/Free error encountered : ") +
                (fault.message.find("freed already") != std::string::npos
                     ? "Double free"
                     : "Invalid pointer to free"));
      text.at(fault);
      text.by(fault);
      break;
    case FaultKind::incomplete:
      text.head("Warning: " + fault.message);
      return text.take();
    case FaultKind::limit:
      text.head("Launch ended: " + fault.message);
      return text.take();
    case FaultKind::waiting:
      text.more(safe(fault.message) + " at " + text.place(fault.statement));
      return text.take();
    case FaultKind::trap:
    case FaultKind::stack:
    case FaultKind::invalid_pc:
    case FaultKind::handle:
    case FaultKind::surface:
    case FaultKind::descriptor:
    case FaultKind::assertion:
      text.head(fault.kind == FaultKind::stack                ? "Stack overflow"
                : fault.kind == FaultKind::invalid_pc         ? "Invalid PC"
                : fault.kind == FaultKind::trap               ? "Trap"
                : fault.kind == FaultKind::assertion          ? "Assertion failed"
                : fault.kind != FaultKind::descriptor         ? "Invalid texture or surface access"
                : fault.message.starts_with("the tensor map") ? "Invalid tensor map"
                                                              : "Invalid operand");
      text.at(fault);
      text.by(fault);
      text.more(safe(fault.message));
      break;
    default:  // of a check whose mistakes compute-sanitizer has no words for
      text.head(std::string("Error: ") + fault.hazard);
      text.at(fault);
      text.by(fault);
      text.more(safe(fault.message + fault.detail));
      break;
  }
  text.further(fault);
  return text.take();
}

}  // namespace warpmark::cpu
