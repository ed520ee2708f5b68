// Tests of where schemas are found, and of the line by which editors find one.
#include "base/schemas.hpp"

#include <gmock/gmock.h>

#include "base/file.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

class Schemas : public testing::Test {
 protected:
  Schemas() {
    write_file_atomically(schemas_ / "suite.json", "{}");
    write_file_atomically(schemas_ / "run.json", "{}");
    write_file_atomically(schemas_ / "notes.txt", "");
  }

  TemporaryFolder folder_{"warpmark-schemas"};
  fs::path tree_ = fs::canonical(folder_.path()) / "tree";
  fs::path schemas_ = tree_ / "schema";
};

TEST_F(Schemas, AreThoseOfTheFolder) {
  EXPECT_THAT(schema_names(schemas_), testing::ElementsAre("run", "suite"));
  EXPECT_THAT(schema_names(tree_ / "nowhere"), testing::IsEmpty());
  EXPECT_EQ(schema_file(schemas_, "suite"), schemas_ / "suite.json");
  for (const char* name : {"notes", "", "../schema/suite", "suite.json"}) {
    EXPECT_EQ(schema_file(schemas_, name), std::nullopt) << name;
  }
}

TEST_F(Schemas, AFolderThatIsALinkIsFollowed) {
  fs::create_directory_symlink(schemas_, folder_.path() / "link");
  EXPECT_EQ(schema_file(folder_.path() / "link", "suite"), schemas_ / "suite.json");
}

TEST_F(Schemas, TheLineIsRelativeInOneTree) {
  EXPECT_EQ(schema_line(schemas_, "suite", tree_ / "suites/new"),
            "# yaml-language-server: $schema=../../schema/suite.json\n");
  EXPECT_EQ(schema_line(schemas_, "suite", tree_),
            "# yaml-language-server: $schema=schema/suite.json\n");
}

TEST_F(Schemas, TheLineIsAbsoluteElsewhere) {
  const std::string absolute = (schemas_ / "suite.json").string();
  EXPECT_EQ(schema_line(schemas_, "suite", "/elsewhere"),
            "# yaml-language-server: $schema=" + absolute + "\n");
  EXPECT_EQ(schema_line(schemas_, "suite", tree_.string() + "s"),
            "# yaml-language-server: $schema=" + absolute + "\n");
}

TEST_F(Schemas, ThereIsNoLineWithoutASchema) {
  EXPECT_EQ(schema_line(schemas_, "assignment", tree_), "");
  EXPECT_EQ(schema_line(tree_ / "nowhere", "suite", tree_), "");
}

TEST(SchemaLine, WithASpaceOrALineEndIsAUrl) {
  const TemporaryFolder folder("warpmark-schemas");
  const fs::path schemas = fs::canonical(folder.path()) / "two words\n: ü%/schema";
  write_file_atomically(schemas / "suite.json", "{}");
  const std::string url = "# yaml-language-server: $schema=file://" +
                          fs::canonical(folder.path()).string() +
                          "/two%20words%0A%3A%20%C3%BC%25/schema/suite.json\n";
  EXPECT_EQ(schema_line(schemas, "suite", "/elsewhere"), url);
  // A relative way with no such character is one, still.
  EXPECT_EQ(schema_line(schemas, "suite", schemas.parent_path() / "suites"),
            "# yaml-language-server: $schema=../schema/suite.json\n");
}

}  // namespace
}  // namespace warpmark
