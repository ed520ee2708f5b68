// The sandbox as a library, for compilers in other languages.
#include "warpmark/walls.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>

#include "base/text.hpp"
#include "worker/sandbox.hpp"

namespace {

void put(const std::string& text, char* into, size_t size) {
  if (size == 0) return;
  const size_t length = std::min(text.size(), size - 1);
  std::memcpy(into, text.data(), length);
  into[length] = '\0';
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int warpmark_enter_walls_v1(uint64_t more_bytes,
                                                                              double cpu_s,
                                                                              char* held,
                                                                              size_t size) {
  namespace sandbox = warpmark::sandbox;
  try {
    const uint64_t has = sandbox::address_space();
    // Mapped libraries can be given back for memory, which the second limit counts alone.
    sandbox::limit_data_for_good(sandbox::private_bytes() + more_bytes);
    sandbox::limit_descriptors();
    put(warpmark::join(
            sandbox::enter({has == 0 ? 0 : has + more_bytes, cpu_s}, sandbox::Calls::program), ","),
        held, size);
    return 0;
  } catch (const std::exception& error) {
    put(error.what(), held, size);
    return 1;
  }
}
