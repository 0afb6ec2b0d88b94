/* SPDX-License-Identifier: BSD-3-Clause */
/* collective.c - symmetric allocation over a team (eyot/mem.h), resolving of its pointers, and the
 * allocation that a dynamic segment consists of (state.h).
 *
 * The members agree on a segment id and an offset; no state is stored per peer. If after some
 * rounds they find no common offset, each takes one of its own and publishes it in a word at an
 * agreed offset of the teams' control memory, where others fetch it on first use. Source:
 * Gerstenberger, Besta, Hoefler: Enabling highly-scalable remote memory access programming with
 * MPI-3 one sided, SC 2013, section 2.2, with an offset in the heap in place of an address. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "gmem/state.h"
#include "teams/agree.h"

#define KIND "memory of eyot_team_alloc"
#define DYNAMIC "dynamic segment"
#define TABLE_BYTES 16u /* of control memory for a published offset */

static EYOTI_APART int check_arguments(const struct eyoti_gmem *m, uint64_t bytes, uint64_t align,
                                       const eyot_gptr_t *gptr) {
  if (gptr == NULL) return EYOTI_FAIL(EYOT_EINVAL, "gptr is NULL");
  if (bytes == 0) return EYOTI_FAIL(EYOT_EINVAL, "bytes is 0");
  if (align == 0 || (align & (align - 1)) != 0)
    return EYOTI_FAIL(EYOT_EINVAL, "alignment %" PRIu64 " is not a power of two", align);
  if (bytes > m->size || align > m->size)
    return EYOTI_FAIL(EYOT_ENOMEM,
                      "%" PRId64 " bytes with alignment %" PRIu64
                      " do not fit a heap that grows to %" PRIu64 "; raise EYOT_HEAP_MAX",
                      (int64_t)bytes, align, eyoti_gmem_size_most(m));
  return EYOT_OK;
}

/* Takes the caller's part after the agreement; a common one is zeroed already. On failure it takes
 * nothing. */
static EYOTI_APART int gseg_place(struct eyot_rt *rt, const struct eyoti_agree *want,
                                  const struct eyoti_agreed *a, bool raw, struct eyoti_gseg *s) {
  struct eyoti_gmem *m = rt->gmem;
  uint64_t off = a->off;
  if (!a->same_offset && !eyoti_extents_lowest(want->space, want->len, want->align, 0, &off))
    return EYOTI_FAIL(EYOT_ENOMEM, "no room for %" PRIu64 " bytes", want->len);
  if (!a->same_offset) EYOTI_TRY(eyoti_gmem_secure(rt, m, off, want->len));
  uint32_t how = raw || a->same_offset ? EYOTI_GMEM_RAW : EYOTI_GMEM_ZEROED;
  EYOTI_TRY(eyoti_gmem_take(m, off, want->len, how));
  s->off = off;
  eyoti_observe_memory(rt, m->seg, off, want->len, true);
  return EYOT_OK;
}

/* Secures the pages of an offset before it is proposed: all members then have the pages of the
 * agreed offset, and the steps after the agreement cannot fail for lack of pages. */
static int secure(void *rt, uint64_t off, uint64_t len) {
  return eyoti_gmem_secure(rt, ((struct eyot_rt *)rt)->gmem, off, len);
}

/* Zeroes it as well: all members have proposed the offset on which they agree, so then it holds
 * zeroes on all. Nothing else takes it meanwhile (extents.h). What other threads may take is zeroed
 * once it is held, before the exchange that confirms it. */
static int secure_zeroed(void *context, uint64_t off, uint64_t len) {
  struct eyot_rt *rt = context;
  struct eyoti_gmem *m = rt->gmem;
  EYOTI_TRY(secure(rt, off, len));
  bool held = !eyoti_extents_is_free(&m->space, off, len);
  if (held || eyoti_teams_under_way(rt) == NULL) eyoti_gmem_zero(m, off, len);
  return EYOT_OK;
}

