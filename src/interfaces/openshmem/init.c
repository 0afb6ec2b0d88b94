/* SPDX-License-Identifier: BSD-3-Clause */
/* init.c - start and end of the OpenSHMEM interface, its environment variables, queries, and the
 * errors of all its files. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interfaces/errors.h"
#include "interfaces/openshmem/osh.h"

#define HEAP_EXTRA (64u << 20) /* for eyot's own words in the heap, and alignment */
#define HEAP_LEAST (64u << 20)

struct osh osh;

EYOT_CALLER_WORDS(
    "unit=PE units=PEs Unit=PE Units=PEs flush=quiet EYOT_TEAM_ALL=SHMEM_TEAM_WORLD "
    "EYOT_HEAP_MAX=SHMEM_SYMMETRIC_SIZE "
    "eyot_init=shmem_init eyot_init_with=shmem_init_thread eyot_finalize=shmem_finalize "
    "eyot_order=shmem_fence eyot_wait_until=shmem_wait_until eyot_test=shmem_test "
    "EYOT_THREAD_SERIALIZED=SHMEM_THREAD_SERIALIZED EYOT_THREAD_MULTIPLE=SHMEM_THREAD_MULTIPLE")

/* -- errors ------------------------------------------------------------------------------------ */

static const struct interface_words words = {
    .before = "called before shmem_init",
    .after = "called after shmem_finalize",
    .refused = "OpenSHMEM is not initialized",
    .failed = "a call of OpenSHMEM has failed (see the message above), and cannot return it"};

void osh_refuse(const char *call, const void *site) {
  interface_refuse(&words, osh.ended, call, site);
}

void osh_fail(int code, const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  interface_log(code, format, ap);
  va_end(ap);
  osh_failed();
}

void osh_failed(void) {
  interface_failed(&words);
}

/* -- environment ------------------------------------------------------------------------------- */

/* SHMEM_name, or by its deprecated name SMA_name; NULL: not set. */
static const char *variable(const char *name) {
  char full[64];
  snprintf(full, sizeof full, "SHMEM_%s", name);
  const char *value = getenv(full);
  if (value != NULL) return value;
  snprintf(full, sizeof full, "SMA_%s", name);
  return getenv(full);
}

/* A number of bytes with an optional suffix K, M, G or T (powers of 1024). False: malformed. */
static bool bytes_of(const char *text, uint64_t *bytes) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || !(value > 0)) return false;
  const char *suffixes = "KMGT";
  const char *suffix = *end != '\0' ? strchr(suffixes, toupper((unsigned char)*end)) : NULL;
  if (*end != '\0' && (suffix == NULL || end[1] != '\0')) return false;
  for (const char *s = suffixes; suffix != NULL && s <= suffix; s++) value *= 1024;
  if (value >= 17592186044416.0) return false; /* 16 TiB */
  *bytes = (uint64_t)value;
  return true;
}

static void show_information(void) {
  if (variable("VERSION") != NULL)
    printf("eyot-shmem %s, OpenSHMEM %d.%d\n", eyot_version(), SHMEM_MAJOR_VERSION,
           SHMEM_MINOR_VERSION);
  if (variable("INFO") == NULL) return;
  printf(
      "SHMEM_SYMMETRIC_SIZE=N  limits the symmetric heap to N bytes (suffixes K, M, G, T); "
      "default: "
      "1G\n"
      "SHMEM_VERSION=1         prints the version\n"
      "SHMEM_INFO=1            prints this text\n"
      "SHMEM_DEBUG=1           lets eyot print what it does (EYOT_LOG=debug)\n");
}

static eyot_init_attr_t attributes(int requested) {
  eyot_init_attr_t attr = EYOT_INIT_ATTR_INIT;
  attr.threads = (uint32_t)requested; /* the levels have equal numbers */
  attr.frees_at_end = 1;
  const char *size = variable("SYMMETRIC_SIZE");
  if (size == NULL) return attr;
  if (!bytes_of(size, &osh.heap_max)) {
    fprintf(stderr,
            "eyot-shmem: SHMEM_SYMMETRIC_SIZE=%s is not a size: expected a number of bytes, "
            "with K, M, G or T, below 16T\n",
            size);
    eyot_abort(2, "SHMEM_SYMMETRIC_SIZE is malformed");
  }
  attr.heap_max = osh.heap_max + HEAP_EXTRA;
  attr.heap_size = HEAP_LEAST;
  return attr;
}

_Static_assert((int)EYOT_THREAD_SINGLE == SHMEM_THREAD_SINGLE &&
                   (int)EYOT_THREAD_FUNNELED == SHMEM_THREAD_FUNNELED &&
                   (int)EYOT_THREAD_SERIALIZED == SHMEM_THREAD_SERIALIZED &&
                   (int)EYOT_THREAD_MULTIPLE == SHMEM_THREAD_MULTIPLE,
               "levels pass unchanged");

/* -- start and end ----------------------------------------------------------------------------- */

static void start(const char *call, const void *site, int requested) {
  if (osh.starts > 0 && osh.me != (int)eyot_me().id) {
    eyot_caller_fail(
        call, site, EYOT_ESTATE,
        "another PE has initialized this copy of the library: OpenSHMEM programs need their own "
        "globals; run without --shared-globals");
    osh_failed();
  }
  if (osh.starts++ > 0) {
    osh_barrier_all();
    return;
  }
  eyot_init_attr_t attr = attributes(requested);
  osh.joined = eyot_initialized();
  if (eyot_init_with(NULL, NULL, &attr) != EYOT_OK) {
    fprintf(stderr, "eyot-shmem: %s: eyot cannot start, see the message above\n", call);
    eyot_abort(INTERFACE_MISTAKE_CODE, NULL);
  }
  osh.me = (int)eyot_me().id;
  osh.n = (int)eyot_size();
  osh.threads = eyot_thread_level() == EYOT_THREAD_MULTIPLE;
  osh_teams_begin();
  if (osh.me == 0) show_information();
}

