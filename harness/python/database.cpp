#include "python/database.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/embed.h>

#include <cerrno>
#include <string_view>

#include "base/error.hpp"
#include "base/file_draft.hpp"
#include "python/objects.hpp"

namespace warpmark {

namespace py = pybind11;

namespace {

py::object import_sqlite(const Interpreter& python) {
  try {
    return py::module_::import("sqlite3");
  } catch (const py::error_already_set& error) {
    const bool package = python.choice().origin == "host";
    throw python.choice().lacks("sqlite3", objects::exception_text(error),
                                std::string("it is a part of Python's library that some builds "
                                            "leave out; ") +
                                    (package ? "install Warpmark in another Python"
                                             : "WARPMARK_PYTHON names another Python"));
  }
}

py::object object_of(const DatabaseCell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) return py::int_(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return py::float_(*real);
  if (const auto* text = std::get_if<std::string>(&cell)) return py::str(*text);
  return py::none();
}

py::list list_of(const std::vector<DatabaseRow>& rows) {
  py::list list(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    py::tuple tuple(rows[i].size());
    for (size_t k = 0; k < rows[i].size(); ++k) tuple[k] = object_of(rows[i][k]);
    list[i] = std::move(tuple);
  }
  return list;
}

}  // namespace

struct DatabaseWriter::State {
  explicit State(const std::filesystem::path& to) : path(to), file(to) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    const py::gil_scoped_acquire lock;
    close();
    connection = py::object();
    errors = py::object();
  }

  // A connection refers to itself, so that the last reference to it does not close it.
  void close() noexcept {
    if (!connection) return;
    try {
      connection.attr("close")();
    } catch (py::error_already_set& error) {
      error.discard_as_unraisable("closing a database");
    }
  }

  std::filesystem::path path;
  FileDraft file;
  py::object errors;  ///< the class of what SQLite cannot do
  py::object connection;

  // Takes Python's lock. What SQLite refuses is the disk's fault; all else is a mistake of ours.
  template <typename Work>
  void run(Work work) {
    const py::gil_scoped_acquire lock;
    try {
      work();
    } catch (const py::error_already_set& error) {
      const std::string why = objects::exception_text(error);
      if (!errors || !error.matches(errors))
        throw internal_error("a database cannot be written: " + why);
      if (why.find("is full") != std::string::npos) throw file.failure(ENOSPC);
      throw environment_error(fmt::format("cannot write {}: {}", display_path(path), why));
    }
  }
};

DatabaseWriter::DatabaseWriter(Interpreter& python, const std::filesystem::path& path,
                               const std::string& schema)
    : state_(std::make_unique<State>(path)) {
  state_->run([&] {
    const py::object sqlite = import_sqlite(python);
    state_->errors = sqlite.attr("OperationalError");
    const std::string draft = state_->file.draft().string();
    // With transactions of its own the module would end this one too early.
    state_->connection = sqlite.attr("connect")(
        py::reinterpret_steal<py::object>(PyUnicode_DecodeFSDefault(draft.c_str())),
        py::arg("isolation_level") = py::none());
    // A draft that is not finished is thrown away, so that nothing need be taken back.
    state_->connection.attr("execute")("PRAGMA journal_mode = OFF");
    state_->connection.attr("execute")("PRAGMA synchronous = OFF");
    state_->connection.attr("executescript")(schema);
    state_->connection.attr("execute")("BEGIN");
  });
}

DatabaseWriter::~DatabaseWriter() = default;

void DatabaseWriter::insert(const DatabaseRows& rows) {
  if (rows.rows.empty()) return;
  const std::vector<std::string_view> places(rows.columns.size(), "?");
  const std::string statement = fmt::format("INSERT INTO {} ({}) VALUES ({})", rows.table,
                                            fmt::join(rows.columns, ", "), fmt::join(places, ", "));
  state_->run([&] { state_->connection.attr("executemany")(statement, list_of(rows.rows)); });
}

void DatabaseWriter::finish() {
  state_->run([&] {
    state_->connection.attr("execute")("COMMIT");
    state_->connection.attr("close")();
  });
  state_->file.keep();
}

}  // namespace warpmark