static EYOTI_APART void unplace(struct eyot_rt *rt, struct eyoti_gseg *s) {
  uint64_t len;
  bool known = eyoti_gmem_give(rt, s->off, &len);
  EYOTI_ASSERT(known);
  eyoti_observe_memory(rt, rt->gmem->seg, s->off, len, false);
}

/* Agrees on a word for the published offset and publishes the caller's. `error`: the result so
 * far. */
static EYOTI_APART int gseg_publish(struct eyot_rt *rt, struct eyoti_gseg *s, int error) {
  struct eyoti_teams *ts = rt->teams;
  struct eyoti_agree want = {.error = error,
                             .takes_part = true,
                             .space = &ts->ctl_space,
                             .len = TABLE_BYTES,
                             .align = TABLE_BYTES,
                             .under_way = eyoti_teams_under_way(rt)};
  struct eyoti_agreed agreed;
  EYOTI_TRY(eyoti_agree(rt->fab, &s->team->ctl, &want, &agreed));
  eyoti_agree_end(&want); /* the range is taken before this unit waits again */
  if (!agreed.same_offset)
    return EYOTI_FAIL(EYOT_ENOMEM,
                      "no common place in the teams' control memory to publish an offset");
  EYOTI_TRY(eyoti_extents_take(&ts->ctl_space, agreed.off, TABLE_BYTES));
  s->has_table = true;
  s->table_off = agreed.off;
  s->next_found = 0;
  s->found = NULL;
  memcpy(ts->ctl_base + s->table_off, &s->off, sizeof s->off);
  return EYOT_OK;
}

static EYOTI_APART void unpublish(struct eyot_rt *rt, struct eyoti_gseg *s) {
  if (!s->has_table) return;
  memset(rt->teams->ctl_base + s->table_off, 0, TABLE_BYTES);
  bool known = eyoti_extents_release(&rt->teams->ctl_space, s->table_off, NULL);
  EYOTI_ASSERT(known);
  free(s->found);
  s->has_table = false;
}

/* Makes an allocation after the checks; *id is the pointer, *gen its whole generation. At a common
 * offset placing cannot fail: the space is free, the tables have reserved theirs, and the zeroes
 * are there. So a member may put as soon as it has left the agreement. Elsewhere the members leave
 * together, because a put must not come before the target's zeroes; and so they do under a checker
 * that follows memory, which must learn of it before it is used. */
static int allocate(struct eyot_rt *rt, struct eyoti_agree *want, bool raw, struct eyoti_gseg *s,
                    eyot_gptr_t *id, uint64_t *gen) {
  struct eyoti_ctl *ctl = &s->team->ctl;
  struct eyoti_agreed agreed;
  EYOTI_TRY(eyoti_agree(rt->fab, ctl, want, &agreed));
  int rc = gseg_place(rt, want, &agreed, raw, s);
  bool placed = rc == EYOT_OK;
  if (!agreed.same_offset) {
    rc = gseg_publish(rt, s, rc);
    /* reported on all members by the agreement itself */
    if (rc != EYOT_OK && !s->has_table) goto unplace;
  }
  if (agreed.same_offset && !rt->observed)
    EYOTI_ASSERT(placed);
  else if ((rc = eyoti_agree_done(rt->fab, ctl, rc)) != EYOT_OK)
    goto unpublish;
  s->gen_high = eyoti_gen_high(agreed.gen);
  *gen = agreed.gen;
  *id = (eyot_gptr_t){.offset = s->gen_high,
                      .unit = eyoti_team_unit(s->team, 0),
                      .seg = (uint16_t)agreed.index,
                      .gen = (uint16_t)agreed.gen};
  return EYOT_OK;

unpublish:
  unpublish(rt, s);
unplace:
  if (placed) unplace(rt, s);
  return rc;
}

