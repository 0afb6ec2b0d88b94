/* SPDX-License-Identifier: BSD-3-Clause */
/* message_take.c - the receiver's half of messages (message.h): by the unit, wherever it waits or
 * polls, or by its progress thread.
 *
 * Bytes that a message sends to where they are expected wait at their sender until they are: the
 * receiver then lets MPI take them there. */
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "fabric_real/mem/mapped.h"
#include "fabric_real/mem/resolve.h"
#include "fabric_real/ops/message_brief.h"
#include "fabric_real/ops/signal.h"
#include "fabric_real/wait/idle.h"

/* A poll takes what has come, but in a wait of a unit with a processor of its own only the first:
 * it may be what the unit waits for, and to find that there is no other takes some time. */
#define TAKEN_PER_POLL 16u
#define READY_IN_A_ROW 2u /* waits whose message was there already: of a stream */

/* -- the lock, fmpi_messages.busy -------------------------------------------------------------- */

/* Without a progress thread there is none to keep out, and an atomic in each poll would wait until
 * another core has taken what was sent. */
static bool try_lock(const struct fmpi *f) {
  return f->progress.thread == NULL ||
         !__atomic_exchange_n(&f->messages->busy, true, __ATOMIC_ACQUIRE);
}
static void lock(const struct fmpi *f) {
  while (!try_lock(f)) sched_yield();
}
static void unlock(const struct fmpi *f) {
  if (f->progress.thread != NULL) __atomic_store_n(&f->messages->busy, false, __ATOMIC_RELEASE);
}

/* -- lists ------------------------------------------------------------------------------------- */

static void add(struct fmpi_arrivals *list, struct fmpi_arrival *a) {
  a->next = NULL;
  if (list->first != NULL)
    list->last->next = a;
  else
    list->first = a;
  list->last = a;
}

static int keep(struct fmpi_arrivals *list, int from, const struct fmpi_message_header *h,
                const void *bytes, struct fmpi_arrival **out) {
  uint64_t len = bytes != NULL && h->what == FMPI_BYTES_INSIDE ? h->len : 0;
  struct fmpi_arrival *a = malloc(sizeof *a + len);
  if (a == NULL) return fmpi_message_no_memory();
  *a = (struct fmpi_arrival){.from = from, .req = MPI_REQUEST_NULL, .h = *h};
  if (len > 0) memcpy(a->bytes, bytes, len);
  add(list, a);
  *out = a;
  return EYOT_OK;
}

static bool matches(const struct fmpi_arrival *a, int from, const struct fmpi_message_header *h) {
  return a->from == from && a->h.word_off == h->word_off && a->h.value == h->value &&
         a->h.seg == h->seg;
}

/* Takes it out of the list; NULL: it is not there. */
static struct fmpi_arrival *pick(struct fmpi_arrivals *list, int from,
                                 const struct fmpi_message_header *h) {
  struct fmpi_arrival *before = NULL, *a = list->first;
  while (a != NULL && !matches(a, from, h)) before = a, a = a->next;
  if (a == NULL) return NULL;
  if (before != NULL)
    before->next = a->next;
  else
    list->first = a->next;
  if (list->last == a) list->last = before;
  return a;
}

/* -- what a message says ----------------------------------------------------------------------- */

/* The caller's own bytes; NULL: the segment is not there yet, or no more. */
static char *here(const struct fmpi *f, fab_seg_t seg, uint64_t off) {
  const struct fmpi_seg *s = &f->seg[seg % FAB_SEG_MAX];
  /* pairs with the release of the thread that has made the segment */
  if (!__atomic_load_n(&s->live, __ATOMIC_ACQUIRE) || s->id != seg) return NULL;
  return s->base + (f->fab.me - f->fab.local.first) * s->stride + off;
}

static bool has_place(const struct fmpi *f, const struct fmpi_message_header *h) {
  return here(f, h->seg, 0) != NULL && (!h->bounded || here(f, h->least_seg, 0) != NULL);
}

/* A slot has one segment after the other; generations wrap. */
static bool is_gone(const struct fmpi *f, fab_seg_t seg) {
  const struct fmpi_seg *s = &f->seg[seg % FAB_SEG_MAX];
  uint32_t ahead = (s->generation - seg / FAB_SEG_MAX) % FMPI_SEG_GENERATIONS;
  return ahead == 0 ? s->gone : ahead < FMPI_SEG_GENERATIONS / 2;
}
static bool has_no_place_more(const struct fmpi *f, const struct fmpi_message_header *h) {
  return is_gone(f, h->seg) || (h->bounded && is_gone(f, h->least_seg));
}

