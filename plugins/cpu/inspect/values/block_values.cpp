#include "inspect/values/block_values.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "inspect/observed_block.hpp"
#include "inspect/observer.hpp"
#include "inspect/values/partial_value.hpp"
#include "inspect/values/stored_bytes.hpp"
#include "memory/arena.hpp"
#include "memory/init_bits.hpp"
#include "program/data_flow.hpp"
#include "program/uses.hpp"

namespace warpmark::cpu {
namespace {

// The width of the result of a load that reads fewer bits.
struct Extension {
  std::uint32_t bits = 0;  ///< width of the register
  bool is_signed = false;
};

Extension extension_of(Opcode opcode) {
  switch (opcode) {
#define ACCESS_LOAD(space, memory, bits)         \
  case Opcode::load_##space##_##memory##_##bits: \
    return {bits, is_signed(Type::memory)};
#include "program/memory_ops.def"
    default:
      return {};
  }
}

bool touches_each_byte(std::uint64_t bits, std::uint32_t bytes) {
  for (std::uint32_t byte = 0; byte < bytes; ++byte) {
    if ((bits >> (8 * byte) & 0xff) == 0) return false;
  }
  return true;
}

bool is_exchange(Opcode opcode) {
  return opcode == Opcode::atom_exch_16 || opcode == Opcode::atom_exch_32 ||
         opcode == Opcode::atom_exch_64 || opcode == Opcode::atom_exch_128;
}

}  // namespace

LaunchValues::LaunchValues(const Program& program) : call_spaces(program.callees.size()) {
  const auto add = [&](std::uint32_t caller, const std::vector<Callee::Value>& values) {
    if (caller == Instruction::kNone) return;
    call_spaces[caller].insert(call_spaces[caller].end(), values.begin(), values.end());
  };
  for (std::uint32_t i = 0; i < program.callees.size(); ++i) add(i, program.callees[i].results);
  for (const Call& call : program.calls) {
    add(call.caller, call.arguments);
    add(call.caller, call.results);
  }
  for (const RuntimeCall& call : program.runtime_calls) {
    add(call.caller, call.arguments);
    add(call.caller, call.results);
  }
}

BlockValues::BlockValues(LaunchValues& launch, ObservedBlock& block, std::uint64_t shared_bytes,
                         std::uint64_t local_bytes, std::uint32_t warps)
    : launch_(launch),
      block_(block),
      shared_bytes_(shared_bytes),
      local_bytes_(local_bytes),
      shared_init_(shared_bytes / 8 + 1),
      local_init_((local_bytes / 8 + 1) * 32 * warps, 0xff),
      warps_(warps) {}

void BlockValues::begin(std::uint64_t) {
  const Program& program = block_.program();
  std::fill(shared_init_.begin(), shared_init_.end(), std::uint8_t{0});
  known_begin_ = known_end_ = 0;
  // The machine clears the frames of calls, so they count as written.
  if (local_bytes_ > 0) std::fill(local_init_.begin(), local_init_.end(), std::uint8_t{0xff});
  const std::uint64_t stride = local_bytes_ / 8 + 1;
  for (std::uint64_t lane = 0; local_bytes_ > 0 && lane < 32 * warps_.size(); ++lane) {
    set_bits<false>(local_init_.data() + lane * stride, 0, program.kernel_local_bytes);
    for (const auto& [offset, bytes] : program.call_space)
      set_bits(local_init_.data() + lane * stride, offset, bytes);
  }
  shared_partial_.clear();
  local_partial_.clear();
  shared_origins_.clear();
  local_origins_.clear();
  const Definedness unwritten = Definedness::make(~std::uint64_t{0}, Space::param, 0);
  for (Warp& warp : warps_) {
    warp.definedness.reset(program.register_bytes);
    warp.undefined_loads.clear();
    for (const std::uint32_t slot : program.unwritten) {
      for (std::uint32_t lane = 0; lane < 32; ++lane) warp.definedness.set(slot, lane, unwritten);
    }
  }
}

ByteValues BlockValues::in_local(std::uint32_t warp, std::uint32_t lane, std::uint64_t offset) {
  const std::uint64_t thread = warp * 32 + lane;
  return {local_init_.data() + (local_bytes_ / 8 + 1) * thread,
          offset,
          local_bytes_,
          &local_partial_,
          thread << 32 | offset,
          &local_origins_};
}

ByteValues BlockValues::in_shared(std::uint64_t address) {
  BlockObserver* other = block_.other_at(address);
  BlockValues* owner = other == nullptr ? this : other->values();
  if (address >= shared_bytes_) return {};
  owner->known_begin_ = owner->known_end_ = 0;
  return {owner->shared_init_.data(), address, shared_bytes_,
          &owner->shared_partial_,    address, &owner->shared_origins_};
}

void BlockValues::learn(std::uint64_t begin, std::uint64_t end) {
  constexpr std::uint64_t kMostBetween = 1 << 9;
  if (known_begin_ == known_end_) {
    known_begin_ = begin;
    known_end_ = end;
  } else if (begin > known_end_) {
    const bool all = begin - known_end_ <= kMostBetween &&
                     all_set(shared_init_.data(), known_end_, begin - known_end_);
    if (all) known_end_ = end;
  } else if (end < known_begin_) {
    const bool all =
        known_begin_ - end <= kMostBetween && all_set(shared_init_.data(), end, known_begin_ - end);
    if (all) known_begin_ = begin;
  } else {
    known_begin_ = std::min(known_begin_, begin);
    known_end_ = std::max(known_end_, end);
  }
}

ByteValues BlockValues::in_global(std::uint8_t* init, std::uint64_t from, std::uint64_t size,
                                  std::uint64_t address) const {
  Arena& arena = block_.arena();
  // In memory of a peer, bytes with some undefined bits count as defined. This holds for all memory
  // while several threads run blocks: a launch that meets undefined values runs again on one
  // thread.
  PartialBytes* partial =
      arena.contains(address) && !launch_.shared ? &arena.partial_bytes() : nullptr;
  return {init, from, size, partial, address, nullptr, launch_.shared};
}

ByteValues BlockValues::values_at(const Lanes& w, const Instruction& i, Space space,
                                  std::uint32_t lane, std::uint64_t address) {
  if (space == Space::shared) return in_shared(address);
  if (space == Space::local) return in_local(w.warp, lane, address);
  if (space != Space::global) return {};
  const Region& region = w.sites[i.site];
  return in_global(region.init, address - region.begin, region.size, address);
}

void BlockValues::load(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                       std::uint64_t address, std::uint32_t bytes) {
  const ByteValues values = values_at(w, i, space, lane, address);
  if (values.defined(bytes)) return;
  if (space == Space::global) block_.serialize();
  Warp& warp = warps_[w.warp];
  const std::uint32_t element = bytes / i.count;
  const Extension extension = extension_of(i.opcode);
  std::uint64_t at = 0;
  for (const std::uint32_t slot : data_slots(block_.program(), i)) {
    Definedness defined = values.read(at, element, space, i.statement);
    at += element;
    if (slot == Instruction::kNone) continue;
    if (defined.incomplete() && extension.bits != 0 && 8 * element < extension.bits) {
      defined.undefined =
          extended({0, defined.undefined}, 8 * element, extension.bits, extension.is_signed)
              .undefined;
    }
    warp.definedness.set(slot, lane, defined);
  }
  UndefinedLoad& load = warp.undefined_loads[i.statement];
  load.instruction = &i;
  load.element = element;
  load.all = bytes;
  load.addresses.at(lane) = load.any = address;
}

Definedness BlockValues::read(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                              std::uint64_t address, std::uint32_t bytes, std::uint32_t element) {
  const ByteValues values = values_at(w, i, space, lane, address);
  if (values.defined(bytes)) return {};
  if (space == Space::global) block_.serialize();
  UndefinedLoad& load = warps_[w.warp].undefined_loads[i.statement];
  load.instruction = &i;
  load.element = load.all = element;  // the elements of a lane are not contiguous in memory
  load.any = address;
  return values.read(0, bytes, space, i.statement);
}

void BlockValues::write(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                        std::uint64_t address, std::uint32_t bytes, const Definedness& defined) {
  const ByteValues values = values_at(w, i, space, lane, address);
  if (defined.incomplete() && space == Space::global) block_.serialize();
  if (defined.incomplete() && space == Space::global)
    report_access(w, i, space, lane, address, bytes, true, defined, "stored");
  if (values.bits != nullptr)
    values.write(0, bytes, space == Space::global ? Definedness{} : defined);
}

bool BlockValues::goes_back(const Warp& warp, const Definedness& defined, std::uint32_t lane,
                            std::uint64_t address) const {
  const UndefinedLoad* load = load_of(warp, defined);
  if (load == nullptr) return false;
  const std::uint64_t read = load->addresses.at(lane);
  const auto first = static_cast<std::uint64_t>(std::countr_zero(defined.undefined)) / 8;
  const auto last = (63 - static_cast<std::uint64_t>(std::countl_zero(defined.undefined))) / 8;
  return address + first >= read && address + last < read + load->all;
}

/// The undefined values of a store, over all its elements.
struct BlockValues::StoredValues {
  bool all = true;    ///< all bytes are undefined, and none is stored back where it was loaded
  bool part = false;  ///< a part cut out of a number
  bool made = false;  ///< a number that was put together
  Definedness worst;  ///< of an undefined element, preferably a computed one
  std::uint64_t worst_at = 0;  ///< where its element begins, in bytes from the store's address on
  StoredBytes bytes;
  /// Where the first result without a value begins, in bytes from the store's address on; empty if
  /// the undefined bytes are a copy of memory. `to` is the allocation that `stored` bytes go to, or
  /// null.
  [[nodiscard]] std::optional<std::uint64_t> result(const Allocation* to, std::uint64_t address,
                                                    std::uint32_t stored,
                                                    std::uint32_t element) const;
};

BlockValues::StoredValues BlockValues::put_stored(Lanes& w, const Instruction& i, Space space,
                                                  std::uint32_t lane, std::uint64_t address,
                                                  std::uint32_t bytes, const ByteValues& values) {
  const Warp& warp = warps_[w.warp];
  const std::uint32_t element = bytes / i.count;
  const std::uint64_t whole = low_bits(8 * element);
  StoredValues stored;
  std::uint64_t at = 0;
  for (const std::uint32_t slot : data_slots(block_.program(), i)) {
    const Definedness held = warp.definedness.get(slot, lane);
    const Definedness defined = held.with(held.undefined & whole);
    const bool back = defined.incomplete() && goes_back(warp, defined, lane, address + at);
    stored.all = stored.all && !back && touches_each_byte(defined.undefined, element);
    const UndefinedLoad* load = defined.incomplete() ? load_of(warp, defined) : nullptr;
    if (defined.incomplete() && !back) {
      const bool cut = (defined.low_part() && defined.undefined != whole) ||
                       (load != nullptr && load->element < element);
      stored.part = stored.part || (cut && !defined.joined());
      stored.made = stored.made || cut || defined.joined();
      // The compiler may split and assemble local variables in any way.
      const bool known = load != nullptr && defined.space() != Space::local;
      if (space == Space::global)
        stored.bytes.add(defined.undefined, at, element,
                         known ? Loaded{load->addresses.at(lane), load->all} : Loaded{});
    }
    if (defined.incomplete() &&
        (!stored.worst.incomplete() || (defined.computed() && !stored.worst.computed()))) {
      stored.worst = defined;
      stored.worst_at = at;
    }
    if (values.bits != nullptr) values.write(at, element, defined);
    at += element;
  }
  return stored;
}

// A stored value is a result unless it is a copy of memory, which may hold undefined padding and
// bit-fields. Results are computed values; in memory whose elements are numbers or vectors,
// undefined elements, except vectors that are copied whole; in other memory, whole elements of
// arrays, and numbers made of parts or put together.
std::optional<std::uint64_t> BlockValues::StoredValues::result(const Allocation* to,
                                                               std::uint64_t address,
                                                               std::uint32_t stored,
                                                               std::uint32_t element) const {
  if (to != nullptr && to->whole_bytes && to->whole_bytes != 1) {
    const std::optional<std::uint64_t> first = bytes.result(*to, address, stored);
    return worst.computed() ? first.value_or(worst_at) : first;
  }
  // Memory whose elements are bytes may hold objects of any type.
  const std::uint64_t type = to == nullptr ? 0 : to->whole_bytes == 1 ? 1 : to->element_bytes();
  const bool typed = to != nullptr && !to->dtype.empty() && (type != 1 || element == 1);
  const bool results =
      worst.computed() || part || (all && typed) || (made && type == element && type > 1);
  return results ? std::optional<std::uint64_t>(0) : std::nullopt;
}

void BlockValues::store(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                        std::uint64_t address, std::uint32_t bytes, bool) {
  const ByteValues values = values_at(w, i, space, lane, address);
  if (!warps_[w.warp].definedness.any()) {
    values.define(bytes);
    return;
  }
  const StoredValues stored = put_stored(w, i, space, lane, address, bytes, values);
  if (!stored.worst.incomplete() || space != Space::global) return;
  block_.serialize();
  const Arena* arena = block_.arena().holder(address, 1);
  const Allocation* to = arena == nullptr ? nullptr : arena->find(address, 1);
  const std::optional<std::uint64_t> first = stored.result(to, address, bytes, bytes / i.count);
  if (!first) return;
  values.define(bytes);
  report_access(w, i, space, lane, address, bytes, true, stored.worst, "stored", *first);
}

std::uint32_t BlockValues::undefined_lanes(const Lanes& w, const Instruction& i, Space space,
                                           std::uint32_t mask, const std::uint64_t* at,
                                           std::uint32_t bytes) {
  const bool global = space == Space::global;
  const std::uint8_t* values = global ? w.sites[i.site].init : shared_init_.data();
  const std::uint64_t origin = global ? w.sites[i.site].begin : 0;
  if (values == nullptr) return 0;
  if (i.space == Space::shared) {
    const Region& object = w.objects[i.object];
    if (knows(object.begin, object.begin + object.size)) return 0;
  }
  // Mostly all that lies between the lanes' places has values.
  constexpr std::uint64_t kFar = 1 << 12;
  std::uint64_t first = ~std::uint64_t{0}, last = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = at[std::countr_zero(rest)];
    first = std::min(first, address);
    last = std::max(last, address);
  }
  const std::uint64_t from = (first - origin) / 8 * 8, end = last + bytes - origin;
  if (mask == 0) return 0;
  if (end - from < kFar && all_set(values, from, end - from)) {
    if (!global) learn(from, end);
    return 0;
  }
  std::uint32_t undefined = 0;
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    undefined |= static_cast<std::uint32_t>(!all_set_aligned(values, at[lane] - origin, bytes))
                 << lane;
  }
  return undefined;
}

