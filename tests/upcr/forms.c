/* SPDX-License-Identifier: BSD-3-Clause */
/* forms.c - a UPC program as Clang UPC2C translates it, with each function that this translator
 * calls. In UPC the shared data is:
 *
 *   shared [3] long blocks[12 * THREADS];      shared int ring[THREADS];
 *   shared [] double column[8];                shared int start = 40 + 2;
 *   strict shared int flag;                    struct point { float x, y; char name; };
 *   shared struct point points[THREADS];       shared [3] long *private_pointer = &blocks[4];
 */
#include <upcr.h>

#ifndef UPCR_TRANS_EXTRA_INCL
#define UPCR_TRANS_EXTRA_INCL
int32_t upcrt_forall_control;
#define UPCRT_STARTUP_SHALLOC(sptr, blockbytes, numblocks, mult_by_threads, elemsz, typestr) \
  { &(sptr), (blockbytes), (numblocks), (mult_by_threads), (elemsz), #sptr, (typestr) }
#define UPCRT_STARTUP_PSHALLOC UPCRT_STARTUP_SHALLOC
#endif

struct point {
  float x, y;
  char name;
};
upcr_shared_ptr_t blocks;
upcr_pshared_ptr_t ring;
upcr_pshared_ptr_t column;
upcr_pshared_ptr_t start;
upcr_pshared_ptr_t flag;
upcr_pshared_ptr_t points;
upcr_shared_ptr_t private_pointer;
extern upcr_pshared_ptr_t other_file; /* forms_w2c.c: shared int other_file = 7; */
int other_sum(void);
void UPCRI_ALLOC_forms_1(void);
void UPCRI_INIT_forms_1(void);
int user_main(int argc, char **argv);

static void must(int holds, int line) {
  UPCR_BEGIN_FUNCTION();
  if (!holds) {
    fprintf(stderr, "forms.c:%d: thread %d of %d: not so\n", line, (int)upcr_mythread(),
            (int)upcr_threads());
    upc_global_exit(1);
  }
  UPCR_EXIT_FUNCTION();
}
#define MUST(condition) must(condition, __LINE__)

/* The arithmetic of blocks of 3, against the definition of the layout. */
static void arithmetic(void) {
  UPCR_BEGIN_FUNCTION();
  upcr_shared_ptr_t p, q, r;
  upcr_pshared_ptr_t c, d;
  int n = (int)upcr_threads() * 12;
  for (int i = 0; i < n; i += 1 + n / 1000) {
    p = upcr_add_shared(blocks, 8, i, 3);
    MUST((int)upc_threadof(p) == i / 3 % (int)upcr_threads());
    MUST((int)upc_phaseof(p) == i % 3);
    MUST(upcr_sub_shared(p, blocks, 8, 3) == i);
    MUST((upcr_hasMyAffinity_shared(p) != 0) == (i / 3 % (int)upcr_threads() == upcr_mythread()));
    q = blocks;
    upcr_inc_shared(&q, 8, i, 3);
    MUST(upcr_isequal_shared_shared(p, q));
    MUST(upcr_isequal_shared_pshared(p, upcr_shared_to_pshared(q)));
    r = upcr_add_shared(p, 8, -i, 3);
    MUST(upcr_isequal_shared_shared(r, blocks));
    MUST(upcr_addrfield_shared(p) - upcr_addrfield_shared(blocks) ==
         (size_t)(i / (3 * (int)upcr_threads()) * 3 + i % 3) * 8);
    c = upcr_add_pshared1(ring, 4, i);
    MUST((int)upcr_threadof_pshared(c) == i % (int)upcr_threads());
    MUST(upcr_sub_pshared1(c, ring, 4) == i);
    d = ring;
    upcr_inc_pshared1(&d, 4, i);
    MUST(upcr_isequal_pshared_pshared(c, d));
    MUST((upcr_hasMyAffinity_pshared(c) != 0) == (i % (int)upcr_threads() == upcr_mythread()));
  }
  d = upcr_add_psharedI(column, 8, 5);
  MUST(upcr_sub_psharedI(d, column, 8) == 5 && upcr_threadof_pshared(d) == 0);
  upcr_inc_psharedI(&d, 8, -5);
  MUST(upcr_isequal_pshared_pshared(d, column));
  MUST(upcr_addrfield_pshared(d) == upcr_addrfield_pshared(column));
  p = upcr_add_shared(blocks, 8, 4, 3);
  MUST(upc_phaseof(upcr_shared_resetphase(p)) == 0);
  MUST(upcr_isequal_pshared_shared(upcr_shared_to_pshared(p), p));
  MUST(upcr_isequal_shared_shared(upcr_pshared_to_shared(upcr_shared_to_pshared(p)), p));
  MUST(upcr_isequal_shared_shared(private_pointer, p) && upc_phaseof(private_pointer) == 1);
  MUST(upcr_isnull_shared(upcr_null_shared) && !upcr_isnull_shared(p));
  MUST(upcr_isnull_pshared(upcr_null_pshared) && !upcr_isnull_pshared(column));
  UPCR_EXIT_FUNCTION();
}

/* upc_forall(i = 0; i < n; i++; &blocks[i]) blocks[i] = 10 * i; with another one inside. */
static void loops(void) {
  UPCR_BEGIN_FUNCTION();
  long _bupc_spilld0;
  int n = (int)upcr_threads() * 12, runs = 0;
  if (upcrt_forall_control) {
    MUST(0);
  } else {
    upcrt_forall_control = 1;
    for (int i = 0; i < n; i++)
      if (upcr_hasMyAffinity_shared(upcr_add_shared(blocks, 8, i, 3))) {
        (_bupc_spilld0 = 10 * i, upcr_put_shared_val(upcr_add_shared(blocks, 8, i, 3), 0,
                                                     (upcr_register_value_t)_bupc_spilld0, 8));
        MUST(upcrt_forall_control);
        runs++;
      }
    upcrt_forall_control = 0;
  }
  MUST(runs == 12);
  upcr_barrier(0, 1);
  for (int i = 0; i < n; i += 1 + n / 100)
    MUST(((long)upcr_get_shared_val(upcr_add_shared(blocks, 8, i, 3), 0, 8)) == 10 * i);
  upcr_barrier(3, 0);
  UPCR_EXIT_FUNCTION();
}

/* Accesses of all forms to the next thread's elements, and to thread 0. */
static void accesses(void) {
  UPCR_BEGIN_FUNCTION();
  int next = (int)(upcr_mythread() + 1) % (int)upcr_threads(), v = -3;
  struct point p = {1.5F, 2.5F, 'p'}, q;
  upcr_pshared_ptr_t to = upcr_add_pshared1(ring, 4, next);
  upcr_put_pshared_val(to, 0, (upcr_register_value_t)v, 4);
  MUST((int)upcr_get_pshared_val(to, 0, 4) == -3);
  upcr_put_pshared_val_strict(to, 0, (upcr_register_value_t)(next + 100), 4);
  MUST((int)upcr_get_pshared_val_strict(to, 0, 4) == next + 100);
  upcr_put_pshared(to, 0, &v, 4);
  v = 9;
  (upcr_get_pshared(&v, to, 0, 4), (void)v);
  MUST(v == -3);
  upcr_put_pshared_strict(to, 0, &v, 4);
  v = 9;
  upcr_get_pshared_strict(&v, to, 0, 4);
  MUST(v == -3);
  to = upcr_add_pshared1(points, sizeof p, next);
  p.name = (char)('a' + next % 26);
  upcr_put_pshared(to, 0, &p, sizeof p);
  upcr_get_pshared(&q, to, 0, sizeof q);
  MUST(memcmp(&p, &q, sizeof p) == 0);
  upcr_put_pshared_floatval(to, 4, 0.25F);
  MUST(upcr_get_pshared_floatval(to, 4) == 0.25F && upcr_get_pshared_floatval(to, 0) == 1.5F);
  upcr_put_pshared_floatval_strict(to, 0, 0.5F);
  MUST(upcr_get_pshared_floatval_strict(to, 0) == 0.5F);
  MUST((char)upcr_get_pshared_val(to, 8, 1) == p.name);
  upcr_shared_ptr_t b = upcr_add_shared(blocks, 8, 3 * next, 3);
  upcr_put_shared_doubleval(b, 8, 0.125);
  MUST(upcr_get_shared_doubleval(b, 8) == 0.125);
  upcr_put_shared_doubleval_strict(b, 16, 4.5);
  MUST(upcr_get_shared_doubleval_strict(b, 16) == 4.5);
  upcr_put_shared_floatval(b, 0, 6.5F);
  MUST(upcr_get_shared_floatval(b, 0) == 6.5F);
  upcr_put_shared_floatval_strict(b, 4, 7.5F);
  MUST(upcr_get_shared_floatval_strict(b, 4) == 7.5F);
  upcr_put_shared_val_strict(b, 16, (upcr_register_value_t)-5L, 8);
  MUST((long)upcr_get_shared_val_strict(b, 16, 8) == -5L);
  upcr_put_shared(b, 0, &p, sizeof p);
  upcr_get_shared(&q, b, 0, sizeof q);
  MUST(q.x == p.x && q.name == p.name);
  upcr_put_shared_strict(b, 0, &q, sizeof q);
  upcr_get_shared_strict(&q, b, 0, sizeof q);
  MUST(q.y == p.y);
  upcr_notify(5, 0);
  upcr_wait(5, 0);
  if (upcr_mythread() == 0) {
    upcr_put_pshared_doubleval(upcr_add_psharedI(column, 8, 7), 0, 2.75);
    upcr_put_pshared_doubleval_strict(column, 0, 1.75);
    MUST(upcr_get_pshared_doubleval(column, 56) == 2.75);
    MUST(upcr_get_pshared_doubleval_strict(column, 0) == 1.75);
  }
  int *mine = (int *)upcr_pshared_to_local(upcr_add_pshared1(ring, 4, (int)upcr_mythread()));
  MUST(*mine == -3);
  long *first =
      (long *)upcr_shared_to_local(upcr_add_shared(blocks, 8, 3 * (int)upcr_mythread(), 3));
  MUST(first[2] == -5L);
  UPCR_EXIT_FUNCTION();
}

/* The heaps, copies and locks. */
static void library(void) {
  UPCR_BEGIN_FUNCTION();
  char text[32];
  upcr_shared_ptr_t mine = upc_alloc(32), all = upc_all_alloc((size_t)upcr_threads(), 32);
  upcr_shared_ptr_t lock = upc_all_lock_alloc(), own = upc_global_lock_alloc();
  MUST((int)upc_threadof(mine) == upcr_mythread() && upc_threadof(all) == 0);
  upc_memset(mine, 'm', 32);
  upc_memcpy(upcr_add_shared(all, 32, (int)upcr_mythread(), 1), mine, 32);
  upcr_barrier(0, 1);
  int next = (int)(upcr_mythread() + 1) % (int)upcr_threads();
  upc_memget(text, upcr_add_shared(all, 32, next, 1), 32);
  MUST(text[0] == 'm' && text[31] == 'm');
  text[0] = 'n';
  upcr_barrier(0, 1);
  upc_memput(upcr_add_shared(all, 32, next, 1), text, 1);
  upcr_barrier(0, 1);
  MUST((char)upcr_get_shared_val(upcr_add_shared(all, 32, (int)upcr_mythread(), 1), 0, 1) == 'n');
  upc_lock(own);
  MUST(upc_lock_attempt(lock) == 0 || (upc_unlock(lock), 1));
  upc_unlock(own);
  upc_lock_free(own);
  for (int i = 0; i < 3; i++) {
    upc_lock(lock);
    int v = (int)upcr_get_pshared_val(other_file, 0, 4);
    upcr_put_pshared_val(other_file, 0, (upcr_register_value_t)(v + 1), 4);
    upc_unlock(lock);
  }
  upcr_barrier(0, 1);
  MUST(other_sum() == 7 + 3 * (int)upcr_threads());
  upcr_barrier(0, 1);
  upc_all_lock_free(lock);
  upc_free(mine);
  upc_all_free(all);
  UPCR_EXIT_FUNCTION();
}

/* UPC_CSWAP compares pointers without their phases; statements without an expression. */
static void values(void) {
  UPCR_BEGIN_FUNCTION();
  upcr_shared_ptr_t domain = upc_all_atomicdomain_alloc(22, 512UL | 1024UL | 2048UL, 0), old;
  upcr_shared_ptr_t own = upcr_add_shared(blocks, 8, 3 * (int)upcr_mythread(), 3);
  upcr_shared_ptr_t p = upcr_add_shared(blocks, 8, 4, 3), q = upc_resetphase(p);
  upc_atomic_relaxed(domain, ((void *)0), 1024UL, own, &p, ((void *)0));
  upc_atomic_relaxed(domain, &old, 2048UL, own, &q, &own);
  MUST(upc_phaseof(old) == 1 && upcr_isequal_shared_shared(old, p));
  upc_atomic_strict(domain, &old, 512UL, own, ((void *)0), ((void *)0));
  MUST(upcr_isequal_shared_shared(old, own));
  upcr_notify(5, 0);
  upcr_wait(0, 1);
  upcr_notify(0, 1);
  while (!upcr_try_wait(5, 0)) upcr_poll();
  MUST(upc_thread_info((size_t)upcr_mythread()).guaranteedCastable == 15);
  upc_all_atomicdomain_free(domain);
  UPCR_EXIT_FUNCTION();
}

/* Mistakes, each of which ends the run. */
static void mistake(const char *what) {
  UPCR_BEGIN_FUNCTION();
  int next = (int)(upcr_mythread() + 1) % (int)upcr_threads();
  if (strcmp(what, "null") == 0) (void)upcr_get_pshared_val(upcr_null_pshared, 0, 4);
  if (strcmp(what, "local") == 0) (void)upcr_pshared_to_local(upcr_add_pshared1(ring, 4, next));
  if (strcmp(what, "block") == 0) (void)upcr_add_shared(blocks, 8, 1, ((size_t)1 << 29) + 1);
  if (strcmp(what, "lock") == 0) upc_lock(upcr_pshared_to_shared(ring));
  upcr_barrier(0, 1);
  upc_global_exit(0); /* the mistake was not seen */
  UPCR_EXIT_FUNCTION();
}

int user_main(int argc, char **argv) {
  UPCR_BEGIN_FUNCTION();
  if (argc > 1) mistake(argv[1]);
  MUST(argc >= 1 && argv[argc] == NULL);
  MUST((int)upcr_get_pshared_val(start, 0, 4) == 42);
  MUST((int)upcr_get_pshared_val_strict(flag, 0, 4) == 0);
  arithmetic();
  loops();
  accesses();
  library();
  values();
  upcr_poll();
  UPCR_EXIT_FUNCTION();
  return 0;
}

void UPCRI_ALLOC_forms_1(void) {
  UPCR_BEGIN_FUNCTION();
  upcr_startup_shalloc_t _bupc_info[] = {UPCRT_STARTUP_SHALLOC(blocks, 24, 4, 1, 8, "")};
  upcr_startup_pshalloc_t _bupc_pinfo[] = {
      UPCRT_STARTUP_PSHALLOC(ring, 4, 12, 1, 4, ""),
      UPCRT_STARTUP_PSHALLOC(column, 64, 1, 0, 8, ""),
      UPCRT_STARTUP_PSHALLOC(start, 4, 1, 0, 4, ""), UPCRT_STARTUP_PSHALLOC(flag, 4, 1, 0, 4, ""),
      UPCRT_STARTUP_PSHALLOC(points, sizeof(struct point), 1, 1, sizeof(struct point), "")};
  upcr_startup_shalloc(_bupc_info, 1);
  upcr_startup_pshalloc(_bupc_pinfo, 5);
}

void UPCRI_INIT_forms_1(void) {
  UPCR_BEGIN_FUNCTION();
  int _bupc_start_val = 40 + 2;
  if (upcr_mythread() == 0) {
    upcr_put_pshared(start, 0, &_bupc_start_val, 4);
  }
  private_pointer = upcr_add_shared(blocks, 8, 4, 3);
}
