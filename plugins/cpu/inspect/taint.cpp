// How undefined values flow from operands to results.
#include "inspect/taint.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <string_view>

#include "inspect/uses.hpp"
#include "machine/block.hpp"
#include "machine/lanes.hpp"
#include "program/matrix.hpp"

namespace warpmark::cpu {
namespace {

Flow flow_of_arithmetic(const OpcodeInfo& info) {
  const std::string_view name = info.names;
  if (info.form == Form::mask1 || info.form == Form::mask2) return Flow::compute;
  if (name.starts_with("mov.")) return Flow::copy;
  if (name.starts_with("and.")) return Flow::both;
  if (name.starts_with("or.")) return Flow::either;
  if (name.starts_with("shl.") || name.starts_with("shr.")) return Flow::shift;
  if (info.form == Form::select) return Flow::select;
  if (info.form == Form::compare) return Flow::compare;
  if (is_atomic(info.form)) return Flow::atomic;
  const auto integer = [](Type type) {
    return type >= Type::b8 && type <= Type::b64
               ? true
               : type == Type::u8 || type == Type::u16 || type == Type::u32 || type == Type::u64 ||
                     type == Type::s8 || type == Type::s16 || type == Type::s32 ||
                     type == Type::s64;
  };
  if (name.starts_with("cvt.") && integer(info.d) && integer(info.a)) return Flow::copy;
  return Flow::compute;
}

struct Flows {
  std::array<Flow, static_cast<std::size_t>(Opcode::count)> flow{};
  std::array<std::uint8_t, static_cast<std::size_t>(Opcode::count)> bytes{};  ///< copied
};

Flows make_flows() {
  Flows flows;
  flows.flow.fill(Flow::compute);
  flows.bytes.fill(8);
  const auto set = [&](Opcode opcode, Flow flow) {
    flows.flow[static_cast<std::size_t>(opcode)] = flow;
  };
  for (std::size_t i = 0; i < flows.flow.size(); ++i) {
    const OpcodeInfo* info = find_opcode(static_cast<Opcode>(i));
    if (info == nullptr) continue;
    flows.flow[i] = flow_of_arithmetic(*info);
    if (!is_atomic(info->form))
      flows.bytes[i] = static_cast<std::uint8_t>(std::min(bytes_of(info->d), bytes_of(info->a)));
  }
#define ACCESS_LOAD(space, memory, bits) set(Opcode::load_##space##_##memory##_##bits, Flow::load);
#define ACCESS_STORE(space, memory, bits) \
  set(Opcode::store_##space##_##memory##_##bits, Flow::store);
#include "program/memory_ops.def"
  for (const Opcode opcode : {Opcode::pack_8, Opcode::pack_16, Opcode::pack_32})
    set(opcode, Flow::pack);
  for (const Opcode opcode : {Opcode::unpack_8, Opcode::unpack_16, Opcode::unpack_32})
    set(opcode, Flow::unpack);
  for (const Opcode opcode :
       {Opcode::shfl_up, Opcode::shfl_down, Opcode::shfl_bfly, Opcode::shfl_idx})
    set(opcode, Flow::shuffle);
  for (const Opcode opcode :
       {Opcode::redux_add, Opcode::redux_min_u, Opcode::redux_max_u, Opcode::redux_min_s,
        Opcode::redux_max_s, Opcode::redux_and, Opcode::redux_or, Opcode::redux_xor,
        Opcode::vote_all, Opcode::vote_any, Opcode::vote_uni, Opcode::vote_ballot,
        Opcode::match_any_32, Opcode::match_any_64, Opcode::match_all_32, Opcode::match_all_64})
    set(opcode, Flow::reduce);
  for (const Opcode opcode : {Opcode::read_clock,
                              Opcode::active_mask,
                              Opcode::fence,
                              Opcode::mbarrier_init,
                              Opcode::mbarrier_inval,
                              Opcode::mbarrier_expect,
                              Opcode::mbarrier_complete,
                              Opcode::mbarrier_arrive,
                              Opcode::mbarrier_drop,
                              Opcode::mbarrier_arrive_expect,
                              Opcode::mbarrier_drop_expect,
                              Opcode::mbarrier_test,
                              Opcode::mbarrier_pending,
                              Opcode::copy_async,
                              Opcode::copy_bulk,
                              Opcode::prefetch_bulk,
                              Opcode::store_async,
                              Opcode::fill_bulk,
                              Opcode::copy_tensor,
                              Opcode::prefetch_tensor,
                              Opcode::commit_async,
                              Opcode::commit_bulk,
                              Opcode::wait_async,
                              Opcode::wait_bulk,
                              Opcode::wait_async_all,
                              Opcode::arrive_async,
                              Opcode::surface_store,
                              Opcode::surface_reduce,
                              Opcode::runtime_call,
                              Opcode::matrix_multiply,
                              Opcode::matrix_load,
                              Opcode::matrix_store,
                              Opcode::matrix_rows_load,
                              Opcode::matrix_rows_store,
                              Opcode::matrix_transpose,
                              Opcode::texture_fetch,
                              Opcode::texture_gather,
                              Opcode::texture_query,
                              Opcode::surface_load,
                              Opcode::surface_query})
    set(opcode, Flow::none);
  return flows;
}
const Flows& flows() {
  static const Flows table = make_flows();
  return table;
}

// One lane of a register that holds at most 64 bits.
std::uint64_t value_of(const Lanes& lanes, std::uint32_t slot, std::uint32_t lane, bool wide) {
  std::uint64_t value = 0;
  std::memcpy(&value, lanes.registers + slot + lane * (wide ? 8 : 4), wide ? 8 : 4);
  return value;
}

// The bytes of a value that are all ones, or with `inverted` all zeros.
std::uint32_t deciding_bytes(std::uint64_t value, bool inverted) {
  std::uint32_t bytes = 0;
  for (int i = 0; i < 8; ++i)
    bytes |= static_cast<std::uint32_t>((value >> (8 * i) & 0xff) == (inverted ? 0 : 0xff)) << i;
  return bytes;
}

// The bytes that hold bits [first, last).
std::uint32_t bytes_between(std::uint64_t first, std::uint64_t last) {
  std::uint32_t bytes = 0;
  for (std::uint32_t byte = 0; byte < 8; ++byte)
    bytes |= static_cast<std::uint32_t>(last > 8 * byte && first < 8 * byte + 8) << byte;
  return bytes;
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
      case Flow::none:
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
          lane(flow, static_cast<std::uint32_t>(std::countr_zero(rest)));
    }
  }

