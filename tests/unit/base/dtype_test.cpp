#include "base/dtype.hpp"

#include <gtest/gtest.h>

namespace warpmark {
namespace {

TEST(DType, EveryCNameFindsItself) {
  for (const DType& type : all_dtypes()) {
    ASSERT_TRUE(dtype_of_c_type(type.c_name)) << type.c_name;
    EXPECT_EQ(dtype_of_c_type(type.c_name)->name, type.name);
  }
}

TEST(DType, SpellingsOfPeopleAndDemanglers) {
  EXPECT_EQ(dtype_of_c_type("unsigned")->name, "uint32");
  EXPECT_EQ(dtype_of_c_type("long unsigned int")->name, "uint64");
  EXPECT_EQ(dtype_of_c_type("float const")->name, "float32");
  EXPECT_EQ(dtype_of_c_type("char")->name, "int8");
  EXPECT_FALSE(dtype_of_c_type("float4"));
  EXPECT_FALSE(dtype_of_c_type(""));
}

}  // namespace
}  // namespace warpmark