// Handles bit-fields and sets of bits that share a word: in a partly defined word, a bitwise
// operation keeps the definedness of the bits that it does not change.
bool BlockValues::keep_bits(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                            const ByteValues& values) {
  const bool wide = i.opcode == Opcode::atom_and_64 || i.opcode == Opcode::atom_or_64 ||
                    i.opcode == Opcode::atom_xor_64;
  const bool sets = i.opcode == Opcode::atom_or_32 || i.opcode == Opcode::atom_or_64;
  const bool clears = i.opcode == Opcode::atom_and_32 || i.opcode == Opcode::atom_and_64;
  if (!wide && !sets && !clears && i.opcode != Opcode::atom_xor_32) return false;
  const std::uint32_t bytes = wide ? 8 : 4;
  const std::uint64_t old = values.undefined_bits(0, bytes);
  if (old == low_bits(8 * bytes)) return false;
  std::uint64_t operand = 0;
  std::memcpy(&operand, w.registers + i.a + lane * bytes, bytes);
  const std::uint64_t decided = sets ? operand : clears ? ~operand : 0;
  values.write(0, bytes, Definedness::make(old & ~decided, space, i.statement));
  if (i.d != Instruction::kNone)
    warps_[w.warp].definedness.set(i.d, lane, Definedness::make(old, space, i.statement));
  return true;
}

