// Entries and parameters of PTX, and names of kernels as people write them.
#include "compiler/signature.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace warpmark {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::string_view kSignaturePtx = R"(
.version 9.0
// .entry commented(
.global .align 1 .b8 text[20] = ".entry quoted(";
.visible .entry doublify(
	.param .u64 doublify_param_0,
	.param .u8 doublify_param_1,
	.param .align 8 .b8 doublify_param_2[72],
	.param .f32 p3
)
.maxntid 256, 1, 1
{
	.param .b32 not_a_parameter;
	ret;
}
.weak .entry _ZN2ns2tkIfEEvPT_i(.param .u64 .ptr .align 1 a, .param .u32 b)
{ ret; }
.visible .entry none() { ret; }
.entry bare { ret; }
)";

TEST(ScanEntries, ReadsSizesAlignmentsAndOffsets) {
  const std::vector<Entry> entries = scan_entries(kSignaturePtx);
  ASSERT_EQ(entries.size(), 4U);
  EXPECT_EQ(entries[0].name, "doublify");
  const std::vector<EntryParameter> expected{
      {0, 8, 8, ""}, {8, 1, 1, ""}, {16, 72, 8, ""}, {88, 4, 4, ""}};
  EXPECT_EQ(entries[0].parameters, expected);
  EXPECT_EQ(entries[0].text(), "doublify(8 bytes, 1 byte, 72 bytes, 4 bytes)");
  EXPECT_EQ(entries[1].text(), "ns::tk<float>(float*, int)");
  EXPECT_EQ(entries[1].parameters[0].alignment, 8U);
  EXPECT_EQ(entries[2].text(), "none()");
  EXPECT_EQ(entries[3].text(), "bare()");
}

TEST(ScanEntries, ReadsWhatAKernelAsksOfItsLaunches) {
  const std::vector<Entry> entries = scan_entries(std::string(kSignaturePtx) +
                                                  ".entry fixed(.param .u64 a)\n"
                                                  ".reqntid 32, 4\n.reqnctapercluster 2, 1, 1\n"
                                                  ".minnctapersm 2\n{ ret; }\n"
                                                  ".entry declared\n.maxntid 64 ;\n"
                                                  ".entry after { ret; }\n"
                                                  ".entry counts\n.blocksareclusters\n"
                                                  ".reqntid 32\n.reqnctapercluster 2 { ret; }\n");
  ASSERT_EQ(entries.size(), 8U);
  EXPECT_EQ(entries[0].bounds.most_threads, 256U);
  EXPECT_EQ(entries[1].bounds, KernelBounds{});
  EXPECT_EQ(entries[4].bounds.block, (std::array<uint64_t, 3>{32, 4, 1}));
  EXPECT_EQ(entries[4].bounds.cluster, (std::array<uint64_t, 3>{2, 1, 1}));
  EXPECT_EQ(entries[4].bounds.most_threads, 0U);
  EXPECT_EQ(entries[5].bounds.most_threads, 64U);
  EXPECT_EQ(entries[6].name, "after");
  EXPECT_EQ(entries[7].bounds.block, (std::array<uint64_t, 3>{32, 1, 1}));
  EXPECT_EQ(entries[7].bounds.cluster, (std::array<uint64_t, 3>{})) << "any grid will do";
}

TEST(ScanEntries, CutTextsEnd) {
  for (size_t length = 0; length <= kSignaturePtx.size(); ++length)
    scan_entries(kSignaturePtx.substr(0, length));
  scan_entries(".entry x(.param .b8 y[99999999999999999999999])");
}

TEST(ScanEntries, HostileNamesAreOnlyNames) {
  const std::string deep = "_Z1f" + std::string(1000000, 'P') + "i";
  EXPECT_EQ(scan_entries(".entry " + deep + "()").at(0).demangled, deep);
  const std::string less = "_Z1f" + std::string(4000, 'P') + "i";
  EXPECT_EQ(scan_entries(".entry " + less + "()").size(), 1U);
  EXPECT_EQ(
      scan_entries(".entry _Z(.param .align 18446744073709551615 .b8 a[18446744073709551615], "
                   ".param .b64 b)")
          .at(0)
          .parameters.size(),
      2U);
}

TEST(ParameterTypes, SplitsAtTopLevelCommas) {
  EXPECT_THAT(*parameter_types("void f<int, 2>(float*, P<int, 3>, void (*)(int, int))"),
              testing::ElementsAre("float*", "P<int, 3>", "void (*)(int, int)"));
  EXPECT_THAT(*parameter_types("f()"), testing::IsEmpty());
  EXPECT_FALSE(parameter_types("doublify").has_value());
}

TEST(SetTypes, SizesDecide) {
  Entry entry{"k", "k", {{0, 8, 8, ""}, {8, 4, 4, ""}}, {}};
  set_types(entry, {"float*"});
  EXPECT_EQ(entry.parameters[0].type, "");
  set_types(entry, {"float*", "double"});
  EXPECT_EQ(entry.parameters[0].type, "");
  set_types(entry, {"float*", "unsigned int"});
  EXPECT_EQ(entry.text(), "k(float*, unsigned int)");
}

