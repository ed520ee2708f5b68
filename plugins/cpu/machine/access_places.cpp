// The slow paths of memory accesses: which memory one may touch, and what a fault says of it.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "machine/access_places.hpp"
#include "machine/grid.hpp"
#include "machine/heap.hpp"
#include "program/async_forms.hpp"
#include "program/source_place.hpp"

namespace warpmark::cpu {
namespace {

// Returns whether an instruction is a store or an atomic operation.
bool stores(const Instruction& instruction) {
  switch (instruction.opcode) {
#define ACCESS_STORE(space, memory, bits) case Opcode::store_##space##_##memory##_##bits:
#include "program/memory_ops.def"
#define ATOMIC(id, T, names, ...) case Opcode::id:
#include "program/atomics.def"
    return true;
    default:
      return false;
  }
}

// Returns whether the global access of an instruction changes memory.
bool writes(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::copy_bulk:
      return instruction.form<BulkForm>().to == Space::global;
    case Opcode::copy_tensor:
      return instruction.form<TensorForm>().to_global;
    default:
      return stores(instruction);
  }
}

// The part of an allocation with rows in which a store at an address needs no further look: its
// row, or what begins there at a multiple of 8, as each byte has a bit of the values.
Region row_of(const Allocation& allocation, std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t row = address - allocation.place_of(address).offset;
  const bool even = (row - allocation.address) % 8 == 0;
  const std::uint64_t begin = even ? row : address - (address - allocation.address) % 8;
  const std::uint64_t end = even ? row + allocation.row : address + bytes;
  return {begin, end - begin, nullptr, nullptr};
}

// The offset in the shared memory of the block whose it is: blocks of a launch have equally much.
std::uint64_t describe_home(const Lanes& lanes, std::uint64_t offset, Fault& fault) {
  const std::uint64_t part = offset / kSharedPart;
  const std::vector<BlockState*>& blocks = lanes.block->cluster().blocks;
  if (part == 0 || blocks.size() == 1) return offset;
  if (part > blocks.size()) {
    fault.home.gone = true;  // never was
    return offset % kSharedPart;
  }
  const BlockState& block = *blocks[part - 1];
  fault.home = {true, block.live_threads() == 0, block.coordinates()};
  return offset % kSharedPart;
}

// The allocation that holds an address and that kernels may use, or null.
const Allocation* allocation_at(const LaunchState& launch, std::uint64_t address) {
  const Arena* arena = launch.arena.holder(address, 1);
  return arena == nullptr ? nullptr : arena->find(address, 1);
}

// Returns whether a pointer is into the device's heap, whose blocks are not allocations.
bool is_of_heap(const LaunchState& launch, std::uint64_t address) {
  return launch.shape.heap != nullptr && launch.shape.heap->owns(address);
}

// The allocation that the lane's pointer is of. The begin of one may be meant as the end of
// another.
std::array<const Allocation*, 2> homes_of_loaded(const Lanes& lanes, const Object& object,
                                                 std::uint32_t lane) {
  if (lane == kAnyLane) return {};
  const LaunchState& launch = lanes.block->launch();
  const auto pointer =
      read_lane<std::uint64_t>(lanes.registers, static_cast<std::uint32_t>(object.address), lane);
  if (is_of_heap(launch, pointer)) return {};
  const Allocation* home = allocation_at(launch, pointer);
  if (home == nullptr || home->address != pointer) return {home, nullptr};
  return {home, allocation_at(launch, pointer - 1)};
}

// The allocations of the object that the instruction's address is derived from: null where there is
// none, or one less.
std::array<const Allocation*, 2> homes_of(const Lanes& lanes, const Instruction& instruction,
                                          std::uint32_t lane) {
  const std::vector<Object>& objects = lanes.block->launch().program.objects;
  const Object& object = objects[instruction.object];
  if (object.kind == Object::Kind::loaded) return homes_of_loaded(lanes, object, lane);
  if (object.kind != Object::Kind::any) return {home_of(lanes.block->launch(), object), nullptr};
  const Allocation* first = home_of(lanes.block->launch(), objects[object.address]);
  const Allocation* second = home_of(lanes.block->launch(), objects[object.bytes]);
  if (first == nullptr || second == nullptr) return {};  // a number
  return {first, second};
}

// The name of an allocation in reports.
std::string name_of(const Allocation& allocation) {
  if (!allocation.label.empty()) return allocation.label;
  if (allocation.by == nullptr) return "another allocation";
  return "allocation " + std::to_string(allocation.number) + ", by " + allocation.by;
}

// Returns whether an access is meant for a .const variable: with -G its addresses are generic.
bool is_constant(const Program& program, const Instruction& instruction) {
  const Object& meant = program.objects[instruction.object];
  if (meant.kind != Object::Kind::variable || program.module == nullptr) return false;
  const auto found = program.module->variable_by_name.find(meant.name);
  return found != program.module->variable_by_name.end() &&
         program.module->variables[found->second].space == Space::constant;
}

// How far [address, address + bytes) lies outside of [begin, begin + size). An offset may be
// negative.
void measure(Fault& fault, std::uint64_t begin, std::uint64_t size) {
  const std::uint64_t address = fault.address, end = begin + size;
  const bool negative = fault.space != Space::global && static_cast<std::int64_t>(address) < 0;
  fault.side = Nearest::Side::inside;
  fault.distance = 0;
  if (address < begin || negative) {
    fault.side = Nearest::Side::before;
    fault.distance = begin - address;
  } else if (address + fault.bytes > end) {
    fault.side = Nearest::Side::after;
    fault.distance = address >= end ? address - end + 1 : 1;
  }
}

// The plain accesses, by the space that they name.
constexpr std::pair<std::string_view, Opcode> kPlain[] = {
#define ACCESS_LOAD(space, memory, bits) {#space, Opcode::load_##space##_##memory##_##bits},
#define ACCESS_STORE(space, memory, bits) {#space, Opcode::store_##space##_##memory##_##bits},
#include "program/memory_ops.def"
};
bool is_generic(const Instruction& instruction) {
  return std::any_of(std::begin(kPlain), std::end(kPlain), [&](const auto& plain) {
    return plain.second == instruction.opcode && plain.first == "generic";
  });
}

// A generic address behind shared memory is meant for that if it is derived from there, wherever it
// goes. One that lies a little before a space's memory was meant for that, and not for what ends
// there: in generic addresses the space of the window before, in 32 bits what is far behind. It
// becomes a negative offset.
void find_meant(const Lanes& lanes, const Instruction& instruction, Space& space,
                std::uint64_t& address) {
  constexpr std::uint64_t kNear = 64 << 10;
  const Object& object = lanes.block->launch().program.objects[instruction.object];
  const bool shared = object.kind == Object::Kind::shared || object.kind == Object::Kind::dynamic;
  const std::uint64_t window = lanes.local_window + Arena::kWindow;
  if (shared && space == Space::global && address >= window && is_generic(instruction)) {
    space = Space::shared;
    address -= window;
  } else if (shared && space == Space::param && is_generic(instruction)) {
    space = Space::shared;
    address += Arena::kWindow;
  } else if (space == Space::global) {
    if (lanes.local_window - address > kNear) return;
    space = Space::local;
    address -= lanes.local_window;
  } else if (Arena::kWindow - address <= kNear && space != Space::param) {
    space = space == Space::local ? Space::shared : Space::param;
    address -= Arena::kWindow;
  } else if (address >> 32 == 0 && (address + kNear) >> 32 != 0) {
    address -= std::uint64_t{1} << 32;
  }
}

// The variable in shared memory that an access is meant for, or else where it goes.
const Object* variable_of(const Program& program, const Instruction& instruction,
                          std::uint64_t address) {
  const auto holds = [&](const Object& object) {
    const std::uint64_t distance = address - object.address;
    return (object.kind == Object::Kind::shared && !object.name.empty() &&
            distance < object.bytes) ||
           (object.kind == Object::Kind::dynamic && static_cast<std::int64_t>(address) >= 0 &&
            address >= object.address);
  };
  const Object& meant = program.objects[instruction.object];
  const bool whole = meant.kind == Object::Kind::shared && meant.name.empty();  // of several
  if (whole && address - meant.address >= meant.bytes) {
    const bool before = static_cast<std::int64_t>(address - meant.address) < 0;
    const auto edge =
        std::find_if(program.objects.begin(), program.objects.end(), [&](const Object& object) {
          return object.kind == Object::Kind::shared && !object.name.empty() &&
                 (before ? object.address == meant.address
                         : object.address + object.bytes == meant.address + meant.bytes);
        });
    if (edge != program.objects.end()) return &*edge;
  }
  if (!whole && (meant.kind == Object::Kind::shared || meant.kind == Object::Kind::dynamic))
    return &meant;
  const auto found = std::find_if(program.objects.begin(), program.objects.end(), holds);
  return found == program.objects.end() ? nullptr : &*found;
}

}  // namespace

