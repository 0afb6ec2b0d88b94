/* SPDX-License-Identifier: BSD-3-Clause */
/* nb.c - copies that do not block: a table of the caller's transfers. A handle is an entry's number
 * and how often the entry was used, so that a handle that was synchronized is recognized. A
 * transfer between two other threads is a get, and then a put; whoever waits for it, or tests it,
 * starts the put. */
#include <eyot/upc/nb.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "interfaces/upc/access.h"
#include "interfaces/upc/upc.h"

#define USES_SHIFT 16
#define NUMBER_MASK ((UINT64_C(1) << USES_SHIFT) - 1)
_Static_assert(UPC_NB_MOST == NUMBER_MASK, "a handle has space for each entry's number, from 1 on");

struct transfer {
  uint64_t uses; /* odd: in use */
  eyot_handle_t handle;
  eyot_gptr_t dst; /* of the put that follows a get */
  size_t n;
  char *bytes; /* the transfer's own memory, or NULL */
  bool get;    /* a put follows */
  bool has_handle;
  uint32_t next; /* free: the next free one, from 1 on; no handle: the next of these */
};

static struct {
  struct transfer *t;
  uint32_t n, most;
  uint32_t free, implicit; /* first of a list, from 1 on; 0: empty */
} table;

static uint32_t take(bool has_handle) {
  if (table.free == 0) {
    if (table.n == UPC_NB_MOST)
      upci_fail(EYOT_ERANGE, "%d transfers are not synchronized, expected at most so many",
                UPC_NB_MOST);
    if (table.n == table.most) {
      uint32_t most = table.most == 0 ? 64 : 2 * table.most;
      struct transfer *more = realloc(table.t, most * sizeof *more);
      if (more == NULL) upci_fail(EYOT_ENOMEM, "no memory for %" PRIu32 " transfers", most);
      table.t = more;
      table.most = most;
    }
    table.t[table.n] = (struct transfer){0};
    table.free = ++table.n;
  }
  uint32_t i = table.free;
  struct transfer *t = &table.t[i - 1];
  table.free = t->next;
  *t = (struct transfer){.uses = t->uses + 1, .has_handle = has_handle};
  if (!has_handle) {
    t->next = table.implicit;
    table.implicit = i;
  }
  return i;
}

static void give(uint32_t i) {
  struct transfer *t = &table.t[i - 1];
  free(t->bytes);
  t->bytes = NULL;
  t->uses++;
  t->next = table.free;
  table.free = i;
}

static upc_handle_t handle_of(uint32_t i) {
  return (upc_handle_t)(uintptr_t)(table.t[i - 1].uses << USES_SHIFT | i);
}

static uint32_t entry_of(upc_handle_t handle) {
  uint64_t word = (uintptr_t)handle, i = word & NUMBER_MASK;
  if (i == 0 || i > table.n || !table.t[i - 1].has_handle || table.t[i - 1].uses % 2 == 0 ||
      (table.t[i - 1].uses ^ word >> USES_SHIFT) << USES_SHIFT != 0)
    upci_fail(EYOT_EINVAL, "the handle is none of a transfer, or was synchronized before");
  return (uint32_t)i;
}

static char *memory(size_t n) {
  char *bytes = malloc(n);
  if (bytes == NULL) upci_fail(EYOT_ENOMEM, "no memory for a transfer of %zu bytes", n);
  return bytes;
}

static uint32_t start_put(upc_shared_t dst, const void *src, size_t n, bool has_handle) {
  uint32_t i = take(has_handle);
  upci_settle(dst.at, n);
  upci_must(eyot_put_nb(dst.at, src, n, &table.t[i - 1].handle));
  return i;
}

static uint32_t start_get(void *dst, upc_shared_t src, size_t n, bool has_handle) {
  uint32_t i = take(has_handle);
  upci_settle(src.at, n);
  upci_must(eyot_get_nb(dst, src.at, n, &table.t[i - 1].handle));
  return i;
}

static uint32_t start_copy(upc_shared_t dst, upc_shared_t src, size_t n, bool has_handle) {
  void *from = upci_address(src.at), *to = from == NULL ? upci_address(dst.at) : NULL;
  if (from != NULL) return start_put(dst, from, n, has_handle);
  if (to != NULL) return start_get(to, src, n, has_handle);
  char *bytes = memory(n);
  uint32_t i = start_get(bytes, src, n, has_handle);
  struct transfer *t = &table.t[i - 1];
  t->bytes = bytes;
  t->get = true;
  t->dst = dst.at;
  t->n = n;
  return i;
}

static uint32_t start_set(upc_shared_t dst, int c, size_t n, bool has_handle) {
  char *bytes = memset(memory(n), c, n);
  uint32_t i = start_put(dst, bytes, n, has_handle);
  table.t[i - 1].bytes = bytes;
  return i;
}

