// Lines, inlined calls and names as PTX gives them, and notes of checks that ran out of room.
#include "program/source_place.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "inspect/fault.hpp"
#include "inspect/observer.hpp"
#include "machine/grid.hpp"
#include "machine/handlers.hpp"
#include "memory/arena.hpp"
#include "memory/lanes.hpp"
#include "ptx/link.hpp"
#include "ptx/parser.hpp"

namespace warpmark::cpu {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

// A kernel of a body, with files 1 and 2 and the names that NVRTC writes for `load` and `twice`.
class Kernel {
 public:
  explicit Kernel(const std::string& body, const std::string& names = kNames)
      : module_(parse_ptx(
            ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
            ".reg .b32 %r<4>; .reg .b64 %a<4>;\n" +
            body + "ret;\n}\n.file 1 \"k.cu\"\n.file 2 \"load.cuh\"\n" + names)),
        program_(decode(module_, module_.functions[0], Placement{})) {
    bind(program_, handlers(Watch::everything));
  }
  [[nodiscard]] std::vector<std::string> lines(std::uint32_t statement) const {
    std::vector<std::string> texts;
    for (const SourceLine& line : source_lines(program_, statement))
      texts.push_back(std::string(line.file) + ":" + std::to_string(line.line) + " " +
                      line.function);
    return texts;
  }
  [[nodiscard]] const Program& program() const { return program_; }

  // "_Z5twicePKfi" and "_Z4loadPKfi".
  static constexpr const char* kNames =
      ".section .debug_str\n{\n$L__info_string0:\n.b8 95,90,53,116,119,105,99,101,80,75,102,105,0\n"
      "$L__info_string1:\n.b8 95,90,52,108\n.b8 111,97,100,80,75,102,105,0\n}\n";

