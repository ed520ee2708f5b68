// Queues of asynchronous copies, and the instructions of mbarrier and cp.async.
#include "machine/async.hpp"
#include "machine/access_places.hpp"
#include "machine/handlers.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "inspect/observer.hpp"
#include "machine/async_places.hpp"
#include "machine/block.hpp"
#include "machine/mbarrier.hpp"
#include "memory/init_bits.hpp"
#include "program/async_forms.hpp"

namespace warpmark::cpu {
namespace {

// The mbarrier has changed, from a phase of that parity.
void note_phase(BlockObserver* observer, const std::byte* at, std::uint32_t parity,
                const Mbarrier& barrier) {
  if (barrier.parity() == parity) return;
  if (observer != nullptr) observer->tell<&Check::complete_phase>(at);
}

}  // namespace

void AsyncCopies::reset(std::uint32_t threads) {
  threads_ = threads;
  for (std::vector<Queue>& queues : queues_) queues.clear();
  announced_ = {};
  arrivals_.clear();
  looks_.clear();
  // A stopped launch has left copies in the pieces, which go with them.
  pool_.reset(under_way_ == 0 ? kLeastBytes : 0);
  under_way_ = copies_bytes_ = open_groups_ = new_bytes_ = 0;
}

namespace {

// The bytes of a copy's record, including the data that the checks keep for it.
std::uint64_t bytes_of(const AsyncCopy& copy) {
  constexpr std::uint64_t kMarked = 64;  // in Flights, where neighbours take room together: about
  std::uint64_t bytes = sizeof copy;
  if (copy.plan != nullptr) bytes += copy.plan->parts.size() * sizeof(CopyPart);
  if (copy.flight) bytes += kMarked + copy.flight->kept.capacity() * sizeof(std::uint64_t);
  return bytes;
}

}  // namespace

std::uint64_t AsyncCopies::kept_bytes() const {
  return arrivals_.size() * sizeof(Arrival) + copies_bytes_ + open_groups_ * sizeof(std::uint64_t);
}

// Counts what is new, and looks at all of it once that may be too much.
void AsyncCopies::keep(std::uint64_t bytes) {
  const std::uint64_t most =
      std::clamp(kAllBytes / (active_ == nullptr ? 1 : *active_), kLeastBytes, kMostBytes);
  new_bytes_ += bytes;
  if (new_bytes_ < most) return;
  new_bytes_ = 0;
  if (kept_bytes() > most) complete_older();
}

// Completes the older half of each thread's copies and groups, of those that complete on mbarriers,
// and of arrivals: always the same, whatever else runs.
void AsyncCopies::complete_older() {
  const std::size_t arriving = (arrivals_.size() + 1) / 2;
  const std::vector<Arrival> older(arrivals_.begin(),
                                   arrivals_.begin() + static_cast<std::ptrdiff_t>(arriving));
  arrivals_.erase(arrivals_.begin(), arrivals_.begin() + static_cast<std::ptrdiff_t>(arriving));
  for (const Arrival& arrival : older) arrive(arrival);
  for (const Kind kind : {plain, bulk}) {
    for (std::uint32_t thread = 0; thread < queues_[kind].size(); ++thread) {
      Queue& queue = queues_[kind][thread];
      wait(kind, thread, static_cast<std::uint32_t>((queue.committed - queue.closed) / 2));
      for (std::size_t left = (queue.read.size() + 1) / 2; left > 0; --left) land_first(queue);
      const std::uint64_t end = queue.done + (queue.copies.size() + 1) / 2;
      if (kind == plain) complete_for_arrivals(thread, end);
      complete(queue, end);
    }
  }
  for (std::size_t left = (announced_.size() + 1) / 2; left > 0; --left) {
    finish(announced_.front(), announced_.front().completion);
    announced_.pop_front(pool_);
  }
}

void AsyncCopies::move(const AsyncCopy& copy) {
  if (copy.reduces && copy.from == nullptr)
    return copy.combine(*copy.launch, copy.to, copy.values.data(), copy.bytes, copy.to_global);
  move(copy, copy.to);
  if (copy.plan == nullptr) return;
  for (std::byte* other : copy.plan->others) move(copy, other);
}

void AsyncCopies::move(const AsyncCopy& copy, std::byte* target) {
  copy.each_part([&](const CopyPart& part) {
    std::byte* to = target + part.to;
    if (part.source != 0 && copy.combine != nullptr)
      copy.combine(*copy.launch, to, copy.from + part.from, part.source, copy.to_global);
    else if (part.source != 0)
      std::memmove(to, copy.from + part.from, part.source);
    for (std::uint32_t at = part.source; at < part.bytes;) {
      const auto more = std::min<std::uint32_t>(part.bytes - at, sizeof copy.values);
      std::memcpy(to + at, copy.values.data(), more);
      at += more;
    }
  });
}

void AsyncCopies::land(AsyncCopy& copy, const std::byte* barrier) {
  if (observer_ == nullptr) return;
  observer_->tell<&Check::land>(copy);
  observer_->tell<&Check::landed>(copy, barrier);
}

void AsyncCopies::finish(AsyncCopy& copy, const std::byte* barrier) {
  move(copy);
  land(copy, barrier);
  if (copy.completion != nullptr) {
    Mbarrier mbarrier = load_barrier(copy.completion);
    const std::uint32_t phase = mbarrier.parity();
    mbarrier.complete_bytes(copy.bytes);
    store_barrier(copy.completion, mbarrier);
    note_phase(observer_, copy.completion, phase, mbarrier);
  }
  forget(copy);
}

// The caller takes the copy out of its queue next.
void AsyncCopies::forget(const AsyncCopy& copy) {
  --under_way_;
  copies_bytes_ -= bytes_of(copy);
}

void AsyncCopies::complete_first(Queue& queue, const std::byte* barrier) {
  finish(queue.copies.front(), barrier);
  queue.copies.pop_front(pool_);
  ++queue.done;
}

void AsyncCopies::complete(Queue& queue, std::uint64_t end, const std::byte* barrier) {
  while (queue.done < end) complete_first(queue, barrier);
}

// The first copy has read. Only the checks can see that it has not written yet.
void AsyncCopies::read_first(Queue& queue) {
  AsyncCopy& copy = queue.copies.front();
  move(copy);
  observer_->tell<&Check::has_read>(copy);
  queue.read.push_back(pool_, std::move(copy));
  queue.copies.pop_front(pool_);
  ++queue.done;
}

// The first of those that have read has written, too.
void AsyncCopies::land_first(Queue& queue) {
  land(queue.read.front(), nullptr);
  forget(queue.read.front());
  queue.read.pop_front(pool_);
}

// A thread that waits for a pending arrival sees the copies before it, even if the thread that made
// them has waited for them, too, or has left.
void AsyncCopies::complete_for_arrivals(std::uint32_t thread, std::uint64_t end) {
  if (observer_ == nullptr || queues_[plain].empty()) return;
  Queue& queue = queues_[plain][thread];
  for (const Arrival& arrival : arrivals_) {
    const std::uint64_t until = std::min(arrival.after, end);
    if (arrival.thread != thread || queue.done >= until) continue;
    const Lanes& lanes = *queue.copies.front().flight->lanes;
    complete(queue, until, arrival.barrier);
    observer_->tell<&Check::see_copies>(arrival.barrier, lanes.warp);
  }
}

void AsyncCopies::start(Kind kind, std::uint32_t thread, AsyncCopy&& copy) {
  ++under_way_;
  if (observer_ != nullptr) observer_->tell<&Check::depart>(copy);
  const std::uint64_t bytes = bytes_of(copy);
  copies_bytes_ += bytes;
  if (copy.completion != nullptr) {
    announced_.push_back(pool_, std::move(copy));
  } else {
    if (queues_[kind].empty()) queues_[kind].resize(threads_);
    Queue& queue = queues_[kind][thread];
    copy.group = queue.committed;
    queue.copies.push_back(pool_, std::move(copy));
    ++queue.started;
  }
  keep(bytes);
}

void AsyncCopies::commit(Kind kind, std::uint32_t thread) {
  if (queues_[kind].empty()) queues_[kind].resize(threads_);
  Queue& queue = queues_[kind][thread];
  ++queue.committed;
  ++open_groups_;
  // Groups that nobody waits for would pile up; copies of the oldest are long due.
  if (queue.committed - queue.closed > 4096) wait(kind, thread, 2048);
  keep(sizeof(std::uint64_t));
}

// Returns how many copies are of groups before that one.
std::uint64_t AsyncCopies::started_before(Queue& queue, std::uint64_t group) {
  std::uint64_t end = queue.done;
  queue.copies.each_while([&](const AsyncCopy& copy) {
    if (copy.group >= group) return false;
    ++end;
    return true;
  });
  return end;
}

void AsyncCopies::wait(Kind kind, std::uint32_t thread, std::uint32_t most, bool reads) {
  if (queues_[kind].empty()) return;
  Queue& queue = queues_[kind][thread];
  // Groups before this one are waited for.
  const std::uint64_t until = queue.committed - std::min<std::uint64_t>(most, queue.committed);
  const auto first_is_of_those = [&](CopyQueue& copies) {
    return !copies.empty() && copies.front().group < until;
  };
  while (!reads && first_is_of_those(queue.read)) land_first(queue);
  if (queue.closed >= until) return;
  open_groups_ -= until - queue.closed;
  queue.closed = until;
  if (reads && observer_ != nullptr) {
    while (first_is_of_those(queue.copies)) read_first(queue);
    return;
  }
  if (kind == plain && !arrivals_.empty())
    complete_for_arrivals(thread, started_before(queue, until));
  while (first_is_of_those(queue.copies)) complete_first(queue, nullptr);
}

void AsyncCopies::wait_all(std::uint32_t thread) {
  for (std::vector<Queue>& queues : queues_) {
    if (queues.empty()) continue;
    Queue& queue = queues[thread];
    while (!queue.read.empty()) land_first(queue);
    if (&queues == &queues_[plain]) complete_for_arrivals(thread, queue.started);
    complete(queue, queue.started);
    open_groups_ -= queue.committed - queue.closed;
    queue.closed = queue.committed;
  }
}

void AsyncCopies::leave(std::uint32_t thread, std::uint32_t statement) {
  if (observer_ != nullptr && !queues_[bulk].empty()) {
    queues_[bulk][thread].copies.each([&](AsyncCopy& copy) {
      observer_->tell<&Check::abandon>(copy, statement, thread / 32, thread % 32);
    });
  }
  wait_all(thread);
}

void AsyncCopies::abandon(std::uint32_t thread, std::uint32_t statement) {
  if (observer_ == nullptr) return;
  announced_.each([&](AsyncCopy& copy) {
    const std::uint32_t rank = copy.flight->lanes->block->rank();
    const auto own = [&](const Flight::Side& side) {
      return side.space == Space::shared &&
             (side.address < kSharedPart || side.address / kSharedPart == rank + 1);
    };
    if (own(copy.flight->to) || own(copy.flight->from))
      observer_->tell<&Check::abandon>(copy, statement, thread / 32, thread % 32);
  });
}

void AsyncCopies::arrive_later(std::uint32_t thread, std::byte* barrier) {
  const std::uint64_t after = queues_[plain].empty() ? 0 : queues_[plain][thread].started;
  arrivals_.push_back({thread, after, barrier});
  keep(sizeof(Arrival));
}

// The copies before it are done, and the mbarrier learns of it.
void AsyncCopies::arrive(const Arrival& arrival) {
  if (!queues_[plain].empty())
    complete(queues_[plain][arrival.thread], arrival.after, arrival.barrier);
  Mbarrier state = load_barrier(arrival.barrier);
  const std::uint32_t phase = state.parity();
  state.arrive(1);
  store_barrier(arrival.barrier, state);
  note_phase(observer_, arrival.barrier, phase, state);
}

bool AsyncCopies::is_first_look(const std::byte* barrier, const void* looker) {
  const Look look = {barrier, looker};
  if (std::erase(looks_, look) > 0) return false;
  bool pending = std::ranges::count(arrivals_, barrier, &Arrival::barrier) > 0;
  announced_.take_out(
      pool_,
      [&](const AsyncCopy& copy) {
        pending = pending || copy.completion == barrier;
        return false;
      },
      [](AsyncCopy&) {});
  if (pending) looks_.push_back(look);
  return pending;
}

void AsyncCopies::settle(const std::byte* barrier) {
  announced_.take_out(
      pool_, [&](const AsyncCopy& copy) { return copy.completion == barrier; },
      [&](AsyncCopy& copy) { finish(copy, barrier); });
  std::size_t kept = 0;
  for (const Arrival& arrival : arrivals_) {
    if (arrival.barrier == barrier)
      arrive(arrival);
    else
      arrivals_[kept++] = arrival;
  }
  arrivals_.resize(kept);
}

std::byte* locate_async(Lanes& w, const Instruction& i, Space space, std::uint32_t lane,
                        std::uint64_t address, std::uint64_t bytes, std::uint32_t alignment,
                        bool store, Flight::Side* side) {
  space = resolve_space(w, space, address);
  const auto inside = [&](const Region& region) {
    const std::uint64_t offset = address - region.begin;
    return offset <= region.size && bytes <= region.size - offset;
  };
  if (side != nullptr) *side = {space, address, nullptr, 0};
  if (address % alignment == 0) {
    if (space == Space::shared) {
      std::byte* memory =
          inside(w.shared) ? w.shared.host + address : remote_shared(w, address, bytes);
      if (memory != nullptr) return memory;
    } else if (space == Space::global) {
      Region& region = w.sites[i.site];
      const auto most = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, 0xffffffff));
      if (inside(region) || (find_region(w, i, address, most) && inside(region))) {
        if (side != nullptr) {
          side->init = region.init;
          side->first = address - region.begin;
        } else if (store && region.init != nullptr) {
          set_bits(region.init, address - region.begin, bytes);
        }
        return region.host + (address - region.begin);
      }
    }
  }
  // A fault reports one access of the alignment's size: the last that a copy makes.
  if (address % alignment == 0 && bytes > alignment) address += bytes - alignment;
  record_fault(w, i, space, lane, address, alignment, store);
  return nullptr;
}

