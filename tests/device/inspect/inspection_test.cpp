// The checks in different ways, which must say the same of random kernels and leave the same behind:
// fast paths and a look at each access by itself, one thread that runs all blocks and several.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "inspect/observer.hpp"
#include "machine/grid.hpp"
#include "machine/handlers.hpp"
#include "ptx/parser.hpp"

namespace warpmark::cpu {
namespace {

using Random = std::mt19937_64;
constexpr std::uint32_t kShared = 1024, kGlobal = 2048;  // bytes that random accesses go to
constexpr std::uint32_t kNowhere = 0xffffffff;           // the lane does nothing

std::uint32_t below(Random& random, std::uint64_t end) {
  return static_cast<std::uint32_t>(random() % end);
}
template <typename T>
const T& pick(Random& random, const std::vector<T>& of) {
  return of[random() % of.size()];
}

/// An access of each thread, at offsets from a table.
struct Access {
  std::string text;  ///< with the address in %a (64 bits) or %s (32 bits)
  std::uint32_t bytes = 4;
  bool shared = false, atomic = false, store = false;
};

struct Memory {
  const char* type;
  std::uint32_t bytes;
};
const std::vector<Memory> kNarrow = {{"u8", 1}, {"u16", 2}},
                          kWide = {{"u32", 4}, {"u64", 8}, {"v2.u32", 8}, {"v4.u32", 16}};

// Asynchronous copies: nobody may touch what they write before their thread has waited for them.
Access random_copy(Random& random, bool correct) {
  Access access;
  access.shared = access.store = true;
  if (!correct) access.bytes = pick<std::uint32_t>(random, {4, 8, 16});
  access.text = "cp.async.ca.shared.global [%s], " + std::string(correct ? "[%table]" : "[%a]") +
                ", " + std::to_string(access.bytes) + ";";
  if (correct || random() % 2 == 0) access.text += " cp.async.wait_all;";
  return access;
}

Access random_access(Random& random, bool bytes_too, bool correct) {
  if (random() % 12 == 0) return random_copy(random, correct);
  Access access;
  access.shared = random() % 2 == 0;
  const std::string space = access.shared ? "shared" : "global";
  const std::string address = access.shared ? "[%s]" : "[%a]";
  if (random() % 4 == 0) {
    access.atomic = true;
    const std::string operation = pick<std::string>(
        random, {"add.u32 %v0", "add.u32 %v0", "exch.b32 %v0", "max.u32 %v0", "add.u64 %w"});
    const bool wide = operation.ends_with("w");
    access.bytes = wide ? 8 : 4;
    access.text = "atom." + space + "." + operation + ", " + address + ", " +
                  (wide ? "%one64" : "%one") + ";";
    if (random() % 6 == 0) access.text = "atom." + space + ".cas.b32 %v0, " + address + ", 1, 2;";
    if (access.text.find("cas") != std::string::npos) access.bytes = 4;
    if (random() % 3 == 0 && !wide) access.text = "red." + space + ".add.u32 " + address + ", 3;";
    return access;
  }
  const bool narrow = bytes_too && random() % 3 == 0;
  const Memory& memory = pick(random, narrow ? kNarrow : kWide);
  access.bytes = memory.bytes;
  access.store = random() % 2 == 0;
  const std::string type = memory.type;
  const std::string registers = type == "u64"      ? "%w"
                                : type == "v2.u32" ? "{%v0, %v1}"
                                : type == "v4.u32" ? "{%v0, %v1, %v2, %v3}"
                                                   : "%v0";
  const std::string kind = random() % 12 == 0 && type[0] == 'u' ? "volatile." : "";
  access.text = access.store ? "st." + kind + space + "." + type + " " + address + ", " + registers
                             : "ld." + kind + space + "." + type + " " + registers + ", " + address;
  access.text += ";";
  return access;
}

/// Offsets of the lanes of one warp, in units of an access.
std::vector<std::uint32_t> lanes_of(Random& random, std::uint32_t warp, std::uint32_t places,
                                    bool own) {
  std::vector<std::uint32_t> at(32);
  const std::uint32_t base = below(random, places), stride = 1 + below(random, 5);
  const auto other = below(random, places);
  const auto form = random() % 8;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    std::uint32_t place = 0;
    switch (own ? 0 : form) {
      case 0:
        place = warp * 32 + lane;
        break;  // its own
      case 1:
        place = base;
        break;  // one for all
      case 2:
        place = base + lane;
        break;  // in order
      case 3:
        place = (lane < 16 ? base : other) + lane % 16;
        break;  // two rows
      case 4:
        place = lane < 16 ? base : other;
        break;  // one for each half
      case 5:
        place = base + lane * stride;
        break;  // strided
      case 6:
        place = base + below(random, 40);
        break;  // scattered, some twice
      default:
        place = base + (lane ^ 5);
        break;  // permuted
    }
    at[lane] = place % places;
  }
  if (random() % 3 == 0) {  // some lanes do nothing
    const auto mask = random() % 4 == 0 ? 1u << below(random, 32) : random();
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1) == 0) at[lane] = kNowhere;
    }
  }
  return at;
}