const Allocation* home_of(const LaunchState& launch, const Object& object) {
  const std::vector<std::byte>& parameters = launch.shape.parameters;
  const auto parameter = [&](std::uint64_t offset) -> const Allocation* {
    std::uint64_t address = 0;
    if (offset > parameters.size() || parameters.size() - offset < sizeof address) return nullptr;
    std::memcpy(&address, parameters.data() + offset, sizeof address);
    return is_of_heap(launch, address) ? nullptr : allocation_at(launch, address);
  };
  switch (object.kind) {
    case Object::Kind::variable:
      return allocation_at(launch, object.address);
    case Object::Kind::parameter:
      return parameter(object.address);
    case Object::Kind::either: {
      const Allocation* first = parameter(object.address);
      const Allocation* second = parameter(object.bytes);
      return first == nullptr ? second : second == nullptr ? first : nullptr;
    }
    default:
      return nullptr;
  }
}

bool find_region(Lanes& lanes, const Instruction& instruction, std::uint64_t address,
                 std::uint32_t bytes, std::uint32_t lane) {
  const Arena* arena = lanes.block->launch().arena.holder(address, bytes);
  if (arena == nullptr) return false;
  const Allocation* allocation = arena->find(address, bytes);
  if (writes(instruction) && !lanes.block->launch().arena.may_write(*arena, *allocation))
    return false;
  // On a GPU the address of ld.const is an offset into the constant bank.
  if (instruction.counter == Counter::constant_load_bytes && !allocation->constant) return false;
  if (instruction.object != 0) {
    const auto [home, other] = homes_of(lanes, instruction, lane);
    if (home != nullptr && home != allocation && other != allocation) return false;
  }
  if (is_of_heap(lanes.block->launch(), address)) {
    const Allocation block = lanes.block->launch().shape.heap->find(address, bytes);
    if (block.bytes == 0) return false;
    const std::uint64_t before = block.address - allocation->address;  // a multiple of 16
    lanes.sites[instruction.site] = {
        block.address, block.bytes, arena->host(block.address),
        allocation->init == nullptr ? nullptr : allocation->init.get() + before / 8};
    return true;
  }
  Region region{allocation->address, allocation->bytes, nullptr, nullptr};
  if (allocation->pitch != 0 && stores(instruction)) {
    if (allocation->leaves_rows(address, bytes)) return false;
    region = row_of(*allocation, address, bytes);
  }
  const std::uint64_t before = (region.begin - allocation->address) / 8;
  region.host = arena->host(region.begin);
  region.init = allocation->init == nullptr ? nullptr : allocation->init.get() + before;
  lanes.sites[instruction.site] = region;
  return true;
}

