// Submissions as students make them: every wrong file, every name, every kind of link.
#include "grade/submission/submission_search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/sha256.hpp"
#include "grade/submission/platform_name.hpp"
#include "grade/submission/student_name.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kKernel = "extern \"C\" __global__ void k() {}\n";

class SubmissionTest : public testing::Test {
 protected:
  void SetUp() override {
    rules_.file = "scale.cu";
    rules_.max_bytes = 1000;
  }

  fs::path write(const std::string& name, const std::string& bytes = kKernel) const {
    const fs::path path = class_ / name;
    write_file_atomically(path, bytes);
    return path;
  }

  Submission read(const fs::path& path) const {
    Submission submission;
    submission.path = path;
    submission.file = path.filename();
    read_submission(submission, rules_);
    return submission;
  }

  // "STUDENT: FILE" or "STUDENT: REFUSAL" of all that is found at the paths.
  std::vector<std::string> found(const std::vector<fs::path>& paths) {
    search_.paths = paths;
    FoundSubmissions submissions = find_submissions(search_, rules_);
    left_out_ = submissions.left_out;
    unmatched_ = submissions.unmatched;
    missing_ = submissions.missing;
    std::vector<std::string> lines;
    for (Submission& one : submissions.all) {
      note_ = one.note;
      read_submission(one, rules_);
      lines.push_back(one.student + ": " + (one.refusal.empty() ? one.file : one.refusal));
    }
    return lines;
  }

  const TemporaryFolder folder_{"warpmark-submission"};
  const fs::path class_ = folder_.path() / "class";
  SubmissionRules rules_;
  std::string note_;
  std::vector<std::string> left_out_, unmatched_, missing_;
  SubmissionSearch search_;
};

// "SHA-256  NAME" of each file, as sha256sum prints it.
std::string list_sha256(const std::map<std::string, std::string>& files) {
  std::string lines;
  for (const auto& [name, text] : files) lines += sha256_hex(text) + "  " + name + "\n";
  return sha256_hex(lines);
}

class TextsTest : public SubmissionTest {
 protected:
  Submission read_texts(const std::map<std::string, std::string>& texts) const {
    Submission submission;
    read_submission(submission, rules_, texts);
    return submission;
  }
  static std::vector<std::string> names(const Submission& submission) {
    std::vector<std::string> all;
    for (const OwnHeader& header : submission.headers)
      all.push_back(header.spelling + "=" + header.name);
    return all;
  }
};

TEST_F(TextsTest, HeadersAreThoseThatAreIncluded) {
  const std::map<std::string, std::string> texts = {
      {"scale.cu", "#include \"a.h\"\n#include <b/b.h>\n// #include \"c.h\"\n"},
      {"a.h", "#include \"a.h\"\n"},
      {"b/b.h", "#include \"d.h\"\n"},
      {"b/d.h", "#include \"../a.h\"\n#include \"e.h\"\n"},
      {"c.h", "no"},
      {"e.h", "#include \"b/b.h\"\n#include MACRO\n#include \"f.cu\"\n"},
      {"f.cu", "no"}};
  const Submission one = read_texts(texts);
  EXPECT_EQ(one.refusal, "");
  EXPECT_THAT(names(one), ElementsAre("a.h=a.h", "b/b.h=b/b.h", "d.h=b/d.h", "e.h=e.h"));
  std::map<std::string, std::string> counted = texts;
  counted.erase("c.h");
  counted.erase("f.cu");
  EXPECT_EQ(one.sha256, list_sha256(counted));
  EXPECT_EQ(one.own_sha256, sha256_hex(texts.at("scale.cu")));
}

TEST_F(TextsTest, WithoutHeadersTheHashIsThatOfTheBytes) {
  const Submission one = read_texts({{"mine.cu", kKernel}, {"a.h", "not included"}});
  EXPECT_EQ(one.file, "mine.cu");
  EXPECT_EQ(one.sha256, sha256_hex(kKernel));
}

TEST_F(TextsTest, NamesOfOursAreNotTheirs) {
  rules_.headers = {"/course/course.h"};
  rules_.toolkit_headers = {"cuda_fp16.h"};
  std::map<std::string, std::string> texts = {{"scale.cu", ""}};
  for (const char* name : {"course.h", "cuda_fp16.h", "stdint.h", "/etc/a.h", "../a.h",
                           "b/../../a.h", "b/../a.h", "mine.h"}) {
    texts["scale.cu"] += std::string("#include \"") + name + "\"\n";
    texts[name] = "// theirs\n";
  }
  texts["a.h"] = "";
  EXPECT_THAT(names(read_texts(texts)), ElementsAre("mine.h=mine.h"));
}