static bool can_go_on(const struct fmpi *f, const struct fmpi_message_header *h) {
  return has_place(f, h) || has_no_place_more(f, h);
}

static void raise_word(const struct fmpi *f, const struct fmpi_message_header *h) {
  if (!has_place(f, h)) return; /* no more */
  const struct fmpi_at at = {.ptr = here(f, h->seg, h->word_off), .unit = f->fab.me};
  fmpi_raise_mapped(f, &at, h->value);
}

/* Of a message that can go on: the unit is past it, or its memory no more there. */
static bool is_late(const struct fmpi *f, const struct fmpi_message_header *h) {
  if (here(f, h->seg, 0) == NULL) return true;
  if (!h->bounded) return false;
  const uint64_t *least = (const uint64_t *)(const void *)here(f, h->least_seg, h->least_off);
  if (least == NULL) return true;
  return *least > h->value;
}

/* Lets MPI take the bytes apart of a message to `dst`, or away. */
static int take_apart(struct fmpi *f, struct fmpi_arrival *a, void *dst) {
  struct fmpi_messages *m = f->messages;
  add(&m->pending, a);
  a->dropped = dst == NULL;
  if (dst == NULL) dst = a->scratch = malloc(a->h.len > 0 ? a->h.len : 1);
  if (dst == NULL) return fmpi_message_no_memory();
  FMPI_TRY(MPI_Irecv(dst, (int)a->h.len, MPI_BYTE, a->from, (int)a->h.tag, m->comm, &a->req));
  return EYOT_OK;
}

/* A message and what expects it have met; one of them is `a`, with the other's fields. */
static int take_expected(struct fmpi *f, struct fmpi_arrival *a, void *dst, uint64_t expected) {
  if (a->h.len == expected) return take_apart(f, a, dst);
  EYOTI_TRY(take_apart(f, a, NULL));
  return EYOTI_FAIL(EYOT_EINVAL,
                    "unit %d sends %" PRIu64 " bytes where %" PRIu64 " are expected: they are lost",
                    a->from, a->h.len, expected);
}

static bool is_refused(const struct fmpi_messages *m, const struct fmpi_message_header *h) {
  return m->refuses && h->seg == m->refused_seg && h->word_off == m->refused_off;
}

/* What nobody expects. */
static int take_refused(struct fmpi *f, int from, const struct fmpi_message_header *h) {
  struct fmpi_arrival *a = malloc(sizeof *a);
  if (a == NULL) return fmpi_message_no_memory();
  *a = (struct fmpi_arrival){.from = from, .req = MPI_REQUEST_NULL, .h = *h};
  return take_apart(f, a, NULL);
}

static int carry_out_expected(struct fmpi *f, int from, const struct fmpi_message_header *h) {
  struct fmpi_arrival *a = pick(&f->messages->expected, from, h);
  if (a == NULL && is_refused(f->messages, h)) return take_refused(f, from, h);
  if (a == NULL) return keep(&f->messages->unexpected, from, h, NULL, &a);
  uint64_t expected = a->h.len;
  a->h = *h;
  return take_expected(f, a, a->dst, a->dst != NULL ? expected : h->len);
}

static void carry_out_inside(const struct fmpi *f, const struct fmpi_message_header *h,
                             const void *bytes) {
  char *own = here(f, h->seg, 0);
  const struct fmpi_at word = {.ptr = own + h->word_off, .unit = f->fab.me};
  /* a greater value keeps the bytes that came with it */
  const uint64_t *seen = (const uint64_t *)(const void *)word.ptr;
  if (__atomic_load_n(seen, __ATOMIC_RELAXED) > h->value) return;
  if (h->len > 0) fmpi_copy_in(own + h->off, bytes, h->len);
  fmpi_raise_mapped(f, &word, h->value);
}

