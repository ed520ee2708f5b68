/* The part of MPI that the program needs, in a separate library, so that nothing else links MPI.
 *
 * warpmark-mpi.so exports warpmark_ranks_v1 with C linkage. The program opens it only if a
 * launcher such as mpirun started it as one of several processes, called ranks. No exception
 * crosses. Functions are called from one thread at a time. */
#ifndef WARPMARK_RANKS_H
#define WARPMARK_RANKS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WARPMARK_RANKS_SYMBOL "warpmark_ranks_v1"

/* The results of functions. */
#define WARPMARK_RANKS_OK 0
#define WARPMARK_RANKS_FAILED 1  /* `error` has the reason; only `abort` may follow */
#define WARPMARK_RANKS_STOPPED 2 /* `go_on` ended it; only `abort` may follow */

/* Called again and again during a wait; 0 ends the wait. */
typedef int (*warpmark_ranks_go_on)(void* state);

/* The place of a process among all. */
typedef struct warpmark_ranks_place {
  int rank;      /* from 0 */
  int size;      /* the number of ranks */
  int node;      /* the lowest rank on the same node */
  int node_rank; /* index among the ranks of its node, from 0 */
  int node_size; /* the number of ranks on the node */
} warpmark_ranks_place;

typedef struct warpmark_ranks {
  size_t size; /* sizeof(warpmark_ranks) of the library */

  /* Joins the others, and waits for them. */
  int (*start)(warpmark_ranks_place* place);
  /* The bytes go to the rank `to`; it receives as many. Waits without using a processor. */
  int (*send)(int to, const void* bytes, uint64_t size, warpmark_ranks_go_on go_on, void* state);
  int (*receive)(int from, void* bytes, uint64_t size, warpmark_ranks_go_on go_on, void* state);
  /* Leaves; waits for the others to leave, too. */
  void (*finish)(void);
  /* Ends all ranks at once, and does not return. */
  void (*abort)(int code);
  /* The reason of the last failure; "" if there was none. */
  const char* (*error)(void);
} warpmark_ranks;

typedef const warpmark_ranks* (*warpmark_ranks_function)(void);

#ifdef __cplusplus
}
#endif

#endif
