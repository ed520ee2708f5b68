#include "results/journal.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "base/error.hpp"
#include "base/file.hpp"
#include "unit/results/example_outcome.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;
using testing_results::outcome;

class JournalTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  fs::path path_ = folder_.path() / "new folder" / "run.jsonl";

  void write(const std::string& text) {
    fs::create_directories(path_.parent_path());
    std::ofstream(path_) << text;
  }
  /// "CODE LINE MESSAGE" of what reading throws.
  std::string error_of_reading() {
    try {
      (void)read_journal(path_);
    } catch (const Error& error) {
      return std::to_string(static_cast<int>(error.code())) + " " +
             std::to_string(error.where().line) + " " + error.message();
    }
    return "no error";
  }
};

const std::string kRun = R"({"type":"run","record":1})"
                         "\n";

TEST_F(JournalTest, ReadsBackWhatWasWritten) {
  Totals totals;
  Journal journal(path_, testing_results::context(), 2);
  for (const Outcome& each :
       {outcome("a", "n=1", Verdict::passed), testing_results::wrong_outcome()}) {
    journal.append({each, "again"});
    totals.add(each.verdict);
  }
  // Every line is in the file as soon as it was appended.
  EXPECT_EQ(read_journal(path_).cases.size(), 2U);
  EXPECT_FALSE(read_journal(path_).end);
  journal.finish(totals, 0.5, 1, "");
  const JournalContents contents = read_journal(path_);
  EXPECT_EQ(contents.run["cases"], 2);
  EXPECT_EQ(contents.run["device"]["attributes"][0]["name"], "warp_size");
  EXPECT_EQ(contents.cases[1]["case"], "doublify.n=16");
  EXPECT_EQ(contents.cases[1]["reproduce"], "again");
  ASSERT_TRUE(contents.end);
  EXPECT_EQ((*contents.end)["failed"], 1);
  EXPECT_EQ((*contents.end)["exit_code"], 1);
  EXPECT_TRUE((*contents.end)["error"].is_null());
  EXPECT_FALSE(contents.torn);
}

TEST_F(JournalTest, ReplacesAnOldOne) {
  write("something long that is no journal at all\n");
  const Journal journal(path_, testing_results::context(), 0);
  EXPECT_TRUE(read_journal(path_).cases.empty());
}

TEST_F(JournalTest, KillLeavesWholeLines) {
  const pid_t child = ::fork();
  if (child == 0) {
    Journal journal(path_, testing_results::context(), 3);
    journal.append({outcome("a", "n=1", Verdict::passed), ""});
    journal.append({outcome("a", "n=2", Verdict::passed), ""});
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const JournalContents contents = read_journal(path_);
  EXPECT_EQ(contents.cases.size(), 2U);
  EXPECT_FALSE(contents.torn);
}

TEST_F(JournalTest, ATornLastLineIsLeftOutWhereverItTore) {
  const std::string line = R"({"type":"case","case":"a.n=1"})"
                           "\n";
  for (size_t cut = 1; cut < line.size(); ++cut) {
    write(kRun + line + line.substr(0, cut));
    const JournalContents contents = read_journal(path_);
    EXPECT_EQ(contents.cases.size(), 1U) << cut;
    EXPECT_TRUE(contents.torn) << cut;
  }
}

TEST_F(JournalTest, ReaderRefusesWhatIsNoJournal) {
  EXPECT_EQ(error_of_reading().substr(0, 17), "2 0 cannot read /");
  const std::pair<std::string, std::string> files[] = {
      {"", "2 0 the journal has no whole line"},
      {"{\"type\":\"run\"", "2 0 the journal has no whole line"},
      {"nonsense\n", "2 1 this line of the journal is not JSON"},
      {kRun + "{\"type\":\n{}\n", "2 2 this line of the journal is not JSON"},
      {"[]\n", "2 1 this is no record of a journal"},
      {"{\"type\":\"case\"}\n", "2 1 a journal starts with a record of type `run`, not `case`"},
      {kRun + "{\"type\":\"end\"}\n{\"type\":\"case\"}\n", "2 3 a record after that of type `end`"},
      {"{\"type\":\"run\"}\n", "2 1 the journal does not say the version of its records"},
      {"{\"type\":\"run\",\"record\":2}\n",
       "2 1 the journal has records of version 2, and this Warpmark knows versions up to 1"},
  };
  for (const auto& [text, expected] : files) {
    write(text);
    EXPECT_EQ(error_of_reading(), expected) << text;
  }
}

TEST_F(JournalTest, JobsOfOneConfigurationStandOneAfterAnother) {
  {
    Journal first(path_, testing_results::context(), 1);
    first.append({outcome("a", "n=1", Verdict::passed), ""});
  }
  std::ofstream(path_, std::ios::app) << R"({"type":"ca)";  // it was killed
  Journal second(path_, testing_results::context(), 2, true);
  second.append({outcome("b", "n=1", Verdict::failed), ""});
  const JournalContents last = read_journal(path_, JournalRun::last);
  ASSERT_EQ(last.cases.size(), 1U);
  EXPECT_EQ(last.cases[0]["case"], "b.n=1");
  EXPECT_FALSE(last.torn);
  EXPECT_TRUE(error_of_reading().ends_with("holds 2 runs, 0 of `bench`")) << error_of_reading();
}

TEST_F(JournalTest, OfSeveralRunsTheOnlyBenchIsTaken) {
  const std::string bench =
      std::string(kRun).insert(std::string(kRun).rfind('}'), R"(,"bench":{},"seed":7)");
  write(kRun + bench + kRun);
  EXPECT_EQ(read_journal(path_).run["seed"], 7);
  write(bench + kRun + bench);
  EXPECT_TRUE(error_of_reading().ends_with("holds 3 runs, 2 of `bench`")) << error_of_reading();
}

TEST_F(JournalTest, RecordsOfUnknownTypeAreForLaterVersions) {
  write(kRun + "{\"type\":\"benchmark\"}\n");
  EXPECT_TRUE(read_journal(path_).cases.empty());
}

TEST_F(JournalTest, AFullDiskIsAnEnvironmentError) {
  try {
    const Journal journal("/dev/full", testing_results::context(), 1);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_EQ(error.message(), "cannot write the journal /dev/full: No space left on device");
  }
  EXPECT_THROW(Journal(folder_.path(), testing_results::context(), 1), Error);  // a folder
}

TEST_F(JournalTest, AHalfWrittenLineIsTakenBack) {
  Journal journal(path_, testing_results::context(), 2);
  // A limit on the file's size stands in for a full disk: the write is cut short, then fails.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit = before;
  limit.rlim_cur = fs::file_size(path_) + 10;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  bool thrown = false;
  try {
    journal.append({outcome("a", "n=1", Verdict::passed), ""});
  } catch (const Error& error) {
    thrown = error.code() == ExitCode::environment;
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_TRUE(thrown);
  EXPECT_FALSE(read_journal(path_).torn);
  journal.append({outcome("a", "n=2", Verdict::passed), ""});
  EXPECT_EQ(read_journal(path_).cases.at(0)["case"], "a.n=2");
}

}  // namespace
}  // namespace warpmark
