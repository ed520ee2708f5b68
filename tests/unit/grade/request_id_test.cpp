// The id of a broken line, which no text in the line can forge.
#include "grade/class/request_id.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warpmark {
namespace {

TEST(IdOfBroken, IsThatOfTheObjectItself) {
  EXPECT_EQ(id_of_broken(R"({"id": "a", "text": "x)"), "a");
  EXPECT_EQ(id_of_broken(R"({"text": "x", "id" : 7)"), 7);
  EXPECT_EQ(id_of_broken(R"({"text": "x"} "id": "a")"), nullptr) << "behind the object";
  EXPECT_EQ(id_of_broken(R"({"text": 5,, "id": "a\"b"})"), "a\"b");
  EXPECT_EQ(id_of_broken(R"({"id": "a)"), nullptr) << "it has no end";
  EXPECT_EQ(id_of_broken(R"(["id": "a"])"), nullptr);
  EXPECT_EQ(id_of_broken(R"("id": "a")"), nullptr);
  EXPECT_EQ(id_of_broken(""), nullptr);
}

TEST(IdOfBroken, IsNothingThatATextSays) {
  EXPECT_EQ(id_of_broken(R"({"text": "\"id\": \"x\"", )"), nullptr);
  EXPECT_EQ(id_of_broken(R"({"text": "{\"id\": \"x\"}", "id": "a",)"), "a");
  EXPECT_EQ(id_of_broken(R"({"files": {"id": "x"}, "id": "a",)"), "a");
  EXPECT_EQ(id_of_broken(R"({"files": {"id": "x",)"), nullptr);
  EXPECT_EQ(id_of_broken(R"({"text": "id", "x": "y",)"), nullptr);
}

TEST(IdOfBroken, MayStandAtTheEndOfALongLine) {
  const std::string head = R"({"text": ")" + std::string(1000, 'x');
  EXPECT_EQ(id_of_broken(head, R"(xxx", "id": "a"})"), "a");
  EXPECT_EQ(id_of_broken(head, R"(xxx", "id": -1.5 } )"), -1.5);
  EXPECT_EQ(id_of_broken(head, R"(xxx\", \"id\": \"a\"}"})"), nullptr);
  EXPECT_EQ(id_of_broken(head, R"(xxx", "id": "a"}})"), nullptr) << "a file that is called so";
  EXPECT_EQ(id_of_broken(R"({"id": "first", "text": ")", R"(", "id": "last"})"), "first");
}

}  // namespace
}  // namespace warpmark
