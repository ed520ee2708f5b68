// Scheduling of a block's warps and of the fragments of each warp.
#include "machine/block.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace warpmark::cpu {
namespace {

// A fragment, warp or block that has taken this many backward branches gives way to the others: far
// more than loops that end take often, few enough that who waits for another thread gets on.
constexpr std::uint32_t kFragmentShare = 1 << 12;
constexpr std::uint32_t kWarpShare = 1 << 14;
constexpr std::uint32_t kBlockRounds = 16;
// A block of the graph with a volatile load or a compare-and-swap may be part of a spin loop, and
// counts as so many backward branches: 32 spins are enough for a fragment, 64 for a warp.
constexpr std::uint32_t kFragmentPoll = kFragmentShare / 32, kWarpPoll = kWarpShare / 64;
// With -G one look at an mbarrier takes about a thousand instructions. Looks so far from each other
// count as more: two are enough for a fragment, four for a warp.
constexpr std::uint64_t kLongLook = 1 << 10;
constexpr std::uint32_t kFragmentLook = kFragmentShare / 2, kWarpLook = kWarpShare / 4;

// How many backward branches a look counts as, by the instructions since the last.
std::uint32_t weight_of_look(std::uint64_t work, std::uint32_t least, std::uint32_t most) {
  return std::max(least, static_cast<std::uint32_t>(std::min(work, kLongLook) * most / kLongLook));
}

// Executes a node as long as all values are defined; the accesses see to that themselves. Returns the
// place in the code of the first instruction that is left.
[[gnu::always_inline]] inline std::uint32_t execute_defined(const Program& program, Lanes& lanes,
                                                            const BasicBlock& node,
                                                            std::size_t full,
                                                            const WarpDefinedness& definedness) {
  if (definedness.any()) return node.begin;
  const Instruction* const code = program.code.data();
  const std::uint32_t* at = program.varying.data() + node.varying;
  const std::uint32_t* const end = program.varying.data() + node.varying_end;
  for (; at != end; ++at) {
    code[*at].run[full](lanes, code[*at]);
    if (definedness.any()) return *at + 1;
  }
  return node.end;
}

}  // namespace

void BlockState::FreeDeleter::operator()(std::byte* memory) const {
  std::free(memory);
}

BlockState::Buffer BlockState::buffer(std::uint64_t bytes) {
  bytes = (bytes + 63) / 64 * 64;
  void* memory = std::aligned_alloc(64, std::max<std::uint64_t>(bytes, 64));
  if (memory == nullptr) throw std::bad_alloc();
  return Buffer(static_cast<std::byte*>(memory));
}

std::uint64_t BlockState::footprint(const Program& program, const LaunchShape& shape) {
  const std::uint64_t threads = std::uint64_t{shape.block[0]} * shape.block[1] * shape.block[2];
  return (threads + 31) / 32 *
             (std::uint64_t{program.register_bytes} + std::uint64_t{program.local_bytes} * 32 +
              program.sites * sizeof(Region)) +
         program.dynamic_offset + shape.dynamic_shared + 2 * program.reserved_bytes;
}

