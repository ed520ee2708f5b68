// Which object the address of each access is derived from: what C++ calls the provenance of a
// pointer. An access through a pointer to one array must stay in it, whatever lies behind its end;
// where only addresses are known, a neighbour without padding hides the mistake.
//
// One fact holds for a register in the whole kernel (compilers write most registers once), as the
// join of all its definitions. It is made so that it errs to the side of not knowing: an access is
// given an object only if every value that its address register can have is a pointer derived from
// that object, under the rules that C++ has for pointers (C++20 [expr.add]: what is added to a
// pointer is a number of elements, and the sum points into the same array).
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "program/data_flow.hpp"
#include "program/program.hpp"
#include "program/uses.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::uint32_t kSlot = 128;  // bytes of the smallest register

struct Load {
  std::string_view space;
  Opcode opcode;
};
constexpr Load kLoads[] = {
#define ACCESS_LOAD(space, memory, bits) {#space, Opcode::load_##space##_##memory##_##bits},
#include "program/memory_ops.def"
};

bool is_parameter_load(Opcode opcode) {
  return std::any_of(std::begin(kLoads), std::end(kLoads), [&](const Load& load) {
    return load.opcode == opcode && load.space == "param";
  });
}

// What a register holds.
enum Origin : std::uint32_t {
  kNothing,  // no definition is known yet
  kNumber,   // computed from no address
  kUnknown,  // read from memory with the size of a pointer: a number, or one to anything
  kMixed,    // derived from several objects, or by operations that pointers do not have
  kFirst     // a pointer into the object of number origin - kFirst
};

constexpr bool is_pointer(std::uint32_t origin) {
  return origin >= kFirst;
}

// Of a register that has either.
std::uint32_t merge(std::uint32_t a, std::uint32_t b) {
  if (a == kNothing || a == b) return b;
  if (b == kNothing) return a;
  return a <= kUnknown && b <= kUnknown ? kUnknown : kMixed;
}

// Of a + b and the like. What was read from memory may be the distance to another array.
std::uint32_t sum(std::uint32_t a, std::uint32_t b) {
  if (a == kNothing || b == kNothing) return kNothing;
  const std::uint32_t less = std::min(a, b), more = std::max(a, b);
  if (less == kMixed || is_pointer(less)) return kMixed;
  return more == kMixed || (is_pointer(more) && less == kUnknown) ? std::uint32_t{kMixed} : more;
}

// Of a - b. What was read from memory may be a pointer into the array of the other operand.
std::uint32_t difference(std::uint32_t a, std::uint32_t b) {
  if (a == kNothing || b == kNothing) return kNothing;
  if (b == kNumber) return a;
  if (is_pointer(a) && a == b) return kNumber;
  return a == kNumber && b == kUnknown ? kUnknown : kMixed;
}

