// Copies are found despite attempts to hide them, and solutions of one task are no copies.
#include "grade/similarity/similarity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "grade/similarity/code_prints.hpp"

namespace warpmark {
namespace {

const std::string kStart = R"(
extern "C" __global__ void histogram(const int *in, int *out, int n, int bins) {
  // count in[i]
}
)";
const std::string kHelper = R"(
__device__ int bin_of(int value, int bins) {
  int bin = value % bins;
  while (bin < 0) { bin = bin + bins; }
  if (bin >= bins || value == 0x7fffffff) return bins - 1;
  return bin;
}
)";
const std::string kKernel = R"(
extern "C" __global__ void histogram(const int *in, int *out, int n, int bins) {
  __shared__ int part[256];
  for (int k = threadIdx.x; k < bins; k += blockDim.x) part[k] = 0;
  __syncthreads();
  int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    atomicAdd(&part[bin_of(in[i], bins)], 1);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < bins; k += blockDim.x) {
    if (part[k] != 0) atomicAdd(&out[k], part[k]);
  }
}
)";
// Another person's way: one pass over global memory, unrolled by four, with a clamp.
const std::string kOther = R"(
extern "C" __global__ void histogram(const int *in, int *out, int n, int bins) {
  const unsigned first = 4u * (blockIdx.x * blockDim.x + threadIdx.x);
  int mine[4] = {-1, -1, -1, -1};
#pragma unroll
  for (unsigned j = 0; j != 4u; j++) mine[j] = first + j < n ? abs(in[first + j]) : -1;
  do {
    int lead = mine[0], count = 0;
    if (lead < 0) { mine[0] = mine[1]; mine[1] = mine[2]; mine[2] = mine[3]; mine[3] = -1; }
    else { for (int &m : mine) if (m == lead) { ++count; m = -1; } out[lead & (bins - 1)] += count; }
  } while (mine[0] + mine[1] + mine[2] + mine[3] > -4);
}
)";

std::string renamed(std::string text) {
  for (const auto& [from, to] : {std::pair{"bin_of", "f"},
                                 {"value", "q"},
                                 {"part", "tmp"},
                                 {"stride", "step"},
                                 {"bins", "b"},
                                 {"\\bbin\\b", "r"},
                                 {"\\bk\\b", "jj"},
                                 {"256", "512"}}) {
    text = std::regex_replace(text, std::regex(from), to);
  }
  text = std::regex_replace(text, std::regex(";"), " ; // done\n\n ");
  return "/* my own work */\n" + text;
}

TEST(Similarity, ACopyIsFoundBehindOtherNamesOrderCommentsAndLayout) {
  const Similarity found = find_similar(
      {{"ada", kHelper + kKernel}, {"bob", renamed(kKernel) + renamed(kHelper)}, {"cem", kOther}},
      kStart);
  ASSERT_EQ(found.pairs.size(), 1U);
  EXPECT_EQ(found.pairs[0].a, 0U);
  EXPECT_EQ(found.pairs[0].b, 1U);
  EXPECT_GT(found.pairs[0].share_a, 0.8);
  EXPECT_GT(found.pairs[0].share_b, 0.8);
  EXPECT_FALSE(found.pairs[0].lines_a.empty());
  EXPECT_TRUE(found.too_short.empty());
}

TEST(Similarity, WhatTheTemplateHasDoesNotCount) {
  const std::string given = kHelper + kKernel;
  const Similarity found = find_similar({{"ada", given}, {"bob", renamed(given)}}, given);
  EXPECT_TRUE(found.pairs.empty());
  EXPECT_EQ(found.too_short.size(), 2U);
  EXPECT_EQ(found.prints, (std::vector<size_t>{0, 0}));
}

TEST(Similarity, FiveLinesAreTooShortToTell) {
  const char* const first = R"(extern "C" __global__ void double_array(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = 2 * a[i];
  })";
  const char* const second = R"(extern "C" __global__ void double_array(float *x, int count) {
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me < count) x[me] = 2.0f * x[me];
  })";
  const Similarity found = find_similar({{"ada", first}, {"bob", second}}, "");
  EXPECT_TRUE(found.pairs.empty());
  EXPECT_EQ(found.too_short, (std::vector<size_t>{0, 1}));
  EXPECT_NE(similarity_page(found, "x").find("Too short to tell: 2"), std::string::npos);
}

TEST(Similarity, WhatAQuarterOfTheClassHasIsNobodysOwn) {
  std::vector<SimilaritySource> sources;
  for (int i = 0; i < 12; ++i) sources.push_back({"s" + std::to_string(i), kHelper + kKernel});
  EXPECT_TRUE(find_similar(sources, "").pairs.empty());
  sources.resize(10);  // a group of ten is found
  EXPECT_EQ(find_similar(sources, "").pairs.size(), 45U);
}