/* NULL: no memory. */
static EYOTI_APART struct eyoti_gseg *new_segment(struct eyoti_gmem *m, struct eyoti_team *t,
                                                  const struct eyoti_galloc *w) {
  struct eyoti_gseg *s = m->spare;
  m->spare = NULL;
  if (s == NULL && (s = eyoti_slack_new(sizeof *s)) == NULL) return NULL;
  s->team = t;
  s->dynamic = w->dynamic;
  s->len = w->bytes;
  s->has_table = false;
  return s;
}

static EYOTI_APART void drop_segment(struct eyoti_gmem *m, struct eyoti_gseg *s) {
  eyoti_slack_free(m->spare);
  m->spare = s;
}

/* Apart, because the text of a message would lie on the stack of every unit that allocates. */
__attribute__((cold, noinline)) void eyoti_gmem_log_full(struct eyot_rt *rt,
                                                         const struct eyoti_team *t,
                                                         uint64_t bytes) {
  const struct eyoti_gmem *m = rt->gmem;
  eyoti_log(EYOTI_LOG_ERROR, rt->fab->note.what, EYOT_ENOMEM,
            "%" PRIu64
            " bytes on each unit of %s: some heap is full; raise EYOT_HEAP_MAX (here it "
            "grows to %" PRIu64 ", and the largest free place has %" PRIu64
            "), unless another message says why",
            bytes, EYOTI_TEAM_WORDS(t), eyoti_gmem_size_most(m),
            eyoti_extents_largest_free(&m->space, NULL));
}

/* Passes an error here to the other members; returns it, or that of another member. Apart, for the
 * same reason. */
static __attribute__((cold, noinline)) int pass_error(struct eyot_rt *rt, struct eyoti_team *t,
                                                      struct eyoti_agree *want) {
  struct eyoti_agreed agreed;
  EYOTI_ASSERT(want->error != EYOT_OK);
  return eyoti_agree(rt->fab, &t->ctl, want, &agreed);
}

/* The members have agreed: enters the segment. */
static EYOTI_APART void gseg_enter(struct eyot_rt *rt, eyot_gptr_t made, uint64_t gen,
                                   struct eyoti_gseg *s, struct eyoti_agree *want) {
  struct eyoti_gmem *m = rt->gmem;
  eyoti_idtab_put(&m->segs, made.seg, gen, s);
  eyoti_agree_end(want);
  if (s->dynamic == NULL) eyoti_gmem_mapped_enter(rt, made, s);
  m->collective_used += want->len;
  s->team->live_segments++;
  eyoti_observe_made(rt, s->dynamic != NULL ? DYNAMIC : KIND, made.seg, s->len);
  eyoti_made_add(rt, &(struct eyoti_made){.kind = EYOTI_MADE_COLLECTIVE,
                                          .id = made.seg,
                                          .gen = eyoti_gptr_gen(made),
                                          .seg = m->seg,
                                          .off = s->off,
                                          .len_bytes = s->len,
                                          .counts = s->team->me == 0});
}

int eyoti_gmem_collective_make(struct eyot_rt *rt, struct eyoti_team *t,
                               const struct eyoti_galloc *w, eyot_gptr_t *gptr) {
  struct eyoti_gmem *m = rt->gmem;
  int error = w->error;
  struct eyoti_gseg *s = error == EYOT_OK ? new_segment(m, t, w) : NULL;
  if (error == EYOT_OK && s == NULL)
    error = EYOTI_GMEM_FAIL(rt, EYOT_ENOMEM, "no memory to keep track of an allocation");
  struct eyoti_agree want = {
      .arguments = eyoti_hash_mix(eyoti_hash_mix(w->arguments + w->raw, w->bytes), w->align),
      .size_name = "bytes",
      .size = w->bytes,
      .error = error,
      .takes_part = true,
      .secure = w->raw ? secure : secure_zeroed,
      .context = rt,
      .ids = &m->segs,
      .space = &m->space,
      .under_way = eyoti_teams_under_way(rt)};
  want.len = error == EYOT_OK ? eyoti_gmem_round_up(w->bytes, EYOTI_GMEM_ALIGN) : EYOTI_GMEM_ALIGN;
  want.align = w->align > EYOTI_GMEM_ALIGN ? w->align : EYOTI_GMEM_ALIGN;
  eyot_gptr_t made;
  uint64_t gen = 0;
  int rc = s != NULL ? allocate(rt, &want, w->raw, s, &made, &gen) : pass_error(rt, t, &want);
  if (rc != EYOT_OK) {
    eyoti_agree_end(&want);
    if (rc == EYOT_ENOMEM && error == EYOT_OK) eyoti_gmem_log_full(rt, t, w->bytes);
    drop_segment(m, s);
    return rc;
  }
  gseg_enter(rt, made, gen, s, &want);
  *gptr = made;
  return EYOT_OK;
}

