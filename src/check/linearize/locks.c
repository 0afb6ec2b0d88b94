/* SPDX-License-Identifier: BSD-3-Clause */
/* locks.c - the sequential models "lock" and "rwlock" (models.h): which units hold the lock. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/wording.h"
#include "check/linearize/models.h"

#define FREE 0u /* w[0]; else 1 + the unit that holds the lock exclusively */

static void lock_init(struct chk_lin_state *s, uint64_t param) {
  (void)param;
  s->n = 1;
  s->w[0] = FREE;
}

/* is_free: no other unit excludes this acquire. A blocking acquire fits only then. A try also fits
 * if it failed while the lock was held; a timed acquire that gave up always fits. */
static enum chk_lin_effect model_acquire(const struct chk_lin_op *op, bool is_free, bool tries,
                                         bool may_fail) {
  if (op->ret == CHK_PENDING || op->ok) return is_free ? CHK_LIN_CHANGES : CHK_LIN_CANNOT;
  if (may_fail) return CHK_LIN_SAME;
  return tries && !is_free ? CHK_LIN_SAME : CHK_LIN_CANNOT;
}

static enum chk_lin_effect lock_ask(const struct chk_lin_state *s, const struct chk_lin_op *op,
                                    uint64_t param) {
  (void)param;
  if (op->op == CHK_LOCK_RELEASE)
    return s->w[0] == 1 + (uint64_t)op->unit ? CHK_LIN_CHANGES : CHK_LIN_CANNOT;
  return model_acquire(op, s->w[0] == FREE, op->op == CHK_LOCK_TRY_ACQUIRE,
                       op->op == CHK_LOCK_ACQUIRE_TIMED);
}

static void lock_apply(struct chk_lin_state *s, const struct chk_lin_op *op, uint64_t param) {
  (void)param;
  s->w[0] = op->op == CHK_LOCK_RELEASE ? FREE : 1 + (uint64_t)op->unit;
}

static void lock_show(const struct chk_lin_state *s, char *text, size_t bytes) {
  if (s->w[0] == FREE) {
    snprintf(text, bytes, "is free");
  } else {
    eyoti_snprintf(text, bytes, "is held by unit %" PRIu64, s->w[0] - 1);
  }
}

/* -- readers and writers: after w[0] the units that hold it shared, ascending ------------------ */

/* The index of the first reader that is not below the unit. */
static uint32_t reader_at(const struct chk_lin_state *s, uint32_t unit) {
  uint32_t i = 1;
  while (i < s->n && s->w[i] < unit) i++;
  return i;
}

static bool reads(const struct chk_lin_state *s, uint32_t unit) {
  uint32_t i = reader_at(s, unit);
  return i < s->n && s->w[i] == unit;
}

static enum chk_lin_effect rw_ask(const struct chk_lin_state *s, const struct chk_lin_op *op,
                                  uint64_t param) {
  (void)param;
  bool no_writer = s->w[0] == FREE, no_reader = s->n == 1;
  switch (op->op) {
    case CHK_RW_RELEASE:
      return s->w[0] == 1 + (uint64_t)op->unit ? CHK_LIN_CHANGES : CHK_LIN_CANNOT;
    case CHK_RW_RELEASE_SHARED:
      return reads(s, op->unit) ? CHK_LIN_CHANGES : CHK_LIN_CANNOT;
    case CHK_RW_ACQUIRE_SHARED:
    case CHK_RW_TRY_ACQUIRE_SHARED:
    case CHK_RW_ACQUIRE_SHARED_TIMED:
      return model_acquire(op, no_writer && !reads(s, op->unit),
                           op->op == CHK_RW_TRY_ACQUIRE_SHARED,
                           op->op == CHK_RW_ACQUIRE_SHARED_TIMED);
    default:
      return model_acquire(op, no_writer && no_reader, op->op == CHK_RW_TRY_ACQUIRE,
                           op->op == CHK_RW_ACQUIRE_TIMED);
  }
}

static void rw_apply(struct chk_lin_state *s, const struct chk_lin_op *op, uint64_t param) {
  (void)param;
  uint32_t i = reader_at(s, op->unit);
  switch (op->op) {
    case CHK_RW_RELEASE:
      s->w[0] = FREE;
      break;
    case CHK_RW_RELEASE_SHARED:
      s->n--;
      memmove(s->w + i, s->w + i + 1, (s->n - i) * sizeof *s->w);
      break;
    case CHK_RW_ACQUIRE_SHARED:
    case CHK_RW_TRY_ACQUIRE_SHARED:
    case CHK_RW_ACQUIRE_SHARED_TIMED:
      memmove(s->w + i + 1, s->w + i, (s->n - i) * sizeof *s->w);
      s->w[i] = op->unit;
      s->n++;
      break;
    default:
      s->w[0] = 1 + (uint64_t)op->unit;
  }
}

static void rw_show(const struct chk_lin_state *s, char *text, size_t bytes) {
  if (s->n == 1) {
    lock_show(s, text, bytes);
    return;
  }
  size_t at = (size_t)eyoti_snprintf(text, bytes, "is read by unit");
  for (uint32_t i = 1; i < s->n && at < bytes; i++) {
    at += (size_t)snprintf(text + at, bytes - at, "%s %" PRIu64, i == 1 ? "" : ",", s->w[i]);
  }
}

static const struct chk_lin_kind lock_kinds[] = {
    {"acquire", 0, CHK_GIVES_NOTHING, "", ""},
    {"try_acquire", 0, CHK_GIVES_OK, "ok", "taken"},
    {"acquire_timed", 0, CHK_GIVES_OK, "ok", "given up"},
    {"release", 0, CHK_GIVES_NOTHING, "", ""}};
static const struct chk_lin_kind rw_kinds[] = {
    {"acquire", 0, CHK_GIVES_NOTHING, "", ""},
    {"try_acquire", 0, CHK_GIVES_OK, "ok", "taken"},
    {"acquire_timed", 0, CHK_GIVES_OK, "ok", "given up"},
    {"release", 0, CHK_GIVES_NOTHING, "", ""},
    {"acquire_shared", 0, CHK_GIVES_NOTHING, "", ""},
    {"try_acquire_shared", 0, CHK_GIVES_OK, "ok", "taken"},
    {"acquire_shared_timed", 0, CHK_GIVES_OK, "ok", "given up"},
    {"release_shared", 0, CHK_GIVES_NOTHING, "", ""}};

const struct chk_lin_model chk_lin_lock = {"lock",   lock_kinds, 4,         false, lock_init,
                                           lock_ask, lock_apply, lock_show, NULL,  NULL};
const struct chk_lin_model chk_lin_rwlock = {"rwlock", rw_kinds, 8,       false, lock_init,
                                             rw_ask,   rw_apply, rw_show, NULL,  NULL};