static bool known_level(int level) {
  return level >= SHMEM_THREAD_SINGLE && level <= SHMEM_THREAD_MULTIPLE;
}

OSH_DEFINE(void, init, (void)) {
  EYOT_CALLER("shmem_init");
  start("shmem_init", __builtin_return_address(0), SHMEM_THREAD_SINGLE);
}

OSH_DEFINE(int, init_thread, (int requested, int *provided)) {
  EYOT_CALLER("shmem_init_thread");
  if (!known_level(requested) || provided == NULL) {
    eyot_caller_fail("shmem_init_thread", __builtin_return_address(0), EYOT_EINVAL,
                     provided == NULL ? "provided is NULL"
                                      : "requested is %d, expected SHMEM_THREAD_SINGLE, "
                                        "_FUNNELED, _SERIALIZED or _MULTIPLE",
                     requested);
    return 1;
  }
  start("shmem_init_thread", __builtin_return_address(0), requested);
  *provided = (int)eyot_thread_level();
  return 0;
}

static void end_all(void) {
  osh_quiet();
  osh_must(eyot_barrier(EYOT_TEAM_ALL));
  osh_teams_end();
  osh_memory_end();
  osh.n = 0;
  osh.ended = true;
  memset(osh.recent, 0, sizeof osh.recent);
}

OSH_DEFINE(void, finalize, (void)) {
  OSH_ENTER("shmem_finalize");
  if (--osh.starts > 0) {
    osh_barrier_all();
    return;
  }
  end_all();
  if (eyot_finalize() != EYOT_OK) osh_failed();
}

static void end_at_exit(void) {
  if (osh.n == 0) return;
  EYOT_CALLER("start_pes");
  end_all();
  if (eyot_finalize() != EYOT_OK) osh_failed();
}

void start_pes(int npes) {
  EYOT_CALLER("start_pes");
  (void)npes;
  if (osh.starts > 0) return;
  start("start_pes", __builtin_return_address(0), SHMEM_THREAD_SINGLE);
  osh_must(eyot_at_exit(end_at_exit));
}

OSH_DEFINE(void, global_exit, (int status)) {
  OSH_ENTER("shmem_global_exit");
  eyot_exit_all(status);
}

/* -- queries ----------------------------------------------------------------------------------- */

OSH_DEFINE(void, query_thread, (int *provided)) {
  OSH_ENTER("shmem_query_thread");
  if (provided == NULL) osh_fail(EYOT_EINVAL, "provided is NULL");
  *provided = (int)eyot_thread_level();
}

OSH_DEFINE(void, query_initialized, (int *initialized)) {
  *initialized = osh.n > 0;
}

OSH_DEFINE(int, my_pe, (void)) {
  if (__builtin_expect(osh.n == 0, 0)) osh_refuse("shmem_my_pe", __builtin_return_address(0));
  return osh.me;
}

OSH_DEFINE(int, n_pes, (void)) {
  if (__builtin_expect(osh.n == 0, 0)) osh_refuse("shmem_n_pes", __builtin_return_address(0));
  return osh.n;
}

int _my_pe(void) {
  if (__builtin_expect(osh.n == 0, 0)) osh_refuse("_my_pe", __builtin_return_address(0));
  return osh.me;
}

int _num_pes(void) {
  if (__builtin_expect(osh.n == 0, 0)) osh_refuse("_num_pes", __builtin_return_address(0));
  return osh.n;
}

OSH_DEFINE(int, pe_accessible, (int pe)) {
  OSH_ENTER("shmem_pe_accessible");
  return pe >= 0 && pe < osh.n;
}

OSH_DEFINE(int, addr_accessible, (const void *addr, int pe)) {
  OSH_ENTER("shmem_addr_accessible");
  struct osh_region r;
  return pe >= 0 && pe < osh.n && addr != NULL && osh_region_of(addr, &r);
}

OSH_DEFINE(void, info_get_version, (int *major, int *minor)) {
  *major = SHMEM_MAJOR_VERSION;
  *minor = SHMEM_MINOR_VERSION;
}

OSH_DEFINE(void, info_get_name, (char *name)) {
  memcpy(name, SHMEM_VENDOR_STRING, sizeof SHMEM_VENDOR_STRING);
}

OSH_DEFINE(void, pcontrol, (int level, ...)) {
  (void)level;
}

static void nothing(const char *call, const void *site) {
  if (osh.n == 0) osh_refuse(call, site);
}
OSH_DEFINE(void, clear_cache_inv, (void)) {
  nothing("shmem_clear_cache_inv", __builtin_return_address(0));
}
OSH_DEFINE(void, clear_cache_line_inv, (void *dest)) {
  (void)dest;
  nothing("shmem_clear_cache_line_inv", __builtin_return_address(0));
}
OSH_DEFINE(void, set_cache_inv, (void)) {
  nothing("shmem_set_cache_inv", __builtin_return_address(0));
}
OSH_DEFINE(void, set_cache_line_inv, (void *dest)) {
  (void)dest;
  nothing("shmem_set_cache_line_inv", __builtin_return_address(0));
}
OSH_DEFINE(void, udcflush, (void)) {
  nothing("shmem_udcflush", __builtin_return_address(0));
}
OSH_DEFINE(void, udcflush_line, (void *dest)) {
  (void)dest;
  nothing("shmem_udcflush_line", __builtin_return_address(0));
}