static EYOTI_APART int alloc_begin(struct eyot_rt *rt, eyot_team_t team, uint64_t bytes,
                                   struct eyoti_team **t) {
  EYOTI_TRY(eyoti_team_get(rt, team, t));
  return eyoti_team_enter_by(rt, *t, EYOTI_WORDS_CONTROL, FAB_COLLECTIVE_NONE, bytes);
}

/* w->bytes, w->align, w->raw and an earlier error. */
static int team_alloc(struct eyot_rt *rt, eyot_team_t team, struct eyoti_galloc w,
                      eyot_gptr_t *gptr) {
  struct eyoti_team *t;
  EYOTI_TRY(alloc_begin(rt, team, w.bytes, &t));
  if (w.error == EYOT_OK) w.error = check_arguments(rt->gmem, w.bytes, w.align, gptr);
  return eyoti_gmem_collective_make(rt, t, &w, gptr);
}

int eyot_team_alloc_aligned(eyot_team_t team, uint64_t bytes, uint64_t align, eyot_gptr_t *gptr) {
  EYOTI_ENTER(rt);
  return team_alloc(rt, team, (struct eyoti_galloc){.bytes = bytes, .align = align}, gptr);
}

int eyot_team_alloc(eyot_team_t team, uint64_t bytes, eyot_gptr_t *gptr) {
  EYOTI_ENTER(rt);
  return team_alloc(rt, team, (struct eyoti_galloc){.bytes = bytes, .align = EYOTI_GMEM_ALIGN},
                    gptr);
}

int eyoti_gmem_alloc_or(eyot_team_t team, uint64_t bytes, int error, eyot_gptr_t *gptr) {
  EYOTI_ENTER_AS(rt, "eyot_team_alloc");
  return team_alloc(
      rt, team, (struct eyoti_galloc){.bytes = bytes, .align = EYOTI_GMEM_ALIGN, .error = error},
      gptr);
}

int eyot_team_alloc_raw(eyot_team_t team, uint64_t bytes, uint64_t align, eyot_gptr_t *gptr) {
  EYOTI_ENTER(rt);
  return team_alloc(rt, team, (struct eyoti_galloc){.bytes = bytes, .align = align, .raw = true},
                    gptr);
}

static void gseg_release(struct eyot_rt *rt, uint32_t seg, struct eyoti_gseg *s) {
  struct eyoti_gmem *m = rt->gmem;
  if (s->dynamic != NULL) eyoti_gmem_dynamic_drop(rt, s->dynamic);
  unpublish(rt, s);
  unplace(rt, s);
  m->collective_used -= eyoti_gmem_round_up(s->len, EYOTI_GMEM_ALIGN);
  s->team->live_segments--;
  eyoti_gmem_mapped_leave(rt, seg);
  eyoti_idtab_del(&m->segs, seg);
  eyoti_observe_released(rt, s->dynamic != NULL ? DYNAMIC : KIND, seg);
  eyoti_made_drop(rt, EYOTI_MADE_COLLECTIVE, seg);
  drop_segment(m, s);
}

