// The sanitizers' options, compiled into every program of a sanitizer build.
//
// Not the environment: a worker is started with an empty one, and so is the program in many tests.
// A suppression names the library or function that it is about, so that our own leaks still show.

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1  // as GCC has it
#endif
#endif

#if defined(__SANITIZE_ADDRESS__)
#define WARPMARK_SANITIZER_HOOK extern "C" __attribute__((visibility("default"))) const char

WARPMARK_SANITIZER_HOOK* __asan_default_options();
WARPMARK_SANITIZER_HOOK* __lsan_default_suppressions();
WARPMARK_SANITIZER_HOOK* __lsan_default_options();

// Requests that no machine can meet get a null pointer, as from the C library: tests make them.
WARPMARK_SANITIZER_HOOK* __asan_default_options() {
  return "allocator_may_return_null=1";
}

// CPython and NumPy keep interned objects, types and modules for the life of the process, by
// design, and so does OpenSSL, which hashlib loads, its algorithms. pybind11 keeps its registry
// likewise, since the interpreter is never finalised. nvJitLink keeps some memory of each link that
// was ended.
WARPMARK_SANITIZER_HOOK* __lsan_default_suppressions() {
  return "leak:libpython3\n"
         "leak:libcrypto\n"
         "leak:_multiarray_umath\n"
         "leak:libnvJitLink\n"
         "leak:pybind11::\n";
}

// Without it a line about the suppressions lands in the stderr that tests compare.
WARPMARK_SANITIZER_HOOK* __lsan_default_options() {
  return "print_suppressions=0";
}
#endif

#if defined(__SANITIZE_THREAD__)
#define WARPMARK_SANITIZER_HOOK extern "C" __attribute__((visibility("default"))) const char

WARPMARK_SANITIZER_HOOK* __tsan_default_options();
WARPMARK_SANITIZER_HOOK* __tsan_default_suppressions();

// As above.
WARPMARK_SANITIZER_HOOK* __tsan_default_options() {
  return "allocator_may_return_null=1:print_suppressions=0";
}

// Each thread saves a page before it writes to it, and others may write to the page meanwhile. What
// is put back is the copy that was complete first, before any of them wrote.
WARPMARK_SANITIZER_HOOK* __tsan_default_suppressions() {
  return "race:warpmark::cpu::Footprint::keep\n";
}
#endif
