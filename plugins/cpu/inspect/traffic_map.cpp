// The traffic of each opcode.
#include "inspect/traffic_map.hpp"

#include <array>
#include <initializer_list>

#include "program/tensor_form.hpp"

namespace warpmark::cpu {
namespace {

constexpr unsigned bit(Measure measure) {
  return 1u << static_cast<unsigned>(measure);
}
constexpr unsigned kRequests = bit(Measure::requests), kSectors = bit(Measure::sectors),
                   kTurns = bit(Measure::turns), kAsked = kRequests | bit(Measure::bytes),
                   kCached =
                       kAsked | kSectors | bit(Measure::unique_bytes) | bit(Measure::ideal_sectors),
                   kBanked = kAsked | bit(Measure::wavefronts) | bit(Measure::ideal_wavefronts) |
                             bit(Measure::row_excess);

struct KindRow {
  std::string_view name;
  unsigned measures;
};
constexpr KindRow kKinds[kTrafficKinds] = {
#define KIND(name, measures) {#name, measures},
#include "program/traffic.def"
};

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

struct Access {
  bool known = false, store = false;
  Space space = Space::generic;
};
Access access_of(Opcode opcode) {
  static const auto kAccesses = [] {
    std::array<Access, static_cast<std::size_t>(Opcode::count)> all{};
    const auto set = [&](Opcode which, bool store, Space space) {
      all[static_cast<std::size_t>(which)] = {true, store, space};
    };
#define ACCESS_LOAD(space, memory, bits) \
  set(Opcode::load_##space##_##memory##_##bits, false, Space::space);
#define ACCESS_STORE(space, memory, bits) \
  set(Opcode::store_##space##_##memory##_##bits, true, Space::space);
#include "program/memory_ops.def"
    return all;
  }();
  return kAccesses[static_cast<std::size_t>(opcode)];
}

bool is_atomic(Opcode opcode) {
  const OpcodeInfo* info = find_opcode(opcode);
  return info != nullptr && cpu::is_atomic(info->form);
}

}  // namespace

const std::vector<TrafficCounter>& traffic_counters() {
  static const std::vector<TrafficCounter> kAll = [] {
    std::vector<TrafficCounter> all;
    for (std::size_t kind = 0; kind < kTrafficKinds; ++kind) {
      for (std::size_t measure = 0; measure < kMeasures; ++measure) {
        if ((kKinds[kind].measures >> measure & 1) == 0) continue;
        std::string name =
            std::string(kKinds[kind].name) + "_" + std::string(kMeasureNames[measure]);
        const bool basic = is_basic(name);
        all.push_back({static_cast<TrafficKind>(kind), static_cast<Measure>(measure),
                       std::move(name), basic});
      }
    }
    return all;
  }();
  return kAll;
}

void TrafficMap::add(std::uint32_t at, const Step& step, std::initializer_list<TrafficKind> kinds) {
  step_of_[at] = static_cast<std::uint32_t>(steps_.size());
  steps_.push_back(step);
  steps_.back().site = static_cast<std::uint32_t>(sites_.size());
  steps_.back().sites = static_cast<std::uint8_t>(kinds.size());
  for (const TrafficKind kind : kinds) sites_.push_back({kind, at});
}

// The sites of a generic address stand in this order: global, shared, local.
TrafficMap::TrafficMap(const Program& program)
    : blocks_(program.blocks.size()), step_of_(program.code.size(), Instruction::kNone) {
  for (std::uint32_t at = 0; at < program.code.size(); ++at) {
    const Instruction& i = program.code[at];
    Step step;
    step.bytes = i.cost;
    const auto add_space = [&] {
      const Traffic t = step.traffic;
      if (step.space != Space::generic)
        add(at, step, {kind_of(step.space, t)});
      else if (t == Traffic::atomic)
        add(at, step, {kind_of(Space::global, t), kind_of(Space::shared, t)});
      else
        add(at, step,
            {kind_of(Space::global, t), kind_of(Space::shared, t), kind_of(Space::local, t)});
    };
    if (const Access access = access_of(i.opcode); access.known) {
      if (access.space == Space::param) continue;
      // Arguments and results of calls lie in local memory here.
      if (access.space == Space::local && i.counter == Counter::none) continue;
      step.space = access.space;
      step.traffic = access.store ? Traffic::store : Traffic::load;
      if (i.counter == Counter::constant_load_bytes) {
        step.space = Space::constant;
        add(at, step, {TrafficKind::constant_load});
      } else {
        add_space();
      }
      continue;
    }
    if (is_atomic(i.opcode)) {
      step.form = Form::atomic;
      step.space = static_cast<Space>(i.count);
      step.traffic = Traffic::atomic;
      if (step.space == Space::generic || step.space == Space::global ||
          step.space == Space::shared)
        add_space();
      continue;
    }
    switch (i.opcode) {
      case Opcode::copy_async:
        step.form = Form::copy;
        step.bytes = static_cast<std::uint8_t>(i.imm);
        add(at, step, {TrafficKind::async_global_load, TrafficKind::async_shared_store});
        break;
      case Opcode::copy_bulk:
        step.form = Form::bulk;
        add(at, step,
            {TrafficKind::async_global_load, TrafficKind::async_global_store,
             TrafficKind::async_shared_load, TrafficKind::async_shared_store});
        break;
      case Opcode::store_async:
        step.form = Form::told;
        step.space = Space::shared;
        add(at, step, {TrafficKind::async_shared_store});
        break;
      case Opcode::copy_tensor:
        step.form = Form::told;
        if (TensorForm::unpack(i.imm).to_global)
          add(at, step, {TrafficKind::async_global_store, TrafficKind::async_shared_load});
        else
          add(at, step, {TrafficKind::async_global_load, TrafficKind::async_shared_store});
        break;
      case Opcode::prefetch_tensor:
      case Opcode::prefetch_bulk:
        step.form = Form::told;
        step.space = Space::global;
        add(at, step, {TrafficKind::prefetch});
        break;
      case Opcode::fill_bulk:
        step.form = Form::told;
        step.space = Space::shared;
        add(at, step, {TrafficKind::shared_store});
        break;
      case Opcode::prefetch:
        step.form = Form::prefetch;
        add(at, step, {TrafficKind::prefetch});
        break;
      case Opcode::matrix_rows_load:
      case Opcode::matrix_rows_store:
        step.form = Form::rows;
        step.space = static_cast<Space>(i.d);
        step.bytes = 16;
        step.traffic = i.opcode == Opcode::matrix_rows_load ? Traffic::load : Traffic::store;
        add_space();
        break;
      case Opcode::matrix_load:  // lane by lane and element by element
      case Opcode::matrix_store:
        step.form = Form::told;
        step.space = static_cast<Space>(i.count);
        step.traffic = i.opcode == Opcode::matrix_load ? Traffic::load : Traffic::store;
        add_space();
        break;
      case Opcode::texture_fetch:
      case Opcode::texture_gather:
        step.form = Form::told;
        add(at, step, {TrafficKind::texture_load});
        break;
      case Opcode::surface_load:
        step.form = Form::told;
        add(at, step, {TrafficKind::surface_load});
        break;
      case Opcode::surface_store:
        step.form = Form::told;
        add(at, step, {TrafficKind::surface_store});
        break;
      case Opcode::surface_reduce:
        step.form = Form::told;
        add(at, step, {TrafficKind::surface_atomic});
        break;
      default:
        break;
    }
  }
}

}  // namespace warpmark::cpu