 private:
  Module module_;
  Program program_;
};

// The author of a kernel looks at the line that uses a library, and not ten headers deep.
TEST(SourcePlace, OwnLineIsNotInALibrary) {
  const auto own = [](const std::vector<const char*>& files) {
    std::vector<SourceLine> lines;
    for (const char* file : files) lines.push_back({file, 1, "", false, false});
    return own_line(lines);
  };
  EXPECT_EQ(own({"/lib/include/cute/arch/copy_sm90_tma.hpp", "/lib/include/cute/algorithm/copy.hpp",
                 "/home/me/gemm.cu"}),
            2u);
  EXPECT_EQ(own({"../tk/include/ops/group/mma.cuh", "load.cuh", "k.cu"}), 1u);
  EXPECT_EQ(own({"/usr/include/cuda/std/barrier", "k.cu"}), 1u);
  EXPECT_EQ(own({"/lib/include/deep_gemm/tma.cuh", "/lib/include/deep_gemm/gemm.cuh"}), 0u)
      << "a kernel of the library itself";
  EXPECT_EQ(own({"load.cuh", "k.cu"}), 0u) << "its own header";
}

// Compilers give line 0 to what they have made of several lines.
TEST(SourcePlace, LineZeroIsTheLineBefore) {
  const Kernel kernel(
      ".loc 1 9 3\n mov.u32 %r1, 0;\n.loc 1 0 0\n mov.u32 %r1, 1;\n"
      ".loc 2 0 0\n mov.u32 %r1, 2;\n");
  EXPECT_THAT(kernel.lines(1), ElementsAre("k.cu:9 "));
  EXPECT_THAT(kernel.lines(2), ElementsAre("load.cuh:0 "));
}

TEST(SourcePlace, ACallThatWasInlinedTwiceHasTwoChains) {
  const Kernel kernel(
      ".loc 1 9 3\n mov.u32 %r1, 0;\n"
      ".loc 1 5 3, function_name $L__info_string0, inlined_at 1 9 3\n"
      ".loc 2 2 3, function_name $L__info_string1, inlined_at 1 5 3\n mov.u32 %r1, 1;\n"
      ".loc 1 11 5\n"
      ".loc 1 5 3, function_name $L__info_string0, inlined_at 1 11 5\n"
      ".loc 2 2 3, function_name $L__info_string1, inlined_at 1 5 3\n mov.u32 %r1, 2;\n"
      ".loc 1 12 5\n mov.u32 %r1, 3;\n");
  EXPECT_THAT(kernel.lines(0), ElementsAre("k.cu:9 "));
  EXPECT_THAT(kernel.lines(1), ElementsAre("load.cuh:2 load", "k.cu:5 twice", "k.cu:9 "));
  EXPECT_THAT(kernel.lines(2), ElementsAre("load.cuh:2 load", "k.cu:5 twice", "k.cu:11 "));
  EXPECT_THAT(kernel.lines(3), ElementsAre("k.cu:12 "));
  EXPECT_FALSE(same_place(kernel.program(), 1, 2));
  EXPECT_TRUE(same_place(kernel.program(), 1, 1));
}

TEST(SourcePlace, ThePlaceOfACallIsRememberedFromAfar) {
  std::string body =
      ".loc 1 9 3\n.loc 1 5 3, function_name $L__info_string0, inlined_at 1 9 3\n"
      ".loc 2 2 3, function_name $L__info_string1, inlined_at 1 5 3\n mov.u32 %r1, 1;\n";
  for (int line = 100; line < 400; ++line) body += ".loc 1 " + std::to_string(line) + " 1\n";
  body += ".loc 2 2 3, function_name $L__info_string1, inlined_at 1 5 3\n mov.u32 %r1, 2;\n";
  const Kernel kernel(body);
  EXPECT_EQ(kernel.lines(1), kernel.lines(0));
  EXPECT_THAT(kernel.lines(1), SizeIs(3));
  EXPECT_TRUE(same_place(kernel.program(), 0, 1));
}

TEST(SourcePlace, HostileTexts) {
  // A call at its own place; one that no .loc named; labels that are nowhere, or twice.
  const Kernel kernel(
      ".loc 1 5 3, function_name $L__info_string7, inlined_at 1 5 3\n mov.u32 %r1, 0;\n"
      ".loc 2 1 1, function_name $L__info_string0, inlined_at 1 77 7\n mov.u32 %r1, 1;\n"
      ".loc 9 1 1\n mov.u32 %r1, 2;\n",
      std::string(Kernel::kNames) + ".section .debug_str\n{\n$L__info_string0:\n.b8 65,300,0\n}\n");
  EXPECT_THAT(kernel.lines(0), ElementsAre("k.cu:5 ", "k.cu:5 "));
  EXPECT_THAT(kernel.lines(1), ElementsAre("load.cuh:1 ", "k.cu:77 "));
  EXPECT_THAT(kernel.lines(2), SizeIs(0));
  EXPECT_THAT(kernel.lines(1000000), SizeIs(0));
  // As deep as a text likes: the report ends somewhere.
  std::string deep = ".loc 1 1 1\n";
  for (int level = 2; level < 3000; ++level)
    deep += ".loc 1 " + std::to_string(level) +
            " 1, function_name $L__info_string0, inlined_at 1 " + std::to_string(level - 1) +
            " 1\n";
  EXPECT_THAT(Kernel(deep + "mov.u32 %r1, 0;\n").lines(0), SizeIs(64));
}

// Debug information of -G: .loc without calls, and DWARF sections with them. `twice`, from
// _Z5twicef, is inlined at line 9 of the kernel between the labels 1 and 4, and load at line 5 of
// it between 2 and 3.
constexpr const char* kInlined =
    ".loc 1 9 3\n mov.u32 %r1, 0;\n$L__tmp1:\n.loc 1 5 3\n mov.u32 %r1, 1;\n$L__tmp2:\n"
    ".loc 2 2 3\n mov.u32 %r1, 2;\n$L__tmp3:\n.loc 1 6 3\n mov.u32 %r1, 3;\n$L__tmp4:\n"
    ".loc 1 9 3\n mov.u32 %r1, 4;\n";
constexpr const char* kAbbreviations =
    ".section .debug_abbrev\n{\n.b8 1,17,1,0,0\n.b8 2,46,0,3,8,0,0\n.b8 3,46,1,0,0\n"
    ".b8 4,29,1,49,19,17,1,18,1,88,11,89,11,0,0\n.b8 0\n}\n";
// Entries: unit, `load` at byte 12, `twice` at byte 18, the kernel, and the two calls in it.
constexpr const char* kInformation =
    ".section .debug_info\n{\n.b32 76\n.b8 2\n.b8 0\n.b32 .debug_abbrev\n.b8 8\n.b8 1\n"
    ".b8 2,108,111,97,100,0\n.b8 2,95,90,53,116,119,105,99,101,102,0\n.b8 3\n"
    ".b8 4\n.b32 18\n.b64 $L__tmp1\n.b64 $L__tmp4\n.b8 1\n.b8 9\n"
    ".b8 4\n.b32 12\n.b64 $L__tmp2\n.b64 $L__tmp3\n.b8 1\n.b8 5\n.b8 0,0,0,0\n}\n";

TEST(SourcePlace, CallsOfDebugSections) {
  for (const bool information_first : {false, true}) {
    const std::string one = kAbbreviations, other = kInformation;
    const Kernel kernel(kInlined, information_first ? other + one : one + other);
    EXPECT_THAT(kernel.lines(0), ElementsAre("k.cu:9 "));
    EXPECT_THAT(kernel.lines(1), ElementsAre("k.cu:5 twice", "k.cu:9 "));
    EXPECT_THAT(kernel.lines(2), ElementsAre("load.cuh:2 load", "k.cu:5 twice", "k.cu:9 "));
    EXPECT_THAT(kernel.lines(3), ElementsAre("k.cu:6 twice", "k.cu:9 "));
    EXPECT_THAT(kernel.lines(4), ElementsAre("k.cu:9 "));
  }
}

// Each text numbers its files and labels from the start.
TEST(SourcePlace, CallsOfDebugSectionsOfLinkedTexts) {
  const auto text = [](const std::string& name) {
    return ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry " + name +
           "(.param .u64 p)\n{\n.reg .b32 %r<4>;\n" + kInlined + "ret;\n}\n.file 1 \"" + name +
           ".cu\"\n.file 2 \"load.cuh\"\n" + kAbbreviations + kInformation;
  };
  const Module module = parse_ptx(link_ptx({{"one", text("one")}, {"other", text("other")}}));
  for (const Function& function : module.functions) {
    const Program program = decode(module, function, Placement{});
    const std::vector<SourceLine> lines = source_lines(program, 2);
    ASSERT_THAT(lines, SizeIs(3));
    EXPECT_EQ(lines[0].file, "load.cuh");
    EXPECT_EQ(lines[2].file, std::string(function.name) + ".cu");
    EXPECT_EQ(lines[2].line, 9);
  }
}

TEST(SourcePlace, HostileDebugSections) {
  // Cut off anywhere, or with another number in it: no call is known, or another, and that is all.
  const std::string information = kInformation, abbreviations = kAbbreviations;
  for (std::size_t i = 24; i < information.size() - 2; i += 3) {
    const Kernel cut(kInlined, abbreviations + information.substr(0, i) + "\n}\n");
    EXPECT_THAT(cut.lines(0), ElementsAre("k.cu:9 "));
    std::string wrong = information;
    if (wrong[i] >= '0' && wrong[i] <= '9') wrong[i] = wrong[i] == '9' ? '0' : '9';
    EXPECT_THAT(Kernel(kInlined, abbreviations + wrong).lines(1), testing::Not(SizeIs(0)));
  }
  for (std::size_t i = 24; i < abbreviations.size() - 2; ++i) {
    std::string wrong = abbreviations;
    if (wrong[i] >= '0' && wrong[i] <= '9') wrong[i] = wrong[i] == '9' ? '0' : '9';
    EXPECT_THAT(Kernel(kInlined, wrong + information).lines(1), testing::Not(SizeIs(0)));
  }
}

TEST(ReadableName, OfManglings) {
  const std::pair<const char*, const char*> names[] = {
      {"_Z4loadPKfi", "load"},
      {"_Z4loadIfET_PKS0_i", "load"},
      {"_ZN5tools4loadIfEET_PKS1_i", "tools::load"},
      {"_ZNK4ScanIfLi32EE4stepEi", "Scan::step"},
      {"_ZN12_GLOBAL__N_14helpEv", "help"},
      {"_ZN3FooIN3BarIiE4TypeEE3getEv", "Foo::get"},
      {"_ZL4helpv", "help"},
      {"kernel", "kernel"},
      {"_Z", "_Z"},
      {"_Z99load", "_Z99load"},
      {"_ZN4load", "_ZN4load"},
      {"_ZN3FooIE", "_ZN3FooIE"},
      {"_ZlsRSoi", "_ZlsRSoi"},
      {"", ""},
  };
  for (const auto& [mangled, readable] : names) EXPECT_EQ(readable_name(mangled), readable);
}

TEST(VariableName, OfManglingsAndPartsOfVariables) {
  const std::pair<const char*, const char*> names[] = {
      {"_ZZ1kPfE4tile", "tile"},
      {"_ZZ1kPfE4tile_0", "tile"},
      {"_ZZ1kE3tot_$_0", "tot"},
      {"_ZZ1kE3tot_0_$_12", "tot"},
      {"_ZZ1kE3tot_$_0_$_1", "tot"},
      {"_ZN5tools5tableE", "table"},
      {"_ZN5tools5tableE_$_1", "table"},
      {"table_$_1", "table"},
      {"table", "table"},
      {"table_1", "table_1"},
      {"table_$_", "table_$_"},
      {"_$_1", "_$_1"},
      {"", ""},
  };
  for (const auto& [mangled, readable] : names) EXPECT_EQ(variable_name(mangled), readable);
}

TEST(Incomplete, RunningOutOfRoomIsReported) {
  const Kernel kernel(
      ".loc 1 3 1\n ld.param.u64 %a1, [p];\n mov.u32 %r1, %tid.x;\n st.global.u32 [%a1], %r1;\n");
  Arena arena(std::uint64_t{1} << 30, std::uint64_t{1} << 26);
  const std::uint64_t address = arena.allocate(64);
  const auto launch = [&](std::uint64_t room) {
    InspectionMemory memory(arena);
    for (int shift = 0; shift < 3; ++shift)
      memory.races.at(static_cast<std::size_t>(shift)) =
          RaceMemory(arena.global_begin(), shift, room);
    LaunchShape shape;
    shape.block = {33, 1, 1};
    shape.exact_bounds = true;
    shape.checks.race = true;
    shape.inspection = &memory;
    shape.parameters.resize(8);
    std::memcpy(shape.parameters.data(), &address, 8);
    std::vector<FaultKind> kinds;
    for (const Fault& fault : run_grid(kernel.program(), shape, arena).faults)
      kinds.push_back(fault.kind);
    return kinds;
  };
  EXPECT_THAT(launch(std::uint64_t{1} << 24), ElementsAre(FaultKind::race));
  EXPECT_THAT(launch(0), ElementsAre(FaultKind::incomplete));
}

}  // namespace
}  // namespace warpmark::cpu
