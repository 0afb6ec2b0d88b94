/* SPDX-License-Identifier: BSD-3-Clause */
/* osh.h - what the files of the OpenSHMEM interface share: the state of a PE, addresses to global
 * pointers, and errors.
 *
 * The library is linked statically into the program, so that each simulated PE has its own copy of
 * the state. It uses the public headers of eyot alone. Each exported function begins with
 * OSH_ENTER; functions that this file declares are called after that. */
#ifndef INTERFACES_OPENSHMEM_OSH_H
#define INTERFACES_OPENSHMEM_OSH_H

#include <eyot/eyot.h>
#include <shmem.h>
#include <stdbool.h>
#include <stdint.h>

/* Symmetric memory in which addresses and global pointers differ by a constant: an allocation, or a
 * range of the program's data. `at` names the caller's part. */
struct osh_region {
  uintptr_t first;
  uint64_t bytes;
  eyot_gptr_t at;
};

/* A team: PE i of it is PE first + i*stride of the run. */
struct shmemi_team {
  eyot_team_t team; /* its members are sorted: a negative stride has them in reverse order */
  int first, stride, size, me;
  long config_mask;
  shmem_team_config_t config;
  struct shmemi_team *next; /* of all teams that the program has made */
  struct shmemi_ctx *contexts;
};

struct shmemi_ctx {
  eyot_set_t set;
  struct shmemi_team *team;
  long options;
  struct shmemi_ctx *next; /* of the team */
};

/* Regions that were used last, of which OSH_RECENT_DATA is one of the program's data; others are
 * allocations, because a program that uses two arrays in turn shall find both. */
enum { OSH_RECENT = 4, OSH_RECENT_DATA = 1 };

struct osh {
  int me;
  int n; /* PEs; 0 before shmem_init and after shmem_finalize */
  struct osh_region recent[OSH_RECENT];
  uint32_t next; /* the one of `recent` for the next allocation that is not there */
  bool threads;  /* several threads may call at once: `recent` stays empty */
  bool joined;   /* eyot ran before shmem_init, so that its attributes are another's */
  uint32_t starts;
  bool ended;        /* the last shmem_finalize has been called */
  uint32_t contexts; /* that the program has made */
  uint64_t heap_max; /* SHMEM_SYMMETRIC_SIZE; 0: not set */
};
extern struct osh osh;

/* -- entry and errors -------------------------------------------------------------------------- */

/* Begins an exported function: refuses the call outside init and finalize, and marks it for eyot's
 * messages. `call` is its name, "shmem_putmem". */
#define OSH_ENTER(call) OSH_ENTER_AT(call, __builtin_return_address(0))
/* The same in the out-of-line half of an exported function, which passes its return address: a
 * short function that calls another one last needs no stack. */
#define OSH_ENTER_AT(call, site)                               \
  if (__builtin_expect(osh.n == 0, 0)) osh_refuse(call, site); \
  EYOT_CALLER_AT(call, site)
/* Defines a function by both names. */
#define OSH_DEFINE(result, name, args)                                    \
  result shmem_##name args __attribute__((weak, alias("pshmem_" #name))); \
  result pshmem_##name args

_Noreturn void osh_refuse(const char *call, const void *site);
/* Reports a mistake of the program and ends the run. */
_Noreturn void osh_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Ends the run after a call of eyot that has failed, and said why. */
_Noreturn void osh_failed(void);
static inline void osh_must(int rc) {
  if (__builtin_expect(rc != EYOT_OK, 0)) osh_failed();
}
#define OSH_COLD __attribute__((cold, noinline))

/* -- addresses --------------------------------------------------------------------------------- */

_Static_assert(OSH_RECENT == 4, "osh_recent has a line for each");
static inline bool osh_inside(const struct osh_region *r, const void *address, uint64_t bytes) {
  uint64_t off = (uintptr_t)address - r->first;
  return off < r->bytes && bytes <= r->bytes - off;
}
/* The global pointer of [address, address+bytes) at `pe`, if it lies in a region that was used last
 * and the PE exists; else the caller takes osh_gptr. Inlined everywhere: a call would return the
 * pointer through memory. */
static inline __attribute__((always_inline)) bool osh_recent(const void *address, uint64_t bytes,
                                                             int pe, eyot_gptr_t *g) {
  const struct osh_region *r = osh.recent;
  if (__builtin_expect(!osh_inside(&r[0], address, bytes), 0)) {
    if (osh_inside(&r[1], address, bytes))
      r = &r[1];
    else if (osh_inside(&r[2], address, bytes))
      r = &r[2];
    else if (osh_inside(&r[3], address, bytes))
      r = &r[3];
    else
      return false;
  }
  uint64_t off = (uintptr_t)address - r->first;
  *g = eyot_gptr_at(eyot_gptr_add(r->at, (int64_t)off), (eyot_unit_t){(uint32_t)pe});
  return (uint32_t)pe < (uint32_t)osh.n;
}
/* osh_recent without condition: ends the run if the address is not symmetric there, or the PE does
 * not exist. `what` is the name of the argument. */
eyot_gptr_t osh_gptr(const char *what, const void *address, uint64_t bytes, int pe);
/* Ends the run if [address, address+bytes) is not symmetric here. */
static inline void osh_symmetric(const char *what, const void *address, uint64_t bytes) {
  eyot_gptr_t g;
  if (!osh_recent(address, bytes, osh.me, &g)) (void)osh_gptr(what, address, bytes, osh.me);
}
/* The bytes of n elements; ends the run if memory cannot have so many. `what` is the argument that
 * says how many. */
uint64_t osh_bytes(const char *what, uint64_t n, uint64_t bytes);
/* The region of an address; false: it is not symmetric. */
bool osh_region_of(const void *address, struct osh_region *r);
/* The PE of the run that is PE `pe` of the context's team. */
int osh_pe(const struct shmemi_ctx *ctx, int pe);
static inline bool osh_is_default(const struct shmemi_ctx *ctx) {
  return ctx == SHMEM_CTX_DEFAULT;
}
int osh_team_pe(const struct shmemi_team *team, int pe);

/* -- for init.c and each other ----------------------------------------------------------------- */
void osh_memory_end(void);
void osh_teams_begin(void);
void osh_teams_end(void);
void osh_contexts_end(struct shmemi_team *team);
void osh_contexts_forget(void); /* after all teams' have ended */
/* shmem_quiet, and shmem_barrier_all. */
void osh_quiet(void);
void osh_barrier_all(void);
/* Completes the caller's stores and waits for the members of the team: shmem_sync. */
int osh_sync(eyot_team_t team);
/* The team of an active set, whose members alone call. */
struct shmemi_team *osh_active_set(int first, int log_stride, int size);
/* The team of eyot, made if need be; ends the run if the handle is invalid. All members call. */
eyot_team_t osh_team(struct shmemi_team *team);

#endif
