#include "python/interpreter.hpp"

#include <pybind11/embed.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <thread>

#include "base/error.hpp"
#include "python/install_hint.hpp"

namespace warpmark {

namespace py = pybind11;

namespace {

// Throws if `status` is a failure; CPython's own text says what it missed.
void check(const PyStatus& status, const PythonChoice& choice) {
  if (PyStatus_Exception(status) == 0) return;
  throw environment_error("cannot start the embedded Python as " +
                              choice.python.executable.string() + ": " +
                              (status.err_msg != nullptr ? status.err_msg : "unknown reason"),
                          "`warpmark doctor` says which Python was chosen and why");
}

struct Configuration : PyConfig {
  Configuration() : PyConfig() { PyConfig_InitIsolatedConfig(this); }
  Configuration(const Configuration&) = delete;
  Configuration& operator=(const Configuration&) = delete;
  ~Configuration() { PyConfig_Clear(this); }
};

void start_python(const PythonChoice& choice) {
  PyPreConfig preconfig;
  PyPreConfig_InitIsolatedConfig(&preconfig);
  preconfig.utf8_mode = 1;  // suites are UTF-8 in any locale
  check(Py_PreInitialize(&preconfig), choice);

  Configuration config;
  config.install_signal_handlers = 0;  // Ctrl-C is for the front: it finishes the reports first
  const std::string executable = choice.python.executable.string();
  // The executable's place is how Python finds pyvenv.cfg, and with it the site-packages.
  check(PyConfig_SetBytesString(&config, &config.executable, executable.c_str()), choice);
  check(PyConfig_SetBytesString(&config, &config.program_name, executable.c_str()), choice);
  check(Py_InitializeFromConfig(&config), choice);
}

void redirect_streams() {
  const auto sys = py::module_::import("sys");
  sys.attr("stdout") = sys.attr("stderr");  // our stdout carries reports
  sys.attr("__stdout__") = sys.attr("stderr");
  sys.attr("stdin") = py::none();
}

// 1.24 is the first with errors for casts that overflow and the "weak" promotion of Python numbers.
bool is_new_enough(const std::string& version) {
  const size_t dot = version.find('.');
  const int major = std::atoi(version.c_str());
  const int minor = dot == std::string::npos ? 0 : std::atoi(version.c_str() + dot + 1);
  return major > 1 || (major == 1 && minor >= 24);
}

NumPy import_numpy() {
  const auto numpy = py::module_::import("numpy");
  // NumPy 1.x wraps around where 2.x raises; make both raise.
  py::module_::import("warnings")
      .attr("filterwarnings")("error", "NumPy will stop allowing conversion of out-of-bound",
                              py::module_::import("builtins").attr("DeprecationWarning"));
  return {numpy.attr("__version__").cast<std::string>(),
          std::filesystem::path(numpy.attr("__file__").cast<std::string>()).parent_path()};
}

}  // namespace

struct Interpreter::State {
  PythonChoice choice;
  std::once_flag import_once;
  std::thread importer;
  std::mutex starting;  ///< guards `importer`; never taken with Python's lock held
  std::optional<NumPy> numpy;
  std::string failure;

  /// Waits if another thread imports. The caller must not hold Python's lock, which the import
  /// needs.
  void import_now() {
    std::call_once(import_once, [this] {
      const py::gil_scoped_acquire lock;
      try {
        numpy = import_numpy();
      } catch (const py::error_already_set& error) {
        failure = error.what();
        failure.resize(std::min(failure.find("\n\nAt:\n"), failure.size()));
      }
    });
  }
};

Interpreter::Interpreter(PythonChoice choice) : state_(std::make_unique<State>()) {
  static std::atomic<bool> made = false;
  if (made.exchange(true)) throw internal_error("a second Python interpreter was asked for");
  state_->choice = std::move(choice);
  // Makes NumPy 1.x promote as 2.x does. Read when NumPy is imported; set here, as setenv is not
  // safe beside threads, and the import may run on one.
  ::setenv("NPY_PROMOTION_STATE", "weak", 1);
  // NumPy sets these while it imports OpenBLAS, unless they are there: on that thread it would be
  // beside the getenv of others (seen as a crash in dlopen).
  ::setenv("OPENBLAS_MAIN_FREE", "1", 0);
  ::setenv("GOTOBLAS_MAIN_FREE", "1", 0);
  // OpenBLAS starts a thread for each processor, which spins for a tenth of a second before it
  // sleeps: a device starts then. The value is the logarithm of the cycles that it spins.
  ::setenv("OPENBLAS_THREAD_TIMEOUT", "4", 0);
  if (has_host_python()) {
    const py::gil_scoped_acquire lock;
    redirect_streams();
  } else {
    start_python(state_->choice);
    redirect_streams();
    PyEval_SaveThread();
  }
}

Interpreter::~Interpreter() {
  if (!state_) return;
  try {
    const std::scoped_lock guard(state_->starting);
    if (state_->importer.joinable()) state_->importer.join();
  } catch (const std::exception&) {  // a destructor never throws; the thread ends with the process
  }
  const py::gil_scoped_acquire lock;
  if (PyRun_SimpleString("import sys\nif sys.stderr: sys.stderr.flush()") != 0) PyErr_Clear();
}

const PythonChoice& Interpreter::choice() const {
  return state_->choice;
}

void Interpreter::begin_importing_numpy() {
  {
    const py::gil_scoped_acquire lock;
    // Python takes the thread that first imports this for its main thread.
    py::module_::import("threading");
  }
  const std::scoped_lock guard(state_->starting);
  if (state_->importer.joinable()) return;
  state_->importer = std::thread([state = state_.get()] {
    state->import_now();
    // Nearly every case draws its inputs. NumPy 2 imports this when it is first used.
    const py::gil_scoped_acquire lock;
    try {
      if (state->numpy) py::module_::import("numpy.random");
    } catch (const py::error_already_set&) {  // the case that draws says so
    }
  });
}

const NumPy& Interpreter::require_numpy() {
  state_->import_now();
  const std::string executable = state_->choice.python.executable.string();
  const std::string remedy = install_hint(state_->choice, "numpy");
  if (!state_->numpy) {
    throw state_->choice.lacks("NumPy", state_->failure, remedy);
  }
  if (!is_new_enough(state_->numpy->version)) {
    throw environment_error(executable + " has NumPy " + state_->numpy->version + " in " +
                                state_->numpy->folder.string() + "; Warpmark needs 1.24 or newer",
                            remedy);
  }
  return *state_->numpy;
}

pid_t Interpreter::fork() {
  {
    const std::scoped_lock guard(state_->starting);
    if (state_->importer.joinable()) state_->importer.join();  // the fork would not have it
  }
  const py::gil_scoped_acquire hold;
  PyOS_BeforeFork();
  const pid_t process = ::fork();
  if (process == 0) {
    PyOS_AfterFork_Child();
  } else {
    PyOS_AfterFork_Parent();
  }
  return process;
}

}  // namespace warpmark