/// A kernel of random accesses, and the table that says where each thread's go.
struct Case {
  std::string text;
  std::vector<std::uint32_t> offsets;  ///< by access, block and thread
  std::uint32_t grid = 1, block = 32;
  bool rotated = false;  ///< blocks give way to each other
  bool correct = false;  ///< there is nothing to find
  std::uint64_t seed = 0;
};

// How much a kernel's threads get into each other's way: not at all, as barriers lie between;
// seldom, as most accesses are to each thread's own place; or all the time.
enum class Order { correct, calm, wild };

Case random_case(std::uint64_t seed) {
  Random random(seed);
  Case made;
  made.grid = 1 + below(random, 4);
  made.block = 16 + below(random, 100);
  made.rotated = random() % 3 == 0;
  made.seed = random() % 2 == 0 ? 0 : random();
  const Order order = pick<Order>(random, {Order::correct, Order::calm, Order::wild});
  made.correct = order == Order::correct;
  // A close look at much that was released takes long.
  const bool bytes_too = random() % 2 == 0, fences = random() % 8 == 0;
  const std::uint32_t threads = made.grid * made.block, count = 6 + below(random, 12);
  std::string body;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Access access = random_access(random, bytes_too, made.correct);
    const std::uint32_t room = access.shared ? kShared : kGlobal;
    // Other blocks are elsewhere; who stores in order has as many places as threads.
    const std::uint32_t parts = order == Order::wild || access.shared ? 1 : made.grid;
    const std::uint32_t part = room / parts / 16 * 16 / access.bytes;
    const bool own = made.correct ? access.store : order == Order::calm && random() % 64 != 0;
    for (std::uint32_t block = 0; block < made.grid; ++block) {
      for (std::uint32_t warp = 0; warp * 32 < made.block; ++warp) {
        auto at = lanes_of(random, warp, part, own);
        for (std::uint32_t lane = 0; lane < 32 && warp * 32 + lane < made.block; ++lane) {
          const bool none =
              at[lane] == kNowhere || (made.correct && own && warp * 32 + lane >= part);
          const std::uint32_t place = at[lane] + (parts == 1 ? 0 : block * part);
          made.offsets.push_back(none ? kNowhere : place * access.bytes);
        }
      }
    }
    body += "ld.global.u32 %o, [%table + " + std::to_string(std::uint64_t{i} * threads * 4) +
            "]; setp.ne.u32 %p, %o, -1; cvt.u64.u32 %w2, %o; add.u64 %a, %data, %w2; "
            "add.u32 %s, %o, %sm;\n @%p " +
            access.text + "\n";
    // All lanes load by one register, again and again: a block of the graph looks at it once.
    if (access.shared && !access.store && !access.atomic && random() % 8 == 0)
      body +=
          "and.b32 %s, %o, 508; add.u32 %s, %s, %sm; ld.shared.u32 %v0, [%s]; "
          "ld.shared.u32 %v0, [%s+4]; ld.shared.u32 %v1, [%s+256];\n";
    if (!access.store && random() % 3 == 0)
      body += "setp.eq.u32 %q, %v0, 77; @%q bra E" + std::to_string(i) + "; E" + std::to_string(i) +
              ":\n";
    const auto next = random() % (order == Order::calm ? 6 : 12);
    if (made.correct || next == 0) body += "bar.sync 0;\n";
    if (next == 1) body += "bar.warp.sync -1;\n";
    if (next == 2 && fences) body += "membar.gl;\n";
  }
  // In order all is written first.
  std::string first;
  for (std::uint32_t at = 0; made.correct && at < kShared; at += 16)
    first += "st.shared.v4.u32 [%sm + " + std::to_string(at) + "], {%v0, %v1, %v2, %v3};\n";
  if (made.correct) first = "setp.ne.u32 %p, %t, 0; @%p bra R;\n" + first + "R: bar.sync 0;\n";
  made.text =
      ".version 9.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 table, .param .u64 data)\n{\n.reg .pred %p, %q;\n"
      ".reg .b32 %o, %s, %sm, %t, %n, %c, %v<4>, %one, %loop;\n"
      ".reg .b64 %table, %data, %a, %w, %w2, %one64;\n.shared .align 16 .b8 places[" +
      std::to_string(kShared) +
      "];\nld.param.u64 %table, [table]; ld.param.u64 %data, [data]; mov.u32 %t, %tid.x;\n"
      "mov.u32 %n, %ntid.x; mov.u32 %c, %ctaid.x; mad.lo.u32 %c, %c, %n, %t;\n"
      "mul.wide.u32 %a, %c, 4; add.u64 %table, %table, %a; mov.u32 %sm, places;\n"
      "mov.u32 %one, 1; mov.u64 %one64, 1; mov.u64 %w, 5; mov.u32 %loop, 0;\n"
      "mov.u32 %v0, %t; mov.u32 %v1, 1; mov.u32 %v2, 2; mov.u32 %v3, 3;\n" +
      first + "L:\n" + body +
      "add.u32 %loop, %loop, 1; setp.lt.u32 %p, %loop, 2; @%p bra L;\nret;\n}\n";
  return made;
}