std::byte* locate_completion(Lanes& w, const Instruction& i, std::uint32_t lane,
                             std::uint64_t address) {
  Flight::Side side;
  std::byte* at =
      locate_async(w, i, Space::shared, lane, address, kMbarrierBytes, kMbarrierBytes, true, &side);
  if (at != nullptr && w.observer != nullptr)
    w.observer->tell<&Check::use_mbarrier>(w, i, lane, side.address, MbarrierUse::signal);
  return at;
}

void note_flight(Lanes& w, const Instruction& i, std::uint32_t lane, const Flight::Side& from,
                 const Flight::Side& to, AsyncCopy& copy) {
  if (w.observer == nullptr) return;
  copy.flight.emplace(Flight{from, to, &w, &i, lane, 0, {}});
}

namespace {

std::byte* barrier_at(Lanes& w, const Instruction& i, std::uint32_t lane, MbarrierUse use) {
  Flight::Side side;
  std::byte* at =
      locate_async(w, i, i.space, lane, read_lane<std::uint64_t>(w.registers, i.address, lane), 8,
                   8, true, &side);
  if (at != nullptr && w.observer != nullptr && side.space == Space::shared)
    w.observer->tell<&Check::use_mbarrier>(w, i, lane, side.address, use);
  return at;
}

// Operands of mbarrier instructions: address = the barrier, a = a count, b = a state or parity.
template <typename Change>
void change_barrier(Lanes& w, const Instruction& i, Change change,
                    MbarrierUse use = MbarrierUse::change) {
  for_lanes(w, [&](std::uint32_t lane) {
    const auto address = read_lane<std::uint64_t>(w.registers, i.address, lane);
    std::byte* at = barrier_at(w, i, lane, use);
    std::uint64_t before = 0;
    if (at != nullptr) {
      Mbarrier barrier = load_barrier(at);
      before = barrier.state();
      const std::uint32_t count =
          i.a == Instruction::kNone ? 1 : read_lane<std::uint32_t>(w.registers, i.a, lane);
      if (w.observer != nullptr && barrier.expected() != 0 &&
          arrivals_of(i, count) > barrier.pending())
        w.observer->tell<&Check::arrive_too_often>(w, i, lane, address, barrier.expected());
      change(barrier, count);
      store_barrier(at, barrier);
      w.block->mbarrier_changed();
      if (w.observer != nullptr) w.observer->tell<&Check::arrive_at>(at, w.warp, lane, i);
      note_phase(w.observer, at, Mbarrier(before).parity(), barrier);
    }
    if (i.d != Instruction::kNone) write_lane(w.registers, i.d, lane, before);
  });
}

void init(Lanes& w, const Instruction& i) {
  change_barrier(
      w, i,
      [&](Mbarrier& b, std::uint32_t count) {
        b = Mbarrier::initial(count, static_cast<std::uint64_t>(i.imm));
      },
      MbarrierUse::init);
}
void inval(Lanes& w, const Instruction& i) {
  change_barrier(
      w, i, [](Mbarrier& b, std::uint32_t) { b = Mbarrier(0); }, MbarrierUse::invalidate);
}
void expect_bytes(Lanes& w, const Instruction& i) {
  change_barrier(w, i, [](Mbarrier& b, std::uint32_t bytes) { b.expect_bytes(bytes); });
}
void complete_bytes(Lanes& w, const Instruction& i) {
  change_barrier(w, i, [](Mbarrier& b, std::uint32_t bytes) { b.complete_bytes(bytes); });
}
void arrive(Lanes& w, const Instruction& i) {
  change_barrier(w, i, [](Mbarrier& b, std::uint32_t count) { b.arrive(count); });
}
void drop(Lanes& w, const Instruction& i) {
  change_barrier(w, i, [](Mbarrier& b, std::uint32_t count) { b.drop(count); });
}
void arrive_expect(Lanes& w, const Instruction& i) {
  change_barrier(w, i, [](Mbarrier& b, std::uint32_t bytes) {
    b.expect_bytes(bytes);
    b.arrive(1);
  });
}
void drop_expect(Lanes& w, const Instruction& i) {
  change_barrier(w, i, [](Mbarrier& b, std::uint32_t bytes) {
    b.expect_bytes(bytes);
    b.drop(1);
  });
}

// The phase that a state was taken in, or that of a parity, is over if the barrier's differs. The
// copies of the current phase come about for who waits for it, and not for who asks for an earlier
// one.
void test(Lanes& w, const Instruction& i) {
  std::uint32_t done = 0;
  const std::byte* asked = nullptr;
  bool waits = true;  // for the copies that complete on it
  for_lanes(w, [&](std::uint32_t lane) {
    std::byte* at = barrier_at(w, i, lane, MbarrierUse::test);
    if (at == nullptr) return;
    const std::uint32_t parity =
        i.parity ? read_lane<std::uint32_t>(w.registers, i.b, lane) & 1
                 : Mbarrier(read_lane<std::uint64_t>(w.registers, i.b, lane)).parity();
    Mbarrier barrier = load_barrier(at);
    if (barrier.parity() == parity) {
      if (std::exchange(asked, at) != at) waits = !i.early || !w.block->is_first_look(at, w.warp);
      if (waits) w.block->settle(at);
      barrier = load_barrier(at);
    }
    const bool over = barrier.parity() != parity;
    done |= static_cast<std::uint32_t>(over) << lane;
    w.block->mbarrier_tested(w.warp, lane, i.statement, barrier, over);
    if (w.observer != nullptr && over) w.observer->tell<&Check::see_phase>(at, w.warp, lane, i);
  });
  write_predicate(w.registers, i.d, w.mask, done);
}

void check_layout(Lanes& w, const Instruction& i) {
  std::uint32_t same = 0;
  for_lanes(w, [&](std::uint32_t lane) {
    const std::byte* at = barrier_at(w, i, lane, MbarrierUse::test);
    if (at != nullptr && load_barrier(at).layout() == static_cast<std::uint64_t>(i.imm))
      same |= 1u << lane;
  });
  write_predicate(w.registers, i.d, w.mask, same);
}

void pending(Lanes& w, const Instruction& i) {
  for_lanes(w, [&](std::uint32_t lane) {
    write_lane(w.registers, i.d, lane,
               Mbarrier(read_lane<std::uint64_t>(w.registers, i.b, lane)).pending());
  });
}

void copy(Lanes& w, const Instruction& i) {
  const std::uint32_t bytes = i.form<CopyForm>().bytes;
  for_lanes(w, [&](std::uint32_t lane) {
    AsyncCopy made;
    Flight::Side from_side, to_side;
    made.bytes = bytes;
    made.source = i.b == Instruction::kNone
                      ? bytes
                      : std::min(bytes, read_lane<std::uint32_t>(w.registers, i.b, lane));
    const bool ignored =
        i.c != Instruction::kNone &&
        ((read_lane<std::uint32_t>(w.registers, i.c, 0) >> lane & 1) != 0) != i.negated;
    if (ignored) made.source = 0;
    made.to = locate_async(w, i, Space::shared, lane,
                           read_lane<std::uint64_t>(w.registers, i.address, lane), bytes, bytes,
                           true, &to_side);
    if (made.source != 0) {
      made.from =
          locate_async(w, i, Space::global, lane, read_lane<std::uint64_t>(w.registers, i.a, lane),
                       made.source, bytes, false, &from_side);
      if (made.from == nullptr) return;
    } else {
      made.from = made.to;
    }
    if (made.to == nullptr) return;
    note_flight(w, i, lane, from_side, to_side, made);
    w.block->async().start(AsyncCopies::plain, w.warp * 32 + lane, std::move(made));
  });
}

template <AsyncCopies::Kind Kind>
void commit(Lanes& w, const Instruction&) {
  for_lanes(w, [&](std::uint32_t lane) { w.block->async().commit(Kind, w.warp * 32 + lane); });
}
template <AsyncCopies::Kind Kind>
void wait(Lanes& w, const Instruction& i) {
  for_lanes(w, [&](std::uint32_t lane) {
    w.block->async().wait(Kind, w.warp * 32 + lane,
                          read_lane<std::uint32_t>(w.registers, i.a, lane), i.early);
  });
}
void wait_all(Lanes& w, const Instruction&) {
  for_lanes(w, [&](std::uint32_t lane) { w.block->async().wait_all(w.warp * 32 + lane); });
}

// Without .noinc the arrival is not one of those that the barrier expects already.
void arrive_later(Lanes& w, const Instruction& i) {
  for_lanes(w, [&](std::uint32_t lane) {
    std::byte* at = barrier_at(w, i, lane, MbarrierUse::change);
    if (at == nullptr) return;
    if (!i.no_increment) {
      Mbarrier barrier = load_barrier(at);
      barrier.expect_arrival();
      store_barrier(at, barrier);
    }
    if (w.observer != nullptr) w.observer->tell<&Check::arrive_at>(at, w.warp, lane, i);
    w.block->async().arrive_later(w.warp * 32 + lane, at);
  });
}

}  // namespace