void record_fault(Lanes& lanes, const Instruction& instruction, Space space, std::uint32_t lane,
                  std::uint64_t address, std::uint32_t bytes, bool store) {
  Fault fault;
  fault.kind = address % bytes != 0 ? FaultKind::misaligned_address : FaultKind::illegal_address;
  lanes.block->describe_access(lanes, instruction, space, lane, address, bytes, store, fault);
  lanes.block->launch().faults.add(fault);
}

bool record_read_past_end(Lanes& lanes, const Instruction& instruction, std::uint32_t lane,
                          std::uint64_t address, std::uint32_t bytes, std::byte* into) {
  const std::uint64_t end = lanes.block->own_shared_bytes();
  const Region& meant = lanes.objects[instruction.object];
  const bool last = meant.begin + meant.size >= end;  // else it runs into another variable
  if (!last || address < meant.begin || address >= end || address + bytes <= end ||
      address + bytes > (end + kSharedGranule - 1) / kSharedGranule * kSharedGranule)
    return false;
  Fault fault;
  fault.kind = FaultKind::illegal_address;
  fault.goes_on = true;
  lanes.block->describe_access(lanes, instruction, Space::shared, lane, address, bytes, false,
                               fault);
  lanes.block->launch().faults.add(fault);
  std::memset(into, 0, bytes);
  std::memcpy(into, lanes.shared.host + address, end - address);
  return true;
}

