// A test program that is its own worker.
#include <cstring>

#include "support/run_tests.hpp"
#include "worker/loop.hpp"

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "worker") == 0) {
    return warpmark::run_worker(3, warpmark::worker_kind(argc > 2 ? argv[2] : nullptr));
  }
  testing::InitGoogleTest(&argc, argv);
  return warpmark::test::run_tests();
}
