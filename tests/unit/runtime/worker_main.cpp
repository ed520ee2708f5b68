// A test program that is its own worker.
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/session.hpp"

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "worker") == 0) {
    return warpmark::run_worker(3, argc > 2 && std::strcmp(argv[2], "--confined") == 0);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