 private:
  [[nodiscard]] Taint of(std::uint32_t slot, std::uint32_t lane) const {
    return taints_.get(slot, lane);
  }
  void set(std::uint32_t slot, std::uint32_t lane, Taint taint) {
    if (slot != Instruction::kNone) taints_.set(slot, lane, taint);
  }
  [[nodiscard]] Taint any(std::initializer_list<std::uint32_t> slots, std::uint32_t lane) const {
    for (const std::uint32_t slot : slots) {
      if (const Taint taint = of(slot, lane)) return taint.as_computed();
    }
    return {};
  }

  void lane(Flow flow, std::uint32_t lane) {
    const std::size_t opcode = static_cast<std::size_t>(i_.opcode);
    const std::uint32_t copied = (1u << flows().bytes[opcode]) - 1;
    switch (flow) {
      case Flow::copy: {
        const Taint a = of(i_.a, lane);
        set(i_.d, lane, a.with_bytes(a.bytes() & copied));
        return;
      }
      case Flow::both:
      case Flow::either: {
        const Taint a = of(i_.a, lane), b = of(i_.b, lane);
        const bool wide = copied == 0xff, zeros = flow == Flow::both;
        const auto decided = [&](std::uint32_t slot, Taint taint) {
          return deciding_bytes(value_of(lanes_, slot, lane, wide), zeros) & ~taint.bytes();
        };
        std::uint32_t bytes =
            (a.bytes() | b.bytes()) & ~decided(i_.a, a) & ~decided(i_.b, b) & copied;
        // A bit-field's bits have a value now, and with them the bytes that hold it.
        if (i_.merges) bytes &= deciding_bytes(value_of(lanes_, i_.b, lane, wide), !zeros);
        Taint result = (a ? a : b).with_bytes(bytes);
        // Low bits that are cut out of a value are no copy of it.
        const auto low_bits = [&](std::uint32_t slot) {
          const std::uint64_t mask = value_of(lanes_, slot, lane, wide);
          const bool whole = (deciding_bytes(mask, false) & copied) == copied;
          return !whole && (mask & (mask + 1)) == 0;
        };
        const bool cuts = zeros && !i_.merges && (!a || !b) && low_bits(a ? i_.b : i_.a);
        if (result && (cuts || a.computed() || b.computed())) result = result.as_computed();
        set(i_.d, lane, result);
        return;
      }
      case Flow::shift:
        return shift(lane, copied);
      case Flow::select: {
        Taint result = of(i_.c, lane).as_computed();
        if (!result) {
          std::uint32_t chosen;
          std::memcpy(&chosen, lanes_.registers + i_.c, 4);
          if (i_.negated) chosen = ~chosen;
          result = of((chosen >> lane & 1) != 0 ? i_.a : i_.b, lane);
        }
        set(i_.d, lane, result);
        return;
      }
      case Flow::compare:
        compare(lane);
        return;
      default: {
        if (i_.opcode == Opcode::prmt || i_.merges) return rearrange(lane);
        if (i_.opcode == Opcode::bfe_u32 || i_.opcode == Opcode::bfe_u64 ||
            i_.opcode == Opcode::bfe_s32 || i_.opcode == Opcode::bfe_s64)
          return extract(lane);
        if (i_.opcode == Opcode::convert_any) {
          Taint result;
          for (const std::uint32_t slot : uses_of(program_, i_).reads) {
            if (!result) result = of(slot, lane).as_computed();
          }
          set(i_.d, lane, result);
          return;
        }
        Taint result = any({i_.a, i_.b, i_.c}, lane);
        const OpcodeInfo* info = find_opcode(i_.opcode);
        const bool reads_address =
            info != nullptr && (info->form == Form::quaternary || info->form == Form::carry2 ||
                                info->form == Form::carry3);
        if (!result && reads_address) result = any({i_.address}, lane);
        set(i_.d, lane, mask_result(info, lane, result));
        const bool carries =
            info != nullptr && (info->form == Form::carry2 || info->form == Form::carry3);
        if (info == nullptr || (carries && i_.negated)) set(i_.address, lane, result);
      }
    }
  }

