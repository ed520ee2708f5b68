// The lexer, the parser and the decoder: what is read, and what is refused with its line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include <cstdint>
#include <random>

#include "program/flow.hpp"
#include "program/program.hpp"
#include "ptx/error.hpp"
#include "ptx/lexer.hpp"
#include "ptx/parser.hpp"

namespace warpmark::cpu {
namespace {

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  Lexer lexer(text);
  for (Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next())
    result.emplace_back(token.text);
  return result;
}

TEST(Lexer, OpcodesKeepTheirModifiersAndDirectivesDoNot) {
  using ::testing::ElementsAre;
  EXPECT_THAT(words("ld.global.nc.v4.f32 \t{%f1,%f2}, [%rd1+16];"),
              ElementsAre("ld.global.nc.v4.f32", "{", "%f1", ",", "%f2", "}", ",", "[", "%rd1", "+",
                          "16", "]", ";"));
  EXPECT_THAT(words(".visible.entry k"), ElementsAre(".visible", ".entry", "k"));
  EXPECT_THAT(words("ld.shared::cta.u32"), ElementsAre("ld.shared::cta.u32"));
  EXPECT_THAT(words("$L__BB0_8: @!%p1 bra"), ElementsAre("$L__BB0_8", ":", "@", "!", "%p1", "bra"));
  EXPECT_THAT(words("%p1|%p2,_;"), ElementsAre("%p1", "|", "%p2", ",", "_", ";"));
  EXPECT_THAT(words("a // b\n/* c\n */ d"), ElementsAre("a", "d"));
  // A backslash is no escape, as ptxas has it.
  EXPECT_THAT(words("\"a \\\" b"), ElementsAre("a \\", "b"));
}

TEST(Lexer, NumbersInEveryNotation) {
  const auto value = [](std::string_view text) { return Lexer(text).next().value; };
  EXPECT_EQ(value("0x1F"), 31u);
  EXPECT_EQ(value("0X1F791F79U"), 0x1f791f79u);
  EXPECT_EQ(value("017"), 15u);
  EXPECT_EQ(value("0b101"), 5u);
  EXPECT_EQ(value("0"), 0u);
  EXPECT_EQ(value("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(value("0f3F22F983"), 0x3f22f983u);
  EXPECT_TRUE(Lexer("0F3f22f983").next().single);
  EXPECT_EQ(value("0d3FF0000000000000"), 0x3ff0000000000000u);
  EXPECT_EQ(value("1.5"), 0x3ff8000000000000u);
  for (const char* bad : {"0x", "0f3F22F98", "0f3F22F9831", "18446744073709551616", "12ab", "0d12",
                          "\"abc", "/* x", "\x01", "`"}) {
    EXPECT_THROW(Lexer(bad).next(), PtxError) << bad;
  }
}

TEST(Lexer, CountsLines) {
  Lexer lexer("a\n\n/*\n*/b");
  EXPECT_EQ(lexer.next().line, 1u);
  EXPECT_EQ(lexer.next().line, 4u);
}

std::string module_text(const std::string& body) {
  return ".version 9.0\n.target sm_90\n.address_size 64\n" + body;
}
std::string kernel_text(const std::string& body) {
  return module_text(
      ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<9>; "
      ".reg .b64 %rd<9>; "
      ".reg .f32 %f<9>; .reg .f64 %fd<9>;\n" +
      body + "\n}\n");
}

TEST(Parser, HeadersParametersAndAttributes) {
  const Module module = parse_ptx(module_text(R"(
    .visible .entry k(.param .u8 c, .param .u64 .ptr .global .align 4 p, .param .align 8 .b8 s[12], .param .f32 f)
    .maxntid 16, 8, 2 .minnctapersm 2
    { ret; })"));
  const Function& k = module.functions.at(0);
  EXPECT_EQ(k.max_threads, 256u);
  ASSERT_EQ(k.parameters.size(), 4u);
  EXPECT_EQ(k.parameters[1].offset, 8u);
  EXPECT_EQ(k.parameters[2].offset, 16u);
  EXPECT_EQ(k.parameters[2].bytes, 12u);
  EXPECT_EQ(k.parameters[3].offset, 28u);
  EXPECT_EQ(k.parameter_bytes, 32u);
  EXPECT_EQ(module.version, 90u);
  EXPECT_EQ(module.target, "sm_90");
}

TEST(Parser, InnerScopesDeclareNamesAgain) {
  const Module module = parse_ptx(kernel_text(R"(
    .reg .b32 p; mov.u32 p, 1;
    { .reg .f32 p; mov.f32 p, 0f00000000; { .reg .b64 p; mov.u64 p, 3; } mov.f32 p, 0f3F800000; }
    mov.u32 p, 2;
    { .reg .b32 p; mov.u32 p, 5; L: bra L; } { L: bra L; } ret;)"));
  const Function& k = module.functions[0];
  std::vector<std::uint32_t> targets;
  for (const Statement& s : k.statements) targets.push_back(k.operands[s.first_operand].index);
  EXPECT_EQ(targets[0], targets[4]);
  EXPECT_EQ(targets[1], targets[3]);
  EXPECT_NE(targets[0], targets[1]);
  EXPECT_NE(targets[1], targets[2]);
  EXPECT_NE(targets[5], targets[0]);
  EXPECT_EQ(targets[6], 6u) << "each branch to the label of its own scope";
  EXPECT_EQ(targets[7], 7u);
}

TEST(Parser, VariablesAndTheirInitialValues) {
  const Module module = parse_ptx(module_text(R"(
    .global .align 4 .u32 a[4] = {1, 0xff, -1};
    .const .f32 f = 0f3F800000;
    .visible .global .align 8 .u64 t[2] = {a, generic(a)+8};
    .extern .shared .align 16 .b8 dyn[];
    .global .b8 str[6] = {104, 105};
    .section .debug_str { .b8 1,2 { } }
    .file 1 "x.cu")"));
  ASSERT_EQ(module.variables.size(), 5u);
  EXPECT_EQ(module.variables[0].bytes, 16u);
  EXPECT_EQ(module.variables[0].initial,
            (std::vector<std::uint8_t>{1, 0, 0, 0, 0xff, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}));
  EXPECT_EQ(module.variables[2].references.at(1).addend, 8);
  EXPECT_TRUE(module.variables[3].external);
  EXPECT_EQ(module.variables[4].bytes, 6u);
  EXPECT_EQ(module.files.at(1), "x.cu");
}

// Tables are read by a path of their own, which must see the same numbers as tokens do.
TEST(Parser, NumbersOfTables) {
  const Module module = parse_ptx(module_text(
      ".global .align 8 .u64 t[] = {1, 2,3 ,4, 010, 0,0x10, 0b11, -1, 7 /* c */, 8,\n9, "
      "18446744073709551615, 9999999999999999999, 10U, 11};\n.global .b8 n[2][2] = {{1, 2}, {3, "
      "4}};"));
  const std::vector<std::uint64_t> expected = {
      1,  2, 3, 4, 8, 0, 16, 3, ~std::uint64_t{0}, 7, 8, 9, ~std::uint64_t{0}, 9999999999999999999u,
      10, 11};
  ASSERT_EQ(module.variables[0].initial.size(), expected.size() * 8);
  EXPECT_EQ(std::memcmp(module.variables[0].initial.data(), expected.data(), expected.size() * 8),
            0);
  EXPECT_EQ(module.variables[1].initial, (std::vector<std::uint8_t>{1, 2, 3, 4}));
  for (const char* wrong :
       {"{1, 2", "{1, 2 3}", "{1, 2, }x", "{1, 18446744073709551616}", "{1, 2,", "{1,,2}", "{,1}",
        "{1,2,}", "{{1},}", "{{1}{2}}", "{1, 0x}", "{1, 08}", "{1, 2}, 3"}) {
    EXPECT_THROW(parse_ptx(module_text(std::string(".global .u64 t[] = ") + wrong + ";")), PtxError)
        << wrong;
  }
  EXPECT_THROW(parse_ptx(module_text(".global .u32 t[3] = {1, 2, 3, 4};")), PtxError);
}

TEST(Parser, LocationsWithInlining) {
  const Module module =
      parse_ptx(kernel_text(".loc 1 5 3\nmov.u32 %r1, 1;\n.loc 2 34 1, function_name "
                            "$L__info_string0, inlined_at 1 9 3\nmov.u32 %r1, 2; ret;"));
  EXPECT_EQ(module.functions[0].statements[0].location.line, 5u);
  EXPECT_EQ(module.functions[0].statements[1].location.file, 2u);
  EXPECT_EQ(module.functions[0].statements[1].location.line, 34u);
  EXPECT_EQ(module.functions[0].statements[0].line, 8u);
}

TEST(Parser, RefusesWithTheLine) {
  const std::pair<std::string, std::uint32_t> bad[] = {
      {"", 1},
      {"hello", 1},
      {".target sm_90", 1},
      {module_text(".entry k() {"), 4},
      {module_text(".entry k( {}"), 4},
      {module_text(".nonsense"), 4},
      {module_text(".global .u32 a;\n.global .u32 a;"), 5},
      {module_text(".global .u32 a[2] = {1,2,3};"), 4},
      {module_text(".global .u32 a[18446744073709551615];"), 4},
      {module_text(".global .align 3 .u32 a;"), 4},
      {module_text(".entry k(.param .align 8 .b8 p[99999]) { ret; }"), 4},
      {kernel_text("bra NOWHERE;"), 7},
      {kernel_text("L: ret;\nL: ret;"), 8},
      {kernel_text(".reg .b32 %r<4>;"), 7},
      {kernel_text("mov.u32 %r1, 1"), 8},
      {kernel_text("@%r1 ret;"), 7},
      {kernel_text("@%p99 ret;"), 7},
      {kernel_text("mov.u32 {%r1, %r2;"), 7},
      {kernel_text("add.s32 %r1, [[[[[[%r1]]]]]];"), 7},
      {kernel_text("}"), 8},
  };
  for (const auto& [text, line] : bad) {
    try {
      parse_ptx(text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const PtxError& error) {
      EXPECT_EQ(error.line(), line) << text << "\n" << error.what();
    }
  }
}

TEST(Parser, HostileSizesCostNothing) {
  const Module many =
      parse_ptx(kernel_text(".reg .b32 %huge<4000000000>; mov.u32 %huge3999999999, 1; ret;"));
  EXPECT_EQ(many.functions[0].registers.size(), 1u);
  EXPECT_THROW(parse_ptx(kernel_text(std::string(100000, '{'))), PtxError);
  EXPECT_THROW(parse_ptx(module_text(".global .u32 a = " + std::string(100000, '{'))), PtxError);
  EXPECT_THROW(parse_ptx(kernel_text("mov.u32 %r1, " + std::string(100000, '{'))), PtxError);
  EXPECT_THROW(parse_ptx(kernel_text("mov.u32 %r1, " + std::string(100000, '!') + "%r2;")),
               PtxError);
  std::string pairs = "setp.eq.s32 %p1";
  for (int i = 0; i < 100000; ++i) pairs += "|%p1";
  EXPECT_THROW(parse_ptx(kernel_text(pairs + ", %r1, %r2;")), PtxError);
}

Program decode_text(const std::string& text, Module& module) {
  module = parse_ptx(text);
  return decode(module, module.functions.at(0), Placement{});
}

TEST(Decoder, RefusesWhatIsNotPtx) {
  for (const char* bad : {"add.s32 %r1, %r2;",
                          "add.s32 %r1, %r2, %r3, %r4;",
                          "add.s32 %rd1, %r2, %r3;",
                          "add.f32 %f1, %fd2, %f3;",
                          "add.s32 %r1, %f2, %r3;",
                          "add.f32 %f1, %f2, 1;",
                          "setp.lt.s32 %r1, %r2, %r3;",
                          "selp.b32 %r1, %r2, %r3, %r4;",
                          "ld.global.u32 %r1, [%r2];",
                          "ld.global.v4.f64 {%fd1,%fd2,%fd3,%fd4}, [%rd1];",
                          "ld.global.v2.u32 %r1, [%rd1];",
                          "ld.global.v2.u32 {%r1,%r2,%r3}, [%rd1];",
                          "st.const.u32 [%rd1], %r1;",
                          "mov.u32 %r1, nothing;",
                          "mov.u32 5, %r1;",
                          "ld.shared.u32 %r1, [out];",
                          "mov.b64 %rd1, {%r1};",
                          "mov.b64 %rd1, {%r1, %rd2};",
                          "bra %r1;",
                          "cvt.u32.u16 %rs1, %rs2;",
                          "ld.global.u32 %rs1, [%rd1];"}) {
    Module module;
    try {
      decode_text(kernel_text(std::string(bad) + " ret;"), module);
      ADD_FAILURE() << "accepted: " << bad;
    } catch (const PtxError& error) {
      EXPECT_FALSE(error.unsupported()) << error.what();
      EXPECT_THAT(error.what(), ::testing::HasSubstr(bad)) << "the text of the instruction";
      EXPECT_EQ(error.line(), 7u);
    }
  }
}

TEST(Decoder, CapsStaticMemory) {
  for (const char* bad :
       {".shared .b8 s[300000]; mov.u32 %r1, s;", ".local .b8 l[1000000]; mov.u64 %rd1, l;"}) {
    Module module;
    EXPECT_THROW(decode_text(kernel_text(std::string(bad) + " ret;"), module), PtxError) << bad;
  }
  std::string many;
  for (int i = 0; i < 40000; ++i) many += "mov.u32 %q" + std::to_string(i) + ", 0;\n";
  Module module;
  EXPECT_THROW(decode_text(kernel_text(".reg .b32 %q<40000>;\n" + many + "ret;"), module),
               PtxError);
}

TEST(Decoder, AnyTextEndsCleanly) {
  // Cuts and mutations of a real module are parsed and decoded, or refused; never anything else.
  const std::string good = kernel_text(R"(
    ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; setp.lt.and.s32 %p1|%p2, %r1, 5, !%p3;
    L: @%p1 add.s32 %r2, %r1, -4; mov.b64 %rd2, {%r1, %r2}; st.global.v2.u32 [%rd1+8], {%r1, %r2};
    @!%p2 bra L; bar.sync 0; { .reg .f32 x; mov.f32 x, 0f3F800000; } ret;)");
  for (std::size_t cut = 0; cut < good.size(); ++cut) {
    Module module;
    try {
      decode_text(good.substr(0, cut), module);
    } catch (const PtxError&) {
    } catch (const std::out_of_range&) {  // no function at all
    }
  }
  std::mt19937 random(20240229);
  for (int round = 0; round < 20000; ++round) {
    std::string text = good;
    for (unsigned i = 0, edits = 1 + random() % 4; i < edits; ++i) {
      const std::size_t at = 50 + random() % (text.size() - 50);
      switch (random() % 3) {
        case 0:
          text[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          text.erase(at, random() % 8);
          break;
        default:
          text.insert(at, good.substr(random() % good.size(), random() % 12));
      }
      if (text.size() < 60) break;
    }
    Module module;
    try {
      decode_text(text, module);
    } catch (const PtxError&) {
    } catch (const std::out_of_range&) {
    }
  }
}

using Graph = std::vector<std::vector<std::uint32_t>>;

TEST(ReconvergenceOrder, JoinsComeAfterBothSides) {
  EXPECT_THAT(
      reconvergence_order({{1, 2}, {3}, {3}, {}}),
      ::testing::AnyOf(::testing::ElementsAre(0, 1, 2, 3), ::testing::ElementsAre(0, 2, 1, 3)));
}

TEST(ReconvergenceOrder, LoopsComeBeforeWhatFollowsThem) {
  // 1 is a loop's header with exit 4, whichever edge stands first; 2 → 3 → 1 its body, 2 may break
  // to 4.
  for (const Graph& graph :
       {Graph{{1}, {2, 4}, {3, 4}, {1}, {}}, Graph{{1}, {4, 2}, {4, 3}, {1}, {}}}) {
    EXPECT_THAT(reconvergence_order(graph), ::testing::ElementsAre(0, 1, 2, 3, 4));
  }
  // The entry itself as header.
  for (const Graph& graph : {Graph{{1, 2}, {0}, {}}, Graph{{2, 1}, {0}, {}}}) {
    EXPECT_THAT(reconvergence_order(graph), ::testing::ElementsAre(0, 1, 2));
  }
  // Nested: 1 { 2 { 3 } 4 } 5.
  EXPECT_THAT(reconvergence_order({{1}, {5, 2}, {4, 3}, {2}, {1}, {}}),
              ::testing::ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Flow, WhatLiesBehindForGood) {
  // 0 → 1 (mark) → 2 → 1 or 3; 0 → 3 → 4.
  EXPECT_THAT(behind_for_good({{1, 3}, {2}, {1, 3}, {4}, {}}, {1}),
              ::testing::ElementsAre(0, 0, 0, 1, 1));
  // Two marks, the second behind the first.
  EXPECT_THAT(behind_for_good({{1}, {2}, {3}, {}}, {1, 2}), ::testing::ElementsAre(0, 0, 1, 3));
  EXPECT_THAT(behind_for_good({{0}}, {0}), ::testing::ElementsAre(0));
}

TEST(Flow, BlocksInLoops) {
  // 1 { 2 { 3 } 4 } 5, and a node that is its own loop.
  EXPECT_THAT(in_loops({{1}, {2, 5}, {3}, {2, 4}, {1}, {5, 6}, {}}),
              ::testing::ElementsAre(false, true, true, true, true, true, false));
  EXPECT_THAT(in_loops({{1}, {}}), ::testing::ElementsAre(false, false));
}

TEST(ReconvergenceOrder, LeavesOutTheUnreachableAndSurvivesAnyGraph) {
  EXPECT_THAT(reconvergence_order({{2}, {2}, {}}), ::testing::ElementsAre(0, 2));
  EXPECT_TRUE(reconvergence_order({}).empty());
  Graph chain(200000);
  for (std::uint32_t i = 0; i + 1 < chain.size(); ++i) chain[i] = {i + 1};
  EXPECT_EQ(reconvergence_order(chain).size(), chain.size());
  Graph nest(4000);  // 2000 loops in one another
  for (std::uint32_t i = 0; i < nest.size(); ++i) {
    if (i + 1 < nest.size()) nest[i].push_back(i + 1);
    if (i >= 2000) nest[i].push_back(3999 - i);
  }
  EXPECT_EQ(reconvergence_order(nest).size(), nest.size());
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    Graph graph(1 + random() % 30);
    for (auto& edges : graph) {
      for (unsigned i = random() % 3; i > 0; --i) edges.push_back(random() % graph.size());
    }
    std::vector<std::uint32_t> order = reconvergence_order(graph);
    ASSERT_EQ(order.at(0), 0u);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(std::unique(order.begin(), order.end()), order.end());
  }
}

}  // namespace
}  // namespace warpmark::cpu