void BlockState::settle(const std::byte* barrier) {
  for (BlockState* block : cluster_->blocks) {
    if (!block->async_.idle()) block->async_.settle(barrier);
  }
}

bool BlockState::is_first_look(const std::byte* barrier, std::uint32_t warp) {
  bool first = false;
  for (BlockState* block : cluster_->blocks) {
    if (!block->async_.idle()) first = block->async_.is_first_look(barrier, &warps_[warp]) || first;
  }
  return first;
}

void fill_async(HandlerTable& table) {
  table.set(Opcode::mbarrier_init, init);
  table.set(Opcode::mbarrier_inval, inval);
  table.set(Opcode::mbarrier_expect, expect_bytes);
  table.set(Opcode::mbarrier_complete, complete_bytes);
  table.set(Opcode::mbarrier_arrive, arrive);
  table.set(Opcode::mbarrier_drop, drop);
  table.set(Opcode::mbarrier_arrive_expect, arrive_expect);
  table.set(Opcode::mbarrier_drop_expect, drop_expect);
  table.set(Opcode::mbarrier_test, test);
  table.set(Opcode::mbarrier_layout, check_layout);
  table.set(Opcode::mbarrier_pending, pending);
  table.set(Opcode::copy_async, copy);
  table.set(Opcode::commit_async, commit<AsyncCopies::plain>);
  table.set(Opcode::commit_bulk, commit<AsyncCopies::bulk>);
  table.set(Opcode::wait_async, wait<AsyncCopies::plain>);
  table.set(Opcode::wait_bulk, wait<AsyncCopies::bulk>);
  table.set(Opcode::wait_async_all, wait_all);
  table.set(Opcode::arrive_async, arrive_later);
  fill_bulk_copies(table);
  fill_tensors(table);
  fill_tensor_maps(table);
}

}  // namespace warpmark::cpu
