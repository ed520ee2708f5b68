#include "compiler/index_wrap.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "base/launch_limits.hpp"
#include "compiler/wrapped_value.hpp"
#include "ptx/error.hpp"
#include "ptx/parser.hpp"
#include "ptx/special_registers.hpp"

namespace warpmark {

namespace {

using namespace wrapped;
using cpu::Mnemonic;
using cpu::Modifier;
__extension__ using Unsigned = unsigned __int128;

constexpr uint64_t kMostSteps = 100'000;         // of a thread
constexpr uint64_t kMostStepsOfAll = 1'000'000;  // of the threads here and there
constexpr uint64_t kMostStepsInBlock = 300'000;  // of those of the last block
// A number further from 0 is no index, but a hash or a random number.
constexpr Wide kMostIndex = Wide{1} << 62;
// A factor in the source beyond this one mixes bits; no row of an array is that long.
constexpr int64_t kMostFactor = int64_t{1} << 20;

class Thread {
 public:
  Thread(const cpu::Module& module, const cpu::Function& kernel, const EvaluatedLaunch& launch)
      : module_(module), kernel_(kernel), launch_(launch), registers_(kernel.registers.size()) {}

  // Returns how many steps it took.
  uint64_t run(const std::array<uint64_t, 3>& block, const std::array<uint64_t, 3>& thread) {
    block_ = block;
    thread_ = thread;
    std::ranges::fill(registers_, Value());
    uint64_t steps = 0;
    for (next_ = 0; next_ < kernel_.statements.size() && steps < kMostSteps && !found_; ++steps) {
      at_ = static_cast<uint32_t>(next_++);
      step(kernel_.statements[at_]);
    }
    return steps;
  }
  const std::optional<WrappedIndex>& found() const { return found_; }

 private:
  using Operands = std::span<const cpu::Operand>;

  void step(const cpu::Statement& statement) {
    if (statement.facts == nullptr) return end();
    if (statement.guard != cpu::Operand::kNone) {
      const Value& guard = registers_[statement.guard];
      const bool branches = statement.facts->mnemonic == Mnemonic::bra;
      if (!guard.known) return branches ? end() : forget_results(statement);
      if ((guard.bits != 0) == statement.guard_negated) return;
    }
    execute(statement);
  }

  void end() { next_ = kernel_.statements.size(); }

  void execute(const cpu::Statement& statement) {
    const Operands operands = kernel_.operands_of(statement);
    switch (statement.facts->mnemonic) {
      case Mnemonic::bra:
        if (operands.empty() || operands[0].kind != cpu::OperandKind::label) return end();
        next_ = operands[0].index;
        return;
      case Mnemonic::brx:
      case Mnemonic::ret:
      case Mnemonic::exit:
      case Mnemonic::trap:
        return end();
      default:
        break;
    }
    if (check_access(statement)) return;
    const std::optional<Value> made = result_of(statement);
    if (made && !operands.empty() && operands[0].kind == cpu::OperandKind::reg) {
      registers_[operands[0].index] = *made;
    } else {
      forget_results(statement);
    }
  }

  // Results stand first: a register, a vector or a pair of them.
  void forget_results(const cpu::Statement& statement) {
    const Operands operands = kernel_.operands_of(statement);
    if (operands.empty()) return;
    if (operands[0].kind == cpu::OperandKind::reg) registers_[operands[0].index] = Value();
    const bool several =
        operands[0].kind == cpu::OperandKind::vector || operands[0].kind == cpu::OperandKind::pair;
    if (!several) return;
    for (const cpu::Operand& one : kernel_.elements_of(operands[0])) {
      if (one.kind == cpu::OperandKind::reg) registers_[one.index] = Value();
    }
  }

  // True if the address of an access is not what it was to be.
  bool check_access(const cpu::Statement& statement) {
    for (const cpu::Operand& operand : kernel_.operands_of(statement)) {
      if (operand.kind != cpu::OperandKind::address || operand.index == cpu::Operand::kNone)
        continue;
      const cpu::Operand& base = kernel_.operands[operand.index];
      if (base.kind != cpu::OperandKind::reg) continue;
      const Value& address = registers_[base.index];
      if (!address.known || address.array == kNone || address.wrap.statement == kNone) continue;
      report(address.wrap, address.array);
      return true;
    }
    return false;
  }

  void report(const Wrap& wrap, std::optional<size_t> argument) {
    found_ = WrappedIndex{place_of(module_, kernel_.statements[wrap.statement]),
                          argument,
                          wrap.meant,
                          wrap.computed,
                          block_,
                          thread_};
  }

