#include "report/problems/annotations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

#include "base/file.hpp"
#include "unit/results/example_outcome.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

// GITHUB_WORKSPACE as a test wants it, also where the tests themselves run on a runner.
class Workspace {
 public:
  explicit Workspace(const fs::path& folder) {
    if (const char* before = std::getenv(kName)) kept_ = before;
    if (folder.empty()) {
      ::unsetenv(kName);
    } else {
      ::setenv(kName, folder.c_str(), 1);
    }
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() {
    if (kept_) {
      ::setenv(kName, kept_->c_str(), 1);
    } else {
      ::unsetenv(kName);
    }
  }

 private:
  static constexpr const char* kName = "GITHUB_WORKSPACE";
  std::optional<std::string> kept_;
};

Problem problem(const Position& where, const std::string& title, const std::string& text) {
  return {false, "wrong", where, title, text, text};
}

// "FILE" of "::error file=FILE,line=1,…".
std::string annotated_file(const fs::path& file) {
  const std::string line = annotation(problem({file.string(), 1, 0}, "t", "u"));
  const size_t begin = line.find("file=") + 5;
  return line.substr(begin, line.find(",line=") - begin);
}

TEST(AnnotationFile, IsNamedFromTheCheckout) {
  const fs::path here = fs::current_path();
  const Workspace workspace(here.parent_path());
  const std::string folder = here.filename().string();
  EXPECT_EQ(annotated_file("suites/x.yaml"), folder + "/suites/x.yaml");
  EXPECT_EQ(annotated_file("../x.cu"), "x.cu");
  EXPECT_EQ(annotated_file(here / "x.cu"), folder + "/x.cu");
  // A file elsewhere keeps its name.
  EXPECT_EQ(annotated_file("/elsewhere/x.cu"), "/elsewhere/x.cu");
  EXPECT_EQ(annotated_file(here.parent_path().string() + "s/x.cu"),
            here.parent_path().string() + "s/x.cu");
}

TEST(AnnotationFile, IsAsItIsWithoutACheckout) {
  const Workspace none("");
  EXPECT_EQ(annotated_file("suites/x.yaml"), "suites/x.yaml");
  const Workspace elsewhere("/elsewhere");
  EXPECT_EQ(annotated_file("suites/x.yaml"), "suites/x.yaml");
}

TEST(AnnotationFile, IsFoundThroughLinks) {
  const TemporaryFolder temporary("warpmark-annotations");
  const fs::path folder = fs::canonical(temporary.path());
  write_file_atomically(folder / "checkout/shared/x.cu", "");
  fs::create_directory_symlink(folder / "checkout", folder / "work");
  fs::create_symlink(folder / "checkout/shared/x.cu", folder / "checkout/y.cu");
  const Workspace workspace(folder / "work");
  EXPECT_EQ(annotated_file(folder / "checkout/shared/x.cu"), "shared/x.cu");
  EXPECT_EQ(annotated_file(folder / "work/shared/x.cu"), "shared/x.cu");
  EXPECT_EQ(annotated_file(folder / "checkout/y.cu"), "y.cu");
  fs::create_directory_symlink(folder / "checkout/shared", folder / "outside");
  EXPECT_EQ(annotated_file(folder / "outside/x.cu"), "shared/x.cu");
}

TEST(Annotation, IsEscapedAsTheRunnerReadsIt) {
  const Workspace none("");
  EXPECT_EQ(annotation(problem({"suites/x.yaml", 14, 3}, "x.n=1,m=2", "50% wrong\nat: a,b")),
            "::error file=suites/x.yaml,line=14,col=3,title=x.n=1%2Cm=2::50%25 wrong%0Aat: a,b");
  EXPECT_EQ(annotation(problem({}, "t", "u")), "::error title=t::u");
  EXPECT_EQ(annotation(problem({"a.cu", 5, 0}, "t", "")), "::error file=a.cu,line=5,title=t::");
}

TEST(Annotation, HostileTextStaysOneLineOfText) {
  const Workspace none("");
  const std::string line =
      annotation(problem({"a,line=1::b\n::error::c", 1, 1}, "::\r\n::", "\n::set-env::x\r"));
  EXPECT_EQ(line.find_first_of("\r\n"), std::string::npos);
  EXPECT_EQ(line,
            "::error file=a%2Cline=1%3A%3Ab%0A%3A%3Aerror%3A%3Ac,line=1,col=1,"
            "title=%3A%3A\uFFFD%0A%3A%3A::%0A::set-env::x\uFFFD");
}

TEST(Annotation, OfAnErrorHasItsHint) {
  const Workspace none("");
  EXPECT_EQ(annotation(problem_of(usage_error("bad\nworse", {"a.yaml", 6, 2}, "good"), "lint")),
            "::error file=a.yaml,line=6,col=2,title=warpmark::bad%0Aworse%0Ahint: good");
  EXPECT_EQ(annotation(problem_of(environment_error("no GPU"), "error")),
            "::error title=warpmark::no GPU");
}

TEST(AnnotationList, HasAnEnd) {
  std::vector<Problem> list;
  std::ostringstream none;
  write_annotations(none, list);
  EXPECT_EQ(none.str(), "");
  for (int i = 0; i < 53; ++i) list.push_back(problem({}, "t", "x"));
  std::ostringstream out;
  write_annotations(out, list);
  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 51);
  EXPECT_TRUE(text.ends_with("\n::error title=warpmark::3 more\n")) << text;
}

TEST(Annotations, OnlyFailuresAndAfterTheStop) {
  std::ostringstream out;
  {
    Annotations report(out);
    report.end_case({testing_results::outcome("a", "n=1", Verdict::passed), ""});
    report.end_case({testing_results::wrong_outcome(), "again"});
    out << "::error::forged\n";
    report.finish({});
  }
  const std::string text = out.str();
  const std::string word = text.substr(17, text.find('\n') - 17);
  EXPECT_TRUE(text.starts_with("::stop-commands::" + word + "\n::error::forged\n\n::" + word +
                               "::\n::error file="))
      << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5) << text;
}

TEST(Annotations, TheStopEndsWithARunThatNeverFinished) {
  std::ostringstream out;
  { const Annotations report(out); }
  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
}

TEST(AnnotationMode, Words) {
  for (size_t i = 0; i < annotation_words().size(); ++i) {
    EXPECT_EQ(annotation_mode(annotation_words()[i]), static_cast<AnnotationMode>(i));
  }
  EXPECT_EQ(annotation_mode("gitlab"), std::nullopt);
  EXPECT_EQ(annotation_mode(""), std::nullopt);
  EXPECT_TRUE(wants_annotations(AnnotationMode::github, true));
  EXPECT_FALSE(wants_annotations(AnnotationMode::off, false));
  EXPECT_FALSE(wants_annotations(AnnotationMode::automatic, true));
}

TEST(CommandsStopped, EndsWithTheWordOfItsBeginning) {
  const auto words = [] {
    std::ostringstream out;
    {
      const CommandsStopped stopped(out);
      out << "no newline";
    }
    return out.str();
  };
  const std::string text = words();
  constexpr std::string_view kHead = "::stop-commands::";
  ASSERT_TRUE(text.starts_with(kHead));
  const std::string word = text.substr(kHead.size(), text.find('\n') - kHead.size());
  EXPECT_GE(word.size(), 32U);
  EXPECT_TRUE(text.ends_with("no newline\n::" + word + "::\n")) << text;
  EXPECT_NE(text, words());
}

}  // namespace
}  // namespace warpmark