class FindEntry : public testing::Test {
 protected:
  std::string error_of(const std::string& wanted, const std::vector<Entry>& entries) {
    try {
      find_entry(entries, wanted, "doublify.cu");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::verdict);
      return error.what();
    }
    return "no error";
  }
  std::string found(const std::string& wanted) {
    return find_entry(entries_, wanted, "doublify.cu").name;
  }

  static Entry mangled(const std::string& symbol) { return {symbol, demangle(symbol), {}, {}}; }
  std::vector<Entry> entries_{mangled("doublify"), mangled("_Z2ovPf"), mangled("_Z2ovPd"),
                              mangled("_ZN2ns2tkIfEEvPT_i"), mangled("_ZN2ns5otherEPf")};
};

TEST_F(FindEntry, BySymbolAndByEveryUniqueSpelling) {
  EXPECT_EQ(found("doublify"), "doublify");
  EXPECT_EQ(found("_Z2ovPd"), "_Z2ovPd");
  EXPECT_EQ(found("ov(double*)"), "_Z2ovPd");
  for (const char* wanted : {"tk", "tk<float>", "ns::tk", "ns::tk<float>", "tk<float>(float*,int)",
                             "ns::tk<float>(float*, int)"}) {
    EXPECT_EQ(found(wanted), "_ZN2ns2tkIfEEvPT_i") << wanted;
  }
  EXPECT_EQ(found("other"), "_ZN2ns5otherEPf");
}

TEST_F(FindEntry, AnAmbiguousNameListsItsMeanings) {
  EXPECT_THAT(error_of("ov", entries_), AllOf(HasSubstr("`ov` names 2 kernels in doublify.cu")));
}

TEST_F(FindEntry, TheSuitesArgumentsDistinguishOverloads) {
  const auto entry = [](const std::string& symbol, const std::vector<size_t>& bytes) {
    Entry made = mangled(symbol);
    for (const size_t size : bytes) made.parameters.push_back({0, size, size, ""});
    set_types(made, parameter_types(made.demangled).value());
    return made;
  };
  const std::vector<Entry> overloads = {
      entry("_Z1kPf", {8}), entry("_Z1kPKfPfi", {8, 8, 4}), entry("_Z1kPKdPdi", {8, 8, 4}),
      entry("_Z1kPKfPfl", {8, 8, 8}), entry("_Z1kPKfPff", {8, 8, 4})};
  const auto f32 = find_dtype("float32"), f64 = find_dtype("float64"), i32 = find_dtype("int32");
  const GivenArgument floats{true, f32}, doubles{true, f64}, number{false, i32};
  const auto chosen = [&](const std::vector<GivenArgument>& arguments) {
    return find_entry(overloads, "k", "x.cu", arguments).name;
  };
  EXPECT_EQ(chosen({floats}), "_Z1kPf");
  EXPECT_EQ(chosen({floats, floats, number}), "_Z1kPKfPfi");
  EXPECT_EQ(chosen({doubles, doubles, number}), "_Z1kPKdPdi");
  EXPECT_EQ(chosen({floats, floats, {false, find_dtype("int64")}}), "_Z1kPKfPfl");
  // Types that the suite leaves open leave two.
  EXPECT_EQ(chosen({floats, {true, {}}, number}), "_Z1kPKfPfi");
  EXPECT_THROW(chosen({{true, {}}, {true, {}}, number}), Error);
  EXPECT_THROW(chosen({number}), Error);
  // A name that means one kernel means it whatever its parameters: those that do not fit are
  // reported later with their types.
  EXPECT_EQ(find_entry(entries_, "other", "x.cu", {number}).name, "_ZN2ns5otherEPf");
}

TEST_F(FindEntry, AMissingNameListsAllAndTheNearest) {
  EXPECT_THAT(error_of("doublyfi", entries_),
              AllOf(HasSubstr("no kernel `doublyfi` in doublify.cu; it has: doublify()"),
                    HasSubstr("did you mean `doublify`?")));
  EXPECT_THAT(error_of("k", {}), HasSubstr("it has no kernels"));
}

TEST(UsageInLog, BelongsToTheEntryBeforeIt) {
  const auto usage = usage_in_log(
      "ptxas info    : Compiling entry function 'a' for 'sm_90'\n"
      "ptxas info    : Used 8 registers, used 0 barriers\n"
      "ptxas info    : Compiling entry function 'b' for 'sm_90'\n"
      "ptxas info    : Used 255 registers, used 1 barriers, 4096 bytes smem\nUsed x registers\n");
  ASSERT_EQ(usage.size(), 2U);
  EXPECT_EQ(usage.at("a").registers, 8U);
  EXPECT_EQ(usage.at("a").shared, 0U);
  EXPECT_EQ(usage.at("b").registers, 255U);
  EXPECT_EQ(usage.at("b").shared, 4096U);
}

}  // namespace
}  // namespace warpmark