static int carry_out(struct fmpi *f, int from, const struct fmpi_message_header *h,
                     const void *bytes) {
  struct fmpi_arrival *a;
  switch ((enum fmpi_message_what)h->what) {
    case FMPI_BYTES_INSIDE:
      if (!is_late(f, h)) carry_out_inside(f, h, bytes);
      break;
    case FMPI_BYTES_APART:
      a = malloc(sizeof *a);
      if (a == NULL) return fmpi_message_no_memory();
      *a = (struct fmpi_arrival){.from = from, .req = MPI_REQUEST_NULL, .h = *h};
      EYOTI_TRY(take_apart(f, a, is_late(f, h) ? NULL : here(f, h->seg, h->off)));
      break;
    case FMPI_BYTES_EXPECTED:
      EYOTI_TRY(carry_out_expected(f, from, h));
      break;
  }
  return EYOT_OK;
}

/* -- taking messages --------------------------------------------------------------------------- */

static inline struct fmpi_message_buffer *in(struct fmpi_messages *m, uint32_t n) {
  return &m->in[n % FMPI_MESSAGE_RECEIVES];
}

int fmpi_messages_listen(struct fmpi_messages *m) {
  for (; m->listens - m->first < FMPI_MESSAGE_RECEIVES; m->listens++) {
    struct fmpi_message_buffer *b = in(m, m->listens);
    FMPI_TRY(MPI_Irecv(&b->h, (int)(sizeof b->h + FMPI_MESSAGE_INLINE), MPI_BYTE, MPI_ANY_SOURCE,
                       FMPI_MESSAGE_TAG, m->comm, &b->req));
  }
  return EYOT_OK;
}

int fmpi_messages_listen_no_more(struct fmpi_messages *m) {
  for (; m->first != m->listens; m->first++) {
    FMPI_TRY(MPI_Cancel(&in(m, m->first)->req));
    FMPI_TRY(MPI_Wait(&in(m, m->first)->req, MPI_STATUS_IGNORE));
  }
  return EYOT_OK;
}

static int take_one(struct fmpi *f, int from, const struct fmpi_message_header *h,
                    const void *bytes) {
  struct fmpi_messages *m = f->messages;
  struct fmpi_arrival *a;
  return m->early.first == NULL && can_go_on(f, h) ? carry_out(f, from, h, bytes)
                                                   : keep(&m->early, from, h, bytes, &a);
}

/* The next message, which is in b. */
static int take_came(struct fmpi *f, const struct fmpi_message_buffer *b, const MPI_Status *came) {
  const MPI_Status status = *came;
  int len;
  f->messages->first++;
  FMPI_TRY(MPI_Get_count(&status, MPI_BYTE, &len));
  if ((size_t)len >= sizeof b->h) return take_one(f, status.MPI_SOURCE, &b->h, b->bytes);
  struct fmpi_brief brief;
  memcpy(&brief, &b->h, sizeof brief);
  const struct fmpi_message_header h = fmpi_brief_whole(&brief, (size_t)len - sizeof brief);
  return take_one(f, status.MPI_SOURCE, &h, (const char *)&b->h + sizeof brief);
}

static int take(struct fmpi *f, bool *taken) {
  struct fmpi_message_buffer *b = in(f->messages, f->messages->first);
  MPI_Status status;
  int flag;
  FMPI_TRY(MPI_Test(&b->req, &flag, &status));
  *taken = flag != 0;
  return flag != 0 ? take_came(f, b, &status) : EYOT_OK;
}

static int take_early(struct fmpi *f) {
  struct fmpi_messages *m = f->messages;
  while (m->early.first != NULL && can_go_on(f, &m->early.first->h)) {
    struct fmpi_arrival *a = m->early.first;
    m->early.first = a->next;
    int rc = carry_out(f, a->from, &a->h, a->bytes);
    free(a);
    EYOTI_TRY(rc);
  }
  return EYOT_OK;
}

/* What has landed gets its word. */
static int go_on_with(const struct fmpi *f, struct fmpi_arrival *a) {
  EYOTI_TRY(fmpi_message_test_one(&a->req));
  if (a->req != MPI_REQUEST_NULL) return EYOT_OK;
  free(a->scratch);
  if (!a->dropped) raise_word(f, a->lands_elsewhere ? &a->landed : &a->h);
  return EYOT_OK;
}