void print(std::ostream& to, const std::array<std::uint32_t, 3>& place) {
  to << '(' << place[0] << ',' << place[1] << ',' << place[2] << ')';
}

std::string text_of(const Fault& fault, std::uint64_t data) {
  std::ostringstream to;
  const std::uint64_t origin = fault.space == Space::global ? data : 0;
  to << static_cast<int>(fault.kind) << " statement " << fault.statement << ' ' << fault.hazard
     << ' ' << fault.message << " space " << static_cast<int>(fault.space) << " write "
     << fault.write << " bytes " << fault.bytes << " at "
     << (fault.has_access ? fault.address - origin : 0) << ' ' << static_cast<int>(fault.side)
     << ' ' << fault.distance << " warning " << fault.warning << " origin "
     << static_cast<int>(fault.origin) << ' ';
  print(to, fault.thread);
  print(to, fault.block);
  to << " other " << fault.other.known << ' ' << fault.other.statement;
  print(to, fault.other.thread);
  print(to, fault.other.block);
  to << " times " << fault.count << '\n';
  return to.str();
}

/// How a kernel is run.
struct Way {
  bool closely = false;       ///< each access is looked at by itself
  std::uint32_t workers = 1;  ///< threads of the host
};

/// All that is left of some launches: their faults, the records and which bytes have values.
struct Left {
  std::string faults;
  std::uint64_t instructions = 0;
  int serialized = 0;  ///< launches that several threads could not run
  bool waits = false;  ///< … or may not: blocks wait for each other
  std::vector<std::uint64_t> records;
  std::vector<std::uint8_t> values;
  std::vector<std::byte> data;
};

Left run(const Case& made, const HandlerTable& table, Arena& arena, const Way& way) {
  Left left;
  const Module module = parse_ptx(made.text);
  Program program = decode(module, module.functions[0], Placement{});
  bind(program, table);
  const std::uint64_t offsets = arena.allocate(made.offsets.size() * 4);
  std::memcpy(arena.host(offsets), made.offsets.data(), made.offsets.size() * 4);
  arena.set_values(offsets, made.offsets.size() * 4, true);
  const std::uint64_t data = arena.allocate(kGlobal);
  if (made.correct)
    arena.set_values(data, kGlobal, true);
  else
    arena.set_values(data + kGlobal / 4, kGlobal / 2, true);
  InspectionMemory memory(arena);
  for (int launch = 0; launch < 2; ++launch) {
    LaunchShape shape;
    shape.grid = {made.grid, 1, 1};
    shape.block = {made.block, 1, 1};
    shape.cooperative = made.rotated;
    shape.schedule_seed = made.seed;
    shape.checks = {true, true, true, way.closely};
    shape.workers = way.workers;
    shape.inspection = &memory;
    shape.parameters.resize(16);
    std::memcpy(shape.parameters.data(), &offsets, 8);
    std::memcpy(shape.parameters.data() + 8, &data, 8);
    const LaunchResult result = run_grid(program, shape, arena);
    for (const Fault& fault : result.faults) left.faults += text_of(fault, data);
    left.instructions += result.thread_instructions;
    left.waits = program.waits || (made.seed != 0 && program.contends_globally);
    left.serialized += static_cast<int>(result.serialized);
  }
  for (RaceMemory& races : memory.races) {
    for (std::uint64_t at = 0; at < kGlobal; at += std::uint64_t{1} << races.shift()) {
      const RaceCells cell = races.find(data + at, 1);
      for (const std::uint64_t* record : {cell.write, cell.read, cell.other})
        left.records.push_back(*record);
    }
  }
  const std::uint8_t* init = arena.find(data)->init.get();
  if (init != nullptr) left.values.assign(init, init + kGlobal / 8);
  left.data.assign(arena.host(data), arena.host(data) + kGlobal);
  arena.free(data);
  arena.free(offsets);
  return left;
}

