/* SPDX-License-Identifier: BSD-3-Clause */
/* fabric_inline.h - the contract's operations as inline calls, and blocking forms made of them; for
 * all layers. Only fabric.h includes it.
 *
 * Rule for all layers: code that gives an operation memory that it will not keep for ever - its
 * frame, a buffer that it frees or fills again, the caller's - returns only when the operation does
 * not refer to it any more, also after an error. A posting call that fails has posted nothing. But
 * a wait or flush that fails says only that it failed: the operation may still land. The forms
 * below handle both. */
#ifndef EYOT_FABRIC_FABRIC_INLINE_H
#define EYOT_FABRIC_FABRIC_INLINE_H

#include "fabric/fabric.h"

static inline struct fab_addr fab_at(fab_unit_t unit, fab_seg_t seg, uint64_t off) {
  return (struct fab_addr){unit, seg, off};
}

static inline int fab_put(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                          fab_req_t *req) {
  return f->ops->put(f, dst, src, len, req);
}
static inline int fab_get(struct fab *f, void *dst, struct fab_addr src, uint64_t len,
                          fab_req_t *req) {
  return f->ops->get(f, dst, src, len, req);
}
static inline int fab_amo(struct fab *f, struct fab_addr dst, const struct fab_amo *amo,
                          uint64_t *old, fab_req_t *req) {
  return f->ops->amo(f, dst, amo, old, req);
}
static inline int fab_put_signal(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                                 const struct fab_sig *sig, fab_req_t *req) {
  return f->ops->put_signal(f, dst, src, len, sig, req);
}
static inline int fab_message(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                              const struct fab_sig *sig, const struct fab_addr *least,
                              fab_req_t *req) {
  if (f->ops->message != NULL) return f->ops->message(f, dst, src, len, sig, least, req);
  struct fab_sig own = *sig;
  own.message = true;
  return f->ops->put_signal(f, dst, src, len, &own, req);
}
static inline void fab_deep(struct fab *f, void (*fn)(void *arg), void *arg) {
  if (f->ops->deep != NULL)
    f->ops->deep(f, fn, arg);
  else
    fn(arg);
}
static inline int fab_flush(struct fab *f, fab_unit_t unit, enum fab_level level) {
  return f->ops->flush(f, unit, level);
}
static inline int fab_order(struct fab *f, fab_unit_t unit) {
  return f->ops->order(f, unit);
}
static inline int fab_req_wait(struct fab *f, fab_req_t req, enum fab_level level) {
  return req == 0 ? 0 : f->ops->req_wait(f, req, level);
}
static inline int fab_req_test(struct fab *f, fab_req_t req, enum fab_level level, bool *done) {
  return f->ops->req_test(f, req, level, done);
}
static inline int fab_wait_word(struct fab *f, const struct fab_cond *cond, uint64_t timeout_ns,
                                uint64_t *seen) {
  return f->ops->wait_mem(f, cond, timeout_ns, seen);
}
/* The same for a word of 64 bits, unsigned: the layers' own. */
static inline int fab_wait_mem(struct fab *f, fab_seg_t seg, uint64_t off, enum fab_cmp cmp,
                               uint64_t value, uint64_t timeout_ns, uint64_t *seen) {
  const struct fab_cond cond = {.seg = seg, .cmp = cmp, .off = off, .value = value};
  return f->ops->wait_mem(f, &cond, timeout_ns, seen);
}
static inline int fab_wait_any(struct fab *f, const struct fab_cond *conds, uint32_t n,
                               uint64_t timeout_ns, uint32_t *index) {
  return f->ops->wait_any(f, conds, n, timeout_ns, index, NULL);
}
static inline int fab_wait_some(struct fab *f, const struct fab_cond *conds, uint32_t n,
                                uint64_t timeout_ns, uint32_t *index, uint32_t *held) {
  return f->ops->wait_any(f, conds, n, timeout_ns, index, held);
}

/* When a timeout ends, by the fabric's clock, and what is left of it; of FAB_FOREVER nothing is
 * lost. */
static inline uint64_t fab_deadline(struct fab *f, uint64_t timeout_ns) {
  uint64_t end;
  if (timeout_ns == FAB_FOREVER || __builtin_add_overflow(f->ops->now_ns(f), timeout_ns, &end))
    return FAB_FOREVER;
  return end;
}
static inline uint64_t fab_left(struct fab *f, uint64_t deadline) {
  if (deadline == FAB_FOREVER) return FAB_FOREVER;
  uint64_t now = f->ops->now_ns(f);
  return now < deadline ? deadline - now : 0;
}

/* After the CPU has changed a word that the unit, which is mapped here, may wait for. FAB_ALL: that
 * some unit may wait for. */
static inline void fab_wake(struct fab *f, fab_unit_t unit) {
  if (f->ops->wake == NULL) return;
  __atomic_thread_fence(__ATOMIC_SEQ_CST); /* between the word and the check for a sleeper */
  f->ops->wake(f, unit);
}

