// Undefined values: which bytes have none, and what is done with registers that hold them.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "inspect/observed_block.hpp"
#include "inspect/observer.hpp"
#include "inspect/partial_value.hpp"
#include "inspect/stored_bytes.hpp"
#include "memory/arena.hpp"
#include "memory/init_bits.hpp"
#include "program/data_flow.hpp"
#include "program/uses.hpp"

namespace warpmark::cpu {
namespace {

// How wide a load's result is, of what it reads less.
struct Extension {
  std::uint32_t bits = 0;  ///< of the register
  bool is_signed = false;
};

Extension extension_of(Opcode opcode) {
  switch (opcode) {
#define ACCESS_LOAD(space, memory, bits)         \
  case Opcode::load_##space##_##memory##_##bits: \
    return {bits, #memory[0] == 's'};
#include "program/memory_ops.def"
    default:
      return {};
  }
}

bool is_matrix(Opcode opcode) {
  return opcode >= Opcode::matrix_multiply && opcode <= Opcode::matrix_transpose;
}

bool touches_each_byte(std::uint64_t bits, std::uint32_t bytes) {
  for (std::uint32_t byte = 0; byte < bytes; ++byte) {
    if ((bits >> (8 * byte) & 0xff) == 0) return false;
  }
  return true;
}

}  // namespace

BlockObserver::Values BlockObserver::local_values(std::uint32_t warp, std::uint32_t lane,
                                                  std::uint64_t offset) {
  const std::uint64_t thread = warp * 32 + lane;
  return {local_init_.data() + (local_bytes_ / 8 + 1) * thread,
          offset,
          local_bytes_,
          &local_partial_,
          thread << 32 | offset,
          &local_origins_};
}

BlockObserver::Values BlockObserver::values_at(Lanes& w, const Instruction& i, Space space,
                                               std::uint32_t lane, std::uint64_t address) {
  switch (space) {
    case Space::shared: {
      BlockObserver& owner = home(address);
      if (address >= shared_bytes_) return {};
      return {owner.shared_init_.data(), address, shared_bytes_,
              &owner.shared_partial_,    address, &owner.shared_origins_};
    }
    case Space::local:
      return local_values(w.warp, lane, address);
    case Space::global: {
      const Region& region = w.sites[i.site];
      Arena& arena = block_.arena();
      // Memory of a peer has bytes of which some bits are undefined count as defined.
      PartialBytes* partial = arena.contains(address) ? &arena.partial_bytes() : nullptr;
      return {region.init, address - region.begin, region.size, partial, address, nullptr};
    }
    default:
      return {};
  }
}

std::uint64_t BlockObserver::undefined_bits(const Values& values, std::uint64_t at,
                                            std::uint32_t bytes) {
  const unsigned set = eight_bits(values.bits, values.from + at, values.size);
  std::uint64_t undefined = 0;
  for (std::uint32_t byte = 0; byte < bytes; ++byte) {
    if ((set >> byte & 1) != 0) continue;
    const std::uint8_t bits =
        values.partial == nullptr ? 0xff : values.partial->get(values.key + at + byte);
    undefined |= std::uint64_t{bits} << (8 * byte);
  }
  return undefined;
}

Definedness BlockObserver::undefined_at(const Values& values, std::uint64_t at, std::uint32_t bytes,
                                        Space space, std::uint32_t statement) {
  Definedness defined = Definedness::make(undefined_bits(values, at, bytes), space, statement);
  if (defined.incomplete() && values.origins != nullptr && !values.origins->empty()) {
    const auto byte = static_cast<std::uint64_t>(std::countr_zero(defined.undefined)) / 8;
    const std::uint32_t origin = values.origins->get(values.key + at + byte);
    if ((origin & Definedness::kKept) != 0) defined.origin = origin & ~Definedness::kKept;
  }
  return defined;
}

void BlockObserver::put(const Values& values, std::uint64_t at, std::uint32_t bytes,
                        const Definedness& defined) {
  set_bits(values.bits, values.from + at, bytes);
  for (std::uint32_t byte = 0; byte < bytes; ++byte) {
    const auto bits = static_cast<std::uint8_t>(defined.undefined >> (8 * byte) & 0xff);
    if (bits == 0 || (bits != 0xff && values.partial == nullptr)) continue;
    set_bits<false>(values.bits, values.from + at + byte, 1);
    if (values.partial != nullptr) values.partial->set(values.key + at + byte, bits);
    if (values.origins != nullptr)
      values.origins->set(values.key + at + byte, defined.origin | Definedness::kKept);
  }
}

void BlockObserver::copy_values(const Values& to, const Values& from, std::uint64_t bytes) {
  copy_bits(to.bits, to.from, from.bits, from.from, bytes);
  if (to.partial != nullptr && from.partial != nullptr)
    to.partial->copy(to.key, *from.partial, from.key, bytes);
  if (to.origins != nullptr && from.origins != nullptr)
    to.origins->copy(to.key, *from.origins, from.key, bytes);
  else if (to.origins != nullptr)
    to.origins->forget(to.key, bytes);
}

void BlockObserver::clear_values(const Values& values, std::uint64_t bytes) {
  set_bits<false>(values.bits, values.from, bytes);
  values.partial->forget(values.key, bytes);
  values.origins->forget(values.key, bytes);
}

void BlockObserver::load_values(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                                std::uint64_t address, std::uint32_t bytes) {
  const Values values = values_at(w, i, space, lane, address);
  if (values.bits == nullptr || all_set(values.bits, values.from, bytes)) return;
  Warp& warp = warps_[w.warp];
  const std::uint32_t element = bytes / i.count;
  const Extension extension = extension_of(i.opcode);
  std::uint64_t at = 0;
  for (const std::uint32_t slot : data_slots(block_.program(), i)) {
    Definedness defined = undefined_at(values, at, element, space, i.statement);
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

Definedness BlockObserver::read_value(Lanes& w, const Instruction& i, Space space,
                                      std::uint32_t lane, std::uint64_t address,
                                      std::uint32_t bytes, std::uint32_t element) {
  if (!launch_.checks.init) return {};
  const Values values = values_at(w, i, space, lane, address);
  if (values.bits == nullptr || all_set(values.bits, values.from, bytes)) return {};
  UndefinedLoad& load = warps_[w.warp].undefined_loads[i.statement];
  load.instruction = &i;
  load.element = load.all = element;  // elements lie apart: no lane's are a piece of memory
  load.any = address;
  return undefined_at(values, 0, bytes, space, i.statement);
}

void BlockObserver::write_value(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                                std::uint64_t address, std::uint32_t bytes,
                                const Definedness& defined) {
  if (!launch_.checks.init) return;
  const Values values = values_at(w, i, space, lane, address);
  if (defined.incomplete() && space == Space::global) {
    Fault fault;
    block_.describe_access(w, i, space, lane, address, bytes, true, fault);
    undefined(w, lane, i.statement, defined, "stored", fault);
  }
  if (values.bits != nullptr)
    put(values, 0, bytes, space == Space::global ? Definedness{} : defined);
}

const BlockObserver::UndefinedLoad* BlockObserver::load_of(const Warp& warp,
                                                           const Definedness& defined) {
  if (defined.space() == Space::param) return nullptr;
  const auto load = warp.undefined_loads.find(defined.statement());
  return load == warp.undefined_loads.end() ? nullptr : &load->second;
}

bool BlockObserver::goes_back(const Warp& warp, const Definedness& defined, std::uint32_t lane,
                              std::uint64_t address) const {
  const UndefinedLoad* load = load_of(warp, defined);
  if (load == nullptr) return false;
  const std::uint64_t read = load->addresses.at(lane);
  const auto first = static_cast<std::uint64_t>(std::countr_zero(defined.undefined)) / 8;
  const auto last = (63 - static_cast<std::uint64_t>(std::countl_zero(defined.undefined))) / 8;
  return address + first >= read && address + last < read + load->all;
}

/// What is undefined of a store, of all its elements.
struct BlockObserver::StoredValues {
  bool all = true;    ///< each byte, and none goes back to where it was loaded
  bool part = false;  ///< a part cut out of a number
  bool made = false;  ///< … or a number put together
  Definedness worst;  ///< a computed one, if there is one
  StoredBytes bytes;
  /// Where the first result without a value begins, in bytes from the store's address on; none
  /// if what is undefined is a copy of memory. `to` is where `stored` bytes go, or null.
  [[nodiscard]] std::optional<std::uint64_t> result(const Allocation* to, std::uint64_t address,
                                                    std::uint32_t stored,
                                                    std::uint32_t element) const;
};

BlockObserver::StoredValues BlockObserver::put_stored(Lanes& w, const Instruction& i, Space space,
                                                      std::uint32_t lane, std::uint64_t address,
                                                      std::uint32_t bytes, const Values& values) {
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
      // Variables are taken apart and put together by the compiler as it likes.
      const bool known = load != nullptr && defined.space() != Space::local;
      if (space == Space::global)
        stored.bytes.add(defined.undefined, at, element,
                         known ? Loaded{load->addresses.at(lane), load->all} : Loaded{});
    }
    if (defined.incomplete() &&
        (!stored.worst.incomplete() || (defined.computed() && !stored.worst.computed())))
      stored.worst = defined;
    if (values.bits != nullptr) put(values, at, element, defined);
    at += element;
  }
  return stored;
}

// What is no copy of memory, which may hold padding and bit-fields without values, is a result:
// what was computed; of memory whose elements are numbers or vectors, those that are undefined, and
// of vectors only what is no copy of a whole one; of other memory whole elements of arrays, and
// numbers made of parts or put together.
std::optional<std::uint64_t> BlockObserver::StoredValues::result(const Allocation* to,
                                                                 std::uint64_t address,
                                                                 std::uint32_t stored,
                                                                 std::uint32_t element) const {
  if (to != nullptr && to->whole_bytes && to->whole_bytes != 1) {
    const std::optional<std::uint64_t> first = bytes.result(*to, address, stored);
    return worst.computed() ? first.value_or(0) : first;
  }
  // Bytes may be those of anything.
  const std::uint64_t type = to == nullptr ? 0 : to->whole_bytes == 1 ? 1 : to->element_bytes();
  const bool typed = to != nullptr && !to->dtype.empty() && (type != 1 || element == 1);
  const bool results =
      worst.computed() || part || (all && typed) || (made && type == element && type > 1);
  return results ? std::optional<std::uint64_t>(0) : std::nullopt;
}

void BlockObserver::store_values(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                                 std::uint64_t address, std::uint32_t bytes) {
  const Values values = values_at(w, i, space, lane, address);
  if (!warps_[w.warp].definedness.any()) {
    if (values.bits != nullptr) set_bits(values.bits, values.from, bytes);
    return;
  }
  const StoredValues stored = put_stored(w, i, space, lane, address, bytes, values);
  if (!stored.worst.incomplete() || space != Space::global) return;
  const Allocation* to = block_.arena().find(address);
  const std::optional<std::uint64_t> first = stored.result(to, address, bytes, bytes / i.count);
  if (!first) return;
  Fault fault;
  block_.describe_access(w, i, space, lane, address, bytes, true, fault);
  fault.address = address + *first;
  if (values.bits != nullptr) set_bits(values.bits, values.from, bytes);
  undefined(w, lane, i.statement, stored.worst, "stored", fault);
}

void BlockObserver::fill_local(std::uint32_t warp, std::uint32_t lane, std::uint64_t offset,
                               std::uint64_t bytes) {
  if (!launch_.checks.init || offset + bytes > local_bytes_) return;
  set_bits(local_init_.data() + (local_bytes_ / 8 + 1) * (warp * 32 + lane), offset, bytes);
}

void BlockObserver::fill_shared(std::uint64_t offset, std::uint64_t bytes) {
  if (!launch_.checks.init || offset + bytes > shared_bytes_) return;
  set_bits(shared_init_.data(), offset, bytes);
}

void BlockObserver::enter_frame(std::uint32_t warp, std::uint32_t lane, std::uint32_t callee,
                                std::uint64_t frame) {
  if (!launch_.checks.init) return;
  const Values values = local_values(warp, lane, frame);
  clear_values(values, block_.program().callees[callee].frame_bytes);
  for (const Callee::Value& value : launch_.call_spaces[callee])
    set_bits(values.bits, frame + value.offset, value.bytes);
}

// What a pointer to a local variable finds there now is nobody's.
void BlockObserver::leave_frame(std::uint32_t warp, std::uint32_t lane, std::uint32_t callee,
                                std::uint64_t frame) {
  if (!launch_.checks.init) return;
  clear_values(local_values(warp, lane, frame), block_.program().callees[callee].frame_bytes);
}

void BlockObserver::copy_local(std::uint32_t warp, std::uint32_t lane, std::uint64_t from,
                               std::uint64_t to, std::uint64_t bytes) {
  if (!launch_.checks.init) return;
  const Values source = local_values(warp, lane, from), target = local_values(warp, lane, to);
  if (all_set(source.bits, from, bytes)) return set_bits(target.bits, to, bytes);
  copy_values(target, source, bytes);
}

void BlockObserver::undefined(Lanes& w, std::uint32_t lane, std::uint32_t statement,
                              Definedness defined, const char* what, Fault fault) {
  fault.kind = FaultKind::uninitialised;
  fault.statement = statement;
  fault.hazard = what;
  fault.thread = block_.thread(w.warp, lane);
  fault.block = block_.coordinates();
  fault.calls = block_.calls_to(statement, w.warp, lane);
  fault.count = 1;
  fault.origin = defined.space();
  fault.source = array_of(defined);
  if (defined.space() != Space::param || defined.of_inactive_lane()) {
    fault.other.known = true;
    fault.other.statement = defined.statement();
    fault.other.thread = fault.thread;
    fault.other.block = fault.block;
    if (defined.statement() == statement) fault.other.calls = fault.calls;
  }
  block_.report(fault);
}

// Values go from thread to thread, so that it may be any warp's load.
const std::string& BlockObserver::array_of(const Definedness& defined) {
  static const std::string kNone;
  if (defined.space() == Space::param) return kNone;
  const auto [known, fresh] = launch_.arrays.try_emplace(defined.statement());
  if (!fresh && !known->second.empty()) return known->second;
  for (const Warp& warp : warps_) {
    const UndefinedLoad* load = load_of(warp, defined);
    if (load != nullptr && known->second.empty())
      known->second = block_.array_at(*load->instruction, defined.space(), load->any);
  }
  return known->second;
}

void BlockObserver::decide(Lanes& w, std::uint32_t slot, std::uint32_t mask,
                           std::uint32_t statement, const char* what) {
  WarpDefinedness& definedness = warps_[w.warp].definedness;
  for (std::uint32_t rest = definedness.lanes(slot) & mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    undefined(w, lane, statement, definedness.get(slot, lane), what, {});
    definedness.set(slot, lane, {});
  }
}

bool BlockObserver::concerns(std::uint32_t warp, std::uint32_t instruction) {
  if (!launch_.operands) launch_.operands.emplace(block_.program());
  return launch_.operands->touch(warps_[warp].definedness, instruction);
}

// Textures, surfaces, matrices, asynchronous copies.
void BlockObserver::follow_own(Lanes& w, const Instruction& i, std::uint32_t mask) {
  const Uses uses = uses_of(block_.program(), i);
  for (const std::uint32_t slot : uses.places)
    decide(w, slot, mask, i.statement, "used as an address");
  if (is_matrix(i.opcode)) return;  // what they make of values or store is followed
  const bool synchronizes =
      Opcode::mbarrier_init <= i.opcode && i.opcode <= Opcode::mbarrier_pending;
  const char* what = synchronizes ? "used by an mbarrier" : "stored";
  for (const std::uint32_t slot : uses.reads) decide(w, slot, mask, i.statement, what);
}

void BlockObserver::follow(Lanes& w, const Instruction& i, std::uint32_t mask) {
  WarpDefinedness& definedness = warps_[w.warp].definedness;
  if (i.guard != Instruction::kNone) {
    decide(w, i.guard, mask, i.statement, "used to decide whether to execute this");
    std::uint32_t guard;
    std::memcpy(&guard, w.registers + i.guard, 4);
    mask &= i.guard_negated ? ~guard : guard;
    if (mask == 0) return;
  }
  switch (flow_of(i.opcode)) {
    case Flow::load:
    case Flow::store:
      decide(w, i.address, mask, i.statement, "used as an address");
      break;
    case Flow::atomic:
      decide(w, i.address, mask, i.statement, "used as an address");
      for (const std::uint32_t slot : uses_of(block_.program(), i).reads)
        decide(w, slot, mask, i.statement, "used by an atomic operation");
      break;
    case Flow::reduce:
      decide(w, i.a, mask, i.statement, "handed to other lanes");
      break;
    case Flow::special:
      follow_own(w, i, mask);
      break;
    default:
      break;
  }
  propagate(definedness, block_.program(), w, i, mask);
}

}  // namespace warpmark::cpu