BlockState::BlockState(LaunchState& launch) : launch_(launch), warps_(launch.warps()) {
  async_.share(launch.active);
  const Program& program = launch.program;
  register_bytes_ = program.register_bytes;
  own_shared_bytes_ = launch.shape.dynamic_shared > 0
                          ? program.dynamic_offset + launch.shape.dynamic_shared
                          : program.shared_bytes;
  shared_bytes_ = own_shared_bytes_;
  // An H200 gives it in such granules (results/h200/undefined.json). Where nobody asks for exact
  // bounds a load that the compiler has widened may read to the end of the last one.
  if (program.reserved_bytes > 0 || !launch.shape.exact_bounds)
    shared_bytes_ = (shared_bytes_ + kSharedGranule - 1) / kSharedGranule * kSharedGranule;
  shared_bytes_ += program.reserved_bytes;
  local_bytes_ = program.local_bytes;
  registers_ = buffer(register_bytes_ * warps_.size());
  shared_ = buffer(shared_bytes_);
  local_ = buffer(local_bytes_ * 32 * warps_.size());
  // A call clears its frame, but a kernel may read beyond it.
  std::memset(local_.get(), 0, local_bytes_ * 32 * warps_.size());
  if (launch.observer != nullptr) {
    observer_ = std::make_unique<BlockObserver>(*launch.observer, *this, shared_bytes_,
                                                local_bytes_, launch.warps());
    async_.watch(observer_.get());
    ahead_ = &observer_->ahead;
  }
  lay_out_objects();
  ValueShadow* const shadow = shadow_of(observer_.get());
  follows_all_ = observer_ && observer_->follows_all();
  stepped_ = launch.shape.stepper != nullptr;
  only_covers_ =
      launch.coverage && !launch.traffic && shadow == nullptr && !follows_all_ && !stepped_;
  values_alone_ =
      shadow != nullptr && !launch.coverage && !launch.traffic && !follows_all_ && !stepped_;
  watched_ = launch.coverage || launch.traffic || shadow != nullptr || follows_all_ || stepped_;
  for (std::uint32_t i = 0; i < warps_.size(); ++i) {
    Warp& warp = warps_[i];
    warp.sites.resize(program.sites);
    if (!launch.shape.exact_bounds) {  // containment only: the whole arena is one region
      const std::uint64_t begin = launch.arena.global_begin();
      for (Region& site : warp.sites)
        site = {begin, launch.arena.global_bytes(), launch.arena.host(begin)};
    }
    if (shadow != nullptr) warp.definedness = &shadow->definedness(i);
    Lanes& lanes = warp.lanes;
    lanes.registers = registers_.get() + i * register_bytes_;
    lanes.warp = i;
    lanes.shared = {0, shared_bytes_, shared_.get()};
    lanes.param = {0, launch.shape.parameters.size(),
                   const_cast<std::byte*>(launch.shape.parameters.data())};
    lanes.local = {0, local_bytes_, local_.get() + i * local_bytes_ * 32};
    lanes.objects = objects_.data();
    lanes.sites = warp.sites.data();
    lanes.operands = program.operands.data();
    lanes.local_window = launch.arena.local_window();
    lanes.tally = &launch.tally;
    lanes.block = this;
    lanes.observer = observer_.get();
    lanes.traffic = launch.traffic ? &*launch.traffic : nullptr;
  }
  if (launch.registers.empty()) lay_out_registers();
}

void BlockState::lay_out_objects() {
  const Program& program = launch_.program;
  objects_.assign(program.objects.size(), {0, shared_bytes_, shared_.get()});
  if (!launch_.shape.exact_bounds) return;
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    const Object& object = program.objects[i];
    if (object.kind != Object::Kind::shared && object.kind != Object::Kind::dynamic) continue;
    const std::uint64_t bytes =
        object.kind == Object::Kind::shared ? object.bytes : launch_.shape.dynamic_shared;
    objects_[i] = {object.address, bytes, shared_.get() + object.address};
  }
}

std::array<std::uint32_t, 3> BlockState::thread(std::uint32_t warp, std::uint32_t lane) const {
  const auto& size = launch_.shape.block;
  const std::uint32_t linear = warp * 32 + lane;
  return {linear % size[0], linear / size[0] % size[1], linear / size[0] / size[1]};
}

std::uint32_t BlockState::lanes_that_left(std::uint32_t warp) const {
  const std::uint32_t threads = std::min(32u, launch_.threads() - warp * 32);
  return (threads == 32 ? 0xffffffff : (1u << threads) - 1) & ~warps_[warp].live;
}

// The fragment that runs is taken out of those of its warp.
std::uint32_t BlockState::lanes_together(std::uint32_t warp) const {
  std::uint32_t lanes = warps_[warp].live;
  for (const Fragment& other : warps_[warp].fragments) lanes &= ~other.mask;
  return lanes;
}

void BlockState::renew_registers() {
  const bool whole = !begun_ || launch_.shape.renewed == nullptr;
  begun_ = true;
  if (register_bytes_ == 0) return;  // a kernel without registers
  if (whole) {
    std::memcpy(registers_.get(), launch_.registers.data(), register_bytes_ * warps_.size());
    return;
  }
  for (std::uint64_t at = 0; at < register_bytes_ * warps_.size(); at += register_bytes_) {
    for (const auto& [offset, bytes] : *launch_.shape.renewed)
      std::memcpy(registers_.get() + at + offset, launch_.registers.data() + at + offset, bytes);
  }
}