void BlockState::describe_access(const Lanes& lanes, const Instruction& instruction, Space space,
                                 std::uint32_t lane, std::uint64_t address, std::uint32_t bytes,
                                 bool store, Fault& fault) const {
  find_meant(lanes, instruction, space, address);
  fault.statement = instruction.statement;
  fault.has_access = true;
  fault.space = space;
  fault.constant = instruction.counter == Counter::constant_load_bytes ||
                   is_constant(launch_.program, instruction);
  fault.write = store;
  fault.bytes = bytes;
  fault.address = address;
  fault.thread = thread(lanes.warp, lane);
  fault.block = coordinates();
  fault.calls = calls_to(instruction.statement, lanes.warp, lane);
  fault.count = 1;
  if (space == Space::global) {
    const Nearest nearest = launch_.arena.nearest(address, bytes);
    if (nearest.allocation != nullptr) {
      fault.allocation = *nearest.allocation;
      if (nearest.allocation->closed && nearest.side == Nearest::Side::inside)
        fault.allocation.absent =
            "of a pool of the host's memory, to which the device has no access "
            "(cuMemPoolSetAccess)";
      else if (instruction.counter == Counter::constant_load_bytes &&
               !nearest.allocation->constant && nearest.side == Nearest::Side::inside)
        fault.allocation.absent =
            "of global memory, and ld.const reads constant memory at an offset into it";
      fault.side = nearest.side;
      fault.distance = nearest.distance;
    }
    const auto [home, other] = homes_of(lanes, instruction, lane);
    fault.meant = home != nullptr;
    if (home != nullptr && home != nearest.allocation && other != nearest.allocation) {
      fault.allocation = *home;
      measure(fault, home->address, home->bytes);
      const std::uint64_t distance = fault.distance;
      if (other != nullptr) measure(fault, other->address, other->bytes);
      if (other != nullptr && fault.distance < distance)
        fault.allocation = *other;
      else
        measure(fault, home->address, home->bytes);
      if (nearest.side == Nearest::Side::inside && nearest.allocation->live)
        fault.lands_in = name_of(*nearest.allocation);
      return;
    }
    if (is_of_heap(launch_, address)) launch_.shape.heap->explain(fault);
  } else {
    if (space == Space::shared && static_cast<std::int64_t>(address) >= 0)
      address = describe_home(lanes, address, fault);
    fault.address = address;
    const Region& region = space == Space::shared  ? lanes.objects[instruction.object]
                           : space == Space::local ? lanes.local
                                                   : lanes.param;
    const bool all = space == Space::shared && region.size == lanes.shared.size;
    const std::uint64_t size = all ? own_shared_bytes() : region.size;
    fault.allocation.bytes = size;
    measure(fault, region.begin, size);
    if (space != Space::shared) return;
    const Object* variable = variable_of(launch_.program, instruction, address);
    if (variable == nullptr) return;
    fault.variable = {variable_name(variable->name), variable->address};
    const Object& meant = launch_.program.objects[instruction.object];
    if (meant.kind != Object::Kind::shared || variable->kind != Object::Kind::shared) return;
    fault.allocation.bytes = variable->bytes;  // of those that it may be meant for
    measure(fault, variable->address, variable->bytes);
  }
}

std::string BlockState::array_at(const Instruction& instruction, Space space,
                                 std::uint64_t address) const {
  if (space == Space::shared) {
    const Object* variable = variable_of(launch_.program, instruction, address);
    return variable == nullptr ? "" : variable_name(variable->name);
  }
  if (space != Space::global) return "";
  if (is_of_heap(launch_, address)) return "the device heap";
  const Nearest nearest = launch_.arena.nearest(address, 1);
  return nearest.allocation == nullptr ? "" : nearest.allocation->label;
}

}  // namespace warpmark::cpu
