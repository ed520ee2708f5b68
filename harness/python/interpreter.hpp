// The embedded Python interpreter of the process, and NumPy in it on demand.
#pragma once

#include <sys/types.h>
#include <filesystem>

#include <memory>
#include <string>

#include "python/python_choice.hpp"

namespace warpmark {

struct NumPy {
  std::string version;
  std::filesystem::path folder;  ///< the package's folder
};

/// Starts Python in this process, or joins the one that is its host. At most one may ever be made in a process: constructing another
/// throws an internal error. No lock is held between uses; every function of this folder takes
/// Python's lock itself and may be called from any thread while the Interpreter lives.
///
/// Python, if we started it, is isolated: no PYTHON* variables, no user site, no working directory in sys.path, no
/// signal handlers. What Python code prints to stdout goes to stderr, and it has no stdin. The
/// constructor sets NPY_PROMOTION_STATE=weak in the environment, so make it before other threads
/// read that.
///
/// The destructor leaves Python running, so that values may outlive it: taking NumPy down costs
/// time and frees nothing that the end of the process would not.
class Interpreter {
 public:
  /// Throws an environment error if that Python cannot start.
  explicit Interpreter(PythonChoice choice = choose_python());
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;
  ~Interpreter();

  const PythonChoice& choice() const;

  /// Starts to import NumPy (0.25 s) on another thread; nothing if that was done before. A failure
  /// is kept for `require_numpy`.
  void begin_importing_numpy();

  /// Imports NumPy, or waits for the import that was begun. Throws an environment error with the
  /// interpreter's path and the remedy if there is no NumPy 1.24 or newer.
  const NumPy& require_numpy();

  /// fork(2), after which both processes have the interpreter. Before NumPy's import is begun.
  pid_t fork();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpmark
