// The race check keeps records of accesses: cells of memory, the writes that no other may hide,
// the copies that are under way, and what a warp has seen.
#include "inspect/races/race_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "inspect/flight.hpp"
#include "inspect/races/block_order.hpp"
#include "inspect/races/further_records.hpp"

namespace warpmark::cpu {
namespace {

constexpr std::uint64_t kBegin = 0x7f5e04000000;
constexpr std::uint64_t kCells = 2048;  // of a chunk, behind a page for their rows
constexpr std::uint64_t kPageBytes = 4096, kChunkBytes = kPageBytes + 3 * kCells * 8;
constexpr std::uint64_t kSlabChunks = 128;  // mapped at a time
constexpr std::uint64_t kAll = std::uint64_t{1} << 32;

// The three words of a cell.
std::vector<std::uint64_t> words(const RaceCells& cells) {
  return {*cells.write, *cells.read, *cells.other};
}
void fill(const RaceCells& cells, std::uint64_t value) {
  *cells.write = value;
  *cells.read = value + 1;
  *cells.other = value + 2;
}
std::vector<std::uint64_t> filled(std::uint64_t value) {
  return {value, value + 1, value + 2};
}
const std::vector<std::uint64_t> kNobody = {0, 0, 0};

bool is_mapped(const void* place) {
  constexpr std::uintptr_t kPage = 4096;
  unsigned char resident = 0;
  const auto page = reinterpret_cast<std::uintptr_t>(place) / kPage * kPage;
  return mincore(reinterpret_cast<void*>(page), 1, &resident) == 0;
}

TEST(RaceMemory, ACellIsAGranuleAndStartsWithNobody) {
  for (const int shift : {0, 1, 2}) {
    RaceMemory memory(kBegin, shift, kAll);
    EXPECT_EQ(memory.shift(), shift);
    const std::uint64_t step = std::uint64_t{1} << shift;
    const RaceCells first = memory.find(kBegin, step);
    ASSERT_TRUE(first);
    EXPECT_EQ(words(first), kNobody);
    fill(first, 7);
    EXPECT_EQ(words(memory.find(kBegin + step - 1, 1)), filled(7)) << "of the same granule";
    EXPECT_EQ(words(memory.find(kBegin + step, 1)), kNobody) << "of the next";
    EXPECT_EQ(memory.find(kBegin + step, 1).write, first.write + 1);
    EXPECT_EQ((first + 3).write, memory.find(kBegin + 3 * step, 1).write);
    EXPECT_EQ((first + 3).read, memory.find(kBegin + 3 * step, 1).read);
    EXPECT_EQ((first + 3).other, memory.find(kBegin + 3 * step, 1).other);
    EXPECT_FALSE(memory.full());
  }
}

TEST(RaceMemory, GranulesAreOfTheLeastAccess) {
  EXPECT_EQ(granule_shift(1), 0);
  EXPECT_EQ(granule_shift(2), 1);
  EXPECT_EQ(granule_shift(4), 2);
  EXPECT_EQ(granule_shift(8), 2);
}

// Memory of peers is far from the device's own, whose chunks are in a table.
TEST(RaceMemory, ChunksThatAreFarAreFoundAgain) {
  RaceMemory memory(kBegin, 2, kAll);
  constexpr std::uint64_t near_chunks = std::uint64_t{1} << 25;
  std::uint64_t value = 1;
  for (const std::uint64_t chunk : {std::uint64_t{3}, near_chunks, near_chunks + 5}) {
    const std::uint64_t address = kBegin + chunk * kCells * 4;
    fill(memory.find(address, 4), value);
    EXPECT_EQ(words(memory.find(address, 4)), filled(value));
    EXPECT_EQ(words(memory.find(address + 4, 4)), kNobody);
    value += 10;
  }
}

TEST(RaceMemory, ARunOfCellsLiesInOneChunk) {
  RaceMemory memory(kBegin, 2, kAll);
  const std::uint64_t chunk = kCells * 4;
  EXPECT_TRUE(memory.find(kBegin, chunk)) << "a whole one";
  EXPECT_TRUE(memory.find(kBegin + chunk - 128, 128)) << "up to the end";
  EXPECT_TRUE(memory.find(kBegin + chunk - 4, 3)) << "the last granule in part";
  EXPECT_FALSE(memory.find(kBegin + chunk - 124, 128)) << "across the border";
  EXPECT_FALSE(memory.find(kBegin + chunk - 4, 5)) << "by a byte";
  EXPECT_FALSE(memory.find(kBegin, chunk + 1));
  EXPECT_FALSE(memory.full()) << "which has room";
  fill(memory.find(kBegin + chunk - 4, 4), 11);
  fill(memory.find(kBegin + chunk, 4), 21);
  EXPECT_EQ(words(memory.find(kBegin + chunk - 4, 4)), filled(11));
  EXPECT_EQ(words(memory.find(kBegin + chunk, 4)), filled(21));
}

// More than a slab, made from the last to the first: no cell is another one.
TEST(RaceMemory, ChunksDoNotOverlap) {
  RaceMemory memory(kBegin, 2, kAll);
  const std::uint64_t chunks = kSlabChunks + 3;
  const std::uint64_t* before = nullptr;
  for (std::uint64_t c = chunks; c-- > 0;) {
    const RaceCells cells = memory.find(kBegin + c * kCells * 4, kCells * 4);
    ASSERT_TRUE(cells);
    // Mapped many at a time, one behind the other.
    const std::uint64_t made = chunks - 1 - c;
    if (made % kSlabChunks != 0) {
      ASSERT_EQ(cells.write, before + kChunkBytes / 8);
    }
    before = cells.write;
    for (std::uint64_t i = 0; i < kCells; ++i) {
      ASSERT_EQ(words(cells + i), kNobody) << c << " " << i;
      fill(cells + i, 1 + (c * kCells + i) * 3);
    }
  }
  for (std::uint64_t c = 0; c < chunks; ++c) {
    const RaceCells cells = memory.find(kBegin + c * kCells * 4, kCells * 4);
    for (std::uint64_t i = 0; i < kCells; ++i)
      ASSERT_EQ(words(cells + i), filled(1 + (c * kCells + i) * 3)) << c << " " << i;
  }
}

TEST(RaceMemory, TheLimitIsWhatMayBeTakenAndIsReported) {
  RaceMemory memory(kBegin, 0, 2 * kChunkBytes);
  EXPECT_TRUE(memory.find(kBegin, 1));
  EXPECT_TRUE(memory.find(kBegin + 5 * kCells, 1)) << "exactly all of it";
  EXPECT_FALSE(memory.full());
  EXPECT_FALSE(memory.find(kBegin + kCells + 5, 1)) << "not even cells at nowhere";
  EXPECT_TRUE(memory.full());
  EXPECT_TRUE(memory.find(kBegin, 1)) << "what there is stays";
  memory.begin_launch(1);
  EXPECT_FALSE(memory.full());
  EXPECT_FALSE(memory.find(kBegin + kCells, 1));
  EXPECT_TRUE(memory.full()) << "in each launch";
  memory.clear();
  EXPECT_FALSE(memory.full());
  EXPECT_TRUE(memory.find(kBegin + kCells, 1)) << "after clear() there is room";
  EXPECT_TRUE(memory.find(kBegin + 2 * kCells, 1));
  EXPECT_FALSE(memory.find(kBegin + 3 * kCells, 1));

  RaceMemory less(kBegin, 0, 2 * kChunkBytes - 1);
  EXPECT_TRUE(less.find(kBegin, 1));
  EXPECT_FALSE(less.find(kBegin + kCells, 1)) << "a byte is missing";
}

TEST(RaceMemory, ClearGivesTheMemoryBack) {
  RaceMemory memory(kBegin, 0, kAll);
  const std::uint64_t* first = nullptr;
  for (std::uint64_t c = 0; c < 5; ++c) {
    const RaceCells cells = memory.find(kBegin + c * kCells, 1);
    if (c == 0) first = cells.write - kPageBytes / 8;
    fill(cells, 9);
  }
  const std::uint64_t* last = first + kSlabChunks * kChunkBytes / 8 - 1;
  EXPECT_TRUE(is_mapped(first) && is_mapped(last));
  memory.clear();
  EXPECT_FALSE(is_mapped(first) || is_mapped(last));
  // The places where chunks were hold no accesses any more.
  memory.forget(kBegin, 3 * kCells);
  EXPECT_EQ(words(memory.find(kBegin, 1)), kNobody);
  memory.forget(kBegin + kCells, kCells);
  EXPECT_EQ(words(memory.find(kBegin + kCells, 1)), kNobody);
}

// In-kernel malloc hands out what others have freed: nobody has accessed it yet.
TEST(RaceMemory, ForgetsWhatIsAllocatedAnewAndNothingBesideIt) {
  RaceMemory memory(kBegin, 2, kAll);
  const std::uint64_t cells = 4 * kCells;
  const auto at = [&](std::uint64_t cell) { return memory.find(kBegin + 4 * cell, 4); };
  const auto check = [&](std::uint64_t first, std::uint64_t end) {
    for (std::uint64_t i = 0; i < cells; ++i) {
      ASSERT_EQ(words(at(i)), i >= first && i < end ? kNobody : filled(100 + i)) << i;
      fill(at(i), 100 + i);
    }
  };
  for (std::uint64_t i = 0; i < cells; ++i) fill(at(i), 100 + i);
  memory.forget(kBegin + 4 * 16, 4 * 8);
  check(16, 24);
  memory.forget(kBegin + 4 * 16, 4 * 8 - 3);  // the last granule in part
  check(16, 24);
  memory.forget(kBegin + 4 * 16, 4 * 8 + 1);
  check(16, 25);
  memory.forget(kBegin, 4);
  check(0, 1);
  memory.forget(kBegin + 4 * (kCells - 2), 4 * 5);  // across a border
  check(kCells - 2, kCells + 3);
  memory.forget(kBegin + 4 * (kCells - 1), 4 * (kCells + 2));  // across two
  check(kCells - 1, 2 * kCells + 1);
  memory.forget(kBegin + 4 * kCells, 4 * kCells);  // a whole chunk
  check(kCells, 2 * kCells);
}

TEST(RaceMemory, ForgetsOverChunksThatNobodyTouched) {
  RaceMemory memory(kBegin, 2, kAll);
  const std::uint64_t chunk = 4 * kCells;
  memory.forget(kBegin, 64);
  fill(memory.find(kBegin, 4), 5);
  fill(memory.find(kBegin + 2 * chunk, 4), 6);  // the one between has none
  memory.forget(kBegin, 6 * chunk);
  EXPECT_EQ(words(memory.find(kBegin, 4)), kNobody);
  EXPECT_EQ(words(memory.find(kBegin + 2 * chunk, 4)), kNobody);
}

TEST(RaceMemory, RowsAreWholeOnesOfAChunk) {
  RaceMemory memory(kBegin, 2, kAll);
  const std::uint64_t row = 4 * kRowCells;
  RaceRow* const first = memory.find_rows(kBegin, row);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(memory.find_rows(kBegin + 3 * row, 2 * row), first + 3);
  EXPECT_EQ(memory.find_rows(kBegin + 4, row), nullptr) << "begins within one";
  EXPECT_EQ(memory.find_rows(kBegin, row - 4), nullptr) << "ends within one";
  EXPECT_EQ(memory.find_rows(kBegin + 4 * kCells - row, 2 * row), nullptr) << "of two chunks";
}

// A row says what each of its cells would, until one of these is asked for.
TEST(RaceMemory, ARowIsSpreadWhereACellIsUsedByItself) {
  RaceMemory memory(kBegin, 2, kAll);
  memory.begin_launch(5);
  RaceRow* const rows = memory.find_rows(kBegin, 12 * kRowCells);
  const std::uint64_t lane = std::uint64_t{1} << Record::kThreadShift;
  rows[1].write = Record::make(5, 64, false, 7).bits;
  rows[1].read = Record::make(6, 32, false, 8).bits;
  rows[1].read_shape = 2;  // four cells of each lane
  const RaceCells cells = memory.find(kBegin + 4 * kRowCells, 4 * kRowCells);
  for (std::uint64_t i = 0; i < kRowCells; ++i) {
    EXPECT_EQ(cells.write[i], rows[1].write + i * lane) << i;
    EXPECT_EQ(cells.read[i], rows[1].read + i / 4 * lane) << i;
    EXPECT_EQ(cells.other[i], 0u) << i;
  }
  EXPECT_EQ(rows[0].spread, 0u);
  EXPECT_EQ(rows[1].spread, 5u);
  EXPECT_EQ(rows[2].spread, 0u);
  // The cells keep what is written to them, in the next launch, too.
  cells.write[3] = 9;
  memory.begin_launch(20);
  EXPECT_EQ(*memory.find(kBegin + 4 * (kRowCells + 3), 4).write, 9u);
  EXPECT_EQ(rows[1].spread, 20u);
  memory.forget(kBegin + 4 * kRowCells, 4 * kRowCells);
  EXPECT_EQ(rows[1].spread, 0u) << "a whole row begins anew";
  EXPECT_EQ(words(memory.find(kBegin + 4 * (kRowCells + 3), 4)), kNobody);
}

TEST(RaceMemory, ForgettingARowKeepsHowOftenItWasSpreadAsOne) {
  constexpr std::uint64_t row = kRowCells * 4;
  RaceMemory memory(kBegin, 2, kAll);
  RaceRow* const rows = memory.find_rows(kBegin, 3 * row);
  ASSERT_NE(rows, nullptr);
  rows[1].write = rows[2].write = 7;
  rows[1].spreads = 5;
  // From the middle of the row before it on.
  memory.forget(kBegin + row / 2, row + row / 2);
  EXPECT_EQ(rows[1].write, 0U);
  EXPECT_EQ(rows[1].spread, 0U) << "a row as a whole";
  EXPECT_EQ(rows[1].spreads, 1);
  EXPECT_TRUE(rows[1].may_join());
  EXPECT_EQ(rows[2].write, 7U);
  memory.forget(kBegin + 2 * row, row);
  EXPECT_EQ(rows[2].write, 0U);
  EXPECT_EQ(rows[2].spreads, 0) << "its cells are zero";
}

TEST(RaceMemory, EachRowOfARunIsSpread) {
  constexpr std::uint64_t row = kRowCells * 4;
  RaceMemory memory(kBegin, 2, kAll);
  RaceRow* const rows = memory.find_rows(kBegin, 8 * row);
  ASSERT_NE(rows, nullptr);
  memory.find(kBegin, 4);
  EXPECT_NE(rows[0].spread, 0U);
  EXPECT_EQ(rows[1].spread, 0U);
  memory.find(kBegin, 3 * row);  // the first is spread already
  EXPECT_NE(rows[1].spread, 0U);
  EXPECT_NE(rows[2].spread, 0U);
  EXPECT_EQ(rows[3].spread, 0U);
  memory.find(kBegin + 5 * row + 8, 0);
  EXPECT_NE(rows[5].spread, 0U) << "the row of the place, of no bytes, too";
  EXPECT_EQ(rows[4].spread, 0U);
  // The last row of a chunk is one of it.
  EXPECT_EQ(memory.find_rows(kBegin + 4 * kCells - row, row), rows + kCells / kRowCells - 1);
}

TEST(RaceRow, MayJoinUntilItWasSpreadFourTimes) {
  RaceRow row;
  EXPECT_EQ(row.read_shape, 0);
  EXPECT_EQ(row.other_shape, 0);
  EXPECT_EQ(row.spreads, 0);
  row.spreads = 3;
  EXPECT_TRUE(row.may_join());
  row.spreads = 4;
  EXPECT_FALSE(row.may_join());
}

TEST(RaceRow, IsSpreadOverItsOwnCells) {
  std::vector<std::uint64_t> cells(3 * 64, 9);
  const RaceCells of = {cells.data(), cells.data() + 64, cells.data() + 128};
  RaceRow row;
  row.write = 100;
  row.read_shape = 1;
  row.read = 200;
  row.spreads = 255;
  spread(row, of);
  constexpr std::uint64_t step = std::uint64_t{1} << Record::kThreadShift;
  EXPECT_EQ(of.write[0], 100U);
  EXPECT_EQ(of.write[31], 100 + 31 * step);
  EXPECT_EQ(of.read[1], 200U);
  EXPECT_EQ(of.read[31], 200 + 15 * step);
  EXPECT_EQ(of.other[31], 0U);
  for (const std::uint64_t* next : {of.write, of.read, of.other}) EXPECT_EQ(next[kRowCells], 9U);
  EXPECT_EQ(row.spreads, 255) << "and not 0, which says that the cells are zero";
}

TEST(RaceMemory, WithoutMemoryOfTheHostItSaysThatItIsFull) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need memory of their own";
#endif
  const auto try_it = [] {
    RaceMemory memory(kBegin, 2, kAll);
    const rlimit none{1, 1};
    if (setrlimit(RLIMIT_AS, &none) != 0) std::_Exit(3);
    const bool found = static_cast<bool>(memory.find(kBegin, 4));
    std::_Exit(!found && memory.full() ? 0 : 1);
  };
  GTEST_FLAG_SET(death_test_style, "fast");
  EXPECT_EXIT(try_it(), ::testing::ExitedWithCode(0), "");
}

// --- further writes

using Records = std::vector<std::uint64_t>;

Records records_of(const FurtherRecords& further, const std::uint64_t* cell) {
  const auto records = further.find(cell).records;
  return {records.begin(), records.end()};
}

std::uint64_t record(Epoch epoch, std::uint32_t thread, bool strong = true) {
  return Record::make(epoch, thread, strong, 3).bits;
}

TEST(FurtherRecords, KeepsWhatAnAtomicOperationCovers) {
  Clock clock;
  clock.begin_launch();
  clock.take(0);
  FurtherRecords further(clock);
  const std::uint64_t cells[2] = {};
  EXPECT_FALSE(further.find(cells));
  further.keep(cells, record(1, 5));
  further.keep(cells, record(1, 6));
  ASSERT_TRUE(further.find(cells));
  EXPECT_EQ(records_of(further, cells), (Records{record(1, 5), record(1, 6)}));
  EXPECT_FALSE(further.find(cells).weak);
  EXPECT_FALSE(further.find(cells + 1));
  further.keep_only(cells, record(1, 7));
  EXPECT_EQ(records_of(further, cells), (Records{record(1, 7)}));
  further.keep(cells, record(1, 8, false));
  EXPECT_TRUE(further.find(cells).weak);
  further.forget_strong(cells);
  EXPECT_EQ(records_of(further, cells), (Records{record(1, 8, false)}));
  EXPECT_TRUE(further.find(cells).weak);
  further.forget(cells);
  EXPECT_FALSE(further.find(cells));
  further.keep(cells, record(1, 9));
  EXPECT_FALSE(further.find(cells).weak);
  further.forget_strong(cells);
  EXPECT_FALSE(further.find(cells));
  EXPECT_FALSE(further.full());
}

TEST(FurtherRecords, ForgetsWhatABarrierHasOrdered) {
  Clock clock;
  clock.begin_launch();
  for (int epoch = 1; epoch <= 4; ++epoch) clock.take(0);
  FurtherRecords further(clock);
  const std::uint64_t cell = 0;
  further.forget_before(&cell, record(9, 0));
  further.keep(&cell, record(1, 7, false));
  further.keep(&cell, record(2, 8));
  further.keep(&cell, record(3, 9));
  further.forget_before(&cell, record(1, 7, false));
  EXPECT_EQ(further.find(&cell).records.size(), 3u);
  EXPECT_TRUE(further.find(&cell).weak);
  further.forget_before(&cell, std::uint64_t{2} << Record::kEpochShift);
  EXPECT_EQ(records_of(further, &cell), (Records{record(2, 8), record(3, 9)}));
  EXPECT_FALSE(further.find(&cell).weak);
  further.forget_before(&cell, std::uint64_t{4} << Record::kEpochShift);
  EXPECT_FALSE(further.find(&cell));
}

// A copy under way stays what it is, whatever its mark's bits.
TEST(FurtherRecords, CopiesUnderWayAreNoAtomicOperations) {
  Clock clock;
  clock.begin_launch();
  FurtherRecords further(clock);
  const std::uint64_t cell = 0;
  further.keep(&cell, record(Record::kLastEpoch + 1, 0));
  EXPECT_TRUE(further.find(&cell).weak);
  further.forget_strong(&cell);
  EXPECT_TRUE(further.find(&cell));
}

TEST(FurtherRecords, FindsEachOfManyCells) {
  Clock clock;
  clock.begin_launch();
  clock.take(0);
  FurtherRecords further(clock);
  const std::vector<std::uint64_t> cells(5000);
  for (std::size_t i = 0; i < cells.size(); i += 2)
    further.keep(&cells[i], record(1, static_cast<std::uint32_t>(i % 1024)));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const FurtherRecords::Writes found = further.find(&cells[i]);
    ASSERT_EQ(bool(found), i % 2 == 0) << i;
    if (found) {
      EXPECT_EQ(found.records[0], record(1, static_cast<std::uint32_t>(i % 1024)));
    }
  }
}

// The last record of each strength is kept for each thread of each block, in order.
TEST(FurtherRecords, MergesRepetitions) {
  Clock clock;
  clock.begin_launch();
  for (std::uint64_t epoch = 1; epoch <= 40; ++epoch) clock.take(epoch % 2);  // blocks in turn
  FurtherRecords further(clock);
  const std::uint64_t cell = 0;
  for (Epoch epoch = 1; epoch <= 40; ++epoch) {
    for (const std::uint32_t thread : {0u, 1u, 2u})
      further.keep(&cell, record(epoch, thread, thread != 2));
  }
  const Records records = records_of(further, &cell);
  EXPECT_LT(records.size(), 64u);
  std::set<std::uint64_t> all(records.begin(), records.end());
  for (const Epoch epoch : {39u, 40u}) {
    for (const std::uint32_t thread : {0u, 1u, 2u})
      EXPECT_EQ(all.count(record(epoch, thread, thread != 2)), 1u) << epoch << " " << thread;
  }
  for (std::size_t i = 1; i < records.size(); ++i)
    EXPECT_LE(Record{records[i - 1]}.epoch(), Record{records[i]}.epoch());
}

// Copies land in another order than that in which they departed, and some never.
TEST(Flights, KnowsThoseThatAreUnderWay) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  Flights flights;
  std::unordered_map<Epoch, std::pair<std::uint64_t, bool>> known;
  Epoch last = Record::kLastEpoch;
  for (int step = 0; step < 5000; ++step) {
    const std::uint64_t block = random() % 7;
    const bool reduces = random() % 3 == 0;
    const Epoch mark = flights.depart(block, reduces);
    EXPECT_EQ(mark, last + 1) << "a mark of its own";
    last = mark;
    known[mark] = {block, reduces};
    const Epoch other = Record::kLastEpoch + 1 + random() % 5000;
    const auto found = known.find(other);
    ASSERT_EQ(flights.holds(other), found != known.end());
    ASSERT_EQ(flights.block(other), found == known.end() ? 0 : found->second.first);
    ASSERT_EQ(flights.reduces(other), found != known.end() && found->second.second);
    flights.land(other);
    known.erase(other);
    ASSERT_EQ(flights.empty(), known.empty());
  }
  while (!known.empty()) {
    flights.land(known.begin()->first);
    known.erase(known.begin());
  }
  EXPECT_TRUE(flights.empty());
}

TEST(Flights, HoldsNoMarkThatNobodyHas) {
  Flights flights;
  for (const Epoch mark : {Epoch{0}, Record::kLastEpoch, Record::kLastEpoch + 1, ~Epoch{0}}) {
    EXPECT_FALSE(flights.holds(mark)) << mark;
    flights.land(mark);
  }
  EXPECT_TRUE(flights.empty());
}

// An access counts as unseen by a warp until it, or a warp that meets it, has seen more.
TEST(BlockOrder, SeesWhatItHadNotSeen) {
  constexpr std::uint64_t kFlag = 0x1000;
  Clock clock;
  clock.begin_launch();
  LaunchOrder launch(clock, Program{});
  BlockOrder writer(launch, 1), reader(launch, 2);
  writer.begin(0, writer);
  reader.begin(1, reader);
  const Record written = Record::make(writer.epoch(), 0, false, 1);
  EXPECT_FALSE(reader.covers(0, 0, written, 0));
  Instruction access, fence;
  access.order = Instruction::kStrong;
  fence.order = Instruction::kAcquire | Instruction::kRelease;
  writer.fence(0, 1, fence);
  EXPECT_TRUE(writer.release(0, 0, access, kFlag));
  EXPECT_FALSE(reader.covers(0, 0, written, 0));
  EXPECT_FALSE(reader.covers(1, 0, written, 0));
  reader.read(0, 0, access, kFlag);
  EXPECT_FALSE(reader.covers(0, 0, written, 0)) << "it is relaxed";
  EXPECT_EQ(reader.lack(0, 0, written, 0).what, BlockOrder::Lack::What::acquire);
  EXPECT_EQ(reader.lack(0, 1, written, 0).what, BlockOrder::Lack::What::everything);
  reader.warp_complete(0, 3);
  reader.fence(0, 2, fence);
  EXPECT_FALSE(reader.covers(0, 0, written, 0)) << "of another thread";
  EXPECT_EQ(reader.lack(0, 1, written, 0).what, BlockOrder::Lack::What::order);
  reader.fence(0, 1, fence);
  EXPECT_TRUE(reader.covers(0, 0, written, 0));
  EXPECT_FALSE(reader.covers(0, 2, written, 0)) << "another lane";
  reader.warp_complete(0, 5);
  EXPECT_TRUE(reader.covers(0, 2, written, 0));
  EXPECT_FALSE(reader.covers(1, 0, written, 0));
  reader.barrier_complete(0, true, 3);
  EXPECT_TRUE(reader.covers(1, 0, written, 0));
  reader.begin(2, reader);
  EXPECT_FALSE(reader.covers(0, 0, written, 0)) << "another block";
}

