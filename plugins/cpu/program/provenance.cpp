// Which object the address of each access is derived from: what C++ calls the provenance of a
// pointer. An access through a pointer to one array must stay in it, whatever lies behind its end;
// where only addresses are known, a neighbour without padding hides the mistake.
//
// One fact holds for a register in the whole kernel (compilers write most registers once), as the
// join of all its definitions. It is made so that it errs to the side of not knowing: an access is
// given an object only if every value that its address register can have is a pointer derived from
// that object, under the rules that C++ has for pointers (C++20 [expr.add]: what is added to a
// pointer is a number of elements, and the sum points into the same array).
//
// Functions that were not inlined are followed, too: a parameter is what all calls pass.
#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "program/data_flow.hpp"
#include "program/provenance.hpp"

namespace warpmark::cpu {
namespace {

// How an access may relate to parameters.
enum class Passing : std::uint8_t {
  none,
  parameter,   // reads a kernel parameter
  frame_load,  // reads local memory, which holds functions' parameters
  frame_store
};
constexpr Passing passing(std::string_view space, bool store) {
  if (space == "local") return store ? Passing::frame_store : Passing::frame_load;
  return space == "param" && !store ? Passing::parameter : Passing::none;
}
constexpr auto kPassing = [] {
  std::array<Passing, static_cast<std::size_t>(Opcode::count)> all{};
#define ACCESS_LOAD(space, memory, bits) \
  all[static_cast<std::size_t>(Opcode::load_##space##_##memory##_##bits)] = passing(#space, false);
#define ACCESS_STORE(space, memory, bits) \
  all[static_cast<std::size_t>(Opcode::store_##space##_##memory##_##bits)] = passing(#space, true);
#include "program/memory_ops.def"
  return all;
}();
constexpr Passing passing_of(const Instruction& instruction) {
  return kPassing[static_cast<std::size_t>(instruction.opcode)];
}

// The origin of the value in a register.
enum Origin : std::uint32_t {
  kNothing,  // no definition is known yet
  kNumber,   // computed from no address
  kUnknown,  // read from memory with the size of a pointer: a number, or a pointer to anything
  kMixed,    // derived from several objects, or by operations that pointers do not have
  kFirst     // a pointer into the object of number origin - kFirst
};

constexpr bool is_pointer(std::uint32_t origin) {
  return origin >= kFirst;
}

// The origin of a + b. A value that is added to a pointer is a number, even if it comes from
// memory: C++ has no sum of two pointers.
std::uint32_t sum(std::uint32_t a, std::uint32_t b) {
  if (a == kNothing || b == kNothing) return kNothing;
  const std::uint32_t less = std::min(a, b), more = std::max(a, b);
  return less == kMixed || is_pointer(less) ? std::uint32_t{kMixed} : more;
}

// The origin of a bitwise operation on a and b. A value from memory may turn a pointer into another
// one.
std::uint32_t mixture(std::uint32_t a, std::uint32_t b) {
  const bool either = a == kUnknown || b == kUnknown;
  return either && (is_pointer(a) || is_pointer(b)) ? std::uint32_t{kMixed} : sum(a, b);
}

// The origin of a - b. A value read from memory may be a pointer into the array of the other
// operand.
std::uint32_t difference(std::uint32_t a, std::uint32_t b) {
  if (a == kNothing || b == kNothing) return kNothing;
  if (b == kNumber) return a;
  if (is_pointer(a) && a == b) return kNumber;
  return a == kNumber && b == kUnknown ? kUnknown : kMixed;
}

// The origin of the result of an operation after which no pointer is left.
std::uint32_t computed(const std::vector<std::uint32_t>& origins) {
  std::uint32_t most = kNumber;
  for (const std::uint32_t origin : origins) {
    if (origin == kNothing) return kNothing;
    most = std::max(most, origin);
  }
  return most > kUnknown ? kMixed : most;
}

class Provenance {
 public:
  explicit Provenance(Program& program)
      : program_(program), origins_(program.register_bytes / kSlotBytes + 1, kNothing) {
    for (const Program::Constant& constant : program.constants) {
      set(constant.slot, kNumber);
      values_.emplace(constant.slot, constant.value);
    }
    for (const Program::SpecialSlot& special : program.specials) set(special.slot, kNumber);
    if (program.barrier_count != Instruction::kNone) {
      set(program.barrier_count, kNumber);
      set(program.barrier_count + kSlotBytes, kNumber);
    }
    for (const auto& [slot, object] : program.addresses)
      origins_[slot / kSlotBytes] = kFirst + object;
    find_passed();
    uses_.reserve(program.code.size());
    for (const Instruction& instruction : program.code) {
      uses_.push_back(uses_of(program, instruction));
      std::erase(uses_.back().writes, Instruction::kNone);
    }
  }

  void run() {
    // Facts only grow, four times at most for each register.
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t at = 0; at < uses_.size(); ++at) {
        if (!uses_[at].writes.empty()) changed |= take({program_.code[at], uses_[at]});
      }
    }
    for (Instruction& instruction : program_.code) {
      if (!is_access(instruction)) continue;
      const std::uint32_t origin = of(instruction.address);
      if (is_pointer(origin)) instruction.object = static_cast<std::uint16_t>(origin - kFirst);
    }
    find_loaded_pointers(
        program_, uses_, [&](std::uint32_t slot) { return of(slot) == kNumber; },
        [&](const Instruction& i) { return is_access(i) && of(i.address) == kUnknown; });
  }

 private:
  struct Step {
    const Instruction& instruction;
    const Uses& uses;
  };

  [[nodiscard]] std::uint32_t of(std::uint32_t slot) const {
    return slot == Instruction::kNone ? kNumber : origins_[slot / kSlotBytes];
  }
  bool set(std::uint32_t slot, std::uint32_t origin) {
    std::uint32_t& known = origins_[slot / kSlotBytes];
    const std::uint32_t merged = merge(known, origin);
    return std::exchange(known, merged) != merged;
  }

  static bool is_access(const Instruction& instruction) {
    switch (flow_of(instruction.opcode)) {
      case Flow::load:
      case Flow::store:
      case Flow::atomic:
        return true;
      default:
        return instruction.opcode == Opcode::matrix_load ||
               instruction.opcode == Opcode::matrix_store ||
               (instruction.opcode >= Opcode::matrix_rows_load &&
                instruction.opcode < Opcode::matrix_transpose);
    }
  }

  // A place in the frame of a function that was not inlined: which one, and where.
  using Place = std::pair<std::uint32_t, std::uint64_t>;

  // Where an instruction accesses a function's frame, or the kernel's: an offset.
  [[nodiscard]] std::optional<std::uint64_t> in_frame(const Instruction& i,
                                                      std::uint32_t function) const {
    if (function != Instruction::kNone) {
      if (i.address != program_.callees[function].frame_slot) return std::nullopt;
      return static_cast<std::uint64_t>(i.imm);
    }
    const auto base = values_.find(i.address);
    if (base == values_.end()) return std::nullopt;
    return base->second + static_cast<std::uint64_t>(i.imm);
  }

  // Finds the values that calls pass to functions, so that parameters of eight bytes are followed
  // like registers.
  void find_passed() {
    for (std::uint32_t number = 0; number < program_.callees.size(); ++number) {
      const Callee& callee = program_.callees[number];
      frames_.emplace(callee.frame_slot, number);
      for (const Callee::Value& value : callee.parameters) {
        for (std::uint32_t at = 0; at + 8 <= value.bytes; at += 8)
          passed_[{number, value.offset + at}];
      }
    }
    for (const BasicBlock& block : program_.blocks) {
      if (block.exit != Exit::call) continue;
      const Call& call = program_.calls[block.barrier];
      if (call.callee == Instruction::kNone) {  // it may be any function
        passed_.clear();
        return;
      }
      const Callee& callee = program_.callees[call.callee];
      const std::map<std::uint64_t, std::uint32_t> stored = stored_in(block, call.caller);
      for (std::size_t k = 0; k < callee.parameters.size(); ++k) {
        for (std::uint32_t at = 0; at + 8 <= callee.parameters[k].bytes; at += 8) {
          const auto found = stored.find(std::uint64_t{call.arguments[k].offset} + at);
          passed_[{call.callee, callee.parameters[k].offset + at}].push_back(
              found == stored.end() ? Instruction::kNone : found->second);
        }
      }
    }
    // A function may write to its own parameters.
    for (const Instruction& i : program_.code) {
      const auto frame = frames_.find(i.address);
      if (frame != frames_.end() && flow_of(i.opcode) == Flow::store)
        forget(frame->second, static_cast<std::uint64_t>(i.imm), i.cost);
      // The address of something in the frame.
      const auto base = frames_.find(i.a);
      if (base == frames_.end()) continue;
      const auto offset = values_.find(i.b);
      if (offset != values_.end())
        forget(base->second, offset->second, 1);
      else
        forget(base->second, 0, program_.callees[base->second].frame_bytes);
    }
  }

  // The registers that a block leaves in its function's frame, by offset.
  [[nodiscard]] std::map<std::uint64_t, std::uint32_t> stored_in(const BasicBlock& block,
                                                                 std::uint32_t function) const {
    std::map<std::uint64_t, std::uint32_t> stored;
    for (std::uint32_t at = block.begin; at != block.end; ++at) {
      const Instruction& i = program_.code[at];
      if (passing_of(i) != Passing::frame_store) continue;
      const std::optional<std::uint64_t> to = in_frame(i, function);
      if (!to) continue;
      for (auto one = stored.lower_bound(*to < 8 ? 0 : *to - 7);
           one != stored.end() && one->first < *to + i.cost;)
        one = stored.erase(one);
      if (i.guard != Instruction::kNone || i.cost != 8 * i.count) continue;
      const std::uint32_t data[] = {i.d, i.a, i.b, i.c};
      for (std::uint32_t element = 0; element < i.count; ++element)
        stored[*to + 8 * element] = data[element];
    }
    return stored;
  }

  // Something else may write to [offset, offset + bytes) of a frame.
  void forget(std::uint32_t function, std::uint64_t offset, std::uint64_t bytes) {
    for (const Callee::Value& value : program_.callees[function].parameters) {
      if (offset >= value.offset + std::uint64_t{value.bytes} || offset + bytes <= value.offset)
        continue;
      for (std::uint32_t at = 0; at + 8 <= value.bytes; at += 8)
        passed_.erase({function, value.offset + at});
    }
  }

  // The origin of a value that a function reads from its parameters.
  std::uint32_t argument(const Instruction& i, std::uint32_t element) {
    const auto frame = frames_.find(i.address);
    if (frame == frames_.end()) return kUnknown;
    const auto passed =
        passed_.find({frame->second, static_cast<std::uint64_t>(i.imm) + 8 * element});
    if (passed == passed_.end()) return kUnknown;
    std::uint32_t all = kNothing;
    for (const std::uint32_t slot : passed->second)
      all = merge(all, slot == Instruction::kNone ? std::uint32_t{kUnknown} : of(slot));
    return all;
  }

  // The object that a parameter of the kernel points into; a narrow one is a number.
  std::uint32_t parameter(const Instruction& i, std::uint32_t element) {
    const auto base = values_.find(i.address);
    if (base == values_.end()) return kUnknown;
    const std::uint64_t offset = base->second + static_cast<std::uint64_t>(i.imm) + 8 * element;
    const auto fresh = static_cast<std::uint32_t>(program_.objects.size());
    const auto [known, is_new] = parameters_.emplace(offset, fresh);
    if (is_new) {
      if (fresh > Program::kMostObjects) return kUnknown;
      program_.objects.push_back({Object::Kind::parameter, "", offset, 0});
    }
    return kFirst + known->second;
  }

  // The origin of a register that may hold either value. An access through it lands in one of two
  // arrays; for arrays in shared memory, in the range that they span.
  std::uint32_t merge(std::uint32_t a, std::uint32_t b) {
    if (a == kNothing || a == b) return b;
    if (b == kNothing) return a;
    if (a <= kUnknown && b <= kUnknown) return kUnknown;
    if (!is_pointer(a) || !is_pointer(b)) return kMixed;
    const std::uint32_t first = std::min(a, b) - kFirst, second = std::max(a, b) - kFirst;
    const auto array = [&](std::uint32_t object) {
      const Object::Kind kind = program_.objects[object].kind;
      return kind == Object::Kind::parameter || kind == Object::Kind::variable;
    };
    const auto is_of = [&](std::uint32_t one, std::uint32_t two) {
      const Object& object = program_.objects[two];
      return object.kind == Object::Kind::any && (object.address == one || object.bytes == one);
    };
    if (is_of(first, second)) return kFirst + second;
    if (is_of(second, first)) return kFirst + first;
    if (array(first) && array(second)) return pair_of(Object::Kind::any, first, second);
    const Object &one = program_.objects[first], &other = program_.objects[second];
    if (one.kind != Object::Kind::shared || other.kind != Object::Kind::shared) return kMixed;
    // From the begin of the one to the end of the other.
    const std::uint64_t begin = std::min(one.address, other.address);
    const std::uint64_t end = std::max(one.address + one.bytes, other.address + other.bytes);
    for (const std::uint32_t whole : {first, second}) {
      const Object& object = program_.objects[whole];
      if (object.address == begin && object.bytes == end - begin) return kFirst + whole;
    }
    return pair_of(Object::Kind::shared, begin, end - begin);
  }

  // An object made of two numbers.
  std::uint32_t pair_of(Object::Kind kind, std::uint64_t first, std::uint64_t second) {
    const auto fresh = static_cast<std::uint32_t>(program_.objects.size());
    const auto [known, is_new] = pairs_.emplace(std::tuple(kind, first, second), fresh);
    if (is_new) {
      if (fresh > Program::kMostObjects) {
        pairs_.erase(known);
        return kMixed;
      }
      program_.objects.push_back({kind, "", first, second});
    }
    return kFirst + known->second;
  }

  // Which of two parameters is a pointer, and which a distance of 64 bits, is known at the launch.
  std::uint32_t sum_of(std::uint32_t a, std::uint32_t b) {
    const auto parameter_of = [&](std::uint32_t origin) {
      return is_pointer(origin) &&
             program_.objects[origin - kFirst].kind == Object::Kind::parameter;
    };
    if (!parameter_of(a) || !parameter_of(b)) return sum(a, b);
    if (a == b) return kMixed;
    const std::uint64_t first = program_.objects[std::min(a, b) - kFirst].address;
    const std::uint64_t second = program_.objects[std::max(a, b) - kFirst].address;
    return pair_of(Object::Kind::either, first, second);
  }

  bool take(const Step& step) {
    const Instruction& i = step.instruction;
    const std::vector<std::uint32_t>& writes = step.uses.writes;
    bool changed = false;
    if (flow_of(i.opcode) == Flow::load) {
      const std::uint32_t bytes = i.cost / i.count;
      const bool parameters = passing_of(i) == Passing::parameter;
      const bool own = passing_of(i) == Passing::frame_load;
      for (std::uint32_t element = 0; element < writes.size(); ++element) {
        const std::uint32_t origin = bytes < 8    ? std::uint32_t{kNumber}
                                     : parameters ? parameter(i, element)
                                     : own        ? argument(i, element)
                                                  : std::uint32_t{kUnknown};
        changed |= set(writes[element], origin);
      }
      return changed;
    }
    const std::uint32_t origin = result(step);
    for (const std::uint32_t slot : writes) changed |= set(slot, origin);
    return changed;
  }

  [[nodiscard]] std::uint32_t result(const Step& step) {
    const Instruction& i = step.instruction;
    switch (i.opcode) {
      case Opcode::to_window:
      case Opcode::from_window:
      case Opcode::map_address:
        return of(i.a);
      default:
        break;
    }
    switch (flow_of(i.opcode)) {
      case Flow::copy:
      case Flow::shuffle:
        return of(i.a);
      case Flow::both:
      case Flow::either:
        return mixture(of(i.a), of(i.b));
      case Flow::select:
        return merge(of(i.a), of(i.b));
      case Flow::unpack:
        return of(i.e);
      case Flow::pack:
        return pack(i);
      case Flow::compare:
        return kNumber;
      case Flow::atomic:
      case Flow::special:
        return kUnknown;
      default:
        return arithmetic(step);
    }
  }

  // The halves of a pointer make it again.
  [[nodiscard]] std::uint32_t pack(const Instruction& i) const {
    const std::uint32_t parts[] = {i.a, i.b, i.c, i.e};
    std::uint32_t all = of(parts[0]);
    for (std::uint32_t part = 1; part < i.count; ++part) {
      const std::uint32_t one = of(parts[part]);
      if (one != all) all = mixture(all, one);
    }
    return all;
  }

  [[nodiscard]] std::uint32_t arithmetic(const Step& step) {
    const Instruction& i = step.instruction;
    const OpcodeInfo* info = find_opcode(i.opcode);
    std::vector<std::uint32_t> reads;
    for (const std::uint32_t slot : step.uses.reads) {
      if (slot != Instruction::kNone) reads.push_back(of(slot));
    }
    const Mnemonic word = info == nullptr ? Mnemonic::none : words_of(*info).mnemonic;
    if (word == Mnemonic::add) return sum_of(of(i.a), of(i.b));
    if (word == Mnemonic::xor_ || word == Mnemonic::lop3) {
      std::uint32_t all = kNumber;
      for (const std::uint32_t origin : reads) all = mixture(all, origin);
      return all;
    }
    if (word == Mnemonic::sub) return difference(of(i.a), of(i.b));
    // A factor is no pointer: a product is a number, whatever was multiplied.
    if (word == Mnemonic::mad || word == Mnemonic::mul || word == Mnemonic::shl) {
      const bool known = of(i.a) != kNothing && of(i.b) != kNothing;
      const std::uint32_t product = known ? kNumber : kNothing;
      return word == Mnemonic::mad ? sum(product, of(i.c)) : product;
    }
    if (word == Mnemonic::min || word == Mnemonic::max) return merge(of(i.a), of(i.b));
    return computed(reads);
  }

  Program& program_;
  std::vector<std::uint32_t> origins_;                       ///< by slot
  std::unordered_map<std::uint32_t, std::uint64_t> values_;  ///< of constants, by slot
  std::map<std::tuple<Object::Kind, std::uint64_t, std::uint64_t>, std::uint32_t>
      pairs_;                                                    ///< objects
  std::unordered_map<std::uint64_t, std::uint32_t> parameters_;  ///< objects, by offset
  std::unordered_map<std::uint32_t, std::uint32_t> frames_;  ///< functions, by Callee::frame_slot
  std::map<Place, std::vector<std::uint32_t>> passed_;       ///< the slots of all its calls
  std::vector<Uses> uses_;                                   ///< of each instruction
};

}  // namespace

void find_provenance(Program& program) {
  Provenance(program).run();
}

}  // namespace warpmark::cpu
