#include "grade/feedback/anonymous.hpp"

#include <algorithm>

#include "base/hex.hpp"
#include "grade/assignment/seeds.hpp"

namespace warpmark {

namespace {

std::string hmac_bytes(std::string_view key, std::string_view message) {
  const auto digest = hmac_sha256(key, message);
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// Names of one or two letters are left in, because they occur in any sentence.
void take_out(std::string& text, const std::string& name) {
  constexpr size_t kFewestLetters = 3;
  if (name.size() < kFewestLetters) return;
  for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; ++at) {
    text.replace(at, name.size(), "…");
  }
}

}  // namespace

Pseudonyms::Pseudonyms(std::string_view secret) : key_("warpmark pseudonym 1") {
  constexpr int kRounds = 100'000;
  for (int i = 0; i < kRounds; ++i) key_ = hmac_bytes(secret, key_);
}

std::string Pseudonyms::of(std::string_view student) const {
  constexpr size_t kDigits = 10;
  return "student-" + to_hex(hmac_bytes(key_, student)).substr(0, kDigits);
}

std::vector<GradeResult> anonymous_results(std::vector<GradeResult> results,
                                           const Pseudonyms& pseudonyms) {
  for (GradeResult& result : results) {
    result.ids.clear();
    for (GradedCase& one : result.cases) {
      for (GradedItem& item : one.items) {
        item.reproduce.clear();
        item.note.clear();
        item.evidence.clear();  // it has lines of the file
        for (std::string* text : {&item.explanation, &item.detail}) {
          take_out(*text, result.student);
          take_out(*text, result.file);
        }
        for (DroppedTrial& dropped : item.dropped) {
          take_out(dropped.explanation, result.student);
          take_out(dropped.explanation, result.file);
        }
        // So may the reason why one of several files is missing.
        for (const GradedFile& file : result.files) {
          if (!file.problem.empty() && item.explanation == file.problem) item.explanation.clear();
        }
        // The message for the whole submission, which may quote it.
        if (result.state != GradeState::graded) item.explanation.clear();
        if (result.state != GradeState::graded) item.detail.clear();
      }
    }
    for (GradeAdjustment& one : result.adjustments) one.reason.clear();
    for (std::string* text : {&result.file, &result.submission_sha256, &result.key, &result.message,
                              &result.log, &result.staff, &result.handed_in}) {
      text->clear();
    }
    result.files.clear();
    result.ptx_prints.clear();
    result.leaderboard.reset();
    result.student = pseudonyms.of(result.student);
  }
  std::ranges::sort(results, {}, &GradeResult::student);
  return results;
}

}  // namespace warpmark
