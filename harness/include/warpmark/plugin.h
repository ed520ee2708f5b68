/* The plugin interface: a plugin turns a case into a plan, and that is all that it does.
 *
 * A plugin is a shared library warpmark-plugin-NAME.so that exports one function,
 * warpmark_plugin_v1. Cases and plans cross as JSON text, so no memory, exception or allocator
 * does; any compiler and any language can make one. docs/plugins.md describes both JSON forms;
 * warpmark/plugin.hpp wraps this interface for C++.
 */
#ifndef WARPMARK_PLUGIN_H
#define WARPMARK_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WARPMARK_PLUGIN_VERSION 1

/* The functions that the harness offers during one call of `plan`. Texts are UTF-8 and valid during
 * the call only. */
typedef struct warpmark_plugin_host {
  uint32_t size; /* sizeof(warpmark_plugin_host) as the harness knows it */
  void* user;    /* handed back to both functions */

  /* Takes the plan. To be called once, by a plan that succeeds. */
  void (*emit)(void* user, const char* json, size_t length);

  /* Takes the reason why there is no plan: the place in the case as a JSON Pointer (RFC 6901; ""
   * for the whole), which the harness turns into a line of the suite, a message, and a hint or "".
   */
  void (*fail)(void* user, const char* pointer, const char* message, const char* hint);
} warpmark_plugin_host;

typedef struct warpmark_plugin {
  uint32_t size;    /* sizeof(warpmark_plugin) as the plugin knew it */
  uint32_t version; /* WARPMARK_PLUGIN_VERSION */
  const char* name; /* NAME of the file name */

  /* Turns the case, `length` bytes of JSON, into a plan. Calls emit once and returns 0, or calls
   * fail once and returns 1. May be called from several threads. */
  int (*plan)(const char* case_json, size_t length, const warpmark_plugin_host* host);

  /* May be null, and is missing if `size` ends before it. Turns the case into a trial of what the
   * plugin assumes, such as that an operation is associative (docs/plugins.md): emits it in place
   * of a plan, or `null` if there is nothing to try. `warpmark lint` calls it. */
  int (*trial)(const char* case_json, size_t length, const warpmark_plugin_host* host);
} warpmark_plugin;

typedef const warpmark_plugin* (*warpmark_plugin_function)(void);
#define WARPMARK_PLUGIN_SYMBOL "warpmark_plugin_v1"

#if defined(__GNUC__)
#define WARPMARK_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define WARPMARK_PLUGIN_EXPORT
#endif

#ifdef __cplusplus
}
#endif

#endif /* WARPMARK_PLUGIN_H */
