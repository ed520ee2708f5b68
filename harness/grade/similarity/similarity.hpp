// Which submissions are alike: pairs for people to look at, never a penalty.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpmark {

/// Fingerprints of PTX, over normalised_ptx(): a compiler often makes the same of macros, other types
/// of loops, and statements in another order. They are hexadecimal digits, each once, in order; at
/// most 4000.
std::vector<std::string> ptx_prints(std::string_view ptx);

/// The submission of a student.
struct SimilaritySource {
  std::string student;
  std::string text;
  std::vector<std::string> ptx =
      {};  ///< ptx_prints() of its compiled code; none if nothing was compiled
};

/// All that is compared, and what students started from.
struct SimilarityInput {
  std::vector<SimilaritySource> sources;
  std::string template_text;
  std::vector<std::string> template_ptx = {};  ///< ptx_prints() of the template
};

/// From a line to a line, both included.
using LineRange = std::pair<int, int>;

struct SimilarPair {
  size_t a = 0, b = 0;              ///< indices of the sources
  size_t shared = 0;                ///< different fingerprints
  double share_a = 0, share_b = 0;  ///< share of the prints of each
  std::vector<LineRange> lines_a, lines_b;
  size_t ptx_shared = 0;  ///< fingerprints of compiled code
  double ptx_share = 0;   ///< share of the source with the larger one
};

struct Similarity {
  std::vector<SimilaritySource> sources;
  std::vector<size_t> prints;     ///< prints of each source, without the template's and common ones
  std::vector<size_t> too_short;  ///< sources with fewer than kFewestPrints
  std::vector<SimilarPair> pairs;  ///< most shared first, of source and compiled code together
};

/// Fewer fingerprints than these, about 70 tokens, are too short to tell a copy from another
/// solution of the same task.
constexpr size_t kFewestPrints = 20;
/// The least number of common prints of a pair, and the least share of one of the two.
constexpr size_t kFewestShared = 8;
constexpr double kLeastShare = 0.3;
/// Compiled code of one task is more alike than its source: a pair that only compiled code shows
/// needs so many prints, and so large a share of both.
constexpr size_t kFewestPtx = 40;
constexpr double kLeastPtxShare = 0.7;

/// Looks for pairs through an index of fingerprints, without comparing texts. Fingerprints of
/// `template_text` and of `template_ptx` (its ptx_prints()) do not count, nor do those that more
/// than 10 sources and a quarter of all have.
Similarity find_similar(std::vector<SimilaritySource> sources, const std::string& template_text,
                        const std::vector<std::string>& template_ptx = {});

/// Pairs side by side, with the lines that they share marked.
std::string similarity_page(const Similarity& similarity, const std::string& title);
/// The same as JSON, without sources.
std::string similarity_json(const Similarity& similarity, const std::string& assignment);

}  // namespace warpmark