// Of what no pointer survives.
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
      : program_(program), origins_(program.register_bytes / kSlot + 1, kNothing) {
    for (const Program::Constant& constant : program.constants) {
      set(constant.slot, kNumber);
      values_.emplace(constant.slot, constant.value);
    }
    for (const Program::SpecialSlot& special : program.specials) set(special.slot, kNumber);
    if (program.barrier_count != Instruction::kNone) {
      set(program.barrier_count, kNumber);
      set(program.barrier_count + kSlot, kNumber);
    }
    for (const auto& [slot, object] : program.addresses) origins_[slot / kSlot] = kFirst + object;
    steps_.reserve(program.code.size());
    for (const Instruction& instruction : program.code) {
      Uses uses = uses_of(program, instruction);
      std::erase(uses.writes, Instruction::kNone);
      if (!uses.writes.empty()) steps_.push_back({&instruction, std::move(uses)});
    }
  }

  void run() {
    // Facts only grow, three times at most for each register.
    for (bool changed = true; changed;) {
      changed = false;
      for (const Step& step : steps_) changed |= take(step);
    }
    for (Instruction& instruction : program_.code) {
      if (!is_access(instruction)) continue;
      const std::uint32_t origin = of(instruction.address);
      if (is_pointer(origin)) instruction.object = static_cast<std::uint16_t>(origin - kFirst);
    }
  }

 private:
  struct Step {
    const Instruction* instruction;
    Uses uses;
  };

  [[nodiscard]] std::uint32_t of(std::uint32_t slot) const {
    return slot == Instruction::kNone ? kNumber : origins_[slot / kSlot];
  }
  bool set(std::uint32_t slot, std::uint32_t origin) {
    std::uint32_t& known = origins_[slot / kSlot];
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
               instruction.opcode == Opcode::matrix_rows_load ||
               instruction.opcode == Opcode::matrix_rows_store;
    }
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
    const auto fresh = static_cast<std::uint32_t>(program_.objects.size());
    const auto [known, is_new] = either_.emplace(std::pair(first, second), fresh);
    if (is_new) {
      if (fresh > Program::kMostObjects) return kMixed;
      program_.objects.push_back({Object::Kind::either, "", first, second});
    }
    return kFirst + known->second;
  }

  bool take(const Step& step) {
    const Instruction& i = *step.instruction;
    const std::vector<std::uint32_t>& writes = step.uses.writes;
    bool changed = false;
    if (flow_of(i.opcode) == Flow::load) {
      const std::uint32_t bytes = i.cost / i.count;
      const bool parameters = is_parameter_load(i.opcode);
      for (std::size_t element = 0; element < writes.size(); ++element) {
        changed |=
            set(writes[element], bytes < 8    ? std::uint32_t{kNumber}
                                 : parameters ? parameter(i, static_cast<std::uint32_t>(element))
                                              : std::uint32_t{kUnknown});
      }
      return changed;
    }
    const std::uint32_t origin = result(step);
    for (const std::uint32_t slot : writes) changed |= set(slot, origin);
    return changed;
  }

  [[nodiscard]] std::uint32_t result(const Step& step) {
    const Instruction& i = *step.instruction;
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
        return sum(of(i.a), of(i.b));
      case Flow::select:
        return merge(of(i.a), of(i.b));
      case Flow::unpack:
        return of(i.address);
      case Flow::pack:
        return pack(i);
      case Flow::compare:
        return kNumber;
      case Flow::atomic:
      case Flow::none:
        return kUnknown;
      default:
        return arithmetic(step);
    }
  }

  // The halves of a pointer make it again.
  [[nodiscard]] std::uint32_t pack(const Instruction& i) const {
    const std::uint32_t parts[] = {i.d, i.a, i.b, i.c};
    std::uint32_t all = of(parts[0]);
    for (std::uint32_t part = 1; part < i.count; ++part) {
      const std::uint32_t one = of(parts[part]);
      if (one != all) all = sum(all, one);
    }
    return all;
  }

  [[nodiscard]] std::uint32_t arithmetic(const Step& step) {
    const Instruction& i = *step.instruction;
    const OpcodeInfo* info = find_opcode(i.opcode);
    std::vector<std::uint32_t> reads;
    for (const std::uint32_t slot : step.uses.reads) {
      if (slot != Instruction::kNone) reads.push_back(of(slot));
    }
    const std::string_view names = info == nullptr ? "" : info->names;
    const std::string_view word = names.substr(0, names.find('.'));
    if (word == "add") return sum_of(of(i.a), of(i.b));
    if (word == "xor" || word == "lop3") {
      std::uint32_t all = kNumber;
      for (const std::uint32_t origin : reads) all = sum(all, origin);
      return all;
    }
    if (word == "sub") return difference(of(i.a), of(i.b));
    // A factor is no pointer: a product is a number, whatever was multiplied.
    if (word == "mad" || word == "mul" || word == "shl") {
      const bool known = of(i.a) != kNothing && of(i.b) != kNothing;
      const std::uint32_t product = known ? kNumber : kNothing;
      return word == "mad" ? sum(product, of(i.c)) : product;
    }
    if (word == "min" || word == "max") return merge(of(i.a), of(i.b));
    return computed(reads);
  }

  Program& program_;
  std::vector<std::uint32_t> origins_;                       ///< by slot
  std::unordered_map<std::uint32_t, std::uint64_t> values_;  ///< of constants, by slot
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> either_;  ///< objects
  std::unordered_map<std::uint64_t, std::uint32_t> parameters_;              ///< objects, by offset
  std::vector<Step> steps_;
};

}  // namespace

void find_provenance(Program& program) {
  Provenance(program).run();
}

}  // namespace warpmark::cpu