  Value read(const cpu::Operand& operand, Type type) const {
    switch (operand.kind) {
      case cpu::OperandKind::reg:
        return operand.minus ? Value() : registers_[operand.index];
      case cpu::OperandKind::integer:
        return from_bits(static_cast<uint64_t>(operand.value), type);
      case cpu::OperandKind::name:
        return special(operand.text, type);
      default:
        return {};
    }
  }

  Value special(std::string_view name, Type type) const {
    const cpu::SpecialRegister* known = cpu::special_register(name);
    if (known == nullptr) return {};
    const auto number = [&](uint64_t one) { return exactly(static_cast<Wide>(one), type); };
    const auto& block = launch_.block;
    // The component x of each, which y and z follow.
    for (const auto& [x, values] :
         {std::pair(cpu::Special::tid_x, &thread_), std::pair(cpu::Special::ntid_x, &block),
          std::pair(cpu::Special::ctaid_x, &block_),
          std::pair(cpu::Special::nctaid_x, &launch_.grid)}) {
      const auto axis = static_cast<size_t>(known->value) - static_cast<size_t>(x);
      if (axis < values->size()) return number((*values)[axis]);
    }
    if (known->value == cpu::Special::warp_size) return number(32);
    if (known->value != cpu::Special::laneid) return {};
    return number((thread_[0] + block[0] * (thread_[1] + block[1] * thread_[2])) % 32);
  }

  Value parameter(const cpu::Statement& statement, Type type) const {
    const Operands operands = kernel_.operands_of(statement);
    if (operands.size() < 2 || operands[1].kind != cpu::OperandKind::address ||
        operands[1].index == cpu::Operand::kNone || operands[1].value != 0) {
      return {};
    }
    const std::string_view name = kernel_.operands[operands[1].index].text;
    for (size_t i = 0; i < kernel_.parameters.size() && i < launch_.arguments.size(); ++i) {
      if (kernel_.parameters[i].name != name) continue;
      const EvaluatedLaunch::Argument& argument = launch_.arguments[i];
      if (argument.value && cpu::bytes_of(type) == kernel_.parameters[i].bytes) {
        return exactly(*argument.value, type);
      }
      if (!argument.is_array || !is_wide(type)) return {};
      Value address = exactly(0, type);
      address.array = static_cast<uint32_t>(i);
      return address;
    }
    return {};
  }

  std::optional<Value> result_of(const cpu::Statement& statement) {
    const cpu::InstructionFacts& facts = *statement.facts;
    const Operands operands = kernel_.operands_of(statement);
    if (facts.types.empty() || operands.empty()) return std::nullopt;
    const Type type = facts.types.back();
    if (facts.mnemonic == Mnemonic::ld) {
      const bool given = facts.has(Modifier::param) || facts.has(Modifier::param_entry);
      return given && is_evaluated(type) ? parameter(statement, type) : Value();
    }
    const bool predicate = type == Type::pred;
    if (!predicate && !is_evaluated(type)) return std::nullopt;
    std::vector<Value>& given = operands_;
    given.clear();
    bool mixes = false;
    for (const cpu::Operand& operand : operands.subspan(1)) {
      given.push_back(read(operand, type));
      mixes = mixes || (operand.kind == cpu::OperandKind::integer &&
                        (operand.value > kMostFactor || operand.value < -kMostFactor));
    }
    mixes = mixes && (facts.mnemonic == Mnemonic::mul || facts.mnemonic == Mnemonic::mad);
    if (facts.has(Modifier::sat) || facts.has(Modifier::cc)) return Value();
    if (facts.mnemonic == Mnemonic::cvt) return converted(facts, given);
    if (facts.name == "setp") return compared(facts, given, type);
    if (facts.name == "selp") return selected(given);
    if (predicate) return logic(facts, given);
    if (std::ranges::any_of(given, [](const Value& one) { return !one.known; })) {
      return Value();
    }
    const Value made =
        facts.has(Modifier::wide) ? widened(facts, given, type) : computed(facts, given, type);
    const bool wide = is_wide(type) || facts.has(Modifier::wide);
    return mixes && made.known ? from_bits(made.bits, wide ? Type::s64 : Type::s32) : made;
  }

  Value converted(const cpu::InstructionFacts& facts, const std::vector<Value>& given) const {
    if (facts.types.size() != 2 || given.size() != 1 || !given[0].known) return {};
    const Type to = facts.types[0], from = facts.types[1];
    if (!is_evaluated(to) || !is_evaluated(from)) return {};
    if (is_wide(to) && !is_wide(from)) return extended(given[0], from);
    Value value = given[0];
    if (!is_wide(to)) return narrowed(value);
    return value;
  }

