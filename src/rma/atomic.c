/* SPDX-License-Identifier: BSD-3-Clause */
/* atomic.c - typed atomics on one element (eyot/atomic.h).
 *
 * The fabric adds, combines bits, swaps, reads and compares-and-swaps words. All other operations
 * (products, minima, maxima, all arithmetic on floating point) are a compare-and-swap loop over the
 * bits. Source of this fallback: Gerstenberger, Besta, Hoefler: Enabling highly-scalable remote
 * memory access programming with MPI-3 one sided, SC 2013, section 2.4. */
#include <eyot/atomic.h>
#include <inttypes.h>

#include "rma/amo.h"
#include "rt/observe.h"

uint64_t eyoti_bits_load(const void *element, uint32_t width) {
  if (width == 8) {
    uint64_t v;
    memcpy(&v, element, sizeof v);
    return v;
  }
  uint32_t v;
  memcpy(&v, element, sizeof v);
  return v;
}

void eyoti_bits_store(void *element, uint64_t bits, uint32_t width) {
  if (width == 8) {
    memcpy(element, &bits, sizeof bits);
  } else {
    uint32_t v = (uint32_t)bits;
    memcpy(element, &v, sizeof v);
  }
}

bool eyoti_amo_direct(eyot_type_t type, eyot_op_t op, enum fab_amo_op *out) {
  bool integer = eyoti_type_is_integer(type);
  switch (op) {
    case EYOT_SUM:
      *out = FAB_AMO_ADD;
      return integer;
    case EYOT_BAND:
      *out = FAB_AMO_AND;
      return integer;
    case EYOT_BOR:
      *out = FAB_AMO_OR;
      return integer;
    case EYOT_BXOR:
      *out = FAB_AMO_XOR;
      return integer;
    case EYOT_REPLACE:
      *out = FAB_AMO_SWAP;
      return true;
    case EYOT_NOOP:
      *out = FAB_AMO_READ;
      return true;
    default:
      return false;
  }
}

/* Widths are powers of two; a division is slow. */
static inline bool is_multiple(uint64_t x, uint32_t width) {
  return (x & (width - 1)) == 0;
}

/* A function of its own, so that the text is not in the frames of atomics. */
static __attribute__((cold, noinline)) int refuse_place(struct eyot_rt *rt, eyot_gptr_t dst,
                                                        eyot_type_t type) {
  return EYOTI_FAIL(EYOT_EALIGN, "%s is not a multiple of %u, the size of EYOT_%s",
                    eyoti_gmem_byte_words(rt, dst, (char[EYOTI_BYTE_WORDS]){0}),
                    eyoti_type_width(type), eyoti_type_name(type));
}

/* Of `len` bytes of elements of a type that has atomics. */
static inline int resolve_elements(struct eyot_rt *rt, eyot_gptr_t dst, eyot_type_t type,
                                   uint64_t len, struct fab_addr *out) {
  struct fab_addr a;
  EYOTI_TRY(eyoti_gmem_resolve(rt, dst, len, &a));
  /* The key of attached memory is the fabric's own; only the fabric knows its address. */
  if (a.seg != FAB_SEG_ATTACHED && !is_multiple(a.off, eyoti_type_width(type)))
    return refuse_place(rt, dst, type);
  *out = a;
  return EYOT_OK;
}

int eyoti_amo_resolve(struct eyot_rt *rt, eyot_gptr_t dst, eyot_type_t type, eyot_op_t op,
                      uint64_t n, struct fab_addr *out) {
  if (!eyoti_op_atomic(type, op)) return eyoti_op_refuse_atomic(type, op);
  uint32_t width = eyoti_type_width(type);
  uint64_t len;
  if (__builtin_mul_overflow(n, width, &len))
    return EYOTI_FAIL(EYOT_ERANGE, "%" PRIu64 " elements of %u bytes overflow 64 bits", n, width);
  return resolve_elements(rt, dst, type, len, out);
}

/* The target of an atomic: a mapped word, on which the processor's atomics are used without a call
 * of the fabric, or (word NULL) an address of the fabric. */
struct atomic_target {
  void *word;
  struct fab_addr at;
};

static inline int find_target(struct eyot_rt *rt, eyot_gptr_t dst, eyot_type_t type, eyot_op_t op,
                              struct atomic_target *out) {
  if (!eyoti_op_atomic(type, op)) return eyoti_op_refuse_atomic(type, op);
  uint32_t width = eyoti_type_width(type);
  out->word = eyoti_mapped_word(&rt->mapped, dst, width);
  return out->word != NULL ? EYOT_OK : resolve_elements(rt, dst, type, width, &out->at);
}

/* old NULL: the value before is not wanted. */
static int act(struct eyot_rt *rt, const struct atomic_target *p, const struct fab_amo *amo,
               uint64_t *old) {
  uint64_t unused;
  if (p->word == NULL) return fab_amo_wait(rt->fab, p->at, amo, old != NULL ? old : &unused);
  if (old == NULL)
    fab_cpu_apply(p->word, amo);
  else
    *old = fab_cpu_amo(p->word, amo);
  return EYOT_OK;
}