void BlockState::start(std::uint64_t index, Cluster& cluster, std::uint32_t rank) {
  const LaunchShape& shape = launch_.shape;
  cluster_ = &cluster;
  rank_ = rank;
  coordinates_ = {static_cast<std::uint32_t>(index % shape.grid[0]),
                  static_cast<std::uint32_t>(index / shape.grid[0] % shape.grid[1]),
                  static_cast<std::uint32_t>(index / shape.grid[0] / shape.grid[1])};
  renew_registers();
  for (const Program::SpecialSlot& special : launch_.program.specials) {
    const std::optional<std::uint32_t> value = block_value(special.which);
    if (!value) continue;
    std::array<std::uint32_t, 32> lanes;
    lanes.fill(*value);
    for (Warp& warp : warps_)
      std::memcpy(warp.lanes.registers + special.slot, lanes.data(), sizeof lanes);
  }
  if (shared_bytes_ > 0) std::memset(shared_.get(), 0, shared_bytes_);
  // Frames are cleared by the calls that make them.
  const std::uint64_t own = launch_.program.kernel_local_bytes;
  for (std::uint64_t i = 0; own > 0 && i < 32 * warps_.size(); ++i)
    std::memset(local_.get() + i * local_bytes_, 0, own);
  if (observer_) {
    observer_->tell<&Check::begin>(index);
    const std::uint64_t reserved = launch_.program.reserved_bytes;
    observer_->tell<&Check::fill_shared>(shared_bytes_ - reserved, reserved);
  }
  scheduler_.begin();
  barriers_.begin();
  own_cluster_.arrived = 0;
  async_.reset(static_cast<std::uint32_t>(warps_.size()) * 32);
  live_threads_ = launch_.threads();
  polls_.clear();
  for (std::uint32_t i = 0; i < warps_.size(); ++i) {
    const std::uint32_t threads = std::min(32u, live_threads_ - i * 32);
    warps_[i].live = threads == 32 ? 0xffffffff : (1u << threads) - 1;
    warps_[i].cluster_arrived = 0;
    warps_[i].instructions = warps_[i].waited = 0;
    warps_[i].fragments.clear();
    warps_[i].fragments.emplace_back(launch_.program.entry, warps_[i].live);
    if (launch_.program.callees.empty()) continue;  // nobody needs a stack
    warps_[i].stack_top.fill(launch_.program.kernel_local_bytes);
    for (std::vector<std::byte>& saved : warps_[i].saved) saved.clear();
  }
}

void BlockState::forget_regions(std::uint64_t address) {
  if (!launch_.shape.exact_bounds) return;
  for (Warp& warp : warps_) {
    for (Region& site : warp.sites) {
      if (site.begin == address) site = {};
    }
  }
}

BlockState::Progress BlockState::run() {
  for (std::uint32_t round = 0; round < kBlockRounds; ++round) {
    const bool progress = scheduler_.run_round([this](Warp& warp) { return run_warp(warp); });
    if (launch_.stop) return Progress::paused;
    if (live_threads_ == 0) return Progress::finished;
    if (launch_.schedule.holds() && scheduler_.holds_any()) {
      if (!scheduler_.outwait(progress) && !progress) return Progress::paused;
      continue;
    }
    if (!progress) {
      const bool others = std::any_of(warps_.begin(), warps_.end(), [](const Warp& warp) {
        return std::any_of(warp.fragments.begin(), warp.fragments.end(),
                           [](const Fragment& f) { return f.wait == Fragment::Wait::cluster; });
      });
      if (others && cluster_->blocks.size() > 1)
        return round == 0 ? Progress::stuck : Progress::paused;
      report_deadlock();
      for (BlockState* other : cluster_->blocks) other->report_cluster_waits(*this);
      return Progress::paused;
    }
  }
  return Progress::paused;
}

[[gnu::always_inline]] inline void BlockState::execute(Warp& warp, std::uint32_t block,
                                                       const BasicBlock& node, std::uint32_t mask,
                                                       std::uint32_t done) {
  Lanes& lanes = warp.lanes;
  lanes.mask = mask;
  const std::size_t full = handler_of(mask);
  lanes.known_places = full != 0 ? lanes.lasting_places : 0;
  if ((node.past & *ahead_) != 0) tell<&Check::go_past>(lanes, mask, node);
  if (watched_) {
    // A shuffle of some lanes may read others, which have no value for it.
    if (values_alone_ && done == 0 && (full != 0 || !node.shuffles))
      done = execute_defined(launch_.program, lanes, node, full, *warp.definedness) - node.begin;
    if (stepped_)
      execute_watched<true>(warp, block, mask, done);
    else if (!values_alone_ || done != node.end - node.begin || warp.definedness->any())
      execute_watched<false>(warp, block, mask, done);
  } else {
    const Instruction* const code = launch_.program.code.data();
    if (done == 0 && node.varying_end - node.varying != node.end - node.begin) {
      const std::uint32_t* at = launch_.program.varying.data() + node.varying;
      const std::uint32_t* const end = launch_.program.varying.data() + node.varying_end;
      for (; at != end; ++at) code[*at].run[full](lanes, code[*at]);
    } else {
      const Instruction* const end = code + node.end;
      for (const Instruction* at = code + node.begin + done; at != end; ++at)
        at->run[full](lanes, *at);
    }
  }
  const auto active = static_cast<std::uint32_t>(std::popcount(mask));
  launch_.executed += std::uint64_t{node.weight} * active;
  launch_.warp_instructions += node.weight;
  launch_.tally.visit(block, active);
}