static int go_on(struct fmpi *f) {
  struct fmpi_arrivals *list = &f->messages->pending;
  struct fmpi_arrival *before = NULL;
  for (struct fmpi_arrival *a = list->first, *next; a != NULL; a = next) {
    EYOTI_TRY(go_on_with(f, a));
    next = a->next;
    if (a->req != MPI_REQUEST_NULL) {
      before = a;
      continue;
    }
    if (before != NULL)
      before->next = next;
    else
      list->first = next;
    if (list->last == a) list->last = before;
    free(a);
  }
  return EYOT_OK;
}

/* The next receives begin in a poll that finds nothing, when there is time. */
static int serve(struct fmpi *f, uint32_t most) {
  struct fmpi_messages *m = f->messages;
  bool taken = true;
  if (m->early.first != NULL) EYOTI_TRY(take_early(f));
  for (uint32_t i = 0; i < most && taken; i++) {
    if (m->first == m->listens) EYOTI_TRY(fmpi_messages_listen(m));
    EYOTI_TRY(take(f, &taken));
  }
  if (!taken) EYOTI_TRY(fmpi_messages_listen(m));
  return m->pending.first != NULL ? go_on(f) : EYOT_OK;
}

/* Whether a poll has more to do than to test the next receive. */
static inline bool has_more(const struct fmpi_messages *m) {
  return m->early.first != NULL || m->pending.first != NULL ||
         m->listens - m->first < FMPI_MESSAGE_RECEIVES;
}

int fmpi_messages_serve_next(struct fmpi *f) {
  bool taken;
  return has_more(f->messages) ? serve(f, 1) : take(f, &taken);
}

int fmpi_messages_serve_first(struct fmpi *f) {
  struct fmpi_messages *m = f->messages;
  const uint32_t before = m->first;
  const bool many = m->ready >= READY_IN_A_ROW;
  EYOTI_TRY(many ? serve(f, TAKEN_PER_POLL) : fmpi_messages_serve_next(f));
  const uint32_t taken = m->first - before;
  m->ready = taken == 0 || (many && taken == 1) ? 0 : m->ready + 1;
  return EYOT_OK;
}

int fmpi_messages_serve(struct fmpi *f) {
  /* the other thread does it */
  if (!try_lock(f)) return EYOT_OK;
  bool first_only = __atomic_load_n(&f->idle.first_only, __ATOMIC_RELAXED); /* a hint: wait_mem.c */
  int rc = serve(f, first_only ? 1 : TAKEN_PER_POLL);
  unlock(f);
  return rc;
}

/* -- what is expected -------------------------------------------------------------------------- */

/* Under way to memory that the caller wants back. */
struct landing {
  int from;
  const struct fmpi_message_header *h;
  bool found;
};
static int test_landing(struct fmpi *f, void *arg, bool *done) {
  struct landing *l = arg;
  struct fmpi_messages *m = f->messages;
  *done = false;
  if (!try_lock(f)) return EYOT_OK;
  *done = true;
  for (struct fmpi_arrival *a = m->pending.first; a != NULL; a = a->next) {
    if (!matches(a, l->from, l->h)) continue;
    a->dropped = l->found = true;
    *done = false;
  }
  unlock(f);
  return EYOT_OK;
}

static void lands_at(struct fmpi_arrival *a, const struct fab_sig *landed) {
  if (landed == NULL) return;
  a->lands_elsewhere = true;
  a->landed = (struct fmpi_message_header){
      .seg = landed->at.seg, .word_off = landed->at.off, .value = landed->value};
}

static int expect(struct fmpi *f, int from, const struct fmpi_message_header *h, void *dst,
                  const struct fab_sig *landed) {
  struct fmpi_messages *m = f->messages;
  struct fmpi_arrival *a = pick(&m->unexpected, from, h);
  if (a != NULL) {
    lands_at(a, landed);
    return take_expected(f, a, dst, dst != NULL ? h->len : a->h.len);
  }
  a = dst == NULL ? pick(&m->expected, from, h) : NULL;
  if (a != NULL)
    add(&m->expected, a);
  else
    EYOTI_TRY(keep(&m->expected, from, h, NULL, &a));
  lands_at(a, landed);
  a->dst = dst;
  return EYOT_OK;
}

