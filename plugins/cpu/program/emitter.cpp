// Slots, instructions and errors of the statements of one function.
#include "program/emitter.hpp"

namespace warpmark::cpu {
namespace {

// A warp's registers may take this much: 32 warps of a block then stay below 128 MiB.
constexpr std::uint32_t kMostRegisterBytes = 4 << 20;

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank) line += c;
    if (blank && !line.empty() && line.back() != ' ') line += ' ';
  }
  return line;
}

}  // namespace

Emitter::Emitter(Decoding& decoding, const Function& of, std::uint32_t number)
    : shared(decoding),
      module(decoding.module),
      function(of),
      placement(decoding.placement),
      program(decoding.program),
      callee(number),
      first_statement(decoding.statements),
      slot_of_(of.registers.size(), Instruction::kNone) {
  program.sources.push_back({first_statement, &function});
  shared.statements += static_cast<std::uint32_t>(function.statements.size());
}

void Emitter::at(const Statement& statement) {
  statement_ = &statement;
  scratch_.used = {};
}

const Operand& Emitter::operand(std::size_t index) const {
  if (index >= operands()) invalid("too few operands");
  return function.operands[statement_->first_operand + index];
}

std::uint32_t Emitter::reads_of(std::uint32_t reg) {
  if (reads_.empty()) {
    reads_.assign(function.registers.size(), 0);
    for (const Operand& operand : function.operands) {
      if (operand.kind == OperandKind::reg) ++reads_[operand.index];
    }
  }
  return reads_[reg] - 1;
}

std::uint32_t Emitter::place() const {
  return first_statement + static_cast<std::uint32_t>(statement_ - function.statements.data());
}

std::string Emitter::message(const std::string& why) const {
  return "in " + std::string(function.entry ? "kernel" : "function") + " '" +
         std::string(function.name) + "': " + why + ": `" + one_line(statement_->text) + "`";
}

void Emitter::refuse(const std::string& why) const {
  const auto file = module.files.find(statement_->location.file);
  std::string where;
  if (file != module.files.end()) {
    where = " (from " + std::string(file->second) + ":" +
            std::to_string(statement_->location.line) + ")";
  }
  throw PtxError(statement_->line, message(why) + where, true);
}

void Emitter::refuse_opcode() const {
  if (!facts().is_unsupported()) invalid(what_is_wrong(statement_->opcode));
  check_target();
  refuse("instruction is not implemented on this device");
}

void Emitter::invalid(const std::string& why) const {
  throw PtxError(statement_->line, message(why));
}

std::uint32_t Emitter::allocate(bool wide) {
  const std::uint32_t slot = program.register_bytes;
  program.register_bytes += wide ? kWideSlot : kSlotBytes;
  if (program.register_bytes > kMostRegisterBytes) {
    throw PtxError(
        function.line,
        "kernel '" + std::string(function.name) + "' uses more registers than this device has",
        true);
  }
  return slot;
}

std::uint32_t Emitter::temporary(bool wide) {
  std::vector<std::uint32_t>& slots = scratch_.slots.at(wide ? 1 : 0);
  std::uint32_t& used = scratch_.used.at(wide ? 1 : 0);
  if (used == slots.size()) slots.push_back(allocate(wide));
  return slots[used++];
}

std::uint32_t Emitter::constant(std::uint64_t value, bool wide) {
  if (!wide) value &= 0xffffffff;
  auto [entry, fresh] = (wide ? shared.wide_constants : shared.narrow_constants).emplace(value, 0);
  if (fresh) {
    entry->second = allocate(wide);
    program.constants.push_back({entry->second, wide, value});
  }
  return entry->second;
}

std::uint32_t Emitter::address_of(std::uint32_t object, std::uint64_t address, bool wide) {
  if (object == 0) return constant(address, wide);
  auto [entry, fresh] = shared.addresses.emplace(std::tuple(object, address, wide), 0);
  if (fresh) {
    entry->second = allocate(wide);
    program.constants.push_back({entry->second, wide, address});
    program.addresses.emplace_back(entry->second, object);
  }
  return entry->second;
}

std::uint32_t Emitter::object(const Object& object) {
  if (program.objects.size() > Program::kMostObjects) return 0;
  program.objects.push_back(object);
  return static_cast<std::uint32_t>(program.objects.size() - 1);
}

std::uint32_t Emitter::global_object(std::string_view name, std::uint64_t address) {
  auto [entry, fresh] = shared.globals.emplace(name, 0);
  if (fresh) entry->second = object({Object::Kind::variable, name, address, 0});
  return entry->second;
}

std::uint32_t Emitter::special(Special which) {
  auto [entry, fresh] = shared.specials.emplace(static_cast<int>(which), 0);
  if (fresh) {
    entry->second = allocate(false);
    program.specials.push_back({entry->second, which});
  }
  return entry->second;
}

std::uint32_t Emitter::more(const std::vector<std::uint32_t>& slots) {
  std::vector<std::uint32_t>& operands = program.operands;
  operands.insert(operands.end(), slots.begin(), slots.end());
  return static_cast<std::uint32_t>(operands.size() - slots.size());
}

void Emitter::emit(Instruction instruction) {
  if (statement_->guard != Operand::kNone) {
    instruction.guard = register_slot(statement_->guard);
    instruction.guard_negated = statement_->guard_negated;
  }
  emit_unguarded(instruction);
}

void Emitter::emit(Opcode opcode, std::uint32_t d, std::uint32_t a, std::uint32_t b,
                   std::uint32_t c) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.d = d;
  instruction.a = a;
  instruction.b = b;
  instruction.c = c;
  emit(instruction);
}

void Emitter::emit_unguarded(Instruction instruction) {
  instruction.statement = place();
  program.code.push_back(instruction);
}

void Emitter::finish_widening() {
  if (widen_.wide == Instruction::kNone) return;
  emit(widen_.sign ? Opcode::cvt_s64_s32 : Opcode::cvt_u64_u32,
       std::exchange(widen_.wide, Instruction::kNone), widen_.narrow);
}

void Emitter::check_target() const {
  const Needs& least = facts().needs;
  if (least.specific && (module.architecture < least.architecture || !module.specific))
    invalid("needs .target sm_" + std::to_string(least.architecture) + "a");
  if (module.architecture < least.architecture)
    invalid("needs .target sm_" + std::to_string(least.architecture) + " or higher");
  if (module.version < least.version)
    invalid("needs .version " + std::to_string(least.version / 10) + "." +
            std::to_string(least.version % 10));
}

void Emitter::keep_unsupported(const PtxError& error) {
  if (!error.unsupported()) throw;
  if (!shared.unsupported) shared.unsupported = error;
  widen_ = {};
}

FunctionPlaces Emitter::take_places() {
  FunctionPlaces places{std::move(slot_of_), {}};
  places.variables.reserve(variables.size());
  for (const auto& [name, placed] : variables)
    places.variables.emplace(name, FunctionPlaces::Variable{placed.space, placed.offset});
  return places;
}

}  // namespace warpmark::cpu
