// The dynamic loader's words.
#pragma once

#include <dlfcn.h>

#include <string>

namespace warpmark {

/// What dlerror() says of the last failure, once; "unknown reason" if it says nothing.
inline std::string loader_error() {
  const char* text = dlerror();
  return text != nullptr ? text : "unknown reason";
}

}  // namespace warpmark