/// Seeds of some cases, other ones each day; or the one that was given.
struct Seeds {
  Seeds() {
    const char* cases = std::getenv("WARPMARK_TEST_CASES");
    if (given != nullptr) {
      first = std::strtoull(given, nullptr, 10);
      return;
    }
    count = cases != nullptr ? std::strtoull(cases, nullptr, 10) : 150;
    const auto day = std::chrono::system_clock::now().time_since_epoch() / std::chrono::hours(24);
    first = static_cast<std::uint64_t>(day) * count;
    std::cout << count << " seeds from " << first << '\n';
  }
  const char* given = std::getenv("WARPMARK_TEST_SEED");
  std::uint64_t first = 0, count = 1;
};

const HandlerTable& table_for(std::uint64_t seed) {
  const HandlerTable* table = handlers_of_level(2 + static_cast<int>(seed % 3), Watch::everything);
  return table != nullptr ? *table : *handlers_of_level(2, Watch::everything);
}

TEST(Inspection, FastPathsSayWhatACloseLookSays) {
  const Seeds seeds;
  const std::uint64_t first = seeds.first, count = seeds.count;
  Arena arena(std::uint64_t{1} << 30, std::uint64_t{1} << 26);
  arena.track_values(true);
  std::size_t silent = 0, reported = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Case made = random_case(seed);
    const HandlerTable& table = table_for(seed);
    const Left close = run(made, table, arena, {.closely = true}),
               fast = run(made, table, arena, {});
    ASSERT_EQ(close.faults, fast.faults) << "WARPMARK_TEST_SEED=" << seed << '\n' << made.text;
    ASSERT_EQ(close.records.size(), fast.records.size());
    for (std::size_t i = 0; i < close.records.size(); ++i)
      ASSERT_EQ(close.records[i], fast.records[i])
          << "record " << i << ", WARPMARK_TEST_SEED=" << seed << '\n'
          << made.text;
    ASSERT_EQ(close.values, fast.values) << "WARPMARK_TEST_SEED=" << seed << '\n' << made.text;
    ASSERT_EQ(close.data, fast.data) << "WARPMARK_TEST_SEED=" << seed << '\n' << made.text;
    if (made.correct) {
      ASSERT_EQ(close.faults, "") << "WARPMARK_TEST_SEED=" << seed << '\n' << made.text;
    }
    ++(close.faults.empty() ? silent : reported);
  }
  if (seeds.given != nullptr) return;
  EXPECT_GT(silent, count / 6);
  EXPECT_GT(reported, count / 2);
}

// Each lane copies again and again, and waits for nothing: one race for each of two variables, which
// lie so that what is remembered of one would be that of the other.
TEST(Inspection, RacesOfCopiesAreCountedByVariable) {
  Arena arena(std::uint64_t{1} << 30, std::uint64_t{1} << 26);
  arena.track_values(true);
  Case made;
  made.offsets = {0};
  made.text =
      ".version 9.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 table, .param .u64 data)\n{\n.reg .pred %p;\n"
      ".reg .b32 %a, %b, %t, %n;\n.reg .b64 %data;\n"
      ".shared .align 256 .b8 first[256]; .shared .align 256 .b8 second[256];\n"
      "ld.param.u64 %data, [data]; mov.u32 %t, %tid.x; and.b32 %n, %t, 1;\n"
      "setp.eq.u32 %p, %n, 0; mov.u32 %a, first; mov.u32 %b, second; selp.b32 %a, %a, %b, %p;\n"
      "mov.u32 %n, 0;\nL: cp.async.ca.shared.global [%a], [%data+512], 4;\n"
      "add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 5; @%p bra L;\nret;\n}\n";
  const HandlerTable& table = table_for(2);
  const std::string close = run(made, table, arena, {.closely = true}).faults,
                    fast = run(made, table, arena, {}).faults;
  EXPECT_EQ(close, fast);
  EXPECT_EQ(std::count(fast.begin(), fast.end(), '\n'), 4) << "two in each launch\n" << fast;
  EXPECT_NE(fast.find(" times 79\n"), std::string::npos) << fast;
}