  // A value of 64 bits in 32, or a new one of 32.
  Value narrowed(Value value) const {
    if (value.array != kNone) return {};
    value.bits = static_cast<uint32_t>(value.bits);
    const bool is_int = value.meant >= std::numeric_limits<int32_t>::min() &&
                        value.meant <= std::numeric_limits<int32_t>::max();
    if (value.meant > kMostIndex || value.meant < -kMostIndex)
      return from_bits(value.bits, Type::s32);
    if (is_int) {
      value.origin = kNone;
    } else if (value.origin == kNone) {
      value.origin = at_;
    }
    return value;
  }

  // 32 bits in 64: this is where a number that they do not hold is lost.
  Value extended(Value value, Type from) const {
    const bool of_sign = cpu::is_signed(from);
    const int64_t there =
        of_sign ? as_signed(value, from) : static_cast<int64_t>(as_unsigned(value, from));
    value.bits = static_cast<uint64_t>(there);
    if (value.meant == there) {
      value.wrap = Wrap();
      return value;
    }
    const Wide most = of_sign ? Wide{std::numeric_limits<int32_t>::max()}
                              : Wide{std::numeric_limits<uint32_t>::max()};
    const bool lost =
        value.meant > most || (of_sign && value.meant < std::numeric_limits<int32_t>::min());
    // A negative number as one without a sign is written on purpose, or is another mistake.
    if (!lost || value.origin == kNone) return from_bits(value.bits, Type::s64);
    if (value.wrap.statement == kNone) {
      value.wrap = {value.origin, static_cast<int64_t>(value.meant), there};
    }
    return value;
  }

  // The result of an addition or a multiplication, of which both numbers are known.
  Value linear(uint64_t bits, Wide meant, Type type, std::span<const Value> of) const {
    Value value;
    value.known = true;
    value.bits = bits;
    value.meant = meant;
    for (const Value& one : of) {
      if (value.wrap.statement == kNone) value.wrap = one.wrap;
      if (value.origin == kNone) value.origin = one.origin;
      if (one.array == kNone) continue;
      if (value.array != kNone) return {};
      value.array = one.array;
    }
    if (!is_wide(type)) return narrowed(value);
    if (static_cast<Wide>(static_cast<int64_t>(bits)) == meant) value.wrap = Wrap();
    if (value.wrap.statement == kNone) value.meant = static_cast<int64_t>(bits);
    value.origin = kNone;
    return value;
  }

  Value product(const Value& one, const Value& other, Type type) const {
    if (one.array != kNone || other.array != kNone) return {};
    Wide meant = 0;
    if (__builtin_mul_overflow(one.meant, other.meant, &meant)) {
      return from_bits(one.bits * other.bits, type);
    }
    const Value both[] = {one, other};
    return linear(one.bits * other.bits, meant, type, both);
  }

  Value sum(const Value& one, const Value& other, Type type, bool minus = false) const {
    if (minus && other.array != kNone) return {};
    const Value both[] = {one, other};
    return linear(minus ? one.bits - other.bits : one.bits + other.bits,
                  minus ? one.meant - other.meant : one.meant + other.meant, type, both);
  }

  Value widened(const cpu::InstructionFacts& facts, const std::vector<Value>& given,
                Type type) const {
    if (is_wide(type) || given.size() < 2) return {};
    const Value made = product(extended(given[0], type), extended(given[1], type), Type::s64);
    if (facts.mnemonic == Mnemonic::mul) return made;
    if (facts.mnemonic != Mnemonic::mad || given.size() != 3 || !made.known) return {};
    return sum(made, given[2], Type::s64);
  }

  Value multiplied(const cpu::InstructionFacts& facts, const std::vector<Value>& given,
                   Type type) const {
    const Value made = product(given[0], given[1], type);
    if (facts.mnemonic == Mnemonic::mul || !made.known) return made;
    return given.size() == 3 ? sum(made, given[2], type) : Value();
  }

  Value shifted(const std::vector<Value>& given, Type type) const {
    const uint64_t bits = is_wide(type) ? 64 : 32;
    const uint64_t by = as_unsigned(given[1], Type::u32);
    return by < bits - 1 ? product(given[0], exactly(Wide{1} << by, type), type) : Value();
  }