TEST_F(TextsTest, LimitsAreOfAllHeadersOfAFile) {
  rules_.own_headers = 2;
  const std::string two = "#include \"a.h\"\n#include \"b.h\"\n#include \"./a.h\"\n";
  EXPECT_EQ(read_texts({{"scale.cu", two}, {"a.h", ""}, {"b.h", std::string(1000, ' ')}}).refusal,
            "");
  EXPECT_THAT(
      read_texts({{"scale.cu", two}, {"a.h", "//"}, {"b.h", std::string(999, ' ')}}).refusal,
      HasSubstr("have more than 1,000 bytes together"));
  EXPECT_THAT(
      read_texts({{"scale.cu", two + "#include \"c.h\"\n"}, {"a.h", ""}, {"b.h", ""}, {"c.h", ""}})
          .refusal,
      HasSubstr("includes more than 2 headers of your own"));
  rules_.own_headers = 0;
  EXPECT_THAT(names(read_texts({{"scale.cu", two}, {"a.h", ""}})), testing::IsEmpty());
}

TEST_F(TextsTest, OfSeveralFilesEachHasAReasonOfItsOwn) {
  rules_.further_files = {"shift.cu", "sum.cu"};
  const std::string with = "#include \"a.h\"\n" + std::string(kKernel);
  const std::map<std::string, std::string> texts = {
      {"scale.cu", with}, {"sum.cu", "\x01"}, {"a.h", "// a\n"}};
  const Submission one = read_texts(texts);
  EXPECT_EQ(one.refusal, "");
  EXPECT_EQ(one.file, "scale.cu, shift.cu, sum.cu");
  EXPECT_EQ(one.of("scale.cu").refusal, "");
  EXPECT_THAT(one.of("shift.cu").refusal, HasSubstr("There is no file `shift.cu`"));
  EXPECT_THAT(one.of("sum.cu").refusal, HasSubstr("`sum.cu` is no text"));
  EXPECT_EQ(one.sha256, list_sha256(texts));
  const Submission none = read_texts({{"a.h", ""}});
  EXPECT_THAT(none.refusal, HasSubstr("There is no file `sum.cu`"));
  EXPECT_EQ(none.sha256, "");
}

TEST_F(SubmissionTest, IsReadAsItStands) {
  const std::string text = "// \xC3\xBC\xE4\r\n" + std::string(kKernel);
  const Submission one = read(write("a.cu", text));
  EXPECT_EQ(one.refusal, "");
  EXPECT_EQ(one.text, text);  // Latin-1 and line breaks of other systems are the student's business
  EXPECT_EQ(one.sha256, sha256_hex(text));
}

TEST_F(SubmissionTest, LosesItsByteOrderMark) {
  const Submission one = read(write("a.cu", "\xEF\xBB\xBF" + std::string(kKernel)));
  EXPECT_EQ(one.text, kKernel);
  EXPECT_EQ(one.sha256, sha256_hex("\xEF\xBB\xBF" + std::string(kKernel)));
}

TEST_F(SubmissionTest, IsRefusedIfItIsEmpty) {
  for (const char* text : {"", "\n \r\n\t", "\xEF\xBB\xBF", "\xEF\xBB\xBF\n"}) {
    const Submission one = read(write("a.cu", text));
    EXPECT_THAT(one.refusal, HasSubstr("`a.cu` is empty")) << text;
    EXPECT_EQ(one.text, "");
  }
}

TEST_F(SubmissionTest, IsRefusedIfItIsBinary) {
  EXPECT_THAT(read(write("a.cu", std::string("int a;\0\n", 8))).refusal, HasSubstr("is no text"));
  EXPECT_THAT(read(write("a.cu",
                         "\x7F"
                         "ELF\x02\x01"))
                  .refusal,
              HasSubstr("is no text"));
  EXPECT_THAT(read(write("a.cu", std::string("\xFF\xFEi\0", 4))).refusal, HasSubstr("UTF-16"));
  EXPECT_THAT(read(write("a.cu", "// \x1B[31mred")).refusal, HasSubstr("is no text"));
}

