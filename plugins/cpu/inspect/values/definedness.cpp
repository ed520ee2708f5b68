// How undefined values flow from operands to results.
#include "inspect/values/definedness.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>

#include "inspect/observed_block.hpp"
#include "inspect/observer.hpp"
#include "inspect/values/bit_flow.hpp"
#include "memory/lanes.hpp"
#include "program/convert.hpp"
#include "program/data_flow.hpp"
#include "program/matrix.hpp"
#include "program/shuffle.hpp"
#include "program/sparse_matrix.hpp"
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
  Step(WarpDefinedness& definedness, const Program& program, const Combinations& combinations,
       const Lanes& lanes, const Instruction& i, std::uint32_t mask)
      : definedness_(definedness),
        program_(program),
        combinations_(combinations),
        lanes_(lanes),
        i_(i),
        mask_(mask) {}

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
  [[nodiscard]] Definedness of(std::uint32_t slot, std::uint32_t lane) const {
    return definedness_.get(slot, lane);
  }
  void set(std::uint32_t slot, std::uint32_t lane, const Definedness& defined) {
    if (slot != Instruction::kNone) definedness_.set(slot, lane, defined);
  }
  [[nodiscard]] Definedness any(std::initializer_list<std::uint32_t> slots,
                                std::uint32_t lane) const {
    for (const std::uint32_t slot : slots) {
      if (const Definedness defined = of(slot, lane); defined.incomplete())
        return defined.computing(kWhole);
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

  // Handles operations without an arithmetic form, such as address conversions and conversions by a
  // ConvertForm, element by element.
  void without_form(std::uint32_t lane) {
    const std::vector<std::uint32_t> sources = uses_of(program_, i_).reads;
    Definedness result;
    for (const std::uint32_t slot : sources) {
      if (!result.incomplete()) result = of(slot, lane).computing(kWhole);
    }
    if (i_.opcode != Opcode::convert_any) return set(i_.d, lane, result);
    const auto form = i_.form<ConvertForm>();
    const std::uint32_t from = element_bits(form.from), to = element_bits(form.to);
    if (!result.incomplete() || form.elements < 2) return set(i_.d, lane, result);
    std::uint64_t undefined = 0;
    for (std::uint32_t element = 0; element < form.elements; ++element) {
      // Elements in separate registers have the highest element first.
      const std::uint64_t bits = form.apart
                                     ? of(sources[sources.size() - 1 - element], lane).undefined
                                     : of(sources[0], lane).undefined >> (element * from);
      if ((bits & low_bits(from)) != 0) undefined |= low_bits(to) << (element * to);
    }
    set(i_.d, lane, result.with(undefined));
  }

  void select(const OpcodeInfo& info, std::uint32_t lane) {
    if (const Definedness chooser = of(i_.c, lane); chooser.incomplete()) {
      const std::uint64_t bits =
          undefined_choice(partial(i_.a, lane, info.a), partial(i_.b, lane, info.a));
      return set(i_.d, lane, chooser.computing(bits));
    }
    set(i_.d, lane, of(bit(i_.c, lane) != i_.negated ? i_.a : i_.b, lane));
  }

  void arithmetic(const OpcodeInfo& info, std::uint32_t lane) {
    std::array<std::uint32_t, BitFlow::kOperands> slots = {i_.a, i_.b, i_.c, i_.e};
    if (info.form == Form::unary) slots[1] = Instruction::kNone;
    if (info.form == Form::unary || info.form == Form::binary || info.form == Form::carry2)
      slots[2] = Instruction::kNone;
    // The result of an operation on a value and itself may not depend on the value.
    const bool nothing = i_.a == i_.b && cancels_itself(info);
    bool undefined = false;
    for (const std::uint32_t slot : slots)
      undefined = undefined || (definedness_.lanes(slot) >> lane & 1) != 0;
    BitFlow flow;
    const Combination* combination =
        undefined ? combinations_.find(static_cast<std::size_t>(&i_ - program_.code.data()))
                  : nullptr;
    if (combination != nullptr) {
      const auto& [a, b, c] = combination->slots;
      slots = {a, b, c, Instruction::kNone};
      flow = flow_of_combination(
          info, *combination,
          {partial(a, lane, info.d), partial(b, lane, info.d), partial(c, lane, info.d)});
    } else if (undefined && !nothing) {
      std::array<PartialValue, BitFlow::kOperands> operands = {partial(slots[0], lane, info.a),
                                                               partial(slots[1], lane, info.b),
                                                               partial(slots[2], lane, info.c),
                                                               {}};
      if (info.e == Type::pred)
        operands[3] = {bit(slots[3], lane), of(slots[3], lane).undefined & 1};
      else
        operands[3] = partial(slots[3], lane, info.e);
      flow = flow_of_bits(info, operands);
    }
    set(i_.predicate, lane, flow.carry ? any_of(slots, lane).with(1) : Definedness{});
    set(i_.d, lane, trace(flow, slots, lane));
  }
  [[nodiscard]] Definedness any_of(const std::array<std::uint32_t, BitFlow::kOperands>& slots,
                                   std::uint32_t lane) const {
    return any({slots[0], slots[1], slots[2], slots[3]}, lane);
  }

  // Finds the origin of a result's undefined bits: an operand that it copies, or any undefined one.
  [[nodiscard]] Definedness trace(const BitFlow& flow,
                                  const std::array<std::uint32_t, BitFlow::kOperands>& slots,
                                  std::uint32_t lane) const {
    if (flow.undefined == 0) return {};
    std::uint64_t computed = flow.undefined;
    Definedness result;
    std::uint32_t flags =
        (flow.low_part ? Definedness::kLowPart : 0) | (flow.joined ? Definedness::kJoined : 0);
    for (std::size_t k = 0; k < slots.size(); ++k) {
      const std::uint64_t copied = flow.copied.at(k);
      const Definedness defined = of(slots.at(k), lane);
      if (copied == 0 || !defined.incomplete()) continue;
      computed &= ~copied;
      flags |= defined.origin & Definedness::kFlags;
      if (!result.incomplete()) result = defined;
    }
    if (!result.incomplete()) result = any_of(slots, lane);
    if (computed != 0) flags |= Definedness::kComputed;
    return {flow.undefined, (result.origin & ~Definedness::kFlags) | flags};
  }

  // Handles and.pred and or.pred, where one operand may decide.
  [[nodiscard]] Definedness mask_result(const OpcodeInfo& info, std::uint32_t lane,
                                        Definedness result) const {
    const bool both = info.opcode == Opcode::and_pred, either = info.opcode == Opcode::or_pred;
    if (!result.incomplete() || (!both && !either)) return result;
    for (const std::uint32_t slot : {i_.a, i_.b}) {
      if (!of(slot, lane).incomplete() && bit(slot, lane) == either) return {};
    }
    return result;
  }

  void compare(const OpcodeInfo& info, std::uint32_t lane) {
    Definedness result;
    if (undefined_comparison(info, partial(i_.a, lane, info.a), partial(i_.b, lane, info.a)))
      result = any({i_.a, i_.b}, lane).with(1);
    const Definedness c = i_.imm == kCombineNone ? Definedness{} : of(i_.c, lane);
    if ((i_.imm == kCombineAnd || i_.imm == kCombineOr) && !c.incomplete() &&
        (bit(i_.c, lane) != i_.negated) == (i_.imm == kCombineOr))
      result = {};
    if (!result.incomplete()) result = c.computing(1);
    set(i_.d, lane, result);
    set(i_.predicate, lane, result);
  }

  void pack() {
    const std::uint32_t parts[4] = {i_.a, i_.b, i_.c, i_.e};
    const std::uint32_t width = part_bits(i_.opcode);
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      Definedness result;
      for (std::uint32_t part = 0; part < 4 && part < i_.count && part * width < 64; ++part) {
        const Definedness defined = of(parts[part], lane);
        const std::uint64_t bits = (defined.undefined & low_bits(width)) << (part * width);
        result = joined(result, defined.with(bits));
      }
      result.origin |= Definedness::kJoined;
      set(i_.d, lane, result);
    }
  }
  void unpack() {
    const std::uint32_t parts[4] = {i_.d, i_.a, i_.b, i_.c};
    const std::uint32_t width = part_bits(i_.opcode);
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      const Definedness whole = of(i_.e, lane);
      for (std::uint32_t part = 0; part < 4 && part < i_.count && part * width < 64; ++part)
        set(parts[part], lane, whole.with(whole.undefined >> (part * width) & low_bits(width)));
    }
  }
  static std::uint32_t part_bits(Opcode opcode) {
    return opcode == Opcode::pack_8 || opcode == Opcode::unpack_8     ? 8
           : opcode == Opcode::pack_16 || opcode == Opcode::unpack_16 ? 16
                                                                      : 32;
  }
  // Joins the definedness of parts of one register.
  static Definedness joined(const Definedness& a, const Definedness& b) {
    if (!a.incomplete() || !b.incomplete()) return a.incomplete() ? a : b;
    return {a.undefined | b.undefined, a.origin | (b.origin & Definedness::kFlags)};
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
    Definedness results[32];
    // Synccheck reports reads of lanes that have exited.
    const bool synccheck = lanes_.observer->checks().sync;
    const std::uint32_t reported =
        synccheck ? lanes_.observer->block().lanes_that_left(lanes_.warp) : 0;
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      const std::uint32_t from =
          shuffle_source(i_.opcode, lane,
                         static_cast<std::uint32_t>(value_of(lanes_, i_.b, lane, false)),
                         static_cast<std::uint32_t>(value_of(lanes_, i_.c, lane, false)))
              .lane;
      results[lane] = (mask_ >> from & 1) != 0 ? of(i_.a, from)
                      : (reported >> from & 1) != 0
                          ? Definedness{}
                          : Definedness::make(low_bits(32), Space::param, i_.statement);
    }
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      set(i_.d, lane, results[lane]);
      set(i_.predicate, lane, {});
    }
  }
  // Results of texture fetches and the like count as defined, and so do results of reductions and
  // atomic operations: their uses of undefined values are reported where they happen.
  void own() {
    if (i_.opcode == Opcode::matrix_multiply) return multiply();
    if (i_.opcode == Opcode::matrix_transpose) return transpose();
    if (i_.opcode == Opcode::matrix_group_multiply) return;  // by its handler, which knows memory
    for (const std::uint32_t slot : uses_of(program_, i_).writes) {
      for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1)
        set(slot, static_cast<std::uint32_t>(std::countr_zero(rest)), {});
    }
  }
  // Follows a matrix product element by element: a row of a and a column of b give an element of d.
  void multiply() {
    const auto form = i_.form<MatrixForm>();
    const Uses uses = uses_of(program_, i_);
    const std::uint32_t* input = uses.reads.data();
    std::array<Definedness, 64> rows{}, columns{};  // for up to four products of 8 × 8
    std::map<std::array<std::uint32_t, 3>, Definedness> sums;
    each(form, Part::a, input, [&](const Position& at, Definedness defined) {
      rows.at(at.product * form.m + at.row) = defined;
    });
    input += form.registers(Part::a);
    each(form, Part::b, input, [&](const Position& at, Definedness defined) {
      columns.at(at.product * form.n + at.column) = defined;
    });
    input += form.registers(Part::b);
    each(form, Part::c, input, [&](const Position& at, Definedness defined) {
      sums[{at.product, at.row, at.column}] = defined;
    });
    further(form, input + form.registers(Part::c), rows, columns);
    const std::uint32_t packed = form.packed(Part::d), bits = bits_of(form.element(Part::d));
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      for (std::uint32_t r = 0; r < form.registers(Part::d); ++r) {
        Definedness result;
        for (std::uint32_t index = 0; index < packed; ++index) {
          const Position at = position_of(form, Part::d, lane, r * packed + index);
          Definedness sum = rows.at(at.product * form.m + at.row);
          if (!sum.incomplete()) sum = columns.at(at.product * form.n + at.column);
          const auto before = sums.find({at.product, at.row, at.column});
          if (!sum.incomplete() && before != sums.end()) sum = before->second;
          if (sum.incomplete())
            result = sum.computing(result.undefined | low_bits(bits) << (index * bits));
        }
        set(uses.writes[r], lane, result);
      }
    }
  }
  // Metadata of a row of a sparse matrix, factors of a row and of a column.
  template <typename Lines>
  void further(const MatrixForm& form, const std::uint32_t* slots, Lines& rows, Lines& columns) {
    if (form.sparse) {
      const SparseMetadata metadata{form};
      for (std::uint32_t row = 0; row < form.m; ++row) {
        for (std::uint32_t number = 0; number < metadata.groups(); ++number) {
          const SparseMetadata::Place place = metadata.place(row, number);
          const Definedness defined = of(*slots, place.lane);
          if ((defined.undefined >> place.shift & 0xf) != 0) rows.at(row) = defined;
        }
      }
      ++slots;
    }
    for (const Part part : {Part::a, Part::b}) {
      if (form.scales == 0) return;
      const auto byte = read_lane<std::uint32_t>(lanes_.registers, slots[1], 0) & 3;
      const auto number = read_lane<std::uint32_t>(lanes_.registers, slots[2], 0);
      for (std::uint32_t line = 0; line < (part == Part::a ? form.m : form.n); ++line) {
        const Definedness defined = of(slots[0], BlockScales::lane(part, line, number));
        if ((defined.undefined >> (8 * byte) & low_bits(8 * form.scales)) != 0)
          (part == Part::a ? rows : columns).at(line) = defined;
      }
      slots += 3;
    }
  }
  // The undefined elements of one part.
  template <typename Take>
  void each(const MatrixForm& form, Part part, const std::uint32_t* slots, Take take) {
    const std::uint32_t packed = form.packed(part), bits = form.bits(part);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      for (std::uint32_t r = 0; r < form.registers(part); ++r) {
        const Definedness defined = of(slots[r], lane);
        for (std::uint32_t k = 0; defined.incomplete() && k < packed; ++k) {
          if ((defined.undefined >> (k * bits) & low_bits(bits)) != 0)
            take(position_of(form, part, lane, r * packed + k), defined);
        }
      }
    }
  }
  // movmatrix: two halves of a row become two of a column.
  void transpose() {
    std::array<Definedness, 32> results;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const std::uint32_t row = lane / 4, column = lane % 4 * 2;
      for (const std::uint32_t half : {0u, 1u}) {
        const Definedness defined = of(i_.a, (column + half) * 4 + row / 2);
        const std::uint64_t bits = defined.undefined >> (row % 2 * 16) & 0xffff;
        Definedness& result = results.at(lane);
        result = joined(result, defined.with(bits << (16 * half)));
      }
    }
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      set(i_.d, lane, results.at(lane));
    }
  }

  WarpDefinedness& definedness_;
  const Program& program_;
  const Combinations& combinations_;
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

