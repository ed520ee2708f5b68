# The C++ libraries as static ones from WARPMARK_STATIC_LIBRARIES, for packages that need none
# (packaging/portable.cmake). Their headers are where the compiler looks.
foreach(_pair "fmt::fmt|fmt" "yaml-cpp|yaml-cpp" "benchmark::benchmark|benchmark" "GTest::gtest|gtest")
  string(REPLACE "|" ";" _pair "${_pair}")
  list(GET _pair 0 _target)
  list(GET _pair 1 _name)
  add_library(${_target} STATIC IMPORTED GLOBAL)
  set_target_properties(${_target} PROPERTIES
    IMPORTED_LOCATION ${WARPMARK_STATIC_LIBRARIES}/lib${_name}.a)
endforeach()
target_compile_definitions(benchmark::benchmark INTERFACE BENCHMARK_STATIC_DEFINE)
target_link_libraries(benchmark::benchmark INTERFACE Threads::Threads)
target_link_libraries(GTest::gtest INTERFACE Threads::Threads)
