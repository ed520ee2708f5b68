// Approximate operations: special values as the PTX ISA's tables list them, errors within its
// bounds, and docs/cpu-numerics.md in step with what they are.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "device/machine/approximations.hpp"

namespace warpmark::cpu {
namespace {

int best_level() {
  int level = 4;
  while (handlers_of_level(level, Watch::bounds) == nullptr) --level;
  return level;
}

// A row of the page's table.
struct Row {
  double measured = 0, ulps = 0;
  std::uint64_t at_measured = 0, at_ulps = 0, inputs = 0;
  std::string bound;
};

std::map<std::string, Row> published() {
  std::ifstream page(WARPMARK_NUMERICS_PAGE);
  std::map<std::string, Row> rows;
  std::string line;
  while (std::getline(page, line)) {
    if (!line.starts_with("| `")) continue;
    std::istringstream text(line);
    std::array<std::string, 8> cells;  // the first one is empty
    for (std::string& cell : cells) {
      std::getline(text, cell, '|');
      while (!cell.empty() && cell.front() == ' ') cell.erase(0, 1);
      while (!cell.empty() && cell.back() == ' ') cell.pop_back();
    }
    if (!cells[1].ends_with('`') || cells[1].find(".approx") == std::string::npos) continue;
    Row& row = rows[cells[1].substr(1, cells[1].size() - 2)];
    row.bound = cells[2];
    row.measured = std::stod(cells[3]);
    row.at_measured = std::stoull(cells[4], nullptr, 16);
    row.ulps = std::stod(cells[5]);
    row.at_ulps = std::stoull(cells[6], nullptr, 16);
    row.inputs = std::stoull(cells[7]);
  }
  return rows;
}

TEST(Approximate, ThePageHasTheErrorsThatAreThere) {
  const auto rows = published();
  for (const Approximation& operation : approximations()) {
    const auto row = rows.find(operation.operation);
    ASSERT_NE(row, rows.end()) << operation.operation << " is not on the page";
    EXPECT_EQ(row->second.bound, operation.bound_text) << operation.operation;
    // At the places that the page names the errors are those that it names.
    const Errors measured = exactly(operation, row->second.at_measured, best_level());
    const Errors ulps = exactly(operation, row->second.at_ulps, best_level());
    EXPECT_NEAR(measured.measured, row->second.measured, row->second.measured * 1e-4)
        << operation.operation;
    EXPECT_NEAR(ulps.ulps, row->second.ulps, row->second.ulps * 1e-5) << operation.operation;
    // A sample of all inputs has none that is greater, and the ISA's bound holds.
    const char kind = operation.kinds[1];
    const std::uint64_t step = kind == 'F' ? 0x9e3779b97f4a7c15 : kind == 'f' ? 6151 : 1;
    const std::uint64_t count = kind == 'F' ? 40000 : kind == 'f' ? 698000 : 1 << 16;
    const Worst worst = sweep(operation, 17, step, count, best_level());
    EXPECT_GT(worst.inputs, count / 10) << operation.operation;
    EXPECT_LE(worst.measured, row->second.measured * 1.0001)
        << operation.operation << " at 0x" << std::hex << worst.at_measured;
    EXPECT_LE(worst.ulps, row->second.ulps * 1.00001)
        << operation.operation << " at 0x" << std::hex << worst.at_ulps;
    EXPECT_LE(row->second.measured, operation.bound) << operation.operation;
  }
}

// A flushed form is the other one between two flushes.
TEST(Approximate, FlushedFormsGiveTheSameNumbers) {
  const auto flush = [](std::uint64_t bits) {
    return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
  };
  for (const std::string name : {"rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2"}) {
    DirectOperation flushed(name + ".approx.ftz.f32", "ff", best_level());
    DirectOperation plain(name + ".approx.f32", "ff", best_level());
    for (std::uint64_t first = 11; first < std::uint64_t{1} << 32; first += 32 * 6151) {
      std::uint64_t inputs[32];
      for (std::size_t lane = 0; lane < 32; ++lane) {
        inputs[lane] = (first + lane * 6151) & 0xffffffff;
        flushed.set(1, lane, inputs[lane]);
        plain.set(1, lane, flush(inputs[lane]));
      }
      flushed.run();
      plain.run();
      for (std::size_t lane = 0; lane < 32; ++lane)
        ASSERT_EQ(flushed.get(lane), flush(plain.get(lane)))
            << name << " of 0x" << std::hex << inputs[lane];
    }
  }
}

TEST(Approximate, QuotientsAreWithinTwoUlps) {
  // div.approx: |b| in [2^-126, 2^126]; div.full: all b. Both are correctly rounded here.
  for (const char* operation : {"div.approx.f32", "div.full.f32"}) {
    DirectOperation direct(operation, "fff", best_level());
    std::uint64_t state = 88172645463325252;
    const auto random = [&] {
      state ^= state << 13;
      state ^= state >> 7;
      return state ^= state << 17;
    };
    double worst = 0;
    for (int batch = 0; batch < 20000; ++batch) {
      std::uint64_t a[32], b[32];
      for (int lane = 0; lane < 32; ++lane) {
        a[lane] = random() & 0xffffffff;
        b[lane] = random() & 0xffffffff;
        direct.set(1, lane, a[lane]);
        direct.set(2, lane, b[lane]);
      }
      direct.run();
      for (int lane = 0; lane < 32; ++lane) {
        const double x = value_of('f', a[lane]), y = value_of('f', b[lane]), want = x / y;
        if (!std::isfinite(want) || std::fabs(want) < 0x1p-126 || std::fabs(want) > 0x1.fffffep127)
          continue;
        const double got = value_of('f', direct.get(lane));
        worst = std::max(worst, std::fabs(got - want) / std::ldexp(1.0, std::ilogb(want) - 23));
      }
    }
    EXPECT_LE(worst, 0.500001) << operation;
    EXPECT_GT(worst, 0.49) << operation;
  }
}

// PTX ISA, the tables of special inputs of rcp, sqrt, rsqrt, sin, cos, lg2, ex2 and tanh.
TEST(Approximate, SpecialValuesAreTheTables) {
  constexpr std::uint32_t inf = 0x7f800000, minus_inf = 0xff800000, zero = 0,
                          minus_zero = 0x80000000, nan = 0x7fffffff, one = 0x3f800000,
                          minus_one = 0xbf800000, tiny = 0x00012345, minus_tiny = 0x80012345;
  struct Case {
    const char* operation;
    std::uint32_t input, result;
  };
  const Case cases[] = {
      {"rcp.approx.f32", minus_inf, minus_zero},
      {"rcp.approx.f32", minus_zero, minus_inf},
      {"rcp.approx.f32", zero, inf},
      {"rcp.approx.f32", inf, zero},
      {"rcp.approx.ftz.f32", tiny, inf},
      {"rcp.approx.ftz.f32", minus_tiny, minus_inf},
      {"rcp.approx.ftz.f32", 0x7f000001, zero},  // 1/x is subnormal
      {"sqrt.approx.f32", minus_inf, nan},
      {"sqrt.approx.f32", minus_one, nan},
      {"sqrt.approx.f32", minus_tiny, nan},
      {"sqrt.approx.f32", minus_zero, minus_zero},
      {"sqrt.approx.f32", inf, inf},
      {"sqrt.approx.ftz.f32", minus_tiny, minus_zero},
      {"sqrt.approx.ftz.f32", tiny, zero},
      {"rsqrt.approx.f32", minus_inf, nan},
      {"rsqrt.approx.f32", minus_one, nan},
      {"rsqrt.approx.f32", minus_zero, minus_inf},
      {"rsqrt.approx.f32", zero, inf},
      {"rsqrt.approx.f32", inf, zero},
      {"rsqrt.approx.ftz.f32", minus_tiny, minus_inf},
      {"rsqrt.approx.ftz.f32", tiny, inf},
      {"sin.approx.f32", minus_inf, nan},
      {"sin.approx.f32", inf, nan},
      {"sin.approx.f32", minus_zero, minus_zero},
      {"sin.approx.f32", zero, zero},
      {"sin.approx.ftz.f32", minus_tiny, minus_zero},
      {"sin.approx.ftz.f32", tiny, zero},
      {"cos.approx.f32", minus_inf, nan},
      {"cos.approx.f32", inf, nan},
      {"cos.approx.f32", minus_zero, one},
      {"cos.approx.ftz.f32", minus_tiny, one},
      {"lg2.approx.f32", minus_inf, nan},
      {"lg2.approx.f32", minus_one, nan},
      {"lg2.approx.f32", minus_zero, minus_inf},
      {"lg2.approx.f32", zero, minus_inf},
      {"lg2.approx.f32", inf, inf},
      {"lg2.approx.f32", one, zero},
      {"lg2.approx.ftz.f32", tiny, minus_inf},
      {"lg2.approx.ftz.f32", minus_tiny, minus_inf},
      {"ex2.approx.f32", minus_inf, zero},
      {"ex2.approx.f32", minus_zero, one},
      {"ex2.approx.f32", zero, one},
      {"ex2.approx.f32", inf, inf},
      {"ex2.approx.f32", 0x43000000, inf},  // 2^128
      {"ex2.approx.f32", 0xc3150000, 1},    // 2^-149
      {"ex2.approx.ftz.f32", 0xc3150000, zero},
      {"ex2.approx.ftz.f32", minus_tiny, one},
      {"tanh.approx.f32", minus_inf, minus_one},
      {"tanh.approx.f32", inf, one},
      {"tanh.approx.f32", minus_zero, minus_zero},
      {"tanh.approx.f32", tiny, tiny},
      {"tanh.approx.f32", minus_tiny, minus_tiny},
  };
  for (const int level : {2, 3, 4}) {
    if (handlers_of_level(level, Watch::bounds) == nullptr) continue;
    for (const Case& one_case : cases) {
      DirectOperation direct(one_case.operation, "ff", level);
      direct.set(1, 0, one_case.input);
      direct.set(1, 1, 0x7fc00000);
      direct.set(1, 2, 0x7f800001);
      direct.set(1, 3, 0xffc12345);
      direct.run();
      EXPECT_EQ(direct.get(0), one_case.result)
          << one_case.operation << " of 0x" << std::hex << one_case.input;
      for (std::size_t lane = 1; lane < 4; ++lane)
        EXPECT_EQ(direct.get(lane), nan) << one_case.operation;
    }
    DirectOperation reciprocal("rcp.approx.ftz.f64", "FF", level);
    const std::pair<std::uint64_t, std::uint64_t> wide[] = {
        {0x7ff0000000000000, 0},
        {0xfff0000000000000, 0x8000000000000000},
        {0, 0x7ff0000000000000},
        {0x800fffffffffffff, 0xfff0000000000000},  // a subnormal number is 0
        {0x7fe0000000000001, 0},                   // so is a subnormal result
        {0x4000000000000000, 0x3fe0000000000000},
        {0xfff0000000000001, 0x7fffffff00000000},   // every NaN is canonical (as on an H200)
        {0x40000000ffffffff, 0x3fe0000000000000}};  // the low word does not count
    for (const auto& [input, result] : wide) {
      reciprocal.set(1, 0, input);
      reciprocal.run();
      EXPECT_EQ(reciprocal.get(0), result) << std::hex << input;
      EXPECT_EQ(reciprocal.get(0) & 0xffffffff, 0u);
    }
  }
}

}  // namespace
}  // namespace warpmark::cpu