// Accesses of other lanes are before a lane's release if they met; if they only were at one place,
// they are so in step. Once the lanes have parted they are neither.
TEST(BlockOrder, KnowsWhatIsReleasedInStep) {
  constexpr std::uint64_t kFlag = 0x1000;
  constexpr std::uint32_t kStatement = 7, kNone = Instruction::kNone;
  Clock clock;
  clock.begin_launch();
  LaunchOrder launch(clock, Program{});
  BlockOrder order(launch, 2);
  order.begin(0, order);
  Instruction release, acquire;
  release.order = Instruction::kStrong | Instruction::kRelease;
  release.statement = kStatement;
  acquire.order = Instruction::kStrong | Instruction::kAcquire;
  const auto access = [&](std::uint32_t lane) {
    return Record::make(order.epoch(), lane, false, 1);
  };
  const auto handed_over = [&] {
    order.release(0, 0, release, kFlag);
    order.read(1, 0, acquire, kFlag);
  };
  const Record together = access(5), apart = access(6);
  order.part(0, 0x3f);
  const Record parted = access(5), own = access(0);
  handed_over();
  EXPECT_TRUE(order.covers(1, 0, own, 0));
  for (const Record& record : {together, apart, parted})
    EXPECT_FALSE(order.covers(1, 0, record, 0)) << record.lane();
  EXPECT_EQ(order.released_in_step(1, 0, together, 0), kStatement);
  EXPECT_EQ(order.released_in_step(1, 0, apart, 0), kNone) << "was elsewhere";
  EXPECT_EQ(order.released_in_step(1, 0, parted, 0), kNone) << "has parted";
  order.warp_complete(0, 0x60);  // the one meets the other, and parts from the first
  order.part(0, 0x21);
  handed_over();
  EXPECT_FALSE(order.covers(1, 0, apart, 0));
  EXPECT_EQ(order.released_in_step(1, 0, apart, 0), kStatement);
  order.warp_complete(0, 0x21);
  handed_over();
  for (const Record& record : {together, apart, parted})
    EXPECT_TRUE(order.covers(1, 0, record, 0)) << record.lane();
}

// Each of many lanes releases often: what one of them did long ago is still before its own release.
TEST(BlockOrder, FindsAThreadsOwnReleaseAmongMany) {
  constexpr std::uint64_t kFlag = 0x1000;
  Clock clock;
  clock.begin_launch();
  LaunchOrder launch(clock, Program{});
  BlockOrder order(launch, 2);
  order.begin(0, order);
  Instruction release, acquire;
  release.order = Instruction::kStrong | Instruction::kRelease;
  acquire.order = Instruction::kStrong | Instruction::kAcquire;
  const Record first = Record::make(order.epoch(), 0, false, 1);
  order.release(0, 0, release, kFlag);
  const Record later = Record::make(order.epoch(), 0, false, 1);
  for (int turn = 0; turn < 1000; ++turn) order.release(0, 1, release, kFlag);
  order.read(1, 0, acquire, kFlag);
  EXPECT_TRUE(order.covers(1, 0, first, 0));
  EXPECT_FALSE(order.covers(1, 0, later, 0));
}

}  // namespace
}  // namespace warpmark::cpu