TEST_F(SubmissionTest, IsRefusedIfItIsTooLarge) {
  EXPECT_EQ(read(write("a.cu", "/" + std::string(999, '/'))).refusal, "");
  EXPECT_THAT(read(write("a.cu", "/" + std::string(1000, '/'))).refusal,
              HasSubstr("has 1,001 bytes, and no more than 1,000 bytes are accepted"));
  const Submission large = read(write("a.cu", std::string(10 << 20, 'a')));
  EXPECT_THAT(large.refusal, HasSubstr("has 10 MiB"));
  EXPECT_EQ(large.text, "");
  EXPECT_THAT(read("/dev/zero").refusal, HasSubstr("is no file"));
}

TEST_F(SubmissionTest, IsNoLinkPipeOrFolder) {
  const fs::path target = write("a.cu");
  fs::create_symlink(target, class_ / "link.cu");
  EXPECT_THAT(read(class_ / "link.cu").refusal, HasSubstr("is a symbolic link"));
  ASSERT_EQ(::mkfifo((class_ / "pipe.cu").c_str(), 0600), 0);
  EXPECT_THAT(read(class_ / "pipe.cu").refusal, HasSubstr("is no file"));  // and does not wait
  fs::create_directory(class_ / "folder.cu");
  EXPECT_THAT(read(class_ / "folder.cu").refusal, HasSubstr("is no file"));
  EXPECT_THAT(read(class_ / "none.cu").refusal, HasSubstr("cannot be read"));
}

TEST_F(SubmissionTest, IsFoundInAFolderOfStudents) {
  write("ada/scale.cu");
  write("bob.cu");
  write("cem/mine.cu");
  write("README.md");
  write(".hidden.cu");
  EXPECT_THAT(found({class_}), ElementsAre("ada: scale.cu", "bob: bob.cu", "cem: mine.cu"));
  EXPECT_EQ(note_, "`mine.cu` was taken for `scale.cu`, as the only .cu file");
  ASSERT_EQ(left_out_.size(), 1U);
  EXPECT_THAT(left_out_.front(), HasSubstr("README.md is no .cu file"));
}

TEST_F(SubmissionTest, IsFoundByItsOwnPath) {
  write("ada/scale.cu");
  write("bob/other.cu");
  EXPECT_THAT(found({class_ / "ada/scale.cu"}), ElementsAre("ada: scale.cu"));
  EXPECT_THAT(found({class_ / "ada"}), ElementsAre("ada: scale.cu"));
  EXPECT_THAT(found({class_ / "ada/"}), ElementsAre("ada: scale.cu"));
  EXPECT_THAT(found({class_ / "bob/other.cu"}), ElementsAre("other: other.cu"));
  EXPECT_THAT(found({class_ / "ada", class_ / "bob/other.cu"}),
              ElementsAre("ada: scale.cu", "other: other.cu"));
}

TEST_F(SubmissionTest, OfWhichThereAreNoneOrTwoIsRefused) {
  fs::create_directories(class_ / "ada");
  write("bob/scale.txt");
  write("bob/report.pdf");
  write("cem/a.cu");
  write("cem/b.cu");
  write("dee/scale.cu");
  write("dee/old.cu");
  const std::vector<std::string> lines = found({class_});
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], "ada: Nothing was handed in. Hand in a file called `scale.cu`.");
  EXPECT_THAT(lines[1], AllOf(HasSubstr("no file `scale.cu`, only `report.pdf`, `scale.txt`.")));
  EXPECT_THAT(lines[2], HasSubstr("There are 2 files, `a.cu`, `b.cu`, and none is called"));
  EXPECT_EQ(lines[3], "dee: scale.cu");
}

TEST_F(SubmissionTest, OfOneStudentTwiceIsRefused) {
  write("ada/scale.cu");
  write("ada.cu");
  EXPECT_THAT(found({class_}), ElementsAre(HasSubstr("ada: 2 submissions bear your name")));
  EXPECT_THAT(note_, AllOf(HasSubstr("class/ada.cu"), HasSubstr("class/ada/scale.cu")));
}

TEST_F(SubmissionTest, NamedTwiceIsOne) {
  write("ada/scale.cu");
  write("bob.cu");
  const std::vector<std::string> once = found({class_});
  EXPECT_EQ(found({class_, class_ / "ada", class_ / "." / "ada" / "scale.cu", class_ / "bob.cu",
                   class_ / "ada" / ".." / "bob.cu"}),
            once);
  EXPECT_THAT(once, ElementsAre("ada: scale.cu", "bob: bob.cu"));
}