/* The set of an operation that is posted now. */
static inline fab_set_t fab_set_now(const struct fab *f) {
  return f->set == FAB_SET_ALL ? FAB_SET_DEFAULT : f->set;
}
/* Whether a flush or order of `scope` covers the operations of `set`. */
static inline bool fab_set_covers(fab_set_t scope, fab_set_t set) {
  return scope == FAB_SET_ALL || scope == set;
}

/* After an error: blocks until no operation of the caller, of the sets that a flush would cover
 * now, that is in flight to `unit` (or FAB_ALL) refers to its memory any more. fab_settle_set: of
 * the set that a posting call would post to. Ends the run if the fabric cannot complete them. See
 * settle.c. */
EYOT_API void fab_settle(struct fab *f, fab_unit_t unit);
EYOT_API void fab_settle_set(struct fab *f, fab_unit_t unit);

/* Ends an operation that was posted to `unit` (FAB_ALL: to any) and to the set that fab.set names:
 * remotely complete on return, or, after an error, at least settled. */
static inline int fab_req_end(struct fab *f, fab_unit_t unit, fab_req_t req) {
  int rc = fab_req_wait(f, req, FAB_REMOTE);
  if (__builtin_expect(rc != 0, 0)) fab_settle_set(f, unit);
  return rc;
}
/* Ends the part of an operation to `unit` that concerns the caller's memory: locally complete on
 * return, and without request from then on, or, after an error, settled. */
static inline int fab_req_release(struct fab *f, fab_unit_t unit, fab_req_t req) {
  int rc = fab_req_wait(f, req, FAB_RELEASE);
  if (__builtin_expect(rc != 0, 0)) fab_settle_set(f, unit);
  return rc;
}
/* Ends the operations that a layer has posted without request, and others of their set with them:
 * complete on return, or, after an error, settled. Those of other sets stay in flight. */
static inline int fab_flush_end(struct fab *f, fab_unit_t unit, enum fab_level level) {
  const fab_set_t set = f->set;
  f->set = fab_set_now(f);
  int rc = fab_flush(f, unit, level);
  if (__builtin_expect(rc != 0, 0)) fab_settle(f, unit);
  f->set = set;
  return rc;
}

/* Blocking forms: remotely complete on return, or, after an error, settled. */
static inline int fab_put_wait(struct fab *f, struct fab_addr dst, const void *src, uint64_t len) {
  fab_req_t req;
  int rc = f->ops->put(f, dst, src, len, &req);
  return rc != 0 ? rc : fab_req_end(f, dst.unit, req);
}
static inline int fab_get_wait(struct fab *f, void *dst, struct fab_addr src, uint64_t len) {
  fab_req_t req;
  int rc = f->ops->get(f, dst, src, len, &req);
  return rc != 0 ? rc : fab_req_end(f, src.unit, req);
}
static inline int fab_amo_wait(struct fab *f, struct fab_addr dst, const struct fab_amo *amo,
                               uint64_t *old) {
  fab_req_t req;
  int rc = f->ops->amo(f, dst, amo, old, &req);
  return rc != 0 ? rc : fab_req_end(f, dst.unit, req);
}
static inline int fab_put_signal_wait(struct fab *f, struct fab_addr dst, const void *src,
                                      uint64_t len, const struct fab_sig *sig) {
  fab_req_t req;
  int rc = f->ops->put_signal(f, dst, src, len, sig, &req);
  return rc != 0 ? rc : fab_req_end(f, dst.unit, req);
}

/* Writes the value before, the result of an atomic, to where it belongs. */
static inline void fab_amo_store(void *old, bool narrow, uint64_t before) {
  if (narrow)
    *(uint32_t *)old = (uint32_t)before;
  else
    *(uint64_t *)old = before;
}

/* Called between two reads of a waiter: lets the processor's other thread run, and saves power. */
static inline void fab_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/* The comparison of unsigned words. */
static inline bool fab_cmp_holds(enum fab_cmp cmp, uint64_t word, uint64_t value) {
  switch (cmp) {
    case FAB_EQ:
      return word == value;
    case FAB_NE:
      return word != value;
    case FAB_LT:
      return word < value;
    case FAB_LE:
      return word <= value;
    case FAB_GT:
      return word > value;
    case FAB_GE:
      return word >= value;
  }
  return false;
}

/* -- words that are waited for, once for all fabrics ------------------------------------------- */
/* Their values have 64 bits, of signed types with the sign. */

static inline uint32_t fab_word_bytes(enum fab_word type) {
  return type <= FAB_I64 ? 8 : 4;
}
static inline bool fab_word_signed(enum fab_word type) {
  return type == FAB_I64 || type == FAB_I32;
}
/* The word's value, or the value of a condition, from its bits. */
static inline uint64_t fab_word_value(enum fab_word type, uint64_t bits) {
  return type <= FAB_I64   ? bits
         : type == FAB_U32 ? (uint32_t)bits
                           : (uint64_t)(int64_t)(int32_t)(uint32_t)bits;
}
/* An acquire load. */
static inline uint64_t fab_word_load(enum fab_word type, const void *word) {
  if (__builtin_expect(type <= FAB_I64, 1))
    /* pairs with the release of a signal, an atomic or a put */
    return __atomic_load_n((const uint64_t *)word, __ATOMIC_ACQUIRE);
  /* pairs as above */
  return fab_word_value(type, __atomic_load_n((const uint32_t *)word, __ATOMIC_ACQUIRE));
}
/* word: a value of the condition's type. */
static inline bool fab_word_holds(enum fab_word type, enum fab_cmp cmp, uint64_t word,
                                  uint64_t value) {
  uint64_t bias = fab_word_signed(type) ? UINT64_C(1) << 63 : 0;
  return fab_cmp_holds(cmp, word ^ bias, fab_word_value(type, value) ^ bias);
}
static inline bool fab_cond_holds(const struct fab_cond *c, uint64_t word) {
  return fab_word_holds(c->type, c->cmp, word, c->value);
}

