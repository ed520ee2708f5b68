// The traffic of each opcode.
#include "inspect/counters/traffic_map.hpp"

#include <array>

#include "program/async_forms.hpp"

namespace warpmark::cpu {
namespace {

constexpr unsigned bits(std::initializer_list<Measure> measures) {
  unsigned all = 0;
  for (const Measure measure : measures) all |= 1u << static_cast<unsigned>(measure);
  return all;
}
namespace rows {
using enum Measure;  // counters.def names them alone

struct KindRow {
  std::string_view name;
  unsigned measures;
};
constexpr KindRow kKinds[kTrafficKinds] = {
#define KIND(name, ...) {#name, bits({__VA_ARGS__})},
#include "warpmark/counters.def"
};
}  // namespace rows

bool is_basic(std::string_view name) {
  for (const std::string_view known : kCounterNames) {
    if (known == name) return true;
  }
  return false;
}

TrafficKind kind_of(Space space, Traffic traffic) {
  const auto choose = [traffic](TrafficKind load, TrafficKind store, TrafficKind atomic) {
    return traffic == Traffic::load ? load : traffic == Traffic::store ? store : atomic;
  };
  switch (space) {
    case Space::global:
      return choose(TrafficKind::global_load, TrafficKind::global_store,
                    TrafficKind::global_atomic);
    case Space::shared:
      return choose(TrafficKind::shared_load, TrafficKind::shared_store,
                    TrafficKind::shared_atomic);
    case Space::local:
      return choose(TrafficKind::local_load, TrafficKind::local_store, TrafficKind::count);
    default:
      return TrafficKind::count;
  }
}

using K = TrafficKind;
/// Four kinds; K::count where there are fewer.
struct Kinds : std::array<TrafficKind, 4> {
  constexpr Kinds(TrafficKind first = K::count, TrafficKind second = K::count,
                  TrafficKind third = K::count, TrafficKind fourth = K::count)
      : array{first, second, third, fourth} {}
};
using Form = TrafficMap::Form;

/// The kinds of traffic of an operation for which they do not depend on an address space.
struct MoveRow {
  Opcode opcode;
  Form form;
  Kinds kinds;
  Space space = Space::generic;
};
constexpr MoveRow kMoves[] = {
    {Opcode::copy_async, Form::copy, {K::async_global_load, K::async_shared_store}},
    {Opcode::copy_bulk,
     Form::bulk,
     {K::async_global_load, K::async_global_store, K::async_shared_load, K::async_shared_store}},
    {Opcode::store_async, Form::reported, {K::async_shared_store}, Space::shared},
    {Opcode::prefetch_tensor, Form::reported, {K::prefetch}, Space::global},
    {Opcode::prefetch_bulk, Form::reported, {K::prefetch}, Space::global},
    {Opcode::fill_bulk, Form::reported, {K::shared_store}, Space::shared},
    {Opcode::prefetch, Form::prefetch, {K::prefetch}},
    {Opcode::texture_fetch, Form::reported, {K::texture_load}},
    {Opcode::texture_gather, Form::reported, {K::texture_load}},
    {Opcode::surface_load, Form::reported, {K::surface_load}},
    {Opcode::surface_store, Form::reported, {K::surface_store}},
    {Opcode::surface_reduce, Form::reported, {K::surface_atomic}},
};
constexpr Kinds kTensorToGlobal = {K::async_global_store, K::async_shared_load};
constexpr Kinds kTensorToShared = {K::async_global_load, K::async_shared_store};

/// One operation as a row: how its addresses are found, and whether by its space.
struct Access {
  bool known = false, by_space = false;
  TrafficMap::Step step;
  Kinds kinds{};
};
using Accesses = std::array<Access, static_cast<std::size_t>(Opcode::count)>;

Accesses make_accesses() {
  Accesses all{};
  const auto by_space = [&](Opcode opcode, Form form, Space space, Traffic traffic) {
    Access& access = all.at(static_cast<std::size_t>(opcode));
    access.known = access.by_space = true;
    access.step.form = form;
    access.step.space = space;
    access.step.traffic = traffic;
  };
#define ACCESS_LOAD(space, memory, bits) \
  by_space(Opcode::load_##space##_##memory##_##bits, Form::access, Space::space, Traffic::load);
#define ACCESS_STORE(space, memory, bits) \
  by_space(Opcode::store_##space##_##memory##_##bits, Form::access, Space::space, Traffic::store);
#include "program/memory_ops.def"
#define ATOMIC(id, T, names, ...) \
  by_space(Opcode::id, Form::atomic, Space::generic, Traffic::atomic);
#include "program/atomics.def"
  by_space(Opcode::matrix_rows_load, Form::rows, Space::generic, Traffic::load);
  by_space(Opcode::matrix_rows_load_s4, Form::rows, Space::generic, Traffic::load);
  by_space(Opcode::matrix_rows_load_4, Form::rows, Space::generic, Traffic::load);
  by_space(Opcode::matrix_rows_load_6, Form::rows, Space::generic, Traffic::load);
  by_space(Opcode::matrix_rows_store_8, Form::rows, Space::generic, Traffic::store);
  by_space(Opcode::matrix_rows_store, Form::rows, Space::generic, Traffic::store);
  // Lane by lane and element by element.
  by_space(Opcode::matrix_load, Form::reported, Space::generic, Traffic::load);
  by_space(Opcode::matrix_store, Form::reported, Space::generic, Traffic::store);
  for (const MoveRow& row : kMoves) {
    Access& access = all.at(static_cast<std::size_t>(row.opcode));
    access.known = true;
    access.step.form = row.form;
    access.step.space = row.space;
    access.kinds = row.kinds;
  }
  Access& tensor = all.at(static_cast<std::size_t>(Opcode::copy_tensor));
  tensor.known = true;
  tensor.step.form = Form::reported;
  return all;
}

const Access& access_of(Opcode opcode) {
  static const Accesses kAll = make_accesses();
  return kAll[static_cast<std::size_t>(opcode)];
}

// Where the instruction itself says what it accesses; Space::generic may be several.
Space space_of(const Instruction& i, const TrafficMap::Step& step) {
  if (step.form != Form::access) return i.space;
  return i.counter == Counter::constant_load_bytes ? Space::constant : step.space;
}

// One lane's bytes.
std::uint8_t bytes_of(const Instruction& i, Form form) {
  if (form == Form::copy) return i.form<CopyForm>().bytes;
  if (form != Form::rows) return i.cost;
  return i.opcode == Opcode::matrix_rows_load_s4 ? std::uint8_t{8} : std::uint8_t{16};
}

// The kinds of a generic address stand in this order: global, shared, local.
Kinds kinds_of(Space space, Traffic traffic) {
  if (space == Space::constant) return {K::constant_load};
  if (space != Space::generic) return {kind_of(space, traffic)};
  return {kind_of(Space::global, traffic), kind_of(Space::shared, traffic),
          kind_of(Space::local, traffic)};
}

bool is_counted(const Instruction& i, const TrafficMap::Step& step) {
  if (step.form == Form::atomic) {
    return step.space == Space::generic || step.space == Space::global ||
           step.space == Space::shared;
  }
  if (step.form != Form::access) return true;
  if (step.space == Space::param) return false;
  // Arguments and results of calls lie in local memory here.
  return step.space != Space::local || i.counter != Counter::none;
}

}  // namespace

const std::vector<TrafficCounter>& traffic_counters() {
  static const std::vector<TrafficCounter> kAll = [] {
    std::vector<TrafficCounter> all;
    for (std::size_t kind = 0; kind < kTrafficKinds; ++kind) {
      for (std::size_t measure = 0; measure < kMeasures; ++measure) {
        if ((rows::kKinds[kind].measures >> measure & 1) == 0) continue;
        std::string name =
            std::string(rows::kKinds[kind].name) + "_" + std::string(kMeasureNames[measure]);
        const bool basic = is_basic(name);
        all.push_back({static_cast<TrafficKind>(kind), static_cast<Measure>(measure),
                       std::move(name), basic});
      }
    }
    return all;
  }();
  return kAll;
}

TrafficMap::TrafficMap(const Program& program)
    : blocks_(program.blocks.size()), step_of_(program.code.size(), Instruction::kNone) {
  for (std::uint32_t at = 0; at < program.code.size(); ++at) {
    const Instruction& i = program.code[at];
    const Access& access = access_of(i.opcode);
    if (!access.known) continue;
    Step step = access.step;
    step.bytes = bytes_of(i, step.form);
    Kinds kinds = access.kinds;
    if (access.by_space) {
      step.space = space_of(i, step);
      if (!is_counted(i, step)) continue;
      kinds = kinds_of(step.space, step.traffic);
    } else if (i.opcode == Opcode::copy_tensor) {
      kinds = i.form<TensorForm>().to_global ? kTensorToGlobal : kTensorToShared;
    }
    step_of_[at] = static_cast<std::uint32_t>(steps_.size());
    step.site = static_cast<std::uint32_t>(sites_.size());
    for (const TrafficKind kind : kinds) {
      if (kind == TrafficKind::count) continue;
      sites_.push_back({kind, at});
      ++step.sites;
    }
    steps_.push_back(step);
  }
}

}  // namespace warpmark::cpu
