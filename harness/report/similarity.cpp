#include "report/similarity.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "report/code_prints.hpp"

namespace warpmark {
namespace {

constexpr size_t kCommonSources = 10;

// The lines of a source that have these fingerprints, as ranges that do not touch.
std::vector<LineRange> lines_of(const CodePrints& prints,
                                const std::unordered_set<uint64_t>& shared) {
  std::vector<LineRange> lines;
  for (const CodePrint& print : prints.prints) {
    if (!shared.contains(print.hash)) continue;
    if (!lines.empty() && print.first_line <= lines.back().second + 1) {
      lines.back().second = std::max(lines.back().second, print.last_line);
    } else {
      lines.emplace_back(print.first_line, print.last_line);
    }
  }
  return lines;
}

// Sources by fingerprint; each source once.
using PrintIndex = std::unordered_map<uint64_t, std::vector<size_t>>;

PrintIndex index_of(const std::vector<CodePrints>& prints, const CodePrints& given) {
  PrintIndex index;
  for (size_t i = 0; i < prints.size(); ++i) {
    for (const CodePrint& print : prints[i].prints) {
      if (given.all.contains(print.hash)) continue;
      std::vector<size_t>& sources = index[print.hash];
      if (sources.empty() || sources.back() != i) sources.push_back(i);
    }
  }
  const size_t most = std::max(kCommonSources, prints.size() / 4);
  std::erase_if(index, [most](const auto& entry) { return entry.second.size() > most; });
  return index;
}

}  // namespace

Similarity find_similar(std::vector<SimilaritySource> sources, const std::string& template_text) {
  Similarity found;
  std::vector<CodePrints> prints;
  for (const SimilaritySource& one : sources) prints.push_back(code_prints(one.text));
  found.sources = std::move(sources);
  const PrintIndex index = index_of(prints, code_prints(template_text));
  found.prints.resize(prints.size());
  for (const auto& [hash, holders] : index) {
    for (const size_t i : holders) ++found.prints[i];
  }
  for (size_t i = 0; i < prints.size(); ++i) {
    if (found.prints[i] < kFewestPrints) found.too_short.push_back(i);
  }
  std::map<std::pair<size_t, size_t>, std::unordered_set<uint64_t>> shared;
  for (const auto& [hash, holders] : index) {
    for (size_t i = 0; i < holders.size(); ++i) {
      if (found.prints[holders[i]] < kFewestPrints) continue;
      for (size_t j = i + 1; j < holders.size(); ++j) {
        if (found.prints[holders[j]] < kFewestPrints) continue;
        shared[{holders[i], holders[j]}].insert(hash);
      }
    }
  }
  for (const auto& [pair, hashes] : shared) {
    const auto [a, b] = pair;
    const auto count = static_cast<double>(hashes.size());
    SimilarPair one{a,
                    b,
                    hashes.size(),
                    count / static_cast<double>(found.prints[a]),
                    count / static_cast<double>(found.prints[b]),
                    {},
                    {}};
    if (one.shared < kFewestShared || std::max(one.share_a, one.share_b) < kLeastShare) continue;
    one.lines_a = lines_of(prints[a], hashes);
    one.lines_b = lines_of(prints[b], hashes);
    found.pairs.push_back(std::move(one));
  }
  std::stable_sort(found.pairs.begin(), found.pairs.end(),
                   [](const SimilarPair& a, const SimilarPair& b) { return a.shared > b.shared; });
  return found;
}

}  // namespace warpmark
