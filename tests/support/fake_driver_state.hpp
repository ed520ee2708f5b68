// The objects that the functions of a FakeDriver have made.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/fake_driver.hpp"

namespace warpmark {

/// Every handle is the address of one of these, so that a double release is seen.
struct FakeObject {
  std::string kind;
  CUcontext context = nullptr;
  std::string name;
  double time = 0;
  std::vector<std::byte> bytes;
  void* address = nullptr;
  std::string text;  ///< of a link: what was added
  std::pair<char*, size_t> error_log;
  std::vector<std::function<void()>> work;  ///< of a graph
};

struct FakeDriver::State {
  std::map<void*, std::unique_ptr<FakeObject>> objects;
  // Functions belong to their module and are not counted.
  std::map<void*, std::unique_ptr<FakeObject>> functions;
  std::vector<CUcontext> stack;
  std::map<std::string, std::pair<int, CUresult>> failures;
  CUresult pending = CUDA_SUCCESS;
  double clock = 0;
  FakeObject* last_module = nullptr;
  FakeObject* capture = nullptr;  ///< the graph that gets what is queued, if one is recorded
};

/// The one that there is.
FakeDriver& fake();

/// Where a variable begins in its module's memory.
size_t offset_of(const FakeDriver& driver, const std::string& name);

}  // namespace warpmark
