// How undefined values flow from operands to results.
#include "inspect/taint.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <string_view>

#include "inspect/bit_flow.hpp"
#include "inspect/observed_block.hpp"
#include "inspect/observer.hpp"
#include "memory/lanes.hpp"
#include "program/convert.hpp"
#include "program/data_flow.hpp"
#include "program/matrix.hpp"
#include "program/uses.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::uint64_t kWhole = ~std::uint64_t{0};

// One lane of a register that holds at most 64 bits.
std::uint64_t value_of(const Lanes& lanes, std::uint32_t slot, std::uint32_t lane, bool wide) {
  std::uint64_t value = 0;
  std::memcpy(&value, lanes.registers + slot + lane * (wide ? 8 : 4), wide ? 8 : 4);
  return value;
}

class Step {
 public:
  Step(WarpTaints& taints, const Program& program, const Lanes& lanes, const Instruction& i,
       std::uint32_t mask)
      : taints_(taints), program_(program), lanes_(lanes), i_(i), mask_(mask) {}

  void run() {
    const Flow flow = flow_of(i_.opcode);
    switch (flow) {
      case Flow::store:
        return;
      case Flow::special:
      case Flow::reduce:
      case Flow::atomic:
        return own();
      case Flow::load:
        return load();
      case Flow::pack:
        return pack();
      case Flow::unpack:
        return unpack();
      case Flow::shuffle:
        return shuffle();
      default:
        for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1)
          lane(static_cast<std::uint32_t>(std::countr_zero(rest)));
    }
  }

 private:
  [[nodiscard]] Taint of(std::uint32_t slot, std::uint32_t lane) const {
    return taints_.get(slot, lane);
  }
  void set(std::uint32_t slot, std::uint32_t lane, const Taint& taint) {
    if (slot != Instruction::kNone) taints_.set(slot, lane, taint);
  }
  [[nodiscard]] Taint any(std::initializer_list<std::uint32_t> slots, std::uint32_t lane) const {
    for (const std::uint32_t slot : slots) {
      if (const Taint taint = of(slot, lane)) return taint.computing(kWhole);
    }
    return {};
  }
  [[nodiscard]] PartialValue partial(std::uint32_t slot, std::uint32_t lane, Type type) const {
    if (slot == Instruction::kNone) return {};
    const std::uint64_t bits = low_bits(8 * bytes_of(type));
    return {value_of(lanes_, slot, lane, bytes_of(type) == 8) & bits,
            of(slot, lane).undefined & bits};
  }
  [[nodiscard]] bool bit(std::uint32_t slot, std::uint32_t lane) const {
    std::uint32_t word;
    std::memcpy(&word, lanes_.registers + slot, 4);
    return (word >> lane & 1) != 0;
  }

  void lane(std::uint32_t lane) {
    const OpcodeInfo* info = find_opcode(i_.opcode);
    if (info == nullptr) return without_form(lane);
    switch (info->form) {
      case Form::mask1:
        return set(i_.d, lane, any({i_.a}, lane).with(1));
      case Form::mask2:
        return set(i_.d, lane, mask_result(*info, lane, any({i_.a, i_.b}, lane).with(1)));
      case Form::select:
        return select(*info, lane);
      case Form::compare:
        return compare(*info, lane);
      default:
        return arithmetic(*info, lane);
    }
  }

  // Windows of address spaces, conversions by a ConvertForm: element by element.
  void without_form(std::uint32_t lane) {
    const std::vector<std::uint32_t> sources = uses_of(program_, i_).reads;
    Taint result;
    for (const std::uint32_t slot : sources) {
      if (!result) result = of(slot, lane).computing(kWhole);
    }
    if (i_.opcode != Opcode::convert_any) {
      set(i_.d, lane, result);
      return set(i_.address, lane, result);
    }
    const auto form = std::bit_cast<ConvertForm>(i_.imm);
    const std::uint32_t from = element_bits(form.from), to = element_bits(form.to);
    if (!result || form.elements < 2) return set(i_.d, lane, result);
    std::uint64_t undefined = 0;
    for (std::uint32_t element = 0; element < form.elements; ++element) {
      // Registers of their own have the highest element first.
      const std::uint64_t bits = form.apart
                                     ? of(sources[sources.size() - 1 - element], lane).undefined
                                     : of(sources[0], lane).undefined >> (element * from);
      if ((bits & low_bits(from)) != 0) undefined |= low_bits(to) << (element * to);
    }
    set(i_.d, lane, result.with(undefined));
  }

  void select(const OpcodeInfo& info, std::uint32_t lane) {
    if (const Taint chooser = of(i_.c, lane)) {
      const std::uint64_t bits =
          undefined_choice(partial(i_.a, lane, info.a), partial(i_.b, lane, info.a));
      return set(i_.d, lane, chooser.computing(bits));
    }
    set(i_.d, lane, of(bit(i_.c, lane) != i_.negated ? i_.a : i_.b, lane));
  }

  void arithmetic(const OpcodeInfo& info, std::uint32_t lane) {
    std::array<std::uint32_t, BitFlow::kOperands> slots = {i_.a, i_.b, i_.c, i_.address};
    const bool chain = info.form == Form::carry2 || info.form == Form::carry3;
    if (info.form == Form::unary) slots[1] = Instruction::kNone;
    if (info.form == Form::unary || info.form == Form::binary || info.form == Form::carry2)
      slots[2] = Instruction::kNone;
    const bool carries = chain && reads_carry(info);
    if (info.form != Form::quaternary && !carries) slots[3] = Instruction::kNone;
    // What a value makes of itself may not depend on it.
    const bool nothing = i_.a == i_.b && cancels_itself(info);
    bool undefined = false;
    for (const std::uint32_t slot : slots)
      undefined = undefined || (taints_.lanes(slot) >> lane & 1) != 0;
    BitFlow flow;
    if (undefined && !nothing) {
      std::array<PartialValue, BitFlow::kOperands> operands = {partial(slots[0], lane, info.a),
                                                               partial(slots[1], lane, info.b),
                                                               partial(slots[2], lane, info.c),
                                                               {}};
      if (carries)
        operands[3] = {bit(slots[3], lane), of(slots[3], lane).undefined & 1};
      else
        operands[3] = partial(slots[3], lane, info.e);
      flow = flow_of_bits(info, operands);
    }
    if (chain && i_.negated)
      set(i_.address, lane, flow.carry ? any_of(slots, lane).with(1) : Taint{});
    set(i_.d, lane, trace(flow, slots, lane));
  }
  [[nodiscard]] Taint any_of(const std::array<std::uint32_t, BitFlow::kOperands>& slots,
                             std::uint32_t lane) const {
    return any({slots[0], slots[1], slots[2], slots[3]}, lane);
  }

  // Where the undefined bits of a result come from: the operands that it copies, or any.
  [[nodiscard]] Taint trace(const BitFlow& flow,
                            const std::array<std::uint32_t, BitFlow::kOperands>& slots,
                            std::uint32_t lane) const {
    if (flow.undefined == 0) return {};
    std::uint64_t computed = flow.undefined;
    Taint result;
    std::uint32_t flags =
        (flow.low_part ? Taint::kLowPart : 0) | (flow.joined ? Taint::kJoined : 0);
    for (std::size_t k = 0; k < slots.size(); ++k) {
      const std::uint64_t copied = flow.copied.at(k);
      const Taint taint = of(slots.at(k), lane);
      if (copied == 0 || !taint) continue;
      computed &= ~copied;
      flags |= taint.origin & Taint::kFlags;
      if (!result) result = taint;
    }
    if (!result) result = any_of(slots, lane);
    if (computed != 0) flags |= Taint::kComputed;
    return {flow.undefined, (result.origin & ~Taint::kFlags) | flags};
  }

  // and.pred and or.pred, where one operand may decide.
  [[nodiscard]] Taint mask_result(const OpcodeInfo& info, std::uint32_t lane, Taint result) const {
    const bool both = info.names.starts_with("and"), either = info.names.starts_with("or");
    if (!result || (!both && !either)) return result;
    for (const std::uint32_t slot : {i_.a, i_.b}) {
      if (!of(slot, lane) && bit(slot, lane) == either) return {};
    }
    return result;
  }

  void compare(const OpcodeInfo& info, std::uint32_t lane) {
    Taint result;
    if (undefined_comparison(info, partial(i_.a, lane, info.a), partial(i_.b, lane, info.a)))
      result = any({i_.a, i_.b}, lane).with(1);
    const Taint c = i_.imm == kCombineNone ? Taint{} : of(i_.c, lane);
    if ((i_.imm == kCombineAnd || i_.imm == kCombineOr) && !c &&
        (bit(i_.c, lane) != i_.negated) == (i_.imm == kCombineOr))
      result = {};
    if (!result) result = c.computing(1);
    set(i_.d, lane, result);
    set(i_.address, lane, result);
  }

  // Instruction::address is the whole; see machine/arithmetic.
  void pack() {
    const std::uint32_t parts[4] = {i_.d, i_.a, i_.b, i_.c};
    const std::uint32_t width = part_bits(i_.opcode);
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      Taint result;
      for (std::uint32_t part = 0; part < 4 && part < i_.count && part * width < 64; ++part) {
        const Taint taint = of(parts[part], lane);
        const std::uint64_t bits = (taint.undefined & low_bits(width)) << (part * width);
        result = joined(result, taint.with(bits));
      }
      result.origin |= Taint::kJoined;
      set(i_.address, lane, result);
    }
  }
  void unpack() {
    const std::uint32_t parts[4] = {i_.d, i_.a, i_.b, i_.c};
    const std::uint32_t width = part_bits(i_.opcode);
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      const Taint whole = of(i_.address, lane);
      for (std::uint32_t part = 0; part < 4 && part < i_.count && part * width < 64; ++part)
        set(parts[part], lane, whole.with(whole.undefined >> (part * width) & low_bits(width)));
    }
  }
  static std::uint32_t part_bits(Opcode opcode) {
    return opcode == Opcode::pack_8 || opcode == Opcode::unpack_8     ? 8
           : opcode == Opcode::pack_16 || opcode == Opcode::unpack_16 ? 16
                                                                      : 32;
  }
  // Of parts of one register.
  static Taint joined(const Taint& a, const Taint& b) {
    if (!a || !b) return a ? a : b;
    return {a.undefined | b.undefined, a.origin | (b.origin & Taint::kFlags)};
  }
  void load() {
    const std::uint32_t first[4] = {i_.d, i_.a, i_.b, i_.c};
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      for (std::uint32_t k = 0; k < i_.count; ++k)
        set(k < 4 ? first[k] : lanes_.operands[i_.more + k - 4], lane, {});
    }
  }
  void shuffle() {
    Taint results[32];
    // Lanes that have left are synccheck's.
    const bool synccheck = lanes_.observer->checks().sync;
    const std::uint32_t reported =
        synccheck ? lanes_.observer->block().lanes_that_left(lanes_.warp) : 0;
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      std::uint32_t from = source_lane(
          i_.opcode, lane, static_cast<std::uint32_t>(value_of(lanes_, i_.b, lane, false)),
          static_cast<std::uint32_t>(value_of(lanes_, i_.c, lane, false)));
      if (from > 31) from = lane;
      results[lane] = (mask_ >> from & 1) != 0 ? of(i_.a, from)
                      : (reported >> from & 1) != 0
                          ? Taint{}
                          : Taint::make(low_bits(32), Space::param, i_.statement);
    }
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      set(i_.d, lane, results[lane]);
      set(i_.address, lane, {});
    }
  }
  // What texture fetches and the like write has values, and so have results of reductions and
  // atomic operations: what they make of a missing value is reported where it happens.
  void own() {
    if (i_.opcode == Opcode::matrix_multiply) return multiply();
    if (i_.opcode == Opcode::matrix_transpose) return transpose();
    for (const std::uint32_t slot : uses_of(program_, i_).writes) {
      for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1)
        set(slot, static_cast<std::uint32_t>(std::countr_zero(rest)), {});
    }
  }
  // Element by element: a row of a and a column of b make an element of d.
  void multiply() {
    const auto form = std::bit_cast<MatrixForm>(i_.imm);
    const Uses uses = uses_of(program_, i_);
    const std::uint32_t* input = uses.reads.data();
    std::array<Taint, 64> rows{}, columns{};  // of up to four products of 8 × 8
    std::map<std::array<std::uint32_t, 3>, Taint> sums;
    each(form, Part::a, input,
         [&](const Position& at, Taint taint) { rows.at(at.product * form.m + at.row) = taint; });
    input += form.registers(Part::a);
    each(form, Part::b, input, [&](const Position& at, Taint taint) {
      columns.at(at.product * form.n + at.column) = taint;
    });
    input += form.registers(Part::b);
    each(form, Part::c, input, [&](const Position& at, Taint taint) {
      sums[{at.product, at.row, at.column}] = taint;
    });
    const std::uint32_t packed = form.packed(Part::d), bits = bits_of(form.element(Part::d));
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      for (std::uint32_t r = 0; r < form.registers(Part::d); ++r) {
        Taint result;
        for (std::uint32_t index = 0; index < packed; ++index) {
          const Position at = position_of(form, Part::d, lane, r * packed + index);
          Taint sum = rows.at(at.product * form.m + at.row);
          if (!sum) sum = columns.at(at.product * form.n + at.column);
          const auto before = sums.find({at.product, at.row, at.column});
          if (!sum && before != sums.end()) sum = before->second;
          if (sum) result = sum.computing(result.undefined | low_bits(bits) << (index * bits));
        }
        set(uses.writes[r], lane, result);
      }
    }
  }
  // The undefined elements of one part.
  template <typename Take>
  void each(const MatrixForm& form, Part part, const std::uint32_t* slots, Take take) {
    const std::uint32_t packed = form.packed(part), bits = bits_of(form.element(part));
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      for (std::uint32_t r = 0; r < form.registers(part); ++r) {
        const Taint taint = of(slots[r], lane);
        for (std::uint32_t k = 0; taint && k < packed; ++k) {
          if ((taint.undefined >> (k * bits) & low_bits(bits)) != 0)
            take(position_of(form, part, lane, r * packed + k), taint);
        }
      }
    }
  }
  // movmatrix: two halves of a row become two of a column.
  void transpose() {
    std::array<Taint, 32> results;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const std::uint32_t row = lane / 4, column = lane % 4 * 2;
      for (const std::uint32_t half : {0u, 1u}) {
        const Taint taint = of(i_.a, (column + half) * 4 + row / 2);
        const std::uint64_t bits = taint.undefined >> (row % 2 * 16) & 0xffff;
        Taint& result = results.at(lane);
        result = joined(result, taint.with(bits << (16 * half)));
      }
    }
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      set(i_.d, lane, results.at(lane));
    }
  }

  WarpTaints& taints_;
  const Program& program_;
  const Lanes& lanes_;
  const Instruction& i_;
  std::uint32_t mask_;
};

}  // namespace