void eyoti_gmem_release_own(struct eyot_rt *rt, eyot_gptr_t g) {
  struct eyoti_gseg *s = eyoti_gmem_collective_find(rt->gmem, g);
  EYOTI_ASSERT(s != NULL);
  gseg_release(rt, g.seg, s);
}

static struct eyoti_gseg *find(const struct eyoti_gmem *m, eyot_gptr_t g) {
  if (g.seg < EYOTI_SEG_FIRST || g.seg >= EYOTI_SEG_REGISTERED) return NULL;
  struct eyoti_gseg *s = eyoti_idtab_get(&m->segs, g.seg, g.gen, 16);
  if (s == NULL) return NULL;
  /* the upper bits of the generation are right if what is left is a number of bytes, or an
   * address */
  uint64_t bytes = g.offset - s->gen_high, far = UINT64_C(1) << (EYOTI_OFFSET_BITS - 1);
  if (s->dynamic == NULL) bytes += far;
  return bytes < 2 * far ? s : NULL;
}

struct eyoti_gseg *eyoti_gmem_collective_find(const struct eyoti_gmem *m, eyot_gptr_t g) {
  return find(m, g);
}

static const char *collective_words(const struct eyot_rt *rt, eyot_gptr_t g,
                                    char text[EYOTI_WORDS]) {
  return eyoti_made_words(rt, EYOTI_MADE_COLLECTIVE, g.seg, text);
}

/* Apart, as log_full. */
static __attribute__((cold, noinline)) int frees_differ(struct eyot_rt *rt, eyot_gptr_t g,
                                                        const struct eyoti_gseg *s,
                                                        const uint64_t words[2]) {
  return EYOTI_GMEM_FAIL(
      rt, EYOT_EMISMATCH,
      "members of %s free different allocations (segments %u and %u); this one frees %s",
      EYOTI_TEAM_WORDS(s->team), (unsigned)(words[0] & 0xffff), (unsigned)(~words[1] & 0xffff),
      collective_words(rt, g, (char[EYOTI_WORDS]){0}));
}

int eyoti_gmem_collective_free(struct eyot_rt *rt, eyot_gptr_t g, struct eyoti_gseg *s) {
  /* No member releases before all have come: until then others may still access this unit's
   * part. */
  static const enum eyoti_ctl_op OPS[2] = {EYOTI_CTL_MAX, EYOTI_CTL_MAX};
  uint64_t id = (uint64_t)eyoti_gptr_gen(g) << 16 | g.seg;
  uint64_t words[2] = {id, ~id};
  EYOTI_TRY(eyoti_ctl_exchange(rt->fab, &s->team->ctl, OPS, words, 2));
  if (words[0] != ~words[1]) return frees_differ(rt, g, s, words);
  gseg_release(rt, g.seg, s);
  return EYOT_OK;
}

/* Apart, as log_full. `s`: what the pointer names, or NULL. */
static __attribute__((cold, noinline)) int refuse_free(struct eyot_rt *rt, eyot_gptr_t g,
                                                       const struct eyoti_gseg *s) {
  if (s == NULL)
    return EYOTI_GMEM_FAIL(
        rt, EYOT_ESEG,
        "the pointer (segment %u, generation %u) is to no live collective allocation "
        "of this unit: %s",
        g.seg, eyoti_gptr_gen(g),
        eyoti_gmem_gone(rt, g, "it was freed, or is not from eyot_team_alloc",
                        (char[EYOTI_GONE]){0}));
  if (s->dynamic != NULL)
    return EYOTI_GMEM_FAIL(rt, EYOT_ESEG, "%s is freed by eyot_dynamic_destroy",
                           collective_words(rt, g, (char[EYOTI_WORDS]){0}));
  return EYOTI_GMEM_FAIL(rt, EYOT_ESEG,
                         "the pointer is to offset %" PRId64
                         " of %s; free it by the pointer to its start",
                         eyoti_gptr_bytes(g), collective_words(rt, g, (char[EYOTI_WORDS]){0}));
}