TEST_F(SubmissionTest, ThatIsALinkIsRefused) {
  write("ada/scale.cu");
  write("bob/readme");
  fs::create_symlink(class_ / "ada", class_ / "cem");
  fs::create_symlink(class_ / "ada/scale.cu", class_ / "dee.cu");
  fs::create_symlink(class_ / "ada/scale.cu", class_ / "bob/scale.cu");
  const std::vector<std::string> lines = found({class_});
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], "ada: scale.cu");
  EXPECT_THAT(lines[1], HasSubstr("bob: `scale.cu` is a symbolic link"));
  EXPECT_THAT(lines[2], HasSubstr("cem: The folder is a symbolic link"));
  EXPECT_THAT(lines[3], HasSubstr("dee: `dee.cu` is a symbolic link"));
  // As a shell's `class/*` gives them.
  EXPECT_THAT(found({class_ / "cem"}),
              ElementsAre(HasSubstr("cem: The folder is a symbolic link")));
}

TEST_F(SubmissionTest, ThatIsNotThereIsAMistakeOfStaff) {
  fs::create_directories(class_);
  EXPECT_THROW(found({class_ / "none"}), Error);
  EXPECT_THROW(found({class_}), Error);
}

TEST_F(SubmissionTest, ThatIsNoSourceIsRefusedAndNotPassedOver) {
  EXPECT_THAT(found({write("scale.txt")}),
              ElementsAre("scale: `scale.txt` is no CUDA source file. Hand in a file called "
                          "`scale.cu`."));
}

TEST_F(SubmissionTest, OfAnyNameIsFound) {
  const std::vector<std::string> names = {"李雷",    "Zoë \"Z\" O'Hara", "a\nb", "-rf", "na\xEFve",
                                          "العربية", "$(reboot)",        "100%", "😀",   " lead",
                                          "x..",     "a;b&c|d<e>f"};
  for (const std::string& name : names) write(name + "/scale.cu");
  const std::vector<std::string> lines = found({class_});
  EXPECT_EQ(lines.size(), names.size());
  for (const std::string& line : lines) EXPECT_THAT(line, HasSubstr(": scale.cu"));
}

TEST_F(SubmissionTest, IsFoundInFoldersOfAnyDepth) {
  write("ada/homework/src/scale.cu");
  write("ada/homework/old/attempt.cu");
  write("bob/a/scale.cu");
  write("bob/b/scale.cu");
  write("cem/scale.cu");
  write("cem/backup/scale.cu");
  write("dee/code/mine.cu");
  const std::vector<std::string> lines = found({class_});
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], "ada: scale.cu");
  EXPECT_EQ(
      lines[1],
      "bob: There are 2 files of that name: `a/scale.cu`, `b/scale.cu`. Hand in one file called "
      "`scale.cu`.");
  EXPECT_EQ(lines[2], "cem: scale.cu");
  EXPECT_EQ(lines[3], "dee: mine.cu");
  EXPECT_EQ(note_, "`code/mine.cu` was taken for `scale.cu`, as the only .cu file");
}

TEST_F(SubmissionTest, IsFoundAmongThousandsOfFiles) {
  for (int i = 0; i < 5000; ++i) write("ada/data/" + std::to_string(i) + ".txt", "x");
  write("ada/src/scale.cu");
  EXPECT_THAT(found({class_}), ElementsAre("ada: scale.cu"));
}

TEST_F(SubmissionTest, OfOneStudentIsAllThatIsNamed) {
  search_.student = "Ada";
  write("one/scale.cu");
  write("one/helper.cu");
  write("two.cu");
  EXPECT_THAT(found({class_}), ElementsAre("Ada: scale.cu"));
  EXPECT_THAT(found({class_ / "two.cu"}), ElementsAre("Ada: two.cu"));
  EXPECT_THAT(found({class_ / "one/helper.cu", class_ / "two.cu"}),
              ElementsAre(HasSubstr("Ada: There are 2 files")));
}

