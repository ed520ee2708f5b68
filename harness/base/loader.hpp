// Error messages of the dynamic loader.
#pragma once

#include <dlfcn.h>

#include <string>

namespace warpmark {

/// The message of dlerror() for the last failure, once; "unknown reason" if there is none.
inline std::string loader_error() {
  const char* text = dlerror();
  return text != nullptr ? text : "unknown reason";
}

}  // namespace warpmark
