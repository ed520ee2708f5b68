#include "grade/similarity/similarity.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "grade/similarity/code_prints.hpp"

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

// Adds the evidence of compiled code to the known pairs, and pairs that only compiled code shows.
void add_ptx(Similarity& found, const std::vector<std::string>& given) {
  std::unordered_map<std::string_view, std::vector<size_t>> index;
  for (size_t i = 0; i < found.sources.size(); ++i) {
    for (const std::string& print : found.sources[i].ptx) index[print].push_back(i);
  }
  for (const std::string& print : given) index.erase(print);
  const size_t most = std::max(kCommonSources, found.sources.size() / 4);
  std::vector<size_t> own(found.sources.size());
  std::map<std::pair<size_t, size_t>, size_t> shared;
  for (const auto& [print, holders] : index) {
    if (holders.size() > most) continue;
    for (size_t i = 0; i < holders.size(); ++i) {
      ++own[holders[i]];
      for (size_t j = i + 1; j < holders.size(); ++j) ++shared[{holders[i], holders[j]}];
    }
  }
  std::map<std::pair<size_t, size_t>, size_t> known;
  for (size_t i = 0; i < found.pairs.size(); ++i) known[{found.pairs[i].a, found.pairs[i].b}] = i;
  for (const auto& [pair, count] : shared) {
    const auto [a, b] = pair;
    const auto share = [&, shares = count](size_t i) {
      return static_cast<double>(shares) / static_cast<double>(own[i]);
    };
    auto place = known.find(pair);
    if (place == known.end()) {
      // For a task of five lines the compiler makes the same code of every solution.
      if (std::min(found.prints[a], found.prints[b]) < kFewestPrints) continue;
      if (count < kFewestPtx || std::min(share(a), share(b)) < kLeastPtxShare) continue;
      place = known.emplace(pair, found.pairs.size()).first;
      found.pairs.push_back({a, b, 0, 0, 0, {}, {}});
    }
    found.pairs[place->second].ptx_shared = count;
    found.pairs[place->second].ptx_share = std::max(share(a), share(b));
  }
}

}  // namespace

Similarity find_similar(std::vector<SimilaritySource> sources, const std::string& template_text,
                        const std::vector<std::string>& template_ptx) {
  Similarity found;
  std::vector<CodePrints> prints;
  prints.reserve(sources.size());
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
  add_ptx(found, template_ptx);
  std::ranges::stable_sort(found.pairs, [](const SimilarPair& x, const SimilarPair& y) {
    return x.shared + x.ptx_shared > y.shared + y.ptx_shared;
  });
  return found;
}

}  // namespace warpmark