void WarpDefinedness::reset(std::uint32_t register_bytes) {
  register_bytes_ = register_bytes;
  if (incomplete_ > 0) std::fill(lanes_.begin(), lanes_.end(), 0);
  incomplete_ = 0;
}

void WarpDefinedness::set(std::uint32_t slot, std::uint32_t lane, const Definedness& defined) {
  if (definedness_.empty()) {
    if (!defined.incomplete()) return;
    lanes_.resize(register_bytes_ / kSlot + 1);
    definedness_.resize(lanes_.size() * 32);
  }
  std::uint32_t& lanes = lanes_[slot / kSlot];
  const std::uint32_t bit = 1u << lane;
  incomplete_ -= lanes >> lane & 1;
  lanes &= ~bit;
  if (!defined.incomplete()) return;
  ++incomplete_;
  lanes |= bit;
  definedness_[std::size_t{slot / kSlot} * 32 + lane] = defined;
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
    // Carries, selected operands and masks, which uses_of() does not list.
    for (const std::uint32_t slot : {instruction.b, instruction.c, instruction.e}) {
      if (slot != Instruction::kNone) slots_.push_back(slot);
    }
  }
  first_.push_back(static_cast<std::uint32_t>(slots_.size()));
}

void propagate(WarpDefinedness& definedness, const Program& program,
               const Combinations& combinations, const Lanes& lanes, const Instruction& instruction,
               std::uint32_t mask) {
  Step(definedness, program, combinations, lanes, instruction, mask).run();
}

}  // namespace warpmark::cpu
