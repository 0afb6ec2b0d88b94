/* SPDX-License-Identifier: BSD-3-Clause */
/* proc.c - implements proc.h: interned byte strings in a hash table (uthash). */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/hash.h"
#include "rt/proc_state.h"

/* By default uthash ends the process when memory runs out; with these macros a failed insertion
 * leaves the entry out of the table. */
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(entry) ((entry)->refs = 0)
#include <uthash.h>

struct eyoti_interned {
  UT_hash_handle hh;
  uint64_t refs; /* 0: could not be inserted */
  size_t len;
  void *derived;
  _Alignas(16) unsigned char bytes[];
};

struct eyoti_proc *eyoti_proc_new(void) {
  struct eyoti_proc *p = calloc(1, sizeof *p);
  if (p == NULL)
    eyoti_log(EYOTI_LOG_ERROR, __func__, EYOT_ENOMEM,
              "no memory for the state that the units of a process share");
  return p;
}

static void interned_free(struct eyoti_interned *e) {
  free(e->derived);
  free(e);
}

void eyoti_proc_delete(struct eyoti_proc *p) {
  if (p == NULL) return;
  struct eyoti_interned *e, *next;
  HASH_ITER(hh, p->interned, e, next) {
    HASH_DEL(p->interned, e);
    interned_free(e);
  }
  eyoti_places_free(p->places);
  eyoti_said_free(p->said);
  free(p);
}

uint64_t eyoti_proc_errors(struct eyoti_proc *p, uint64_t more) {
  return p->errors += more;
}

void eyoti_proc_host(struct eyoti_proc *p, eyoti_proc_code_fn code, eyoti_proc_line_fn line,
                     void *context) {
  p->code = code;
  p->line = line;
  p->context = context;
}

const void *eyoti_proc_intern(struct eyoti_proc *p, const void *bytes, size_t len) {
  EYOTI_ASSERT(len > 0 && len <= UINT32_MAX);
  struct eyoti_interned *e;
  HASH_FIND(hh, p->interned, bytes, (unsigned)len, e);
  if (e != NULL) {
    e->refs++;
    return e->bytes;
  }
  e = malloc(sizeof *e + len);
  if (e == NULL) return NULL;
  e->refs = 1;
  e->len = len;
  e->derived = NULL;
  memcpy(e->bytes, bytes, len);
  HASH_ADD_KEYPTR(hh, p->interned, e->bytes, (unsigned)len, e);
  if (e->refs == 0) {
    free(e);
    return NULL;
  }
  return e->bytes;
}

static struct eyoti_interned *interned_of(const void *stored) {
  return (struct eyoti_interned *)(uintptr_t)((const char *)stored -
                                              offsetof(struct eyoti_interned, bytes));
}

void eyoti_proc_release(struct eyoti_proc *p, const void *stored) {
  if (stored == NULL) return;
  struct eyoti_interned *e = interned_of(stored);
  EYOTI_ASSERT(e->refs > 0);
  if (--e->refs > 0) return;
  HASH_DEL(p->interned, e);
  interned_free(e);
}

const void *eyoti_proc_derived(const void *stored) {
  return interned_of(stored)->derived;
}

void eyoti_proc_derive(const void *stored, void *made) {
  struct eyoti_interned *e = interned_of(stored);
  EYOTI_ASSERT(e->refs > 0 && e->derived == NULL);
  e->derived = made;
}

static uint64_t place_of(const struct eyoti_recalled *r) {
  uint64_t h = 0;
  for (uint32_t i = 0; i < EYOTI_RECALL_KEY; i++) h = eyoti_hash_mix(h, r->key[i]);
  return h % EYOTI_RECALLED;
}

bool eyoti_proc_recall(const struct eyoti_proc *p, struct eyoti_recalled *r) {
  const struct eyoti_recalled *kept = &p->recalled[place_of(r)];
  if (memcmp(kept->key, r->key, sizeof r->key) != 0) return false;
  memcpy(r->value, kept->value, sizeof r->value);
  return true;
}

void eyoti_proc_remember(struct eyoti_proc *p, const struct eyoti_recalled *r) {
  EYOTI_ASSERT(r->key[0] != 0);
  p->recalled[place_of(r)] = *r;
}