// Most blocks end so that all lanes go on together. Returns false, with nothing done, if not.
[[gnu::always_inline]] inline bool BlockState::go_on(const Warp& warp, Fragment& current,
                                                     const BasicBlock& node) {
  if (node.exit == Exit::jump) {
    current.node = node.next;
    return true;
  }
  if (node.exit != Exit::branch) return false;
  std::uint32_t predicate;
  std::memcpy(&predicate, warp.lanes.registers + node.predicate, 4);
  const std::uint32_t taken = current.mask & (node.negated ? ~predicate : predicate);
  if (taken != 0 && taken != current.mask) return false;
  current.node = taken != 0 ? node.taken : node.next;
  return true;
}

// The lanes that part from the others wait as another fragment: the lower block goes first.
inline void BlockState::take_branch(Warp& warp, Fragment& current, const BasicBlock& node) {
  std::uint32_t predicate;
  std::memcpy(&predicate, warp.lanes.registers + node.predicate, 4);
  if (node.negated) predicate = ~predicate;
  const std::uint32_t taken = current.mask & predicate, other = current.mask & ~predicate;
  if (other == 0) {
    current.node = node.taken;
  } else if (taken == 0 || node.next == node.taken) {
    current.node = node.next;
  } else {
    if (launch_.traffic)
      launch_.traffic->diverged(current.node, warp.lanes.warp, current.mask, taken);
    if (node.parts) tell<&Check::part>(warp.lanes.warp, current.mask);
    const bool first_taken = node.taken < node.next;
    Fragment rest = current;
    rest.node = first_taken ? node.next : node.taken;
    rest.mask = first_taken ? other : taken;
    current.node = first_taken ? node.taken : node.next;
    current.mask = first_taken ? taken : other;
    warp.add(rest);
  }
}

bool BlockState::wait_for_cluster(Warp& warp, Fragment& current, const BasicBlock& node) {
  current.node = node.next;
  const std::uint32_t waiting = current.mask & warp.cluster_arrived;
  if (waiting != current.mask) tell<&Check::cluster_wait>(warp.lanes.warp);
  if (waiting == 0) return true;
  Fragment rest = current;
  rest.mask = waiting;
  rest.wait = Fragment::Wait::cluster;
  warp.add(rest);
  current.mask &= ~waiting;
  return current.mask != 0;
}

inline bool BlockState::take_exit(Warp& warp, Fragment& current, const BasicBlock& node) {
  switch (node.exit) {
    case Exit::jump:
      current.node = node.next;
      return true;
    case Exit::branch:
      take_branch(warp, current, node);
      return true;
    case Exit::leave:
      leave(warp, current.mask, node);
      return false;
    case Exit::barrier:  // run_warp() has seen to it
      return false;
    case Exit::warp:
    case Exit::collect:
      return barriers_.meet(warp, current, node);
    case Exit::call:
      enter(warp, current, node);
      return false;
    case Exit::ret:
      return_from(warp, current, node);
      return false;
    case Exit::cluster_arrive:
      arrive_at_cluster_barrier(warp, current.mask, node.relaxed);
      current.node = node.next;
      return true;
    case Exit::cluster_wait:
      return wait_for_cluster(warp, current, node);
    case Exit::trap:
      trap(warp, current.mask, node);
      return true;
  }
  return true;
}

BlockObserver& BlockState::observer_of(std::uint32_t rank) const {
  return *cluster_->blocks[rank]->observer();
}