  Value computed(const cpu::InstructionFacts& facts, const std::vector<Value>& given,
                 Type type) const {
    const size_t count = given.size();
    switch (facts.mnemonic) {
      case Mnemonic::mov:
      case Mnemonic::cvta:
        return count == 1 ? given[0] : Value();
      case Mnemonic::add:
        return count == 2 ? sum(given[0], given[1], type) : Value();
      case Mnemonic::sub:
        return count == 2 ? sum(given[0], given[1], type, true) : Value();
      case Mnemonic::neg:
        return count == 1 ? sum(exactly(0, type), given[0], type, true) : Value();
      case Mnemonic::mul:
      case Mnemonic::mad:
        if (count < 2 || !facts.has(Modifier::lo)) break;
        return multiplied(facts, given, type);
      case Mnemonic::shl:
        return count == 2 ? shifted(given, type) : Value();
      case Mnemonic::or_:
        // The compiler adds to a multiple so.
        if (count == 2 && (given[0].bits & given[1].bits) == 0 && given[1].meant >= 0 &&
            given[1].origin == kNone && given[1].wrap.statement == kNone) {
          return sum(given[0], given[1], type);
        }
        break;
      case Mnemonic::min:
      case Mnemonic::max: {
        if (count != 2 || is_pointer(given)) return {};
        const bool first = is_less(given[0], given[1], type) == (facts.mnemonic == Mnemonic::min);
        return given[first ? 0 : 1];
      }
      default:
        break;
    }
    return is_pointer(given) ? Value() : of_bits(facts, given, type);
  }

  // Operations that are meant for the bits that there are, as a remainder is.
  static Value of_bits(const cpu::InstructionFacts& facts, const std::vector<Value>& given,
                       Type type) {
    const bool of_sign = cpu::is_signed(type);
    const uint64_t width = is_wide(type) ? 64 : 32;
    const uint64_t a = as_unsigned(given[0], type);
    if (given.size() == 1) {
      return facts.mnemonic == Mnemonic::not_ ? from_bits(~a, type) : Value();
    }
    if (given.size() != 2) return {};
    const uint64_t b = as_unsigned(given[1], type);
    const int64_t sa = as_signed(given[0], type), sb = as_signed(given[1], type);
    switch (facts.mnemonic) {
      case Mnemonic::and_:
        return from_bits(a & b, type);
      case Mnemonic::or_:
        return from_bits(a | b, type);
      case Mnemonic::xor_:
        return from_bits(a ^ b, type);
      case Mnemonic::shr: {
        const uint64_t by = std::min<uint64_t>(as_unsigned(given[1], Type::u32), width - 1);
        if (as_unsigned(given[1], Type::u32) >= width && !of_sign) return from_bits(0, type);
        return from_bits(of_sign ? static_cast<uint64_t>(sa >> by) : a >> by, type);
      }
      case Mnemonic::div:
      case Mnemonic::rem: {
        if (b == 0 || (of_sign && sb == -1)) return {};
        const bool divides = facts.mnemonic == Mnemonic::div;
        if (of_sign) return from_bits(static_cast<uint64_t>(divides ? sa / sb : sa % sb), type);
        return from_bits(divides ? a / b : a % b, type);
      }
      case Mnemonic::mul: {
        if (!facts.has(Modifier::hi)) return {};
        if (of_sign) return from_bits(static_cast<uint64_t>((Wide{sa} * sb) >> width), type);
        return from_bits(static_cast<uint64_t>((Unsigned{a} * b) >> width), type);
      }
      default:
        return {};
    }
  }

  static bool is_pointer(const std::vector<Value>& given) {
    return std::ranges::any_of(given, [](const Value& one) { return one.array != kNone; });
  }

  static bool is_less(const Value& one, const Value& other, Type type) {
    return cpu::is_signed(type) ? as_signed(one, type) < as_signed(other, type)
                                : as_unsigned(one, type) < as_unsigned(other, type);
  }

  static Value truth(bool holds) { return exactly(holds ? 1 : 0, Type::u32); }

  static Value selected(const std::vector<Value>& given) {
    return given.size() == 3 && given[2].known ? given[given[2].bits != 0 ? 0 : 1] : Value();
  }

  static Value logic(const cpu::InstructionFacts& facts, const std::vector<Value>& given) {
    if (given.empty() || !given[0].known) return {};
    const bool a = given[0].bits != 0;
    if (given.size() == 1 && facts.mnemonic == Mnemonic::mov) return truth(a);
    if (given.size() == 1 && facts.mnemonic == Mnemonic::not_) return truth(!a);
    if (given.size() != 2 || !given[1].known) return {};
    const bool b = given[1].bits != 0;
    switch (facts.mnemonic) {
      case Mnemonic::and_:
        return truth(a && b);
      case Mnemonic::or_:
        return truth(a || b);
      case Mnemonic::xor_:
        return truth(a != b);
      default:
        return {};
    }
  }