  // A shift by whole bytes copies them; another makes each byte of two that lie beside each other.
  void shift(std::uint32_t lane, std::uint32_t copied) {
    const Taint a = of(i_.a, lane);
    const std::uint64_t by = value_of(lanes_, i_.b, lane, false);
    if (!a || of(i_.b, lane) || by > 63) return set(i_.d, lane, any({i_.a, i_.b}, lane));
    const std::string_view names = find_opcode(i_.opcode)->names;
    const bool left = names.starts_with("shl");
    if (i_.imm != 0) {
      const auto bits = static_cast<std::uint64_t>(i_.imm);
      const std::uint32_t none = deciding_bytes(left ? bits >> by : bits << by, true);
      return set(i_.d, lane, a.with_bytes(a.bytes() & ~none & copied).as_computed());
    }
    const auto moved = [&](std::uint64_t bytes) {
      return static_cast<std::uint32_t>(left ? a.bytes() << bytes : a.bytes() >> bytes);
    };
    std::uint32_t bytes = (moved(by / 8) | (by % 8 == 0 ? 0 : moved(by / 8 + 1))) & copied;
    // The sign comes in from the left.
    const std::uint32_t top = copied & ~(copied >> 1);
    if (names.starts_with("shr.s") && (a.bytes() & top) != 0)
      bytes |= copied & ~(copied >> (by / 8));
    Taint result = a.with_bytes(bytes);
    if (result && by % 8 != 0) result.bits |= Taint::kComputed;
    set(i_.d, lane, result);
  }

  // bfe, whose result has a value if the bits have that it takes.
  void extract(std::uint32_t lane) {
    const Taint a = of(i_.a, lane);
    const std::uint64_t first = value_of(lanes_, i_.b, lane, false) & 0xff;
    const std::uint64_t last = first + (value_of(lanes_, i_.c, lane, false) & 0xff);
    const std::uint32_t taken = bytes_between(first, last);
    const Taint place = any({i_.b, i_.c}, lane);
    set(i_.d, lane, place ? place : a.with_bytes(a.bytes() & taken).as_computed());
  }

  // prmt and bfi, whose last operands say which byte or bit of the result comes from where.
  void rearrange(std::uint32_t lane) {
    const Taint a = of(i_.a, lane), b = of(i_.b, lane);
    Taint result = a.as_computed();
    const bool permutes = i_.opcode == Opcode::prmt;
    if (of(i_.c, lane) || (!permutes && of(i_.address, lane))) {
      result = any({i_.a, i_.b, i_.c, i_.address}, lane);
    } else if (permutes) {
      const std::uint64_t selectors = value_of(lanes_, i_.c, lane, false);
      const std::uint32_t from = (a.bytes() & 0xf) | (b.bytes() & 0xf) << 4;
      std::uint32_t bytes = 0;
      for (std::uint32_t byte = 0; byte < 4; ++byte)
        bytes |= (from >> (selectors >> (4 * byte) & 7) & 1) << byte;
      result = (a ? a : b).with_bytes(bytes);
      if (result && (a.computed() || b.computed())) result = result.as_computed();
    } else if (!a) {
      const std::uint64_t first = value_of(lanes_, i_.c, lane, false) & 0xff;
      const std::uint64_t last = first + (value_of(lanes_, i_.address, lane, false) & 0xff);
      result = b.with_bytes(b.bytes() & ~bytes_between(first, last));
    }
    set(i_.d, lane, result);
  }

  // and.pred and or.pred, where one operand may decide.
  [[nodiscard]] Taint mask_result(const OpcodeInfo* info, std::uint32_t lane, Taint result) const {
    if (!result || info == nullptr || info->form != Form::mask2) return result;
    const bool both = info->names.starts_with("and"), either = info->names.starts_with("or");
    if (!both && !either) return result;
    for (const std::uint32_t slot : {i_.a, i_.b}) {
      std::uint32_t value;
      std::memcpy(&value, lanes_.registers + slot, 4);
      if (!of(slot, lane) && ((value >> lane & 1) != 0) == either) return {};
    }
    return result;
  }

  void compare(std::uint32_t lane) {
    Taint result = any({i_.a, i_.b}, lane);
    const Taint c = i_.imm == kCombineNone ? Taint{} : of(i_.c, lane);
    if (i_.imm == kCombineAnd || i_.imm == kCombineOr) {
      std::uint32_t value;
      std::memcpy(&value, lanes_.registers + i_.c, 4);
      if (i_.negated) value = ~value;
      if (!c && ((value >> lane & 1) != 0) == (i_.imm == kCombineOr)) result = {};
    }
    if (!result) result = c.as_computed();
    set(i_.d, lane, result);
    set(i_.address, lane, result);
  }

