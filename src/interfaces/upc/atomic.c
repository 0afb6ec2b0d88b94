/* SPDX-License-Identifier: BSD-3-Clause */
/* atomic.c - atomic operations and their domains: eyot's atomics (eyot/atomic.h). A domain's number
 * is the same on all threads, because domains are made collectively; its value is that number. */
#include <eyot/upc/atomic.h>
#include <inttypes.h>
#include <string.h>

#include "interfaces/upc/access.h"
#include "interfaces/upc/upc.h"

#define ACCESSORS (UPC_GET | UPC_SET | UPC_CSWAP)
#define NUMERIC (UPC_ADD | UPC_SUB | UPC_MULT | UPC_INC | UPC_DEC | UPC_MIN | UPC_MAX)
#define BITWISE (UPC_AND | UPC_OR | UPC_XOR)
/* What networks do on integers; others take a loop of compare-and-swap. */
#define FAST (ACCESSORS | UPC_ADD | UPC_SUB | UPC_INC | UPC_DEC | BITWISE)

struct domain {
  upc_type_t type; /* 0: free */
  upc_op_t ops;
};
static struct domain domains[UPC_ATOMIC_DOMAINS_MAX];

/* A type's form here; 0 bytes: no atomic has it. */
struct form {
  eyot_type_t type;
  uint32_t bytes;
  upc_op_t ops;
};

static struct form form_of(upc_type_t type) {
  const upc_op_t all = ACCESSORS | NUMERIC | BITWISE, numbers = ACCESSORS | NUMERIC;
  switch (type) {
    case UPC_INT:
    case UPC_INT32:
      return (struct form){EYOT_INT32, 4, all};
    case UPC_UINT:
    case UPC_UINT32:
      return (struct form){EYOT_UINT32, 4, all};
    case UPC_LONG:
    case UPC_INT64:
      return (struct form){EYOT_INT64, 8, all};
    case UPC_ULONG:
    case UPC_UINT64:
      return (struct form){EYOT_UINT64, 8, all};
    case UPC_FLOAT:
      return (struct form){EYOT_FLOAT, 4, numbers};
    case UPC_DOUBLE:
      return (struct form){EYOT_DOUBLE, 8, numbers};
    case UPCI_PTS_WORD:
      return (struct form){EYOT_UINT64, 8, ACCESSORS};
    default:
      return (struct form){EYOT_BYTE, 0, 0};
  }
}

static void check_domain(upc_type_t type, upc_op_t ops) {
  struct form f = form_of(type);
  if (f.bytes == 0)
    upci_fail(type == UPC_PTS ? EYOT_ENOTSUP : EYOT_EINVAL,
              "type is %d%s, expected one of UPC_INT, UINT, LONG, ULONG, INT32, UINT32, INT64, "
              "UINT64, FLOAT, DOUBLE",
              type,
              type == UPC_PTS ? " (UPC_PTS: a pointer to shared has 24 bytes here, more than an "
                                "atomic of a network)"
                              : "");
  if (ops == 0 || (ops & ~f.ops) != 0)
    upci_fail(EYOT_EINVAL, "ops is %#lx, expected some of %#lx, which type %d has", ops, f.ops,
              type);
}

upc_atomicdomain_t *upci_domain_new(upc_type_t type, upc_op_t ops) {
  uint64_t own[2] = {(uint64_t)type, ops}, first[2] = {own[0], own[1]};
  check_domain(type, ops);
  upci_must(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, first, sizeof first));
  if (memcmp(own, first, sizeof own) != 0)
    upci_fail(EYOT_EMISMATCH,
              "type is %d and ops is %#lx, on thread 0 %" PRIu64 " and %#" PRIx64
              ": expected the same on all threads",
              type, ops, first[0], first[1]);
  for (uintptr_t i = 0; i < UPC_ATOMIC_DOMAINS_MAX; i++) {
    if (domains[i].type != 0) continue;
    domains[i] = (struct domain){type, ops};
    return (upc_atomicdomain_t *)(i + 1);
  }
  upci_fail(EYOT_ERANGE, "%d domains exist, expected at most so many", UPC_ATOMIC_DOMAINS_MAX);
}

