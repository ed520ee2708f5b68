// A result is graded again after any change of what decides it, and of nothing else.
#include "grade/grader/grade_key.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/build_id.hpp"
#include "base/file.hpp"
#include "base/sha256.hpp"
#include "results/run_context.hpp"

namespace warpmark {
namespace {

struct Parts {
  Submission submission;
  Assignment assignment;
  KeyContext context;
  std::string key() const { return grade_key(submission, assignment, context); }
};

Parts example() {
  Parts parts;
  parts.submission.student = "ada";
  parts.submission.file = "scale.cu";
  parts.submission.sha256 = "1111";
  parts.assignment.verdict_sha256 = "2222";
  parts.context = {"0.1.0 3333", "CPU sm_90", "13000 4444", "13.0", "5555", false};
  return parts;
}

TEST(GradeKey, ChangesWithEverythingThatDecides) {
  const std::vector<std::function<void(Parts&)>> changes = {
      [](Parts& parts) { parts.submission.student = "bob"; },
      [](Parts& parts) { parts.submission.file = "my.cu"; },
      [](Parts& parts) { parts.submission.sha256 = "1112"; },
      [](Parts& parts) { parts.submission.refusal = "is empty"; },
      [](Parts& parts) { parts.submission.note = "was taken for scale.cu"; },
      [](Parts& parts) { parts.assignment.verdict_sha256 = "2223"; },
      [](Parts& parts) { parts.context.program = "0.1.0 3334"; },
      [](Parts& parts) { parts.context.device = "CPU sm_80"; },
      [](Parts& parts) { parts.context.driver_version = "13000 4445"; },
      [](Parts& parts) { parts.context.nvrtc_version = "12.4"; },
      [](Parts& parts) { parts.context.secret = "5556"; },
      [](Parts& parts) { parts.context.no_sandbox = true; },
      // A field's end counts: what moves from one to the next is another result.
      [](Parts& parts) {
        parts.submission.student = "adas";
        parts.submission.file = "cale.cu";
      }};
  std::set<std::string> keys = {example().key()};
  for (const auto& change : changes) {
    Parts parts = example();
    change(parts);
    keys.insert(parts.key());
  }
  EXPECT_EQ(keys.size(), changes.size() + 1);
}

TEST(GradeKey, DependsOnNothingElse) {
  Parts moved = example();
  moved.submission.path = "elsewhere/scale.cu";
  moved.submission.text = "read, and in the hash";
  moved.assignment.title = "Another title";
  moved.assignment.sha256 = "of the title, too";
  moved.assignment.file = "elsewhere/hw1.yaml";
  EXPECT_EQ(moved.key(), example().key());
  EXPECT_EQ(example().key().size(), 64U);
}

TEST(GradeKey, DistinguishesProgramsAndDrivers) {
  DeviceFacts device;
  device.name = "CPU";
  device.target = "sm_90";
  device.driver_version = 13000;
  device.driver = "/no/such/library.so";
  device.nvrtc_version = "13.0";
  const KeyContext context = key_context(device, "secret", false);
  EXPECT_EQ(context.program, warpmark_version() + " " + build_id("/proc/self/exe"));
  EXPECT_EQ(context.device, "CPU sm_90");
  EXPECT_EQ(context.driver_version, "13000 ");
  device.driver = "/proc/self/exe";  // any file with a build ID
  EXPECT_EQ(key_context(device, "secret", false).driver_version,
            "13000 " + build_id("/proc/self/exe"));
  const TemporaryFolder folder;
  device.driver = folder.path() / "without";
  write_file_atomically(device.driver, "no program");
  EXPECT_EQ(key_context(device, "secret", false).driver_version,
            "13000 " + sha256_hex("no program"));
  EXPECT_EQ(key_context(device, "secret", false).program, context.program);
}

}  // namespace
}  // namespace warpmark
