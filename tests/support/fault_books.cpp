#include "support/fault_books.hpp"

#include <iterator>

namespace warpmark::faults {

Books::~Books() {
  for (const auto& [key, object] : alive_) {
    if (key.first == "function") continue;  // goes with its module
    plan_.note("leak " + key.first +
               (object.bytes > 0 ? " of " + std::to_string(object.bytes) + " bytes" : ""));
  }
  plan_.note("end");
}

void Books::created(const std::string& kind, uint64_t handle, uint64_t owner, uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  alive_[{kind, handle}] = {owner, bytes, std::this_thread::get_id()};
}

void Books::released(const std::string& call, const std::string& kind, uint64_t handle) {
  const std::lock_guard lock(mutex_);
  if (alive_.erase({kind, handle}) == 0) {
    misuse(call + " of a " + kind + " that is not alive");
    return;
  }
  // A module's functions end with it, so that their later use is seen.
  std::erase_if(alive_, [&](const auto& entry) {
    return entry.first.first == "function" && entry.second.owner == handle;
  });
  if (kind != "context") return;
  // The driver frees what a context still holds; a program that relies on it loses its grip.
  for (const auto& [key, object] : alive_) {
    if (object.owner == handle && key.first != "function") {
      misuse(call + " with a " + key.first + " alive in it");
    }
  }
}

void Books::used(const std::string& call, const std::string& kind, uint64_t handle,
                 uint64_t context) {
  const std::lock_guard lock(mutex_);
  const Object* object = find(kind, handle);
  if (object == nullptr) {
    misuse(call + " with a " + kind + " that is not alive");
    return;
  }
  if (object->thread != std::this_thread::get_id()) {
    misuse(call + " with a " + kind + " of another thread");
  }
  if (kind != "context" && kind != "function" && object->owner != context) {
    misuse(call + " with a " + kind + " of another context");
  }
}

void Books::misuse(const std::string& text) {
  plan_.note("misuse " + text);
}

// Memory is found by any address in it.
const Books::Object* Books::find(const std::string& kind, uint64_t handle) const {
  auto found = alive_.upper_bound({kind, handle});
  if (found == alive_.begin()) return nullptr;
  found = std::prev(found);
  if (found->first.first != kind) return nullptr;
  const uint64_t distance = handle - found->first.second;
  return distance == 0 || distance < found->second.bytes ? &found->second : nullptr;
}

}  // namespace warpmark::faults
