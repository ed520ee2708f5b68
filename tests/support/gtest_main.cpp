// The entry of GoogleTest programs that need no other.
#include "support/run_tests.hpp"

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  return warpmark::test::run_tests();
}
