// The grader's reading of PTX against the CPU device's: what one takes, the other takes the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "compiler/ptx_contents.hpp"
#include "compiler/ptx_registers.hpp"
#include "ptx/error.hpp"
#include "ptx/parser.hpp"
#include "ptx/special_registers.hpp"

namespace warpmark {
namespace {

struct Read {
  std::string name;
  uint64_t bytes = 0;
  friend bool operator==(const Read&, const Read&) = default;
};
void PrintTo(const Read& read, std::ostream* to) {
  *to << read.name << " " << read.bytes;
}

// The one variable that a text declares; nothing if it is refused.
std::optional<Read> by_grader(const std::string& text) {
  const PtxContents found = ptx_contents(text);
  if (!found.trouble.empty() || found.variables.size() != 1) return std::nullopt;
  return Read{found.variables[0].name, found.variables[0].bytes};
}

std::optional<Read> by_device(const std::string& text) {
  try {
    const cpu::Module module =
        cpu::parse_ptx(".version 9.0\n.target sm_90\n.address_size 64\n" + text);
    if (module.variables.size() != 1) return std::nullopt;
    return Read{std::string(module.variables[0].name), module.variables[0].bytes};
  } catch (const cpu::PtxError&) {
    return std::nullopt;
  }
}

TEST(PtxReaders, TakeTheSameNumbers) {
  const struct {
    const char* spelled;
    std::optional<uint64_t> value;
  } rows[] = {{"1", 1},
              {"67108864", 67108864},
              {"0b100000000000000000000000000", 67108864},
              {"0B100U", 4},
              {"0400000000", 67108864},
              {"017U", 15},
              {"0x4000000", 67108864},
              {"0X4000000U", 67108864},
              {"10U", 10},
              {"/**/12//\n", 12},
              {"00000000000000000000000000000000000000000000000000000000000000000017", 15},
              {"0x0000000000000000000000000000000000000000000000000000000000000011", 17},
              {"10u", {}},
              {"10UL", {}},
              {"08", {}},
              {"0b2", {}},
              {"0b", {}},
              {"0x", {}},
              {"0xg", {}},
              {"1_0", {}},
              {"1'0", {}},
              {"18446744073709551616", {}},
              {"0x10000000000000001", {}},
              {"0b10000000000000000000000000000000000000000000000000000000000000001", {}},
              {"02000000000000000000001", {}},
              {"99999999999999999999999999999999999999999999999999999999999999999999", {}},
              {"1.0", {}},
              {"1.", {}},
              {"1e2", {}},
              {"0f40000000", {}},
              {"0d4000000000000000", {}},
              {"0f4000000", {}},
              {"4$", {}},
              {"4%x", {}},
              {"\"4\"", {}}};
  for (const auto& row : rows) {
    const std::string text = ".global .b8 kept[" + std::string(row.spelled) + "];";
    const std::optional<Read> wanted =
        row.value ? std::optional(Read{"kept", *row.value}) : std::nullopt;
    EXPECT_EQ(by_grader(text), wanted) << row.spelled;
    EXPECT_EQ(by_device(text), wanted) << row.spelled;
  }
}

TEST(PtxReaders, CountTheSameInitialValues) {
  const struct {
    const char *type, *values;
  } rows[] = {{".f64", "0f3F800000, 0d3FF0000000000000, 1.5, 2., 1e3, 0.5e-2"},
              {".f64", "0f3f80000"},
              {".f64", "0d3FF000000000000G"},
              {".f64", "1e999"},
              {".f64", "1.5x"},
              {".s64", "1, 0x1F, 017"},
              {".s64", "0b101, -1, 5U"},
              {".s64", "5UL"}};
  for (const auto& [type, values] : rows) {
    const std::string text = ".global " + std::string(type) + " kept[] = {" + values + "};";
    EXPECT_EQ(by_grader(text), by_device(text)) << values;
  }
}

TEST(PtxReaders, TakeTheSameNames) {
  for (const char* name :
       {"a",         "_a",    "$a",  "%a",   "a$b_1",  "$L__BB0_1", "__",   "%%",
        "%",         "a%b",   "a.b", "a::b", "a:b",    "1a",        "a-b",  "a\\b",
        "a\xc3\xa4", "\"a\"", ".a",  "a b",  "a/**/b", "a//\n",     "a\x01"}) {
    const std::string text = ".global .b8 " + std::string(name) + "[4];";
    EXPECT_EQ(by_grader(text), by_device(text)) << name;
  }
}

// A string is no directive, whatever stands in it.
TEST(PtxReaders, TakeNoStringForAWord) {
  for (const char* text : {"\".global\" .b8 kept[4];", ".global \".b8\" kept[4];",
                           ".global .b8 \"kept\"[4];", ".global .b8 kept\"[\"4];"}) {
    EXPECT_EQ(by_grader(text), std::nullopt) << text;
    EXPECT_EQ(by_device(text), std::nullopt) << text;
  }
}

TEST(PtxReaders, KnowTheSameSpecialRegisters) {
  for (const cpu::SpecialRegister& one : cpu::special_registers()) {
    if (!one.name.starts_with('%')) continue;
    std::string name(one.name);
    if (one.count != 0) name += std::to_string(one.count - 1) + std::string(one.suffix);
    EXPECT_NE(cpu::special_register(name), nullptr) << name;
    const std::string base = name.substr(0, name.find('.'));
    EXPECT_TRUE(is_special_register(base)) << name;
    // Also where a register of that name is declared.
    const PtxContents found =
        ptx_contents(".entry k(){ .reg .b64 " + base + "; mov.u64 %x, " + name + "; ret; }");
    EXPECT_EQ(found.registers.count(base), 1U) << name;
  }
  for (const char* name : {"%pm8", "%pm07", "%envreg32", "%clok64", "%tid0", "%pm0_32", "%"}) {
    EXPECT_EQ(cpu::special_register(name), nullptr) << name;
    EXPECT_FALSE(is_special_register(name)) << name;
  }
}

}  // namespace
}  // namespace warpmark