bool BlockState::run_warp(Warp& warp) {
  const BasicBlock* nodes = launch_.program.blocks.data();
  Fragment current;
  scheduler_.begin_turn();
  if (!scheduler_.take(warp, current, false)) return false;
  std::uint32_t backward = 0, fragment_backward = 0;
  std::uint64_t looked = 0;  // LaunchState::warp_instructions at the last poll
  bool rotated = false;
  // With a seed a warp gives way after some blocks of its graph, without one after its share.
  std::uint64_t left = scheduler_.share();
  const bool holds = launch_.schedule.holds();
  for (;;) {
    if (holds && scheduler_.hold_back(current)) {
      warp.add(current);
      if (!scheduler_.take(warp, current, rotated)) return true;
      continue;
    }
    const std::uint32_t from = current.node;
    const BasicBlock& node = nodes[from];
    execute(warp, from, node, current.mask, current.key);
    current.key = 0;
    current.released = false;
    if (node.polls) {
      scheduler_.polled = true;
      const bool again = node.polls_block && looked != 0;
      const std::uint64_t work = again ? launch_.warp_instructions - looked : 0;
      backward += weight_of_look(work, kWarpPoll, kWarpLook);
      fragment_backward += weight_of_look(work, kFragmentPoll, kFragmentLook);
      looked = launch_.warp_instructions;
    }
    const bool arrives = node.exit == Exit::barrier;
    if (arrives) barriers_.arrive(warp, current, node);
    const bool have = !arrives && (go_on(warp, current, node) || take_exit(warp, current, node));
    if (launch_.ends()) {
      if (have) warp.add(current);
      launch_.stop = true;
      return true;
    }
    if (!have) {
      // Lanes that call or return go on elsewhere, and their share goes with them.
      const bool moved = node.exit == Exit::call || node.exit == Exit::ret;
      if (moved && rotated && warp.take_own(current)) continue;
      if (!scheduler_.take(warp, current, rotated && !moved)) return true;
      if (!moved) {
        fragment_backward = 0;
        rotated = false;
      }
      continue;
    }
    if (--left == 0) {
      scheduler_.gave_way = scheduler_.preempted = true;
      warp.add(current);
      return true;
    }
    const bool loops = current.node <= from;
    if (loops && ++backward >= kWarpShare) {
      scheduler_.gave_way = scheduler_.polled;
      scheduler_.yield(current);
      warp.add(current);
      return true;
    }
    if (warp.fragments.empty()) continue;
    // Diverged: join those who stand at the same place, and let the lowest go first.
    if (loops && ++fragment_backward >= kFragmentShare) {
      scheduler_.yield(current);
      warp.add(current);
      scheduler_.take(warp, current, true);
      fragment_backward = 0;
      rotated = true;
      continue;
    }
    warp.add(current);
    if (rotated) {
      warp.take_own(current);
    } else {
      scheduler_.take(warp, current, false);
    }
  }
}

Fault BlockState::fault(FaultKind kind, std::uint32_t statement, std::uint32_t warp,
                        std::uint32_t lanes) const {
  const auto first = static_cast<std::uint32_t>(std::countr_zero(lanes));
  Fault fault;
  fault.kind = kind;
  fault.statement = statement;
  fault.block = coordinates_;
  fault.thread = thread(warp, first);
  fault.calls = calls_to(statement, warp, first);
  fault.count = static_cast<std::uint64_t>(std::popcount(lanes));
  return fault;
}

void BlockState::trap(const Warp& warp, std::uint32_t mask, const BasicBlock& node) {
  const Statement* statement = launch_.program.statement(node.statement);
  const bool branch = statement != nullptr && statement->facts->mnemonic == Mnemonic::brx;
  Fault fault = this->fault(branch ? FaultKind::invalid_pc : FaultKind::trap, node.statement,
                            warp.lanes.warp, mask);
  fault.message = branch ? "a branch to an entry that its table of labels does not have"
                         : "the kernel executed a trap instruction";
  launch_.faults.add(fault);
  launch_.stop = true;
}

void BlockState::leave(Warp& warp, std::uint32_t mask, const BasicBlock& node) {
  for (std::uint32_t rest = async_.idle() ? 0 : mask; rest != 0; rest &= rest - 1)
    async_.leave(warp.lanes.warp * 32 + static_cast<std::uint32_t>(std::countr_zero(rest)),
                 node.statement);
  warp.live &= ~mask;
  live_threads_ -= static_cast<std::uint32_t>(std::popcount(mask));
  if (live_threads_ == 0) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    if (!async_.idle()) async_.abandon(warp.lanes.warp * 32 + lane, node.statement);
    tell<&Check::exit>(node.statement, warp.lanes.warp, lane);
    if (launch_.traffic) launch_.traffic->block_ran(latest_clock(warps_));
  }
  if (cluster_->arrived != 0) leave_cluster(warp, mask);
  barriers_.threads_left(warp);
}

}  // namespace warpmark::cpu
