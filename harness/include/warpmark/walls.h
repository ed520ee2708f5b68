/* The sandbox for a program that compiles untrusted source, such as a compiler of suites.
 *
 * warpmark-walls.so exports one function. A process calls it once, after it has opened all that it
 * needs and before it sees the source; nothing lifts the sandbox again. docs/plugins.md says how a
 * compiler is started with it.
 */
#ifndef WARPMARK_WALLS_H
#define WARPMARK_WALLS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From here on the process may take `more_bytes` of address space in addition to what it has, and
 * `cpu_s` seconds of processor time in all; it opens no file, socket or process, and signals nobody.
 * Each is tried. Writes the names of the mechanisms that hold, separated by commas, into `held`, of
 * `size` bytes with the closing 0. Returns 0, or 1 where a limit cannot be set, with the reason in
 * `held`. "" is no sandbox: the caller decides. */
int warpmark_enter_walls_v1(uint64_t more_bytes, double cpu_s, char* held, size_t size);

typedef int (*warpmark_enter_walls_function)(uint64_t, double, char*, size_t);
#define WARPMARK_WALLS_SYMBOL "warpmark_enter_walls_v1"
#define WARPMARK_WALLS_LIBRARY "warpmark-walls.so"

#ifdef __cplusplus
}
#endif

#endif