upc_atomicdomain_t *upc_all_atomicdomain_alloc(upc_type_t type, upc_op_t ops,
                                               upc_atomichint_t hints) {
  UPCI_ENTER("upc_all_atomicdomain_alloc");
  (void)hints;
  return upci_domain_new(type, ops);
}

static struct domain *find(const upc_atomicdomain_t *domain) {
  uintptr_t i = (uintptr_t)domain;
  if (i == 0 || i > UPC_ATOMIC_DOMAINS_MAX || domains[i - 1].type == 0)
    upci_fail(EYOT_EINVAL, "the domain is none of upc_all_atomicdomain_alloc, or was freed");
  return &domains[i - 1];
}

void upc_all_atomicdomain_free(upc_atomicdomain_t *domain) {
  UPCI_ENTER("upc_all_atomicdomain_free");
  if (domain != NULL) *find(domain) = (struct domain){0, 0};
  upci_barrier_all();
}

/* -- operations -------------------------------------------------------------------------------- */

static const char *op_name(upc_op_t op) {
  static const char *const NAMES[] = {"UPC_ADD",    "UPC_MULT",  "UPC_AND", "UPC_OR",  "UPC_XOR",
                                      "UPC_LOGAND", "UPC_LOGOR", "UPC_MIN", "UPC_MAX", "UPC_GET",
                                      "UPC_SET",    "UPC_CSWAP", "UPC_SUB", "UPC_INC", "UPC_DEC"};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
    if (op == 1UL << i) return NAMES[i];
  return "no operation";
}

static eyot_op_t combiner_of(upc_op_t op) {
  switch (op) {
    case UPC_MULT:
      return EYOT_PROD;
    case UPC_MIN:
      return EYOT_MIN;
    case UPC_MAX:
      return EYOT_MAX;
    case UPC_AND:
      return EYOT_BAND;
    case UPC_OR:
      return EYOT_BOR;
    case UPC_XOR:
      return EYOT_BXOR;
    case UPC_SET:
      return EYOT_REPLACE;
    case UPC_GET:
      return EYOT_NOOP;
    default: /* with an operand of operand_of */
      return EYOT_SUM;
  }
}

/* The operand of the combiner, in at most 8 bytes at `to`: x, -x, 1 or -1. */
static void operand_of(const struct form *f, upc_op_t op, const void *x, void *to) {
  bool minus = op == UPC_SUB || op == UPC_DEC, one = op == UPC_INC || op == UPC_DEC;
  if (!minus && !one) {
    memcpy(to, x, f->bytes);
  } else if (f->type == EYOT_FLOAT) {
    float v = 1;
    if (!one) memcpy(&v, x, sizeof v);
    v = minus ? -v : v;
    memcpy(to, &v, sizeof v);
  } else if (f->type == EYOT_DOUBLE) {
    double v = 1;
    if (!one) memcpy(&v, x, sizeof v);
    v = minus ? -v : v;
    memcpy(to, &v, sizeof v);
  } else { /* the lower bytes of the number, which wraps */
    uint64_t v = one;
    if (!one) memcpy(&v, x, f->bytes);
    v = minus ? 0 - v : v;
    memcpy(to, &v, f->bytes);
  }
}

static void check_call(const struct domain *d, const void *fetch, upc_op_t op, const void *operand1,
                       const void *operand2) {
  if ((op & (op - 1)) != 0 || (op & d->ops) == 0)
    upci_fail(EYOT_EINVAL, "op is %#lx (%s), expected one of those of the domain, %#lx", op,
              op_name(op), d->ops);
  if (op == UPC_GET && fetch == NULL)
    upci_fail(EYOT_EINVAL, "fetch_ptr is NULL, expected memory for the value: op is UPC_GET");
  bool needs = op != UPC_GET && op != UPC_INC && op != UPC_DEC;
  if ((needs && operand1 == NULL) || (op == UPC_CSWAP && operand2 == NULL))
    upci_fail(EYOT_EINVAL, "operand%d is NULL, expected a value: op is %s",
              operand1 == NULL ? 1 : 2, op_name(op));
}

