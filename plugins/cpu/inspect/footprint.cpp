#include "inspect/footprint.hpp"

#include <algorithm>
#include <cstring>

#include "memory/arena.hpp"
#include "memory/init_bits.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::uint64_t kSlab = std::uint64_t{1} << 15;  // words that are allocated at a time
constexpr std::size_t kKeptSlab = 32;                    // pages that are

}  // namespace

Footprint::Footprint(Speculation& launch)
    : launch_(launch),
      first_page_(launch.arena().global_begin() >> kPageShift),
      leaves_((launch.arena().global_bytes() >> kPageShift) / kLeaf + 1) {}

void Footprint::begin(int shift) {
  for (const std::uint64_t number : pages_) {
    const std::uint64_t page = number - first_page_;
    (*leaves_[page / kLeaf])[page % kLeaf] = {};
  }
  pages_.clear();
  used_words_ = 0;
  constexpr std::size_t kSlabsBetween = 64;  // 16 MiB from launch to launch
  if (slabs_.size() > kSlabsBetween) slabs_.resize(kSlabsBetween);
  constexpr std::size_t kKeptBetween = 256;  // 36 MiB
  if (kept_.size() > kKeptBetween) kept_.resize(kKeptBetween);
  used_kept_ = 0;
  shift_ = shift;
  granules_ = kPage >> shift;
  words_ = granules_ / 64;
}

Footprint::Page* Footprint::make(std::uint64_t address) {
  const std::uint64_t number = address >> kPageShift;
  const std::uint64_t page = number - first_page_;
  if (page / kLeaf >= leaves_.size()) return nullptr;
  std::unique_ptr<Leaf>& leaf = leaves_[page / kLeaf];
  if (leaf == nullptr) leaf = std::make_unique<Leaf>();
  Page& found = (*leaf)[page % kLeaf];
  if (found.bits != nullptr) return &found;
  const std::uint64_t words = 3 * words_;
  if (used_words_ % kSlab + words > kSlab) used_words_ += kSlab - used_words_ % kSlab;
  if (used_words_ / kSlab == slabs_.size())
    slabs_.push_back(std::make_unique_for_overwrite<std::uint64_t[]>(kSlab));
  pages_.push_back(number);
  found.bits = slabs_[used_words_ / kSlab].get() + used_words_ % kSlab;
  std::fill_n(found.bits, words, 0);
  used_words_ += words;
  return &found;
}

// Each thread saves for itself, so that none waits for another.
const Footprint::Kept* Footprint::keep(std::uint64_t page) {
  if (kept_.size() == used_kept_ / kKeptSlab)
    kept_.push_back(std::make_unique_for_overwrite<Kept[]>(kKeptSlab));
  Kept& kept = kept_[used_kept_ / kKeptSlab][used_kept_ % kKeptSlab];
  ++used_kept_;
  const std::uint64_t begin = page << kPageShift;
  const Arena& arena = launch_.arena();
  arena.each_live(begin, kPage,
                  [&](const Allocation& memory, std::uint64_t from, std::uint64_t bytes) {
                    std::memcpy(kept.bytes.data() + (from - begin), arena.host(from), bytes);
                    if (memory.init != nullptr)
                      copy_bits(kept.values.data(), from - begin, memory.init.get(),
                                from - memory.address, bytes);
                  });
  kept.order = launch_.count_kept();
  return &kept;
}

// Without memory an access must not take place: what it changes could not be undone.
void Footprint::note_slowly(Use use, std::uint64_t address, std::uint64_t bytes) {
  while (bytes > 0) {
    Page* page = make(address);
    if (page == nullptr) return launch_.abandon();
    const std::uint64_t begin = address & (kPage - 1);
    const std::uint64_t here = std::min(bytes, kPage - begin);
    if (use != Use::read && page->kept == nullptr) page->kept = keep(address >> kPageShift);
    const std::uint64_t end = (begin + here - 1) >> shift_;
    mark(page->bits + static_cast<std::uint64_t>(use) * words_, begin >> shift_,
         end + 1 - (begin >> shift_));
    address += here;
    bytes -= here;
  }
}

bool Footprint::absorb(const Footprint& other) {
  bool apart = true;
  for (const std::uint64_t number : other.pages_) {
    const Page& theirs = *other.find(number << kPageShift);
    const Page& ours = *make(number << kPageShift);
    for (std::uint64_t i = 0; i < words_; ++i) {
      const auto uses = [&](const Page& page) {
        return std::array{page.bits[i], page.bits[words_ + i], page.bits[2 * words_ + i]};
      };
      const auto [reads, writes, atomics] = uses(ours);
      const auto [other_reads, other_writes, other_atomics] = uses(theirs);
      const std::uint64_t all = reads | writes | atomics;
      const std::uint64_t other_all = other_reads | other_writes | other_atomics;
      const std::uint64_t plain = reads | writes, other_plain = other_reads | other_writes;
      if (((writes & other_all) | (other_writes & all) | (atomics & other_plain) |
           (other_atomics & plain)) != 0)
        apart = false;
      ours.bits[i] |= other_reads;
      ours.bits[words_ + i] |= other_writes;
      ours.bits[2 * words_ + i] |= other_atomics;
    }
  }
  return apart;
}

void Speculation::begin(std::size_t threads, int shift) {
  abandoned_ = false;
  kept_ = 0;
  while (footprints_.size() < threads) footprints_.emplace_back(*this);
  while (footprints_.size() > threads) footprints_.pop_back();
  for (Footprint& footprint : footprints_) footprint.begin(shift);
}

bool Speculation::apart() {
  Footprint& all = footprints_.front();
  return std::all_of(footprints_.begin() + 1, footprints_.end(),
                     [&](const Footprint& other) { return all.absorb(other); });
}

// Only what was written, as the program may have changed the rest of memory that it shares. Of what
// several threads have saved, the first has no writes of theirs: each saves before it writes.
void Speculation::undo() {
  for (const Footprint& one : footprints_) {
    for (const std::uint64_t page : one.pages()) {
      const Footprint::Kept* const kept = one.kept(page);
      const auto is_earlier = [&](const Footprint& other) {
        const Footprint::Kept* const theirs = other.kept(page);
        return theirs != nullptr && theirs->order < kept->order;
      };
      if (kept != nullptr && std::none_of(footprints_.begin(), footprints_.end(), is_earlier))
        restore(page, *kept);
    }
  }
}

void Speculation::restore(std::uint64_t page, const Footprint::Kept& kept) {
  const std::uint64_t begin = page << Footprint::kPageShift;
  for (const Footprint& footprint : footprints_) {
    footprint.each_written(page, [&](std::uint64_t address, std::uint64_t bytes) {
      std::memcpy(arena_.host(address), kept.bytes.data() + (address - begin), bytes);
    });
  }
  arena_.each_live(begin, Footprint::kPage,
                   [&](const Allocation& memory, std::uint64_t from, std::uint64_t bytes) {
                     if (memory.init != nullptr)
                       copy_bits(memory.init.get(), from - memory.address, kept.values.data(),
                                 from - begin, bytes);
                   });
}

}  // namespace warpmark::cpu
