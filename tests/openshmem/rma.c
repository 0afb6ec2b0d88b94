/* SPDX-License-Identifier: BSD-3-Clause */
/* rma.c - put and get of each type and size, in each form, with and without a context; put with
 * signal. Each form writes a row of its own at the PE to the right, or reads from there. */
#include "tests/openshmem/check.h"

enum { PLAIN, ONE, EACH, BLOCKS, LATER, SET, ADD, SHAPES };
enum { ROW = 16, FORMS = 2, ROWS = SHAPES * FORMS };

/* The element of the source that shape `shape` copies to element j, or -1. */
static int from(int shape, int j) {
  switch (shape) {
    case ONE:
      return j == 3 ? 7 : -1;
    case EACH: /* dst 2, sst 3, 4 elements */
      return j % 2 == 1 && j < 9 ? (j - 1) / 2 * 3 : -1;
    case BLOCKS: /* dst 4, sst 5, 3 blocks of 3 */
      return j < 12 && j % 4 < 3 ? j / 4 * 5 + j % 4 : -1;
    default: /* 5 elements */
      return j >= 1 && j < 6 ? j - 1 : -1;
  }
}

static shmem_ctx_t ctx;
static uint64_t signals[ROWS];
static const char *const shapes[SHAPES] = {"put",     "p",          "iput",          "ibput",
                                           "put_nbi", "put_signal", "put_signal_nbi"};

#define ROW_OF(shape, form) rows[(shape)*FORMS + (form)]

/* Signals end waits; what they announce is there then, without any barrier. */
static void await_signals(void) {
  uint64_t seen;
  for (int form = 0; form < FORMS; form++) {
    seen = shmem_signal_wait_until(&signals[SET * FORMS + form], SHMEM_CMP_EQ, 5);
    INT(seen, 5);
    seen = shmem_signal_wait_until(&signals[ADD * FORMS + form], SHMEM_CMP_GE, 7);
    INT(seen, 7);
    INT(shmem_signal_fetch(&signals[ADD * FORMS + form]), 7);
  }
}

static void reset_signals(void) {
  for (int i = 0; i < ROWS; i++) signals[i] = 0;
}

#define CHECK_ROWS(T, N, first, last, pe, verb)                                   \
  for (int shape = first; shape <= last; shape++)                                 \
    for (int form = 0; form < FORMS; form++)                                      \
      for (int j = 0; j < ROW; j++) {                                             \
        int k = from(shape, j);                                                   \
        char what[64];                                                            \
        snprintf(what, sizeof what, #N " " verb " like %s%s [%d]", shapes[shape], \
                 form != 0 ? " ctx" : "", j);                                     \
        SAME(T, what, ROW_OF(shape, form)[j], k < 0 ? (T)77 : VALUE(T, pe, k));   \
      }

