/* What the program needs of MPI: a library of its own has it, so that nothing else links MPI.
 *
 * warpmark-mpi.so exports warpmark_ranks_v1 with C linkage. The program opens it only where a
 * launcher, as mpirun, started it as one of several processes, called ranks. No exception crosses.
 * Functions are called from one thread at a time. */
#ifndef WARPMARK_RANKS_H
#define WARPMARK_RANKS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WARPMARK_RANKS_SYMBOL "warpmark_ranks_v1"

/* What functions return. */
#define WARPMARK_RANKS_OK 0
#define WARPMARK_RANKS_FAILED 1  /* `error` says why; only `abort` may follow */
#define WARPMARK_RANKS_STOPPED 2 /* `go_on` said no; only `abort` may follow */

/* Asked again and again during a wait; 0 ends the wait. */
typedef int (*warpmark_ranks_go_on)(void* state);

/* Where a process stands among all. */
typedef struct warpmark_ranks_place {
  int rank;      /* from 0 */
  int size;      /* the number of ranks */
  int node;      /* the lowest rank on the same node */
  int node_rank; /* among those of its node, from 0 */
  int node_size; /* how many the node has */
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
  /* Of the last failure; "" if there was none. */
  const char* (*error)(void);
} warpmark_ranks;

typedef const warpmark_ranks* (*warpmark_ranks_function)(void);

#ifdef __cplusplus
}
#endif

#endif