int eyot_team_free(eyot_gptr_t gptr) {
  EYOTI_ENTER(rt);
  struct eyoti_gseg *s = eyoti_gmem_collective_find(rt->gmem, gptr);
  if (s == NULL || s->dynamic != NULL || eyoti_gptr_bytes(gptr) != 0)
    return refuse_free(rt, gptr, s);
  EYOTI_TRY(eyoti_team_enter_by(rt, s->team, EYOTI_WORDS_CONTROL, FAB_COLLECTIVE_NONE, s->len));
  return eyoti_gmem_collective_free(rt, gptr, s);
}

/* The offset of another member's part of a segment without a common one; it is kept, for it does
 * not change while the segment lives. */
static int fetch_offset(struct eyot_rt *rt, struct eyoti_gseg *s, uint32_t unit, uint64_t *off) {
  if (s->found == NULL && (s->found = calloc(EYOTI_GMEM_FOUND, sizeof *s->found)) == NULL)
    return EYOTI_GMEM_FAIL(rt, EYOT_ENOMEM, "no memory for the offsets of other units' parts");
  for (uint32_t i = 0; i < EYOTI_GMEM_FOUND; i++)
    if (s->found[i].off != 0 && s->found[i].unit == unit) {
      *off = s->found[i].off;
      return EYOT_OK;
    }
  uint64_t fetched;
  EYOTI_TRY(fab_get_wait(rt->fab, &fetched, fab_at(unit, rt->teams->ctl_seg, s->table_off),
                         sizeof fetched));
  if (fetched < rt->gmem->first || fetched >= rt->gmem->size)
    return EYOTI_GMEM_FAIL(rt, EYOT_ESEG, "unit %u has freed its part of the allocation", unit);
  uint32_t i = s->next_found++ % EYOTI_GMEM_FOUND;
  s->found[i].off = fetched;
  s->found[i].unit = unit;
  *off = fetched;
  return EYOT_OK;
}

/* What is not an address within the part: another unit's, or out of range. */
static __attribute__((cold, noinline)) int fail_part(struct eyot_rt *rt, const struct eyoti_gseg *s,
                                                     eyot_gptr_t g, uint64_t len, bool member) {
  if (!member)
    return EYOTI_GMEM_FAIL(rt, EYOT_EUNIT, "unit %u is not in %s, which owns %s", g.unit,
                           EYOTI_TEAM_WORDS(s->team),
                           collective_words(rt, g, (char[EYOTI_WORDS]){0}));
  return EYOTI_GMEM_FAIL(rt, EYOT_ERANGE,
                         "%" PRId64 " bytes at offset %" PRId64 " of unit %u's part of %s",
                         (int64_t)len, (int64_t)(g.offset - s->gen_high), g.unit,
                         collective_words(rt, g, (char[EYOTI_WORDS]){0}));
}

static __attribute__((noinline)) bool is_member(const struct eyoti_gseg *s, uint32_t unit) {
  uint32_t index;
  return eyoti_team_index(s->team, unit, &index);
}

/* In a table: where the unit's part is. */
static __attribute__((noinline)) int resolve_fetched(struct eyot_rt *rt, struct eyoti_gseg *s,
                                                     eyot_gptr_t g, struct fab_addr *out) {
  uint64_t off;
  EYOTI_TRY(fetch_offset(rt, s, g.unit, &off));
  *out = fab_at(g.unit, rt->gmem->seg, off + (g.offset - s->gen_high));
  return EYOT_OK;
}

