// Compiling by a program of the name warpmark-compiler-NAME, for kernels in other languages.
#pragma once

#include "compiler/compiler.hpp"

namespace warpmark {

/// The program warpmark-compiler-NAME, from the first folder of library_search_path() that has it.
/// Throws an environment error if none has.
std::filesystem::path find_compiler_program(const std::string& name);

/// Compiles the request's only kernel by find_compiler_program(request.program), or by
/// `request.confined`, which gets the source as well. docs/plugins.md says what the program gets and
/// answers. An equal request of the same process is compiled once. Throws a RefusedError for what
/// the program refuses, and an environment error if it is not there, or lacks something itself.
CompileResult compile_by_program(const CompileRequest& request);

}  // namespace warpmark