void BlockValues::atomic(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                         std::uint64_t address, std::uint32_t bytes, bool) {
  const ByteValues values = values_at(w, i, space, lane, address);
  if (values.defined(bytes)) return;
  if (space == Space::global) block_.serialize();
  if (is_exchange(i.opcode)) {
    // An undefined old value is a mistake only if it is used later.
    const std::vector<std::uint32_t> slots = uses_of(block_.program(), i).writes;
    const auto part = bytes / static_cast<std::uint32_t>(slots.size());
    for (std::uint32_t k = 0; k < slots.size(); ++k) {
      const Definedness old =
          Definedness::make(values.undefined_bits(k * part, part), space, i.statement);
      if (slots[k] != Instruction::kNone) warps_[w.warp].definedness.set(slots[k], lane, old);
    }
    return values.define(bytes);
  }
  if (keep_bits(w, i, space, lane, values)) return;
  const std::uint64_t old = values.undefined_bits(0, std::min(bytes, 8u));
  report_access(w, i, space, lane, address, bytes, false,
                Definedness::make(old == 0 ? 1 : old, space, i.statement),
                "changed by an atomic operation");
  values.define(bytes);
}

// Returns which of the first 32 bytes have no value, one bit for each.
std::uint32_t BlockValues::fetch(Lanes& w, const Instruction& i, std::uint32_t lane,
                                 std::uint64_t address, std::uint32_t bytes) {
  const ByteValues values = values_at(w, i, Space::global, lane, address);
  if (values.defined(bytes)) return 0;
  block_.serialize();
  std::uint32_t missing = 0;
  for (std::uint32_t byte = 0; byte < bytes; ++byte)
    missing |= static_cast<std::uint32_t>(!values.behind(byte).defined(1)) << byte;
  return missing;
}