  Value compared(const cpu::InstructionFacts& facts, const std::vector<Value>& given, Type type) {
    if (given.size() < 2 || !given[0].known || !given[1].known || is_pointer(given)) return {};
    const bool less = is_less(given[0], given[1], type);
    const bool equal = as_unsigned(given[0], type) == as_unsigned(given[1], type);
    const std::optional<bool> holds = comparison(facts.words.front(), less, equal);
    // A number of 64 bits that is not what it was to be: a guard lets other threads through.
    for (const Value& one : {given[0], given[1]}) {
      if (one.wrap.statement == kNone || !holds) continue;
      const Wide a = given[0].meant, b = given[1].meant;
      if (comparison(facts.words.front(), a < b, a == b) != holds) report(one.wrap, std::nullopt);
    }
    if (!holds || given.size() == 2) return holds ? truth(*holds) : Value();
    // The third is a predicate: setp.lt.and.
    if (given.size() != 3 || !given[2].known) return {};
    const bool other = given[2].bits != 0;
    if (facts.words[1] == "and") return truth(*holds && other);
    if (facts.words[1] == "or") return truth(*holds || other);
    return {};
  }

  static std::optional<bool> comparison(std::string_view word, bool less, bool equal) {
    if (word == "eq") return equal;
    if (word == "ne") return !equal;
    if (word == "lt" || word == "lo") return less;
    if (word == "le" || word == "ls") return less || equal;
    if (word == "gt" || word == "hi") return !less && !equal;
    if (word == "ge" || word == "hs") return !less;
    return std::nullopt;
  }

  const cpu::Module& module_;
  const cpu::Function& kernel_;
  const EvaluatedLaunch& launch_;
  std::vector<Value> registers_;
  std::vector<Value> operands_;
  std::array<uint64_t, 3> block_{}, thread_{};
  size_t next_ = 0;
  uint32_t at_ = 0;
  std::optional<WrappedIndex> found_;
};

// The indices along one dimension to look at, the last one first.
std::vector<uint64_t> samples(uint64_t extent) {
  std::vector<uint64_t> some = {extent - 1, 0, extent / 2};
  some.resize(std::min<uint64_t>(extent, some.size()));
  return some;
}

std::vector<uint64_t> all(uint64_t extent) {
  std::vector<uint64_t> indices(std::min<uint64_t>(extent, CudaLimits::threads));
  std::iota(indices.rbegin(), indices.rend(), 0);
  return indices;
}

template <typename Chosen, typename Visit>
bool each_place(const std::array<uint64_t, 3>& extents, const Chosen& chosen, const Visit& visit) {
  for (const uint64_t z : chosen(extents[2])) {
    for (const uint64_t y : chosen(extents[1])) {
      for (const uint64_t x : chosen(extents[0])) {
        if (!visit(std::array{x, y, z})) return false;
      }
    }
  }
  return true;
}

}  // namespace

std::optional<WrappedIndex> wrapped_index(const std::string& ptx, const EvaluatedLaunch& launch) {
  const auto is_empty = [](const std::array<uint64_t, 3>& extents) {
    return std::ranges::find(extents, 0) != extents.end();
  };
  if (is_empty(launch.grid) || is_empty(launch.block)) return std::nullopt;
  cpu::Module module;
  try {
    module = cpu::parse_ptx(ptx);
  } catch (const cpu::PtxError&) {
    return std::nullopt;
  }
  const auto kernel = module.function_by_name.find(launch.symbol);
  if (kernel == module.function_by_name.end()) return std::nullopt;
  Thread thread(module, module.functions[kernel->second], launch);
  uint64_t steps = 0;
  each_place(launch.grid, samples, [&](const std::array<uint64_t, 3>& block) {
    return each_place(launch.block, samples, [&](const std::array<uint64_t, 3>& one) {
      steps += thread.run(block, one);
      return steps < kMostStepsOfAll && !thread.found();
    });
  });
  if (thread.found()) return thread.found();
  // The last element is that of any thread of the last block.
  const std::array last = {launch.grid[0] - 1, launch.grid[1] - 1, launch.grid[2] - 1};
  steps = 0;
  each_place(launch.block, all, [&](const std::array<uint64_t, 3>& one) {
    steps += thread.run(last, one);
    return steps < kMostStepsInBlock && !thread.found();
  });
  return thread.found();
}

}  // namespace warpmark