/* Whether values are equal whose bits may differ: zeros with other signs, and pointers with other
 * phases (UPC library 7.6.4.3, paragraphs 4 and 8). */
static bool is_equal(upc_type_t type, uint64_t a, uint64_t b) {
  float f[2];
  double d[2];
  switch (type) {
    case UPC_FLOAT:
      memcpy(&f[0], &a, sizeof *f);
      memcpy(&f[1], &b, sizeof *f);
      return f[0] == f[1];
    case UPC_DOUBLE:
      memcpy(&d[0], &a, sizeof *d);
      memcpy(&d[1], &b, sizeof *d);
      return d[0] == d[1];
    case UPCI_PTS_WORD:
      return ((a ^ b) & ((UINT64_C(1) << upci.place_bits) - 1)) == 0;
    default:
      return false; /* their bits are equal */
  }
}

/* An atomic compares bits: an equal value with others is what the next one expects. */
static void swap_if(upc_type_t type, uint32_t bytes, void *fetch, eyot_gptr_t target,
                    const void *operand1, const void *operand2) {
  uint64_t expected = 0, old = 0;
  memcpy(&expected, operand1, bytes);
  for (;; expected = old) {
    upci_must(eyot_compare_swap(target, bytes == 4 ? EYOT_UINT32 : EYOT_UINT64, &expected, operand2,
                                &old));
    if (old == expected || !is_equal(type, old, expected)) break;
  }
  if (fetch != NULL) memcpy(fetch, &old, bytes);
}

static void run(const upc_atomicdomain_t *domain, void *fetch, upc_op_t op, upc_shared_t target,
                const void *operand1, const void *operand2) {
  const struct domain *d = find(domain);
  struct form f = form_of(d->type);
  uint64_t operand = 0;
  check_call(d, fetch, op, operand1, operand2);
  if (op == UPC_CSWAP) {
    swap_if(d->type, f.bytes, fetch, target.at, operand1, operand2);
    return;
  }
  if (op != UPC_GET) operand_of(&f, op, operand1, &operand);
  if (op == UPC_GET)
    upci_must(eyot_fetch_op(target.at, f.type, EYOT_NOOP, NULL, fetch));
  else if (fetch != NULL)
    upci_must(eyot_fetch_op(target.at, f.type, combiner_of(op), &operand, fetch));
  else
    upci_must(eyot_accumulate(target.at, f.type, combiner_of(op), &operand));
}

void upc_atomic_strict(upc_atomicdomain_t *domain, void *fetch_ptr, upc_op_t op,
                       upc_shared_t target, const void *operand1, const void *operand2) {
  UPCI_ENTER("upc_atomic_strict");
  upci_complete();
  run(domain, fetch_ptr, op, target, operand1, operand2);
}

void upc_atomic_relaxed(upc_atomicdomain_t *domain, void *fetch_ptr, upc_op_t op,
                        upc_shared_t target, const void *operand1, const void *operand2) {
  UPCI_ENTER("upc_atomic_relaxed");
  upci_settle(target.at, sizeof(uint64_t));
  run(domain, fetch_ptr, op, target, operand1, operand2);
}

int upc_atomic_isfast(upc_type_t type, upc_op_t ops, upc_shared_t addr) {
  (void)addr;
  struct form f = form_of(type);
  bool whole = f.type != EYOT_FLOAT && f.type != EYOT_DOUBLE;
  bool fast = f.bytes != 0 && (ops & ~(whole ? (upc_op_t)FAST : (upc_op_t)ACCESSORS)) == 0;
  return fast ? UPC_ATOMIC_PERFORMANCE_FAST : UPC_ATOMIC_PERFORMANCE_NOT_FAST;
}