std::uint64_t bits_of_bytes(std::uint32_t bytes) {
  std::uint64_t bits = 0;
  for (std::uint32_t byte = 0; byte < 8; ++byte)
    bits |= (bytes >> byte & 1) != 0 ? std::uint64_t{0xff} << (8 * byte) : 0;
  return bits;
}

void WarpTaints::reset(std::uint32_t register_bytes) {
  register_bytes_ = register_bytes;
  if (tainted_ > 0) std::fill(lanes_.begin(), lanes_.end(), 0);
  tainted_ = 0;
}

void WarpTaints::set(std::uint32_t slot, std::uint32_t lane, const Taint& taint) {
  if (taints_.empty()) {
    if (!taint) return;
    lanes_.resize(register_bytes_ / kSlot + 1);
    taints_.resize(lanes_.size() * 32);
  }
  std::uint32_t& lanes = lanes_[slot / kSlot];
  const std::uint32_t bit = 1u << lane;
  tainted_ -= lanes >> lane & 1;
  lanes &= ~bit;
  if (!taint) return;
  ++tainted_;
  lanes |= bit;
  taints_[std::size_t{slot / kSlot} * 32 + lane] = taint;
}

OperandSlots::OperandSlots(const Program& program) {
  first_.reserve(program.code.size() + 1);
  for (const Instruction& instruction : program.code) {
    first_.push_back(static_cast<std::uint32_t>(slots_.size()));
    const Uses uses = uses_of(program, instruction);
    for (const auto& some : {uses.reads, uses.places, uses.writes, {instruction.guard}}) {
      for (const std::uint32_t slot : some) {
        if (slot != Instruction::kNone) slots_.push_back(slot);
      }
    }
    // Carries, chosen operands and masks, which are no uses of their own.
    for (const std::uint32_t slot : {instruction.address, instruction.b, instruction.c}) {
      if (slot != Instruction::kNone) slots_.push_back(slot);
    }
  }
  first_.push_back(static_cast<std::uint32_t>(slots_.size()));
}

// As in the PTX ISA's pseudo-code of shfl.sync; a lane out of range reads itself.
std::uint32_t source_lane(Opcode opcode, std::uint32_t lane, std::uint32_t b, std::uint32_t c) {
  const auto own = static_cast<int>(lane);
  const int by = static_cast<int>(b & 31), clamp = static_cast<int>(c & 31);
  const int segment = static_cast<int>(c >> 8 & 31);
  const int most = (own & segment) | (clamp & ~segment);
  const bool up = opcode == Opcode::shfl_up;
  const int from = up                            ? own - by
                   : opcode == Opcode::shfl_down ? own + by
                   : opcode == Opcode::shfl_bfly ? own ^ by
                                                 : (own & segment) | (by & ~segment);
  const bool in_range = up ? from >= most : from <= most;
  return static_cast<std::uint32_t>(in_range ? from : own);
}

void propagate(WarpTaints& taints, const Program& program, const Lanes& lanes,
               const Instruction& instruction, std::uint32_t mask) {
  Step(taints, program, lanes, instruction, mask).run();
}

}  // namespace warpmark::cpu
