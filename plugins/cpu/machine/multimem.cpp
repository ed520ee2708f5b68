// Accesses to the memory of several devices at one address: multimem.ld_reduce, .st and .red.
//
// The values of devices are combined in the order of the devices, as PTX leaves the order open.
#include <cstring>
#include <string>
#include <vector>

#include "inspect/observer.hpp"
#include "machine/access_places.hpp"
#include "machine/async_places.hpp"
#include "machine/block.hpp"
#include "machine/handlers.hpp"
#include "memory/multicast.hpp"
#include "program/async_forms.hpp"

#define WARPMARK_ISA multimem
#include "machine/small_floats.hpp"

namespace warpmark::cpu {
namespace {

using namespace multimem;

constexpr u32 kMostBytes = 32;

// The same of an access that comes about at once.
std::vector<std::byte*> accessed(Lanes& w, const Instruction& i, u32 lane, u32 bytes, bool store) {
  const auto address = read_lane<u64>(w.registers, i.address, lane);
  std::vector<std::byte*> all = replicas_of(w, i, lane, address, bytes, bytes, store);
  if (!all.empty() && w.observer != nullptr)
    w.observer->touch(w, i, Space::global, lane, address, bytes,
                      store ? Touch::store : Touch::load);
  return all;
}

// Sums in binary32, rounded once.
template <typename T, typename Round>
void sum_wide(std::byte* to, const std::vector<std::byte*>& replicas, u32 bytes, Round round) {
  for (u32 at = 0; at < bytes; at += sizeof(T)) {
    f32 sum = 0;
    for (std::size_t k = 0; k < replicas.size(); ++k) {
      T value;
      std::memcpy(&value, replicas[k] + at, sizeof value);
      sum = k == 0 ? widen(value) : sum + widen(value);
    }
    const T result = round(sum);
    std::memcpy(to + at, &result, sizeof result);
  }
}

void multimem_load(Lanes& w, const Instruction& i) {
  const auto form = i.form<MultimemForm>();
  const u32 bytes = form.bytes * i.count;
  const Reduction combine = reduction_by(form.reduction);
  const u32* slots = w.operands + i.more;
  for_lanes(w, [&](u32 lane) {
    std::byte values[kMostBytes] = {};
    const std::vector<std::byte*> replicas = accessed(w, i, lane, bytes, false);
    if (form.f16) {
      sum_wide<f16>(values, replicas, bytes, [](f32 sum) { return to_f16(sum); });
    } else if (form.bf16) {
      sum_wide<bf16>(values, replicas, bytes, [](f32 sum) { return to_bf16(sum); });
    } else {
      for (std::size_t k = 0; k < replicas.size(); ++k) {
        if (k == 0)
          std::memcpy(values, replicas[k], bytes);
        else
          combine(w.block->launch(), values, replicas[k], bytes, false);
      }
    }
    for (u32 e = 0; e < i.count; ++e) {
      u64 value = 0;
      std::memcpy(&value, values + e * form.bytes, form.bytes);
      write_lane(w.registers, slots[e], lane, form.bytes == 8, value);
    }
  });
}

template <bool Reduces>
void multimem_write(Lanes& w, const Instruction& i) {
  const auto form = i.form<MultimemForm>();
  const u32 bytes = form.bytes * i.count;
  [[maybe_unused]] const Reduction combine = reduction_by(form.reduction);
  const u32* slots = w.operands + i.more;
  for_lanes(w, [&](u32 lane) {
    std::byte values[kMostBytes] = {};
    for (u32 e = 0; e < i.count; ++e) {
      const u64 value = read_lane(w.registers, slots[e], lane, form.bytes == 8);
      std::memcpy(values + e * form.bytes, &value, form.bytes);
    }
    for (std::byte* replica : accessed(w, i, lane, bytes, true)) {
      if constexpr (Reduces)
        combine(w.block->launch(), replica, values, bytes, true);
      else
        std::memcpy(replica, values, bytes);
    }
  });
}

}  // namespace

std::vector<std::byte*> replicas_of(Lanes& w, const Instruction& i, u32 lane, u64 address,
                                    u32 bytes, u32 alignment, bool store) {
  const LaunchShape& shape = w.block->launch().shape;
  std::vector<std::byte*> all;
  if (address % alignment == 0 && shape.multicasts != nullptr)
    all = shape.multicasts->find(shape.device, address, bytes);
  if (all.empty() && address % alignment == 0) {
    Fault fault;
    fault.kind = FaultKind::illegal_address;
    w.block->describe_access(w, i, Space::global, lane, address, bytes, store, fault);
    fault.detail = ", where no multicast object is mapped that has memory of each of its devices";
    w.block->launch().faults.add(fault);
  } else if (all.empty()) {
    record_fault(w, i, Space::global, lane, address, alignment, store);
  }
  return all;
}

void fill_multimem(HandlerTable& table) {
  table.set(Opcode::multimem_load, multimem_load);
  table.set(Opcode::multimem_store, multimem_write<false>);
  table.set(Opcode::multimem_reduce, multimem_write<true>);
}

}  // namespace warpmark::cpu
