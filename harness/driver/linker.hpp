// Links several relocatable images to one, with the driver's linker.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "driver/handle.hpp"
#include "driver/jit_logs.hpp"

namespace warpmark {

/// One link. Add images, then `complete` returns the image for a Module.
class Linker {
 public:
  /// True if the driver has a linker at all.
  static bool is_there(const Context& context);

  /// Throws a DriverError.
  explicit Linker(const std::shared_ptr<const Context>& context);
  Linker(const Linker&) = delete;
  Linker& operator=(const Linker&) = delete;

  /// Adds a relocatable cubin, or PTX text. `name` is its name in the
  /// linker's messages. Throws a DriverError with the linker's text.
  void add(std::string_view image, const std::string& name);

  /// The linked image. Throws a DriverError with the linker's text: unresolved and duplicate
  /// symbols, too much shared memory together.
  std::string complete();

  /// The linker's last log: its errors, or else its warnings; often "".
  std::string log() const;
  std::string identify() const;

 private:
  void check(CUresult result, const char* symbol) const;

  JitLogs logs_;  ///< comes before the handle, which uses it until its end
  UniqueHandle<&DriverTable::link_destroy> handle_;
  std::string names_;
};

}  // namespace warpmark
