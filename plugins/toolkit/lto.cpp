#include "lto.hpp"

#include <cstddef>
#include <cstdint>

#include "real_library.hpp"

namespace warpmark::toolkit {
namespace {

constexpr int kInternal = 6;  // of nvJitLinkResult

// The names without a version, which every library has.
struct Functions {
  int (*create)(void**, std::uint32_t, const char* const*) = nullptr;
  int (*destroy)(void**) = nullptr;
  int (*add)(void*, int, const void*, std::size_t, const char*) = nullptr;
  int (*complete)(void*) = nullptr;
  int (*ptx_size)(void*, std::size_t*) = nullptr;
  int (*ptx)(void*, char*) = nullptr;
  int (*errors_size)(void*, std::size_t*) = nullptr;
  int (*errors)(void*, char*) = nullptr;
  int (*info_size)(void*, std::size_t*) = nullptr;
  int (*info)(void*, char*) = nullptr;
};

template <typename F>
bool find(const char* name, F*& function) {
  function = reinterpret_cast<F*>(real_function(name));
  return function != nullptr;
}

bool find_all(Functions& to) {
  return find("nvJitLinkCreate", to.create) && find("nvJitLinkDestroy", to.destroy) &&
         find("nvJitLinkAddData", to.add) && find("nvJitLinkComplete", to.complete) &&
         find("nvJitLinkGetLinkedPtxSize", to.ptx_size) && find("nvJitLinkGetLinkedPtx", to.ptx) &&
         find("nvJitLinkGetErrorLogSize", to.errors_size) &&
         find("nvJitLinkGetErrorLog", to.errors) && find("nvJitLinkGetInfoLogSize", to.info_size) &&
         find("nvJitLinkGetInfoLog", to.info);
}

std::string text_of(void* handle, int (*size_of)(void*, std::size_t*), int (*get)(void*, char*)) {
  std::size_t size = 0;
  if (size_of(handle, &size) != 0 || size == 0) return "";
  std::string text(size + 1, '\0');
  if (get(handle, text.data()) != 0) return "";
  return text.substr(0, text.find('\0'));
}

}  // namespace

bool can_compile_lto() {
  return !real_library().empty();
}

LtoResult compile_lto(const std::vector<std::string>& options,
                      const std::vector<LtoInput>& inputs) {
  LtoResult made;
  Functions real;
  if (!find_all(real)) {
    made.result = kInternal;
    made.errors = "'" + real_library() + "' cannot be used\n";
    return made;
  }
  std::vector<const char*> words;
  words.reserve(options.size() + 2);
  for (const std::string& option : options) words.push_back(option.c_str());
  words.push_back("-lto");
  words.push_back("-ptx");
  void* handle = nullptr;
  made.result = real.create(&handle, static_cast<std::uint32_t>(words.size()), words.data());
  for (const LtoInput& input : inputs) {
    if (made.result != 0) break;
    made.result = real.add(handle, static_cast<int>(input.type), input.content.data(),
                           input.content.size(), input.name.c_str());
  }
  if (made.result == 0) made.result = real.complete(handle);
  if (handle == nullptr) return made;
  if (made.result == 0) made.ptx = text_of(handle, real.ptx_size, real.ptx);
  if (made.result == 0 && made.ptx.empty()) made.result = kInternal;
  made.errors = text_of(handle, real.errors_size, real.errors);
  made.info = text_of(handle, real.info_size, real.info);
  real.destroy(&handle);
  return made;
}

bool lto_version(unsigned int* major, unsigned int* minor) {
  int (*version)(unsigned int*, unsigned int*) = nullptr;
  return can_compile_lto() && find("nvJitLinkVersion", version) && version(major, minor) == 0;
}

}  // namespace warpmark::toolkit