// Two warps add more often than is noted before it is recorded, and then read with a barrier or without.
TEST(Inspection, ReadsAfterManyAtomicsAreHeldAgainstThem) {
  Arena arena(std::uint64_t{1} << 30, std::uint64_t{1} << 26);
  arena.track_values(true);
  for (const char* times : {"3", "1500"}) {
    for (const char* between : {"", "bar.sync 0;"}) {
      Case made;
      made.block = 64;
      made.offsets = {0};
      made.text =
          std::string(
              ".version 9.0\n.target sm_90\n.address_size 64\n"
              ".visible .entry k(.param .u64 table, .param .u64 data)\n{\n.reg .pred %p;\n"
              ".reg .b32 %a, %b, %t, %n, %v;\n.shared .align 256 .b8 bins[256];\n"
              "mov.u32 %t, %tid.x; shl.b32 %a, %t, 2; mov.u32 %b, bins; add.u32 %a, %a, %b;\n"
              "mov.u32 %n, 0; st.shared.u32 [%a], %n; bar.sync 0; xor.b32 %a, %a, 4;\n"
              "L: red.shared.add.u32 [%a], 1; add.u32 %n, %n, 1; setp.lt.u32 %p, %n, ") +
          times + "; @%p bra L;\n" + between +
          "xor.b32 %a, %a, 252; ld.shared.u32 %v, [%a];\nret;\n}\n";
      for (std::uint64_t level = 0; level < 3; ++level) {
        const std::string close = run(made, table_for(level), arena, {.closely = true}).faults,
                          fast = run(made, table_for(level), arena, {}).faults;
        EXPECT_EQ(close, fast) << made.text;
        EXPECT_EQ(fast.empty(), between[0] != '\0') << made.text;
      }
    }
  }
}

// Threads of the host race where those of a kernel do, until the launch is taken back.
#ifdef __SANITIZE_THREAD__
constexpr bool kOnlyCorrect = true;
#else
constexpr bool kOnlyCorrect = false;
#endif

TEST(Inspection, SeveralThreadsSayWhatOneSays) {
  const Seeds seeds;
  const std::uint64_t first = seeds.first, count = seeds.count;
  Arena arena(std::uint64_t{1} << 30, std::uint64_t{1} << 26);
  arena.track_values(true);
  int together = 0, silent = 0, reported = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Case made = random_case(seed);
    made.rotated = false;
    if (kOnlyCorrect && !made.correct) continue;
    const HandlerTable& table = table_for(seed);
    const Left one = run(made, table, arena, {}), three = run(made, table, arena, {.workers = 3});
    ASSERT_EQ(one.faults, three.faults) << "WARPMARK_TEST_SEED=" << seed << '\n' << made.text;
    ASSERT_EQ(one.values, three.values) << "WARPMARK_TEST_SEED=" << seed << '\n' << made.text;
    ASSERT_EQ(one.data, three.data) << "WARPMARK_TEST_SEED=" << seed << '\n' << made.text;
    ASSERT_EQ(one.instructions, three.instructions) << "WARPMARK_TEST_SEED=" << seed;
    if (made.grid == 1 || three.waits) continue;
    if (three.serialized == 0) {
      EXPECT_EQ(three.faults, "") << "WARPMARK_TEST_SEED=" << seed;
      ++together;
    }
    ++(three.faults.empty() ? silent : reported);
  }
  if (seeds.given != nullptr || kOnlyCorrect) return;
  EXPECT_GT(together, silent / 2);
  EXPECT_GT(reported, static_cast<int>(count) / 32);
}

}  // namespace
}  // namespace warpmark::cpu
