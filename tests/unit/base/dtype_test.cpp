#include "base/dtype.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

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

TEST(DType, StructsAreLaidOutAsInCpp) {
  struct Inner {
    int8_t a;
    double b;
  };
  struct alignas(16) Vector {
    float x[4];
  };
  struct All {
    int8_t first;
    Inner inner;
    int16_t three[3];
    Vector vector;
    float last;
  };
  const auto all = find_dtype(
      "{first:int8,inner:{a:int8,b:float64},three:int16[3],vector:float32[4]@16,last:float32}");
  ASSERT_TRUE(all);
  EXPECT_EQ(all->bytes, sizeof(All));
  EXPECT_EQ(alignment_of(*all), alignof(All));
  const size_t offsets[] = {offsetof(All, first), offsetof(All, inner), offsetof(All, three),
                            offsetof(All, vector), offsetof(All, last)};
  ASSERT_EQ(all->fields->size(), 5U);
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ((*all->fields)[i].offset, offsets[i]) << i;
  std::string paths;
  for (const Leaf& leaf : leaves_of(*all)) paths += leaf.path + " ";
  EXPECT_EQ(paths, ".first .inner.a .inner.b .three .vector .last ");
}

TEST(DType, TextsThatAreNoStructs) {
  for (const char* text :
       {"{", "{}", "{x}", "{x:}", "{x:float}", "{x:float32", "{x:float32,}", "{x:float32}}",
        "{x:float32[0]}", "{x:float32[-1]}", "{x:float32@3}", "{x:float32[1000000][1000000]}",
        "{x:{y:{z:{a:{b:{c:{d:{e:{f:int8}}}}}}}}}"}) {
    EXPECT_FALSE(find_dtype(text)) << text;
  }
}

TEST(DType, BuiltInVectors) {
  EXPECT_EQ(vector_of_c_type("float4")->alignment, 16U);
  EXPECT_EQ(vector_of_c_type("float3")->alignment, 4U);
  EXPECT_EQ(vector_of_c_type("double2")->count, 2U);
  EXPECT_EQ(vector_of_c_type("double4_32a")->alignment, 32U);
  EXPECT_EQ(vector_of_c_type("__half2")->dtype.name, "float16");
  EXPECT_FALSE(vector_of_c_type("float"));
  EXPECT_FALSE(vector_of_c_type("float5"));
}

}  // namespace
}  // namespace warpmark
