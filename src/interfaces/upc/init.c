/* SPDX-License-Identifier: BSD-3-Clause */
/* init.c - start and end of the UPC interface, and shared arrays. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "interfaces/upc/upc.h"

#define HEAP_DEFAULT (UINT64_C(16) << 20)
#define HEAP_LEAST UINT64_C(4096)
#define HEAP_MOST (UINT64_C(1) << 40)
#define ALIGN 64u

static uint64_t heap_bytes(void) {
  const char *text = getenv("UPC_SHARED_HEAP_SIZE");
  if (text == NULL) return HEAP_DEFAULT;
  char *end;
  unsigned long long n = strtoull(text, &end, 10);
  const char *suffix = *end != '\0' ? strchr("KMG", toupper((unsigned char)*end)) : NULL;
  unsigned shift = suffix != NULL ? 10u * (unsigned)(suffix - "KMG" + 1) : 0;
  bool right = isdigit((unsigned char)*text) && end != text && n <= HEAP_MOST >> shift &&
               (*end == '\0' || (suffix != NULL && end[1] == '\0'));
  if (right && n << shift >= HEAP_LEAST) return (n << shift) / ALIGN * ALIGN;
  upci_fail(EYOT_EINVAL,
            "UPC_SHARED_HEAP_SIZE=%s is not a size: expected a number of bytes, with K, M or G, "
            "from 4K to 1024G",
            text);
}

/* The section is absent in programs without shared arrays. */
extern struct upci_static *const __start_upci_statics[] __attribute__((weak));
extern struct upci_static *const __stop_upci_statics[] __attribute__((weak));

/* All threads run one program, and so allocate the arrays in one order. */
static void arrays_begin(void) {
  for (struct upci_static *const *s = __start_upci_statics; s != __stop_upci_statics; s++) {
    upci_must(eyot_team_alloc(EYOT_TEAM_ALL, (*s)->bytes, &(*s)->first.at));
    (*s)->first.phase = 0;
  }
}

static void end_all(void) {
  upci_nb_end();
  upci_barrier_all();
  upci_heap_end();
  upci_run = (struct upci_run){0, 0};
  upci.ended = true;
}

static void end_at_exit(void) {
  if (upci_run.threads == 0) return;
  EYOT_CALLER("main");
  end_all();
  if (eyot_finalize() != EYOT_OK) upci_failed();
}

void upc_init(void) {
  EYOT_CALLER("upc_init");
  if (upci_run.threads != 0 || upci.ended) upci_fail(EYOT_ESTATE, "UPC was started before");
  upci.joined = eyot_initialized();
  eyot_init_attr_t attr = EYOT_INIT_ATTR_INIT;
  attr.frees_at_end = 1;
  if (eyot_init_with(NULL, NULL, &attr) != EYOT_OK) upci_failed();
  upci.heap_bytes = heap_bytes();
  upci_run = (struct upci_run){eyot_size(), eyot_me().id};
  eyot_unit_t first;
  upci_must(eyot_mapped_units(&first, &upci.mapped));
  upci.mapped_first = first.id;
  arrays_begin();
  upci_heap_begin();
  if (!upci.joined) upci_must(eyot_at_exit(end_at_exit));
}

void upc_finalize(void) {
  UPCI_ENTER("upc_finalize");
  end_all();
  if (eyot_finalize() != EYOT_OK) upci_failed();
}

void upc_global_exit(int status) {
  UPCI_ENTER("upc_global_exit");
  eyot_exit_all(status);
}

upc_tick_t upc_ticks_now(void) {
  return eyot_now_ns();
}

uint64_t upc_ticks_to_ns(upc_tick_t ticks) {
  return ticks;
}
