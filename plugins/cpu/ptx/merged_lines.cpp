// Follows registers from where they are written to where they are read, in the order of the text.
#include "ptx/merged_lines.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace warpmark::cpu {
namespace {

constexpr std::uint32_t kNone = Operand::kNone;

// Returns whether a statement writes its first operand. An instruction that is missing from the
// list gets no line, or the line of one of its inputs.
bool has_result(const Statement& statement) {
  constexpr Mnemonic kWithout[] = {
      Mnemonic::st,    Mnemonic::stmatrix, Mnemonic::red,      Mnemonic::bra,
      Mnemonic::brx,   Mnemonic::bar,      Mnemonic::barrier,  Mnemonic::call,
      Mnemonic::ret,   Mnemonic::cp,       Mnemonic::mbarrier, Mnemonic::trap,
      Mnemonic::exit,  Mnemonic::fence,    Mnemonic::membar,   Mnemonic::sust,
      Mnemonic::sured, Mnemonic::prefetch, Mnemonic::prefetchu};
  const InstructionFacts& facts = *statement.facts;
  return statement.operands > 0 &&
         !(facts.mnemonic == Mnemonic::wmma && facts.has(Modifier::store)) &&
         std::ranges::find(kWithout, facts.mnemonic) == std::end(kWithout);
}

template <typename Take>
void each_register(const Function& function, const Operand& operand, Take take) {
  switch (operand.kind) {
    case OperandKind::reg:
      take(operand.index);
      break;
    case OperandKind::vector:
    case OperandKind::pair:
      for (std::uint32_t k = 0; k < operand.count; ++k)
        each_register(function, function.operands[operand.index + k], take);
      break;
    case OperandKind::address:
      if (operand.index == kNone) break;
      for (std::uint32_t k = 0; k <= operand.count; ++k)
        each_register(function, function.operands[operand.index + k], take);
      break;
    default:
      break;
  }
}

class MergedCode {
 public:
  MergedCode(const Module& module, Function& function)
      : module_(module), function_(function), statements_(function.registers.size(), kNone) {}

  // From the end, since the use of a result may be merged code, too.
  void place_by_uses() {
    for (std::size_t at = function_.statements.size(); at-- > 0;) {
      Statement& statement = function_.statements[at];
      const bool result = has_result(statement);
      if (result) {
        each_register(function_, first(statement), [&](std::uint32_t reg) {
          place_as(statement, statements_[reg]);
          statements_[reg] = kNone;
        });
      }
      if (unknown(statement)) continue;
      each_read(statement, result,
                [&](std::uint32_t reg) { statements_[reg] = static_cast<std::uint32_t>(at); });
    }
  }
  void place_by_operands() {
    std::ranges::fill(statements_, kNone);
    for (std::size_t at = 0; at < function_.statements.size(); ++at) {
      Statement& statement = function_.statements[at];
      const bool result = has_result(statement);
      each_read(statement, result,
                [&](std::uint32_t reg) { place_as(statement, statements_[reg]); });
      if (unknown(statement) || !result) continue;
      each_register(function_, first(statement),
                    [&](std::uint32_t reg) { statements_[reg] = static_cast<std::uint32_t>(at); });
    }
  }

 private:
  const Operand& first(const Statement& statement) const {
    return function_.operands[statement.first_operand];
  }
  // The data of a store is visited before its address, which may have been computed long before.
  template <typename Take>
  void each_read(const Statement& statement, bool result, Take take) const {
    for (std::uint32_t k = statement.operands; k-- > (result ? 1u : 0u);)
      each_register(function_, function_.operands[statement.first_operand + k], take);
    if (statement.guard != kNone) take(statement.guard);
  }
  bool unknown(const Statement& statement) const {
    return statement.location.file == 0 ||
           (statement.location.merged && !placed_[&statement - function_.statements.data()]);
  }
  void place_as(Statement& statement, std::uint32_t other) {
    if (other == kNone || !statement.location.merged || !unknown(statement)) return;
    // Code that was inlined elsewhere counts for the call, as far out as this statement stands.
    Location place = function_.statements[other].location;
    while (place.inlined != statement.location.inlined) {
      if (place.inlined == 0 || place.inlined > module_.inlined.size()) return;
      place = module_.inlined[place.inlined - 1].call;
    }
    if (place.file != statement.location.file || place.line == 0) return;
    statement.location.line = place.line;
    statement.location.column = place.column;
    placed_[&statement - function_.statements.data()] = true;
  }

  const Module& module_;
  Function& function_;
  std::vector<std::uint32_t> statements_;  ///< by register: what uses it, or what made it
  std::vector<bool> placed_ = std::vector<bool>(function_.statements.size());
};

}  // namespace

void place_merged_code(const Module& module, Function& function) {
  if (std::ranges::none_of(function.statements,
                           [](const Statement& statement) { return statement.location.merged; }))
    return;
  MergedCode code(module, function);
  code.place_by_uses();
  code.place_by_operands();
}

}  // namespace warpmark::cpu