TEST_F(SubmissionTest, OfCanvasIsNamedAsThere) {
  write("lovelaceada_1234_5678_scale-2.cu");
  write("lovelaceada_1234_5678_notes.txt");
  write("boolegeorge_LATE_77_9012_mine.cu");
  EXPECT_THAT(found({class_}), ElementsAre("boolegeorge: mine.cu", "lovelaceada: scale.cu"));
  EXPECT_TRUE(left_out_.empty());
  const Roster roster = Roster::parse(
      "Student,ID,SIS Login ID,Homework 1\n    Points Possible,,,10\n\"Lovelace, Ada\",1234,al1,7\n"
      "\"Boole, George\",77,gb2,1234\n\"Church, Alonzo\",5,ac,\n",
      "grades.csv");
  search_.roster = &roster;
  EXPECT_THAT(found({class_}), ElementsAre("Boole, George: mine.cu", "Lovelace, Ada: scale.cu"));
  EXPECT_THAT(missing_, ElementsAre("Church, Alonzo"));
  EXPECT_TRUE(unmatched_.empty());
}

TEST_F(SubmissionTest, OfMoodleIsNamedAsThere) {
  write("Ada Lovelace_4711_assignsubmission_file_/scale.cu");
  write("Ada Lovelace_4711_assignsubmission_onlinetext_/onlinetext.html", "<p>done</p>");
  write("Zo\u00EB Z\u00FC_12_assignsubmission_file/deep/scale.cu");
  EXPECT_THAT(found({class_}), ElementsAre("Ada Lovelace: scale.cu", "Zo\u00EB Z\u00FC: scale.cu"));
}

TEST_F(SubmissionTest, OfGradescopeIsNamedAsThere) {
  write("submission/scale.cu");
  write("submission/second.cu");
  write("submission_metadata.json",
        R"({"id": 1, "users": [{"email": "ada@x.edu", "id": 9, "name": "Ada Lovelace"}]})");
  EXPECT_THAT(found({class_ / "submission"}), ElementsAre("Ada Lovelace: scale.cu"));
  write("submission_metadata.json", "{}");
  EXPECT_THAT(found({class_ / "submission"}), ElementsAre("submission: scale.cu"));
  write("submission_metadata.json", "not JSON");
  EXPECT_THROW(found({class_ / "submission"}), Error);
}

TEST_F(SubmissionTest, OfAGroupIsThatOfEach) {
  write("submission_1/scale.cu");
  write("submission_2/scale.cu");
  write("submission_metadata.yml",
        "submission_1:\n  :submitters:\n  - :name: Ada\n    :sid: '1'\n    :email: ada@x.edu\n"
        "  - :name: Bob\n    :sid: '2'\n    :email: bob@x.edu\n  :created_at: 2026-11-01 "
        "10:00:00.000 Z\n"
        "submission_2:\n  :submitters: &x\n  - :name: Cem\n    :sid: '3'\n  :other: *x\n");
  EXPECT_THAT(found({class_}), ElementsAre("Ada: scale.cu", "Bob: scale.cu", "Cem: scale.cu"));
}

TEST_F(SubmissionTest, OfWhomTheRosterKnowsNothingIsGradedAndNamed) {
  const Roster roster = Roster::parse(
      "name;email\nAda Lovelace;ada@x.edu\nJane Doe;jd1@x.edu\n"
      "Jane Doe Smith;jd2@x.edu\n",
      "r.csv");
  search_.roster = &roster;
  write("ADA/scale.cu");  // the login
  write("jd1@x.edu/scale.cu");
  write("eve.cu");
  EXPECT_THAT(found({class_}),
              ElementsAre("Ada Lovelace: scale.cu", "Jane Doe: scale.cu", "eve: eve.cu"));
  EXPECT_THAT(unmatched_, ElementsAre("`eve` is not in the roster, and is graded under that name"));
  EXPECT_THAT(missing_, ElementsAre("Jane Doe Smith"));
}

