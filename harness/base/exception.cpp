#include "base/exception.hpp"

#include <new>
#include <string>
#include <system_error>

namespace warpmark {

Error to_error(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const Error& known) {
    return known;
  } catch (const std::bad_alloc&) {
    return environment_error("out of memory", "free some, or raise the limit (`ulimit -v`)");
  } catch (const std::system_error& failure) {
    return environment_error(std::string("the system refused: ") + failure.what(),
                             "it may be out of processes, memory or files (`ulimit -a`)");
  } catch (const std::exception& unknown) {
    return internal_error(unknown.what());
  } catch (...) {
    return internal_error("an exception of unknown type");
  }
}

}  // namespace warpmark