/* Retries without a bound, but always with progress: a compare-and-swap fails only because another
 * unit's update came between. A value that the operation leaves as it is needs no write: the read
 * was the operation. */
static int update_by_cas(struct eyot_rt *rt, const struct atomic_target *p, eyot_type_t type,
                         eyot_op_t op, const void *operand, uint64_t *old) {
  uint32_t width = eyoti_type_width(type);
  bool floats = eyoti_type_floats(type);
  struct fab_amo read = {.op = FAB_AMO_READ, .width = width, .floats = floats};
  uint64_t seen;
  EYOTI_TRY(act(rt, p, &read, &seen));
  for (;;) {
    union {
      uint64_t u64;
      uint32_t u32;
    } value = {0};
    eyoti_bits_store(&value, seen, width);
    eyoti_combine(type, op, &value, operand, 1);
    struct fab_amo cas = {.op = FAB_AMO_CAS,
                          .width = width,
                          .floats = floats,
                          .operand = eyoti_bits_load(&value, width),
                          .compare = seen};
    if (cas.operand == seen) break;
    uint64_t before;
    EYOTI_TRY(act(rt, p, &cas, &before));
    if (before == seen) break;
    seen = before;
  }
  if (old != NULL) *old = seen;
  return EYOT_OK;
}

/* Whether the fabric can write the result of an atomic that is not waited for to the program's own
 * memory. */
static bool lands_there(const struct atomic_target *p, uint32_t width, const void *old) {
  return old != NULL && p->word == NULL && is_multiple((uintptr_t)old, width);
}

/* Posts an atomic whose result lands in the program's memory. */
static int post_landing(struct eyot_rt *rt, const struct atomic_target *p, struct fab_amo *amo,
                        void *old) {
  amo->narrow = amo->width == sizeof(uint32_t);
  return fab_amo(rt->fab, p->at, amo, old, NULL);
}

/* The update that fetch_op and accumulate (old NULL) use; blocking, but if `there` is not NULL it
 * may leave the operation in flight, whose result then lands there and not in *old: *posted. */
static int update(struct eyot_rt *rt, eyot_gptr_t dst, eyot_type_t type, eyot_op_t op,
                  const void *operand, uint64_t *old, void *there, bool *posted) {
  struct atomic_target p;
  EYOTI_TRY(find_target(rt, dst, type, op, &p));
  if (operand == NULL && op != EYOT_NOOP)
    return EYOTI_FAIL(EYOT_EINVAL, "operand is NULL, expected one %s for %s", eyoti_type_name(type),
                      eyoti_op_name(op));
  struct fab_amo amo = {.width = eyoti_type_width(type), .floats = eyoti_type_floats(type)};
  uint64_t aligned = 0; /* the operand may have any alignment */
  if (op != EYOT_NOOP) {
    eyoti_observe_reads(rt, operand, amo.width);
    memcpy(&aligned, operand, amo.width);
  }
  if (!eyoti_amo_direct(type, op, &amo.op)) return update_by_cas(rt, &p, type, op, &aligned, old);
  if (op != EYOT_NOOP) amo.operand = eyoti_bits_load(&aligned, amo.width);
  if (!lands_there(&p, amo.width, there)) return act(rt, &p, &amo, old);
  *posted = true;
  return post_landing(rt, &p, &amo, there);
}

/* Public functions do not call each other, so that observers see each under its own name and call
 * site. */
int eyoti_rma_fetch(struct eyot_rt *rt, eyot_gptr_t dst, eyot_type_t type, eyot_op_t op,
                    const void *operand, void *old, bool waits) {
  if (old == NULL)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "old is NULL; use eyot_accumulate when the old value is not wanted");
  uint64_t bits;
  bool posted = false;
  EYOTI_TRY(update(rt, dst, type, op, operand, &bits, waits ? NULL : old, &posted));
  if (posted) return EYOT_OK;
  eyoti_bits_store(old, bits, eyoti_type_width(type));
  eyoti_observe_writes(rt, old, eyoti_type_width(type));
  return EYOT_OK;
}

int eyot_fetch_op(eyot_gptr_t dst, eyot_type_t type, eyot_op_t op, const void *operand, void *old) {
  EYOTI_ENTER(rt);
  return eyoti_rma_fetch(rt, dst, type, op, operand, old, true);
}

int eyoti_accumulate_call(eyot_gptr_t dst, eyot_type_t type, eyot_op_t op, const void *operand) {
  EYOTI_ENTER_AS(rt, "eyot_accumulate");
  return update(rt, dst, type, op, operand, NULL, NULL, NULL);
}