#define DEFINE_PUTS(T, N, op)                                                                     \
  static void puts_##N(void) {                                                                    \
    static T rows[ROWS][ROW];                                                                     \
    T source[ROW];                                                                                \
    int pe = next_pe(1);                                                                          \
    for (int i = 0; i < ROW; i++) source[i] = VALUE(T, me, i);                                    \
    for (int i = 0; i < ROWS; i++)                                                                \
      for (int j = 0; j < ROW; j++) rows[i][j] = (T)77;                                           \
    reset_signals();                                                                              \
    shmem_barrier_all();                                                                          \
    shmem_##N##_put(&ROW_OF(PLAIN, 0)[1], source, 5, pe);                                         \
    shmem_ctx_##N##_put(ctx, &ROW_OF(PLAIN, 1)[1], source, 5, pe);                                \
    shmem_##N##_p(&ROW_OF(ONE, 0)[3], source[7], pe);                                             \
    shmem_ctx_##N##_p(ctx, &ROW_OF(ONE, 1)[3], source[7], pe);                                    \
    shmem_##N##_iput(&ROW_OF(EACH, 0)[1], source, 2, 3, 4, pe);                                   \
    shmem_ctx_##N##_iput(ctx, &ROW_OF(EACH, 1)[1], source, 2, 3, 4, pe);                          \
    shmem_##N##_ibput(&ROW_OF(BLOCKS, 0)[0], source, 4, 5, 3, 3, pe);                             \
    shmem_ctx_##N##_ibput(ctx, &ROW_OF(BLOCKS, 1)[0], source, 4, 5, 3, 3, pe);                    \
    shmem_##N##_put_nbi(&ROW_OF(LATER, 0)[1], source, 5, pe);                                     \
    shmem_ctx_##N##_put_nbi(ctx, &ROW_OF(LATER, 1)[1], source, 5, pe);                            \
    shmem_##N##_put_signal(&ROW_OF(SET, 0)[1], source, 5, &signals[SET * FORMS], 5,               \
                           SHMEM_SIGNAL_SET, pe);                                                 \
    shmem_ctx_##N##_put_signal(ctx, &ROW_OF(SET, 1)[1], source, 5, &signals[SET * FORMS + 1], 5,  \
                               SHMEM_SIGNAL_SET, pe);                                             \
    shmem_##N##_put_signal_nbi(&ROW_OF(ADD, 0)[1], source, 5, &signals[ADD * FORMS], 7,           \
                               SHMEM_SIGNAL_ADD, pe);                                             \
    shmem_ctx_##N##_put_signal_nbi(ctx, &ROW_OF(ADD, 1)[1], source, 5, &signals[ADD * FORMS + 1], \
                                   7, SHMEM_SIGNAL_ADD, pe);                                      \
    await_signals();                                                                              \
    CHECK_ROWS(T, N, SET, ADD, next_pe(-1), "signalled")                                          \
    shmem_ctx_quiet(ctx);                                                                         \
    shmem_barrier_all();                                                                          \
    CHECK_ROWS(T, N, PLAIN, LATER, next_pe(-1), "written")                                        \
    shmem_barrier_all();                                                                          \
  }

#define DEFINE_GETS(T, N, op)                                                  \
  static void gets_##N(void) {                                                 \
    static T source[ROW];                                                      \
    T rows[ROWS][ROW];                                                         \
    int pe = next_pe(1);                                                       \
    for (int i = 0; i < ROW; i++) source[i] = VALUE(T, me, i);                 \
    for (int i = 0; i < ROWS; i++)                                             \
      for (int j = 0; j < ROW; j++) rows[i][j] = (T)77;                        \
    shmem_barrier_all();                                                       \
    shmem_##N##_get(&ROW_OF(PLAIN, 0)[1], source, 5, pe);                      \
    shmem_ctx_##N##_get(ctx, &ROW_OF(PLAIN, 1)[1], source, 5, pe);             \
    ROW_OF(ONE, 0)[3] = shmem_##N##_g(&source[7], pe);                         \
    ROW_OF(ONE, 1)[3] = shmem_ctx_##N##_g(ctx, &source[7], pe);                \
    shmem_##N##_iget(&ROW_OF(EACH, 0)[1], source, 2, 3, 4, pe);                \
    shmem_ctx_##N##_iget(ctx, &ROW_OF(EACH, 1)[1], source, 2, 3, 4, pe);       \
    shmem_##N##_ibget(&ROW_OF(BLOCKS, 0)[0], source, 4, 5, 3, 3, pe);          \
    shmem_ctx_##N##_ibget(ctx, &ROW_OF(BLOCKS, 1)[0], source, 4, 5, 3, 3, pe); \
    CHECK_ROWS(T, N, PLAIN, BLOCKS, pe, "read")                                \
    shmem_##N##_get_nbi(&ROW_OF(LATER, 0)[1], source, 5, pe);                  \
    shmem_quiet();                                                             \
    shmem_ctx_##N##_get_nbi(ctx, &ROW_OF(LATER, 1)[1], source, 5, pe);         \
    shmem_ctx_quiet(ctx);                                                      \
    CHECK_ROWS(T, N, LATER, LATER, pe, "read")                                 \
    shmem_barrier_all();                                                       \
  }

SHMEMI_RMA_TYPES(DEFINE_PUTS, )
SHMEMI_RMA_TYPES(DEFINE_GETS, )

#define RUN_TYPED(T, N, op) \
  puts_##N();               \
  gets_##N();

int main(void) {
  begin();
  INT(shmem_ctx_create(0, &ctx), 0);
  SHMEMI_RMA_TYPES(RUN_TYPED, )
  shmem_ctx_destroy(ctx);
  return finish();
}