  // Instruction::address is the whole; see machine/arithmetic.
  void pack() {
    const std::uint32_t parts[4] = {i_.d, i_.a, i_.b, i_.c};
    const int size = i_.opcode == Opcode::pack_8 ? 1 : i_.opcode == Opcode::pack_16 ? 2 : 4;
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      Taint result;
      for (int part = 0; part < 4 && part < i_.count; ++part) {
        const Taint taint = of(parts[part], lane);
        if (!taint) continue;
        const std::uint32_t bytes = (taint.bytes() & ((1u << size) - 1)) << (part * size);
        result = result ? Taint{result.bits | bytes | (taint.bits & Taint::kComputed)}
                        : taint.with_bytes(bytes);
      }
      set(i_.address, lane, result);
    }
  }
  void unpack() {
    const std::uint32_t parts[4] = {i_.d, i_.a, i_.b, i_.c};
    const int size = i_.opcode == Opcode::unpack_8 ? 1 : i_.opcode == Opcode::unpack_16 ? 2 : 4;
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      const Taint whole = of(i_.address, lane);
      for (int part = 0; part < 4 && part < i_.count; ++part)
        set(parts[part], lane,
            whole.with_bytes(whole.bytes() >> (part * size) & ((1u << size) - 1)));
    }
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
    const bool synccheck = lanes_.block->launch().shape.checks.sync;
    const std::uint32_t reported = synccheck ? lanes_.block->lanes_that_left(lanes_.warp) : 0;
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      std::uint32_t from = source_lane(
          i_.opcode, lane, static_cast<std::uint32_t>(value_of(lanes_, i_.b, lane, false)),
          static_cast<std::uint32_t>(value_of(lanes_, i_.c, lane, false)));
      if (from > 31) from = lane;
      results[lane] = (mask_ >> from & 1) != 0      ? of(i_.a, from)
                      : (reported >> from & 1) != 0 ? Taint{}
                                                    : Taint::make(0xf, Space::param, i_.statement);
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
    const std::uint32_t packed = form.packed(Part::d);
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      for (std::uint32_t r = 0; r < form.registers(Part::d); ++r) {
        Taint result;
        for (std::uint32_t index = r * packed; index < (r + 1) * packed && !result; ++index) {
          const Position at = position_of(form, Part::d, lane, index);
          result = rows.at(at.product * form.m + at.row);
          if (!result) result = columns.at(at.product * form.n + at.column);
          const auto sum = sums.find({at.product, at.row, at.column});
          if (!result && sum != sums.end()) result = sum->second;
        }
        set(uses.writes[r], lane, result.as_computed());
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
          const std::uint32_t first = k * bits / 8, last = (k * bits + bits - 1) / 8;
          if ((taint.bytes() >> first & ((2u << (last - first)) - 1)) != 0)
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
        const std::uint32_t bytes = taint.bytes() >> (row % 2 * 2) & 3;
        if (bytes == 0) continue;
        Taint& result = results.at(lane);
        result = result ? Taint{result.bits | bytes << (2 * half)}
                        : taint.with_bytes(bytes << (2 * half));
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

void WarpTaints::reset(std::uint32_t register_bytes) {
  register_bytes_ = register_bytes;
  if (tainted_ > 0) std::fill(taints_.begin(), taints_.end(), Taint{});
  tainted_ = 0;
}

void WarpTaints::set(std::uint32_t slot, std::uint32_t lane, Taint taint) {
  if (taints_.empty()) {
    if (!taint) return;
    taints_.resize(std::size_t{register_bytes_ / kSlot + 1} * 32);
  }
  Taint& held = taints_[std::size_t{slot / kSlot} * 32 + lane];
  tainted_ += static_cast<std::uint64_t>(static_cast<bool>(taint));
  tainted_ -= static_cast<std::uint64_t>(static_cast<bool>(held));
  held = taint;
}

std::uint32_t WarpTaints::lanes(std::uint32_t slot, std::uint32_t mask) const {
  if (!any() || slot == Instruction::kNone) return 0;
  std::uint32_t result = 0;
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    result |= static_cast<std::uint32_t>(static_cast<bool>(get(slot, lane))) << lane;
  }
  return result;
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

Flow flow_of(Opcode opcode) {
  return flows().flow[static_cast<std::size_t>(opcode)];
}

std::vector<std::uint32_t> data_slots(const Program& program, const Instruction& instruction) {
  std::vector<std::uint32_t> slots = {instruction.d, instruction.a, instruction.b, instruction.c};
  slots.resize(std::min<std::size_t>(4, instruction.count));
  for (std::uint32_t i = 4; i < instruction.count; ++i)
    slots.push_back(program.operands[instruction.more + i - 4]);
  return slots;
}

void propagate(WarpTaints& taints, const Program& program, const Lanes& lanes,
               const Instruction& instruction, std::uint32_t mask) {
  Step(taints, program, lanes, instruction, mask).run();
}

}  // namespace warpmark::cpu