/* The put of a transfer whose get is complete. */
static void go_on(struct transfer *t) {
  t->get = false;
  upci_settle(t->dst, t->n);
  upci_must(eyot_put_nb(t->dst, t->bytes, t->n, &t->handle));
}

static void finish(uint32_t i) {
  struct transfer *t = &table.t[i - 1];
  upci_must(eyot_wait(&t->handle, EYOT_REMOTE));
  if (t->get) {
    go_on(t);
    upci_must(eyot_wait(&t->handle, EYOT_REMOTE));
  }
  give(i);
}

static bool attempt(uint32_t i) {
  struct transfer *t = &table.t[i - 1];
  bool done;
  upci_must(eyot_test(&t->handle, EYOT_REMOTE, &done));
  if (done && t->get) {
    go_on(t);
    upci_must(eyot_test(&t->handle, EYOT_REMOTE, &done));
  }
  if (done) give(i);
  return done;
}

/* -- calls ------------------------------------------------------------------------------------- */

upc_handle_t upc_memput_nb(upc_shared_t dst, const void *src, size_t n) {
  UPCI_ENTER("upc_memput_nb");
  return n == 0 ? UPC_COMPLETE_HANDLE : handle_of(start_put(dst, src, n, true));
}

upc_handle_t upc_memget_nb(void *dst, upc_shared_t src, size_t n) {
  UPCI_ENTER("upc_memget_nb");
  return n == 0 ? UPC_COMPLETE_HANDLE : handle_of(start_get(dst, src, n, true));
}

upc_handle_t upc_memcpy_nb(upc_shared_t dst, upc_shared_t src, size_t n) {
  UPCI_ENTER("upc_memcpy_nb");
  return n == 0 ? UPC_COMPLETE_HANDLE : handle_of(start_copy(dst, src, n, true));
}

upc_handle_t upc_memset_nb(upc_shared_t dst, int c, size_t n) {
  UPCI_ENTER("upc_memset_nb");
  return n == 0 ? UPC_COMPLETE_HANDLE : handle_of(start_set(dst, c, n, true));
}

void upc_sync(upc_handle_t handle) {
  UPCI_ENTER("upc_sync");
  if (handle != UPC_COMPLETE_HANDLE) finish(entry_of(handle));
}

int upc_sync_attempt(upc_handle_t handle) {
  UPCI_ENTER("upc_sync_attempt");
  bool done = handle == UPC_COMPLETE_HANDLE || attempt(entry_of(handle));
  return done ? UPC_NB_COMPLETED : UPC_NB_NOT_COMPLETED;
}

void upc_memput_nbi(upc_shared_t dst, const void *src, size_t n) {
  UPCI_ENTER("upc_memput_nbi");
  if (n > 0) (void)start_put(dst, src, n, false);
}

void upc_memget_nbi(void *dst, upc_shared_t src, size_t n) {
  UPCI_ENTER("upc_memget_nbi");
  if (n > 0) (void)start_get(dst, src, n, false);
}

void upc_memcpy_nbi(upc_shared_t dst, upc_shared_t src, size_t n) {
  UPCI_ENTER("upc_memcpy_nbi");
  if (n > 0) (void)start_copy(dst, src, n, false);
}

void upc_memset_nbi(upc_shared_t dst, int c, size_t n) {
  UPCI_ENTER("upc_memset_nbi");
  if (n > 0) (void)start_set(dst, c, n, false);
}

void upc_synci(void) {
  UPCI_ENTER("upc_synci");
  while (table.implicit != 0) {
    uint32_t i = table.implicit;
    table.implicit = table.t[i - 1].next;
    finish(i);
  }
}

int upc_synci_attempt(void) {
  UPCI_ENTER("upc_synci_attempt");
  uint32_t i = table.implicit, kept = 0;
  table.implicit = 0;
  while (i != 0) {
    uint32_t next = table.t[i - 1].next;
    if (!attempt(i)) {
      table.t[i - 1].next = kept;
      kept = i;
    }
    i = next;
  }
  table.implicit = kept;
  return kept == 0 ? UPC_NB_COMPLETED : UPC_NB_NOT_COMPLETED;
}

void upci_nb_end(void) {
  uint32_t open = 0;
  for (uint32_t i = 0; i < table.n; i++) open += table.t[i].uses % 2;
  if (open > 0)
    upci_fail(EYOT_ESTATE,
              "%" PRIu32
              " transfers are not synchronized at the end of the program: expected upc_sync or "
              "upc_synci after each",
              open);
  free(table.t);
  memset(&table, 0, sizeof table);
}