TEST(RosterText, IsRefusedWhereItNamesOneTwice) {
  const auto message = [](const char* text) -> std::string {
    try {
      Roster::parse(text, "r.csv");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message("student,email\nAda,a@x\nBob,b@x\nada ,\n"),
              AllOf(HasSubstr("r.csv:4:1"), HasSubstr("`ada` is on line 2, too")));
  EXPECT_THAT(message("student,email\nAda,a@x\nBob,A@x\n"), HasSubstr("`A@x` is on line 2, too"));
  EXPECT_EQ(message("student,email\nAda,a@x\nAda,c@x\n"), "");
  EXPECT_EQ(message("student,id,sid\nAda,1,2\nBob,2,1\n"), "") << "of two columns";
  EXPECT_THAT(message("who,points\nAda,3\n"), HasSubstr("no column `student`"));
  EXPECT_THAT(message(""), HasSubstr("is empty"));
  EXPECT_THAT(message("student\n\n"), HasSubstr("has no student"));
  EXPECT_THAT(message("student,id\n,5\n"), HasSubstr("has no name"));
  EXPECT_THAT(message("student\n\"Ada\n"), HasSubstr("has no end"));
  EXPECT_EQ(message("\xEF\xBB\xBF"
                    "First Name\tLast Name\tSID\r\nAda\tLovelace\t7\r\n"),
            "");
}

TEST(RosterText, TellsHomonymsApartByTheirIds) {
  const Roster roster =
      Roster::parse("name,id,email\nLi Wei,6,a@x\nLi Wei,,b@x\nAda,8,c@x\n", "r.csv");
  EXPECT_THAT(roster.students(), ElementsAre("Li Wei (6)", "Li Wei (b@x)", "Ada"));
  EXPECT_EQ(roster.name(0), "Li Wei");
  EXPECT_EQ(roster.find_any("6").row, 0U);
  EXPECT_EQ(roster.find_any("Li Wei (b@x)").row, 1U);
  EXPECT_EQ(roster.find_any("B").row, 1U) << "the login";
  EXPECT_TRUE(roster.find_any("li wei").several);
  EXPECT_FALSE(roster.find_any("eve").row);
  EXPECT_FALSE(roster.find_any("eve").several);
}

// An id decides, and a name only where there is no id to be held against.
TEST(RosterText, IsFoundByThePlatformsId) {
  using Kind = PlatformId::Kind;
  const Roster roster =
      Roster::parse("name,canvas id,sid,github\nAda,6,60,ada-l\nBob,60,6,ADA\nCem,,7,\n", "r.csv");
  EXPECT_EQ(roster.find({{Kind::canvas, "60"}}, {"Ada"}).row, 1U);
  EXPECT_EQ(roster.find({{Kind::gradescope, "60"}}, {"Bob"}).row, 0U);
  EXPECT_FALSE(roster.find({{Kind::canvas, "9"}}, {"Ada"}).row) << "Ada has another";
  EXPECT_EQ(roster.find({{Kind::canvas, "9"}}, {"cem"}).row, 2U) << "Cem has none";
  EXPECT_EQ(roster.find({{Kind::moodle, "9"}}, {"cem"}).row, 2U) << "there is no column";
  EXPECT_TRUE(roster.find({{Kind::canvas, "60"}, {Kind::gradescope, "60"}}, {}).several);
  EXPECT_EQ(roster.github_user("ada"), 1U);
  EXPECT_EQ(roster.github_user("Ada-L"), 0U);
}

TEST(PlatformNames, SayWhoAndWhat) {
  const auto canvas = canvas_name("lovelaceada_LATE_1234_56789_saxpy-2.cu");
  ASSERT_TRUE(canvas);
  EXPECT_EQ(canvas->student, "lovelaceada");
  EXPECT_EQ(canvas->id, (PlatformId{PlatformId::Kind::canvas, "1234"}));
  EXPECT_EQ(canvas->file, "saxpy.cu");
  EXPECT_TRUE(canvas->late);
  EXPECT_FALSE(canvas_name("saxpy.cu"));
  EXPECT_FALSE(canvas_name("kim_1002_666_90_saxpy.cu")) << "whose number is it?";
  const auto underscore = canvas_name("a_b_1002_LATE_666_90_saxpy.cu");
  ASSERT_TRUE(underscore);
  EXPECT_EQ(underscore->student, "a_b_1002");
  EXPECT_EQ(underscore->id.value, "666");
  EXPECT_FALSE(canvas_name("my_kernel_2.cu"));
  const auto moodle = moodle_name("Ada King Lovelace_1234_assignsubmission_file_my kernel.cu");
  ASSERT_TRUE(moodle);
  EXPECT_EQ(moodle->student, "Ada King Lovelace");
  EXPECT_EQ(moodle->file, "my kernel.cu");
  EXPECT_EQ(moodle->id, (PlatformId{PlatformId::Kind::moodle, "1234"}));
  const auto group = moodle_name("B-2-Jean-Luc Picard_7_assignsubmission_file_");
  ASSERT_TRUE(group);
  EXPECT_THAT(group->names, ElementsAre("B-2-Jean-Luc Picard", "2-Jean-Luc Picard",
                                        "Jean-Luc Picard", "Luc Picard"));
  const auto twice = moodle_name("Kim_6_assignsubmission_file_Bob_7_assignsubmission_file_a.cu");
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->student, "Kim");
  EXPECT_EQ(twice->file, "Bob_7_assignsubmission_file_a.cu");
  EXPECT_FALSE(moodle_name("Ada_assignsubmission_file_"));
  EXPECT_FALSE(canvas_name(std::string(100'000, '_')));
}

TEST(StudentName, IsUtf8WhateverTheBytes) {
  EXPECT_EQ(student_name("Zo\xC3\xAB"), "Zo\xC3\xAB");
  EXPECT_EQ(student_name("na\xEFve"), "na\\xEFve");
  EXPECT_EQ(student_name("\xC0\xAF\xED\xA0\x80"), "\\xC0\\xAF\\xED\\xA0\\x80");
  // Characters that could make names alike in files of results.
  EXPECT_EQ(student_name("a\nb"), "a\\u{A}b");
  EXPECT_EQ(student_name("a\x01"
                         "b\x7F"),
            "a\\u{1}b\\u{7F}");
  EXPECT_EQ(student_name("\u202Ea\u2069\u2028\u009B"), "\\u{202E}a\\u{2069}\\u{2028}\\u{9B}");
  EXPECT_EQ(student_name("a\\u{1}"), "a\\\\u{1}");
  EXPECT_EQ(student_name("\u200Ca\u00A0"), "\u200Ca\u00A0");  // of Persian names, and a blank
}

TEST(FolderName, IsSafeAndSaysWhoseItIs) {
  EXPECT_EQ(folder_name("ada"), "ada");
  EXPECT_EQ(folder_name("Ada Lovelace"), "Ada Lovelace");
  EXPECT_EQ(folder_name("李雷"), "李雷");
  EXPECT_EQ(folder_name("."), "%2E");
  EXPECT_EQ(folder_name(".."), "%2E.");
  EXPECT_EQ(folder_name("../../etc"), "%2E.%2F..%2Fetc");
  EXPECT_EQ(folder_name("a\nb"), "a%0Ab");
  EXPECT_EQ(folder_name("\"$(x)'"), "%22%24%28x%29%27");
  EXPECT_EQ(folder_name("a\xE2\x80\xAE"
                        "b"),
            "a%E2%80%AEb");  // right-to-left override
  EXPECT_EQ(folder_name(""), "%");
  const std::string many(3000, 'x');
  EXPECT_EQ(folder_name(many).size(), 200U);
  EXPECT_NE(folder_name(many), folder_name(many + "x"));
}

TEST(FolderName, IsOnesOwnWhereNamesLookAlike) {
  EXPECT_NE(folder_name("Ada"), folder_name("ada"));
  EXPECT_NE(folder_name("Zo\u00EB"), folder_name("Zoe\u0308"));  // composed and decomposed
}

// The name from which folder_name() made a folder's; a shortened name stays as it is.
std::string student_of_folder(std::string_view folder) {
  if (folder == "%") return "";
  std::string student;
  for (size_t at = 0; at < folder.size(); ++at) {
    if (folder[at] == '%' && at + 2 < folder.size()) {
      student += static_cast<char>(
          std::strtol(std::string(folder.substr(at + 1, 2)).c_str(), nullptr, 16));
      at += 2;
    } else {
      student += folder[at];
    }
  }
  return student;
}

TEST(FolderName, CanBeReadBack) {
  for (const std::string name :
       {"ada", "", ".", "..", "a/b", "100%", "%41", "a\nb", "李雷", " x ", "a~b", "\\xE4"}) {
    EXPECT_EQ(student_of_folder(folder_name(name)), name);
  }
}

TEST(FolderName, IsNeverCutInsideACharacter) {
  for (size_t lead = 0; lead < 4; ++lead) {
    std::string name(lead, 'x');
    for (int i = 0; i < 100; ++i) name += "\xE6\x9D\x8E";  // 李
    EXPECT_EQ(student_name(folder_name(name)), folder_name(name));
    const std::string slashes = std::string(lead, 'x') + std::string(100, '/');
    const std::string folder = folder_name(slashes);
    EXPECT_THAT(folder, HasSubstr("%2F~"));
    EXPECT_LE(folder.size(), 200U);
  }
}

}  // namespace
}  // namespace warpmark