void BlockValues::use_mbarrier(Lanes& w, const Instruction& i, std::uint32_t lane,
                               std::uint64_t address, MbarrierUse use) {
  const ByteValues values = values_at(w, i, Space::shared, lane, address);
  if (values.bits == nullptr) return;
  if (!is_exclusive(use) && !values.defined(kMbarrierBytes))
    report_access(w, i, Space::shared, lane, address, kMbarrierBytes, true,
                  values.read(0, kMbarrierBytes, Space::shared, i.statement),
                  "used as an mbarrier");
  values.define(kMbarrierBytes);
  if (use == MbarrierUse::invalidate) values.undefine(kMbarrierBytes);
}

void BlockValues::fill_local(std::uint32_t warp, std::uint32_t lane, std::uint64_t offset,
                             std::uint64_t bytes) {
  if (offset + bytes > local_bytes_) return;
  set_bits(local_init_.data() + (local_bytes_ / 8 + 1) * (warp * 32 + lane), offset, bytes);
}

void BlockValues::discard(std::uint64_t address, std::uint32_t bytes) {
  block_.arena().set_values(address, bytes, false);
}

void BlockValues::fill_shared(std::uint64_t offset, std::uint64_t bytes) {
  if (offset + bytes > shared_bytes_) return;
  set_bits(shared_init_.data(), offset, bytes);
}

void BlockValues::enter_frame(std::uint32_t warp, std::uint32_t lane, std::uint32_t callee,
                              std::uint64_t frame) {
  const ByteValues values = in_local(warp, lane, frame);
  values.undefine(block_.program().callees[callee].frame_bytes);
  for (const Callee::Value& value : launch_.call_spaces[callee])
    set_bits(values.bits, frame + value.offset, value.bytes);
}

// The frame becomes undefined, so that uses of pointers to its local variables are found.
void BlockValues::leave_frame(std::uint32_t warp, std::uint32_t lane, std::uint32_t callee,
                              std::uint64_t frame) {
  in_local(warp, lane, frame).undefine(block_.program().callees[callee].frame_bytes);
}

void BlockValues::copy_local(std::uint32_t warp, std::uint32_t lane, std::uint64_t from,
                             std::uint64_t to, std::uint64_t bytes) {
  const ByteValues source = in_local(warp, lane, from), target = in_local(warp, lane, to);
  if (source.defined(bytes)) return target.define(bytes);
  target.copy(source, bytes);
}

}  // namespace warpmark::cpu
