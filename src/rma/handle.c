/* SPDX-License-Identifier: BSD-3-Clause */
/* handle.c - the calls that made the handles in flight, for the warning of eyot_finalize about
 * those that were not waited for (rma.h). A small table by the handle's last bits: with more
 * handles in flight than entries, the later ones are known. */
#include <stdio.h>
#include <stdlib.h>

#include "rma/rma.h"
#include "rt/place.h"

#define ENTRIES 16u /* a power of two; units of a large simulation have one table each */

struct eyoti_handles {
  struct {
    uint64_t id; /* 0: free */
    const char *what;
    const void *site;
  } entry[ENTRIES];
};

void eyoti_handle_note(struct eyot_rt *rt, uint64_t id) {
  struct eyoti_handles *h = rt->rma->handles;
  /* aligned_alloc: see rt/made.c */
  if (h == NULL && (h = aligned_alloc(16, sizeof *h)) != NULL)
    *(rt->rma->handles = h) = (struct eyoti_handles){0};
  if (h == NULL) return;
  h->entry[id % ENTRIES].id = id;
  h->entry[id % ENTRIES].what = eyoti_rt_shown(rt);
  h->entry[id % ENTRIES].site = eyoti_rt_site(rt);
}

void eyoti_handle_forget(struct eyot_rt *rt, uint64_t id) {
  struct eyoti_handles *h = rt->rma->handles;
  if (h != NULL && h->entry[id % ENTRIES].id == id) h->entry[id % ENTRIES].id = 0;
}

void eyoti_handles_list(struct eyot_rt *rt) {
  struct eyoti_handles *h = rt->rma->handles;
  char place[EYOTI_CODE_LINE];
  if (eyoti_log_level() < EYOTI_LOG_WARN) return; /* a place takes milliseconds to find */
  for (uint32_t i = 0; h != NULL && i < ENTRIES; i++)
    if (h->entry[i].id != 0)
      eyoti_log(EYOTI_LOG_WARN, "eyot_finalize", 0, "not waited for before: a handle (%s at %s)",
                h->entry[i].what,
                eyoti_place_text(rt, eyoti_place_of(rt, h->entry[i].site), place));
}