static inline __attribute__((always_inline)) int accumulate(struct eyot_rt *rt, eyot_gptr_t dst,
                                                            eyot_type_t type, eyot_op_t op,
                                                            const void *operand) {
  struct atomic_target p;
  EYOTI_TRY(find_target(rt, dst, type, op, &p));
  struct fab_amo amo = {.width = eyoti_type_width(type), .floats = eyoti_type_floats(type)};
  if (op == EYOT_NOOP || !eyoti_amo_direct(type, op, &amo.op))
    return EYOTI_FAIL(EYOT_ENOTSUP,
                      "%s on %s has no non-blocking form (REPLACE, and integers with SUM, BAND, "
                      "BOR, BXOR have); use eyot_accumulate",
                      eyoti_op_name(op), eyoti_type_name(type));
  if (operand == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "operand is NULL, expected one %s", eyoti_type_name(type));
  eyoti_observe_reads(rt, operand, amo.width);
  amo.operand = eyoti_bits_load(operand, amo.width);
  if (p.word == NULL) return fab_amo(rt->fab, p.at, &amo, NULL, NULL);
  fab_cpu_apply(p.word, &amo);
  return EYOT_OK;
}

int eyoti_accumulate_nbi_call(eyot_gptr_t dst, eyot_type_t type, eyot_op_t op,
                              const void *operand) {
  EYOTI_ENTER_AS(rt, "eyot_accumulate_nbi");
  return accumulate(rt, dst, type, op, operand);
}

int eyoti_rma_accumulate(struct eyot_rt *rt, eyot_gptr_t dst, eyot_type_t type, eyot_op_t op,
                         const void *operand) {
  return accumulate(rt, dst, type, op, operand);
}

int eyoti_rma_compare_swap(struct eyot_rt *rt, eyot_gptr_t dst, eyot_type_t type,
                           const void *expected, const void *desired, void *old, bool waits) {
  if (expected == NULL || desired == NULL || old == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "expected %p, desired %p, old %p: none may be NULL", expected,
                      desired, old);
  struct atomic_target p;
  EYOTI_TRY(find_target(rt, dst, type, EYOT_REPLACE, &p));
  uint32_t width = eyoti_type_width(type);
  eyoti_observe_reads(rt, expected, width);
  eyoti_observe_reads(rt, desired, width);
  struct fab_amo amo = {.op = FAB_AMO_CAS,
                        .width = width,
                        .floats = eyoti_type_floats(type),
                        .operand = eyoti_bits_load(desired, width),
                        .compare = eyoti_bits_load(expected, width)};
  if (!waits && lands_there(&p, width, old)) return post_landing(rt, &p, &amo, old);
  uint64_t bits;
  EYOTI_TRY(act(rt, &p, &amo, &bits));
  eyoti_bits_store(old, bits, width);
  eyoti_observe_writes(rt, old, width);
  return EYOT_OK;
}

int eyot_compare_swap(eyot_gptr_t dst, eyot_type_t type, const void *expected, const void *desired,
                      void *old) {
  EYOTI_ENTER(rt);
  return eyoti_rma_compare_swap(rt, dst, type, expected, desired, old, true);
}

/* The part of an atomic after its inline function. First tries the case that only the word's part
 * was not used lately; else takes the long path, which also reports errors. */
static inline bool act_mapped(eyot_gptr_t g, const struct fab_amo *amo, uint64_t *old) {
  void *word = old != NULL ? eyoti_mapped_find_word(&eyot_current->mapped, g, sizeof *old) : NULL;
  if (word == NULL) return false;
  *old = fab_cpu_amo(word, amo);
  return true;
}

int eyoti_fetch_add_u64_call(eyot_gptr_t dst, uint64_t add, uint64_t *old) {
  if (act_mapped(dst, &(struct fab_amo){.op = FAB_AMO_ADD, .width = sizeof add, .operand = add},
                 old))
    return EYOT_OK;
  EYOTI_ENTER_AS(rt, "eyot_fetch_add_u64");
  return eyoti_rma_fetch(rt, dst, EYOT_UINT64, EYOT_SUM, &add, old, true);
}

int eyoti_swap_u64_call(eyot_gptr_t dst, uint64_t value, uint64_t *old) {
  if (act_mapped(
          dst, &(struct fab_amo){.op = FAB_AMO_SWAP, .width = sizeof value, .operand = value}, old))
    return EYOT_OK;
  EYOTI_ENTER_AS(rt, "eyot_swap_u64");
  return eyoti_rma_fetch(rt, dst, EYOT_UINT64, EYOT_REPLACE, &value, old, true);
}

int eyoti_cas_u64_call(eyot_gptr_t dst, uint64_t expected, uint64_t desired, uint64_t *old) {
  if (act_mapped(
          dst,
          &(struct fab_amo){
              .op = FAB_AMO_CAS, .width = sizeof desired, .operand = desired, .compare = expected},
          old))
    return EYOT_OK;
  EYOTI_ENTER_AS(rt, "eyot_cas_u64");
  return eyoti_rma_compare_swap(rt, dst, EYOT_UINT64, &expected, &desired, old, true);
}

int eyoti_read_u64_call(eyot_gptr_t src, uint64_t *value) {
  if (act_mapped(src, &(struct fab_amo){.op = FAB_AMO_READ, .width = sizeof *value}, value))
    return EYOT_OK;
  EYOTI_ENTER_AS(rt, "eyot_read_u64");
  return eyoti_rma_fetch(rt, src, EYOT_UINT64, EYOT_NOOP, NULL, value, true);
}