/* The new value of an atomic, once for all fabrics; values of width 4 are masked by the caller. */
static inline uint64_t fab_amo_apply(const struct fab_amo *amo, uint64_t old) {
  switch (amo->op) {
    case FAB_AMO_READ:
      return old;
    case FAB_AMO_ADD:
      return old + amo->operand;
    case FAB_AMO_AND:
      return old & amo->operand;
    case FAB_AMO_OR:
      return old | amo->operand;
    case FAB_AMO_XOR:
      return old ^ amo->operand;
    case FAB_AMO_SWAP:
      return amo->operand;
    case FAB_AMO_CAS:
      return old == amo->compare ? amo->operand : old;
  }
  return old;
}

/* -- the CPU's own atomics, where they are the fabric's (fab.cpu_atomics): once for all -------- */

#define FAB_CPU_AMO(name, type)                                                               \
  static inline uint64_t name(type *word, const struct fab_amo *amo) {                        \
    type v = (type)amo->operand, expected = (type)amo->compare;                               \
    switch (amo->op) {                                                                        \
      case FAB_AMO_READ:                                                                      \
        __atomic_thread_fence(__ATOMIC_SEQ_CST); /* a load alone orders no store before it */ \
        return __atomic_load_n(word, __ATOMIC_SEQ_CST);                                       \
      case FAB_AMO_ADD:                                                                       \
        return __atomic_fetch_add(word, v, __ATOMIC_SEQ_CST);                                 \
      case FAB_AMO_AND:                                                                       \
        return __atomic_fetch_and(word, v, __ATOMIC_SEQ_CST);                                 \
      case FAB_AMO_OR:                                                                        \
        return __atomic_fetch_or(word, v, __ATOMIC_SEQ_CST);                                  \
      case FAB_AMO_XOR:                                                                       \
        return __atomic_fetch_xor(word, v, __ATOMIC_SEQ_CST);                                 \
      case FAB_AMO_SWAP:                                                                      \
        return __atomic_exchange_n(word, v, __ATOMIC_SEQ_CST);                                \
      case FAB_AMO_CAS:                                                                       \
        __atomic_compare_exchange_n(word, &expected, v, false, __ATOMIC_SEQ_CST,              \
                                    __ATOMIC_SEQ_CST);                                        \
        return expected;                                                                      \
    }                                                                                         \
    return 0;                                                                                 \
  }
FAB_CPU_AMO(fab_cpu_amo_u64, uint64_t)
FAB_CPU_AMO(fab_cpu_amo_u32, uint32_t)

/* Returns the value before; the word is mapped here and aligned. A full barrier: a
 * read-modify-write is one on x86; elsewhere sequential consistency of the access alone does not
 * order plain copies around it. */
static inline uint64_t fab_cpu_amo(void *word, const struct fab_amo *amo) {
  uint64_t before = amo->width == 4 ? fab_cpu_amo_u32((uint32_t *)word, amo)
                                    : fab_cpu_amo_u64((uint64_t *)word, amo);
#if !defined(__x86_64__) && !defined(__i386__)
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
  return before;
}

/* The same without the value before. Bits are combined by one locked instruction then; with the
 * value, x86 needs a loop of compare-and-swap. */
#define FAB_CPU_APPLY(word, amo, type)                                                  \
  switch ((amo)->op) {                                                                  \
    case FAB_AMO_AND:                                                                   \
      (void)__atomic_fetch_and((type *)(word), (type)(amo)->operand, __ATOMIC_SEQ_CST); \
      break;                                                                            \
    case FAB_AMO_OR:                                                                    \
      (void)__atomic_fetch_or((type *)(word), (type)(amo)->operand, __ATOMIC_SEQ_CST);  \
      break;                                                                            \
    case FAB_AMO_XOR:                                                                   \
      (void)__atomic_fetch_xor((type *)(word), (type)(amo)->operand, __ATOMIC_SEQ_CST); \
      break;                                                                            \
    default:                                                                            \
      (void)fab_cpu_amo(word, amo);                                                     \
  }
static inline void fab_cpu_apply(void *word, const struct fab_amo *amo) {
  if (amo->width == 4)
    FAB_CPU_APPLY(word, amo, uint32_t)
  else
    FAB_CPU_APPLY(word, amo, uint64_t)
#if !defined(__x86_64__) && !defined(__i386__)
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}
#endif