static int resolve_member(struct eyot_rt *rt, struct eyoti_gseg *s, eyot_gptr_t g, uint64_t len,
                          struct fab_addr *out) {
  uint64_t offset = g.offset - s->gen_high;
  if (__builtin_expect(len > s->len || offset > s->len - len, 0))
    return fail_part(rt, s, g, len, true);
  if (s->has_table && g.unit != rt->fab->me) return resolve_fetched(rt, s, g, out);
  *out = fab_at(g.unit, rt->gmem->seg, s->off + offset);
  return EYOT_OK;
}

static int resolve_part(struct eyot_rt *rt, struct eyoti_gseg *s, eyot_gptr_t g, uint64_t len,
                        struct fab_addr *out) {
  if (s->team->size != rt->fab->n && !is_member(s, g.unit)) return fail_part(rt, s, g, len, false);
  return resolve_member(rt, s, g, len, out);
}

/* Every operation comes here. Errors are found again, and reported, by the general way: so this has
 * no frame. */
bool eyoti_gmem_resolve_usual(const struct eyot_rt *rt, eyot_gptr_t g, uint64_t len,
                              struct fab_addr *out) {
  const struct eyoti_gseg *s = eyoti_idtab_get(&rt->gmem->segs, g.seg, g.gen, 16);
  if (s == NULL || s->dynamic != NULL || s->has_table) return false;
  const uint64_t offset = g.offset - s->gen_high;
  if (len > s->len || offset > s->len - len) return false;
  if (s->team->size != rt->fab->n || g.unit >= rt->fab->n) return false;
  *out = fab_at(g.unit, rt->gmem->seg, s->off + offset);
  return true;
}

static __attribute__((cold, noinline)) int fail_gone(struct eyot_rt *rt, eyot_gptr_t g) {
  return EYOTI_GMEM_FAIL(rt, EYOT_ESEG, "segment %u generation %u does not exist here: %s", g.seg,
                         eyoti_gptr_gen(g),
                         eyoti_gmem_gone(rt, g, "it was freed, or is not of a team of this unit",
                                         (char[EYOTI_GONE]){0}));
}

int eyoti_gmem_resolve_collective(struct eyot_rt *rt, eyot_gptr_t g, uint64_t len,
                                  struct fab_addr *out) {
  struct eyoti_gseg *s = find(rt->gmem, g);
  if (__builtin_expect(s == NULL, 0)) return fail_gone(rt, g);
  if (__builtin_expect(s->dynamic != NULL, 0))
    return eyoti_gmem_resolve_dynamic(rt, s->dynamic, g, len, out);
  return resolve_part(rt, s, g, len, out);
}

bool eyoti_gmem_is_aligned(struct eyot_rt *rt, eyot_gptr_t g) {
  const struct eyoti_gseg *s = eyoti_gmem_collective_find(rt->gmem, g);
  return s != NULL && s->dynamic == NULL && !s->has_table;
}

int eyoti_gmem_resolve_part(struct eyot_rt *rt, struct eyoti_gseg *s, eyot_gptr_t g, uint64_t len,
                            struct fab_addr *out) {
  return resolve_part(rt, s, g, len, out);
}

void eyoti_gmem_free_left(struct eyot_rt *rt) {
  for (uint32_t i = EYOTI_SEG_FIRST; i < eyoti_idtab_top(&rt->gmem->segs); i++) {
    struct eyoti_gseg *s = eyoti_idtab_at(&rt->gmem->segs, i);
    if (s != NULL && s->dynamic == NULL && eyoti_made_is_memory(rt, EYOTI_MADE_COLLECTIVE, i))
      gseg_release(rt, i, s);
  }
}

uint32_t eyoti_gmem_collective_drop(struct eyot_rt *rt) {
  uint32_t leaks = 0;
  for (uint32_t i = EYOTI_SEG_FIRST; i < eyoti_idtab_top(&rt->gmem->segs); i++) {
    struct eyoti_gseg *s = eyoti_idtab_at(&rt->gmem->segs, i);
    if (s == NULL) continue;
    if (s->team->me == 0) leaks++;
    gseg_release(rt, i, s);
  }
  return leaks;
}