/* From now on, and what is here. */
static int refuse(struct fmpi *f, const struct fmpi_message_header *h) {
  struct fmpi_messages *m = f->messages;
  m->refuses = true;
  m->refused_seg = h->seg;
  m->refused_off = h->word_off;
  for (struct fmpi_arrival *a = m->unexpected.first, *next; a != NULL; a = next) {
    next = a->next;
    if (!is_refused(m, &a->h)) continue;
    struct fmpi_arrival *one = pick(&m->unexpected, a->from, &a->h);
    EYOTI_TRY(take_apart(f, one, NULL));
  }
  return EYOT_OK;
}

static int expect_check(struct fmpi *f, fab_unit_t from, const struct fab_sig *sig, bool all) {
  struct fmpi_at word;
  EYOTI_TRY(fmpi_signal_check(sig->at, 0, sig));
  EYOTI_TRY(fmpi_resolve(f, sig->at, 8, &word));
  if (sig->at.unit != f->fab.me || (from >= f->fab.n && !all))
    return EYOTI_FAIL(EYOT_EUNIT, "unit %u expects a message of unit %u at unit %u", f->fab.me,
                      from, sig->at.unit);
  return EYOT_OK;
}

int fmpi_expect(struct fab *fab, fab_unit_t from, const struct fab_sig *sig, void *dst,
                uint64_t len, const struct fab_sig *landed) {
  struct fmpi *f = fmpi_of(fab);
  const bool all = from == FAB_ALL && dst == NULL;
  EYOTI_TRY(expect_check(f, from, sig, all));
  if (landed != NULL) EYOTI_TRY(expect_check(f, from, landed, false));
  const struct fmpi_message_header h = {.what = FMPI_BYTES_EXPECTED,
                                        .seg = sig->at.seg,
                                        .word_off = sig->at.off,
                                        .value = sig->value,
                                        .len = len};
  struct landing landing = {(int)from, &h, false};
  if (dst == NULL && !all) EYOTI_TRY(fmpi_wait_test(f, test_landing, &landing));
  if (landing.found) return EYOT_OK;
  lock(f);
  int rc = all ? refuse(f, &h) : expect(f, (int)from, &h, dst, landed);
  unlock(f);
  return rc;
}

/* -- what is late ------------------------------------------------------------------------------ */

static int test_past(struct fmpi *f, void *arg, bool *done) {
  struct fmpi_messages *m = f->messages;
  (void)arg;
  *done = false;
  if (!try_lock(f)) return EYOT_OK;
  *done = true;
  for (struct fmpi_arrival *a = m->pending.first; a != NULL; a = a->next)
    if (!a->dropped && is_late(f, &a->h)) *done = false;
  unlock(f);
  return EYOT_OK;
}

/* The word, and whether a segment is there, belong to who has the lock. */
static int unlock_and_land(struct fmpi *f, struct fmpi_messages *m) {
  bool pending = m->pending.first != NULL;
  unlock(f);
  return pending ? fmpi_wait_test(f, test_past, NULL) : EYOT_OK;
}

int fmpi_message_least(struct fab *fab, struct fab_addr word, uint64_t value) {
  struct fmpi *f = fmpi_of(fab);
  struct fmpi_at at;
  EYOTI_TRY(fmpi_resolve(f, word, 8, &at));
  lock(f);
  *(uint64_t *)(void *)at.ptr = value;
  return unlock_and_land(f, f->messages);
}

void fmpi_messages_begin_seg(struct fmpi *f, struct fmpi_seg *s, const struct fmpi_seg *fresh) {
  struct fmpi_messages *m = f->messages;
  if (m != NULL) lock(f);
  *s = *fresh;
  if (m != NULL) unlock(f);
}

int fmpi_messages_end_seg(struct fmpi *f, struct fmpi_seg *s) {
  struct fmpi_messages *m = f->messages;
  if (m != NULL) lock(f);
  s->live = false;
  s->gone = true;
  return m != NULL ? unlock_and_land(f, m) : EYOT_OK;
}

/* -- the end ----------------------------------------------------------------------------------- */

bool fmpi_messages_quiet(const struct fmpi_messages *m) {
  return m->pending.first == NULL;
}

static void forget(struct fmpi_arrivals *list) {
  while (list->first != NULL) {
    struct fmpi_arrival *a = list->first;
    list->first = a->next;
    free(a);
  }
}

void fmpi_messages_forget(struct fmpi_messages *m) {
  forget(&m->early);
  forget(&m->expected);
  forget(&m->unexpected);
}
