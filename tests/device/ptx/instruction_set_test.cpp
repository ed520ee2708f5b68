// The table of PTX's instructions: each form is well written, an opcode finds the form that is its
// own, and its facts follow from that form and its words.
#include "ptx/instruction_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <tuple>

#include "program/opcode.hpp"

namespace warpmark::cpu {
namespace {

std::string needs_of(const char* opcode, std::size_t operands = 0) {
  const Needs needs = facts_of(opcode, operands).needs;
  return std::to_string(needs.architecture) + (needs.specific ? "a " : " ") +
         std::to_string(needs.version);
}

TEST(InstructionSet, EachFormIsWrittenOnceAndItsParenthesesClose) {
  std::set<std::tuple<std::string_view, int>> seen;
  for (const InstructionForm& form : instruction_forms()) {
    EXPECT_TRUE(seen.emplace(form.syntax, form.operands).second) << form.syntax;
    for (const auto& [open, close] : {std::pair('{', '}'), std::pair('<', '>')}) {
      EXPECT_EQ(std::count(form.syntax.begin(), form.syntax.end(), open),
                std::count(form.syntax.begin(), form.syntax.end(), close))
          << form.syntax;
    }
  }
}

// The syntax with everything that may be left out, the first of several and no set is an opcode
// that a form takes. (An earlier form may take it as well.)
TEST(InstructionSet, EachFormTakesItsOwnFirstWords) {
  for (const InstructionForm& form : instruction_forms()) {
    if (form.syntax.find('$') != std::string_view::npos) continue;
    std::string opcode;
    bool alternative = false, skipped = false;
    for (const char c : form.syntax) {
      if (c == '{' || c == '}' || c == '*' || c == '!') continue;
      if (c == '<') {
        alternative = true;
      } else if (c == '>') {
        alternative = skipped = false;
      } else if (alternative && c == ' ') {
        skipped = true;
      } else if (!skipped) {
        opcode += c;
      }
    }
    EXPECT_NE(facts_of(opcode, form.operands).form, nullptr) << form.syntax << " as " << opcode;
  }
}

TEST(InstructionSet, WordsStandInAnyOrderAndTypesInTheirs) {
  EXPECT_EQ(facts_of("add.f32.rn.ftz", 3).form, facts_of("add.ftz.rn.f32", 3).form);
  EXPECT_NE(facts_of("add.f32.rn.ftz", 3).form, nullptr);
  EXPECT_EQ(needs_of("cvt.rn.bf16.f32"), "80 0");
  EXPECT_EQ(needs_of("cvt.f32.bf16"), "80 71");
  EXPECT_EQ(facts_of("set.lt.u16.u32", 3).form, nullptr);
  EXPECT_NE(facts_of("set.lt.u32.f16", 3).form, nullptr);
  EXPECT_NE(facts_of("mbarrier.arrive.b64.shared", 2).form, nullptr);
}

TEST(InstructionSet, WordsOfANameStandInTheirPlaces) {
  EXPECT_NE(facts_of("mul.lo.s32", 3).form, nullptr);
  EXPECT_EQ(facts_of("mul.s32.lo", 3).form, nullptr);
  EXPECT_NE(facts_of("mbarrier.arrive.expect_tx.shared.b64", 3).form, nullptr);
  EXPECT_EQ(facts_of("mbarrier.arrive.shared.expect_tx.b64", 3).form, nullptr);
}

TEST(InstructionSet, WordsThatExcludeOrNeedEachOther) {
  EXPECT_EQ(facts_of("add.rn.rz.f32", 3).form, nullptr);
  EXPECT_EQ(facts_of("min.xorsign.f32", 3).form, nullptr);
  EXPECT_NE(facts_of("min.xorsign.abs.f32", 3).form, nullptr);
  EXPECT_EQ(facts_of("fma.f32", 4).form, nullptr);
}

TEST(InstructionSet, OperandsDistinguishForms) {
  EXPECT_EQ(needs_of("min.f32", 3), "0 0");
  EXPECT_EQ(needs_of("min.f32", 4), "100 88");
  EXPECT_EQ(needs_of("mbarrier.arrive.shared.b64", 2), "80 0");
  EXPECT_EQ(needs_of("mbarrier.arrive.shared.b64", 3), "90 0");
}

TEST(InstructionSet, WhatThisDeviceHasNot) {
  EXPECT_TRUE(facts_of("tcgen05.alloc.cta_group::1.sync.aligned.b32", 2).is_unsupported());
  EXPECT_TRUE(facts_of("cvt.rs.satfinite.e4m3x4.f32", 3).is_unsupported());
  EXPECT_FALSE(facts_of("tex.2d.v4.f32.f32", 2).is_unsupported());
  EXPECT_FALSE(facts_of("wgmma.foo", 0).is_unsupported());
  EXPECT_EQ(needs_of("wgmma.fence.sync.aligned"), "90a 0");
}

TEST(InstructionSet, WhatIsWrongNamesTheWordOrWhatIsMissing) {
  EXPECT_EQ(what_is_wrong("foo.u32"), "'foo' is no instruction");
  EXPECT_EQ(what_is_wrong("add.foo.u32"), "unknown modifier '.foo'");
  EXPECT_EQ(what_is_wrong("rcp.f32"),
            "'rcp' needs a rounding modifier; one form of it is rcp.<rn rz rm rp>{.ftz}.f32");
  EXPECT_EQ(what_is_wrong("mul.s32"),
            "'mul' needs .lo, .hi or .wide; one form of it is "
            "mul.<lo hi wide>.<u16 u32 u64 s16 s32 s64>");
  EXPECT_THAT(what_is_wrong("add.rn.s32"),
              ::testing::HasSubstr("no such modifiers, or not together"));
}

// An operation whose name no form takes would never be reached.
TEST(InstructionSet, TakesEachNameOfAnOperation) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(Opcode::count); ++i) {
    const OpcodeInfo* info = find_opcode(static_cast<Opcode>(i));
    if (info == nullptr) continue;
    std::istringstream names{std::string(info->names)};
    for (std::string name; names >> name;) {
      // Atomics on vectors have names of our own.
      if (name.starts_with("atom.vector.")) continue;
      const InstructionFacts facts = facts_of(name, 0);
      const InstructionFacts of_three = facts_of(name, 3);  // min and max
      EXPECT_TRUE(facts.form != nullptr || of_three.form != nullptr) << name;
    }
  }
}

// A form takes each instruction of templates.txt, one of each family, that ptxas takes, and none is
// unsupported.
TEST(InstructionSet, TakesEachOfTheTemplates) {
  std::ifstream file(WARPMARK_ACCEPTANCE_TEMPLATES);
  ASSERT_TRUE(file);
  int taken = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string opcode, rest;
    words >> opcode;
    if (opcode.empty() || opcode[0] == '#' || opcode[0] == '{') continue;
    while (opcode.starts_with("sm_") || opcode[0] == '@') words >> opcode;
    std::getline(words, rest);
    std::size_t operands = rest.find_first_not_of(' ') == std::string::npos ? 0 : 1;
    int depth = 0;
    for (const char c : rest) {
      depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
      if (c == ',' && depth == 0) ++operands;
    }
    const InstructionFacts facts = facts_of(opcode, operands);
    EXPECT_NE(facts.form, nullptr) << line;
    EXPECT_FALSE(facts.is_unsupported()) << line;
    ++taken;
  }
  EXPECT_GT(taken, 300);
}

}  // namespace
}  // namespace warpmark::cpu