// The guarantee of winnowing, at every place of a long text.
TEST(Similarity, ARunOfTokensInCommonHasAPrintInCommon) {
  std::string text;
  for (int i = 0; i < 60; ++i)
    text += i % 3 == 0 ? "if (a < b) " : i % 3 == 1 ? "x[i] += 2; " : "for (;;) ";
  const size_t least = kPrintTokens + kPrintWindow - 1;
  const std::string run = "do y = z * (w - 3) / v [ k ] ; while ( q > 1 ) ;";
  ASSERT_GE(code_prints(run).tokens, least);
  for (size_t cut = 0; cut < text.size(); cut = text.find(' ', cut) + 1) {
    std::unordered_set<uint64_t> own;
    for (const CodePrint& print : code_prints(run).prints) own.insert(print.hash);
    size_t shared = 0;
    for (const CodePrint& print :
         code_prints(text.substr(0, cut) + run + text.substr(cut)).prints) {
      shared += own.contains(print.hash) ? 1 : 0;
    }
    EXPECT_GT(shared, 0U) << cut;
    if (text.find(' ', cut) == std::string::npos) break;
  }
}

TEST(Similarity, PrintsOfPtxKnowNoNumbersAndNoNames) {
  const auto body = [](const std::string& reg, const std::string& label, const std::string& add) {
    std::string text = ".visible .entry k(.param .u64 " + label + ") {\n.reg .b32 %r<9>;\n";
    for (int i = 0; i < 8; ++i) {
      text += "ld.global.u32 " + reg + ", [%rd1+4];\n@%p1 bra $L__" + label + ";\n" + add +
              ".s32 %r2, " + reg + ", 7;\n$L__" + label + ":\n";
    }
    return text + "ret;\n}\n";
  };
  const auto prints = ptx_prints(body("%r1", "BB0", "add"));
  EXPECT_GT(prints.size(), 5U);
  EXPECT_EQ(ptx_prints(body("%r77", "BB0_12", "add")), prints);
  EXPECT_NE(ptx_prints(body("%r1", "BB0", "sub")), prints);
  EXPECT_TRUE(ptx_prints("").empty());
  EXPECT_TRUE(ptx_prints("}}}} \xff {").empty());
}

TEST(Similarity, CompiledCodeTellsPairsThatSourceDoesNot) {
  std::vector<std::string> many, others;
  for (int i = 0; i < 60; ++i) many.push_back("p" + std::to_string(i));
  for (int i = 0; i < 60; ++i) others.push_back((i < 30 ? "p" : "q") + std::to_string(i));
  const std::string ada = kHelper + kKernel;
  Similarity found =
      find_similar({{"ada", ada, many}, {"bob", kOther, many}, {"cem", kOther + ada, others}}, ada);
  EXPECT_TRUE(std::none_of(found.pairs.begin(), found.pairs.end(), [](const SimilarPair& pair) {
    return pair.a == 0;
  })) << "ada has nothing but the template";
  // Code that the compiler makes of the template is nobody's work.
  EXPECT_TRUE(find_similar({{"ada", ada, many}, {"bob", kOther, many}}, "", many).pairs.empty());
  found = find_similar({{"ada", ada, many}, {"bob", kOther, many}}, "");
  ASSERT_EQ(found.pairs.size(), 1U);
  EXPECT_EQ(found.pairs[0].ptx_shared, 60U);
  EXPECT_DOUBLE_EQ(found.pairs[0].ptx_share, 1);
  EXPECT_EQ(found.pairs[0].shared, 0U);
  EXPECT_TRUE(find_similar({{"ada", ada, many}, {"bob", kOther, others}}, "").pairs.empty());
}

TEST(Similarity, HostileTextsAreNoMarkup) {
  const std::string hostile = "/* </pre><script>alert(1)</script> */" + kHelper + kKernel;
  const Similarity found = find_similar({{"<b>ada", hostile}, {"bob\n\"", hostile}}, "");
  ASSERT_EQ(found.pairs.size(), 1U);
  const std::string page = similarity_page(found, "<i>title");
  for (const char* bad : {"<script", "</pre><", "<b>ada", "<i>title"}) {
    EXPECT_EQ(page.find(std::string(bad) == "</pre><" ? "</pre><script" : bad), std::string::npos);
  }
  EXPECT_NE(page.find("&lt;script&gt;"), std::string::npos);
  EXPECT_NE(page.find("<span class=\"same\">"), std::string::npos);
}

TEST(Similarity, AnyBytesAreRead) {
  for (const std::string& text :
       {std::string(), std::string("\xff\x00(\"", 4), std::string(9, '{'), std::string("R\"x(")}) {
    EXPECT_TRUE(find_similar({{"a", text}, {"b", text}}, text).pairs.empty());
  }
}

}  // namespace
}  // namespace warpmark
