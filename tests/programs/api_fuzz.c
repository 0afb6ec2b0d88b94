/* SPDX-License-Identifier: BSD-3-Clause */
/* api_fuzz.c - compares random one-sided operations with a model. Usage: api_fuzz [seed [phases]].
 *
 * Every unit draws every unit's operations from the same seed, so each can compute the content of
 * all memory after a phase. In a phase a stripe of each target is written by one origin only (a
 * different one each time), and all units add to the words at the end; after a barrier all units
 * read random positions everywhere. */
#include "programs/api_check.h"

#define STRIPE 1024u
#define SHARED 16u /* words at the end of each part */
#define OPS 12u    /* operations of a unit in a phase */
#define READS 12u
#define SETS 4u /* operation sets of a unit, the default set among them */

struct world {
  uint32_t me, n;
  uint64_t part; /* bytes of one unit's part */
  eyot_gptr_t base;
  uint8_t *model; /* n parts */
  uint64_t seed;
  eyot_set_t set[SETS];
  uint64_t old[OPS]; /* results that nothing depends on */
};

static eyot_gptr_t at(const struct world *w, uint32_t unit, uint64_t off) {
  return eyot_gptr_at(eyot_gptr_add(w->base, (int64_t)off), (eyot_unit_t){unit});
}

/* What kinds 7 and above post to a set; the model has been changed already. */
static void post_to_set(struct world *w, uint64_t kind, uint32_t op, eyot_gptr_t g, uint8_t *bytes,
                        uint64_t len, uint64_t *add) {
  eyot_set_t set = w->set[op % SETS];
  if (kind == 7) OK(eyot_set_put(set, g, bytes, len));
  if (kind == 8) {
    OK(eyot_set_put_local(set, g, bytes, len));
    memset(bytes, 0xee, len);
  }
  if (kind == 9) {
    uint64_t lens[2] = {len / 2, len - len / 2}, from[2] = {0, len / 2};
    OK(eyot_set_put_indexed(
        set, g, bytes,
        &(eyot_indexed_t){.n = 2, .len = lens, .local_off = from, .remote_off = from}));
  }
  if (kind == 10) OK(eyot_set_accumulate(set, g, EYOT_UINT64, EYOT_SUM, add));
  if (kind == 11) OK(eyot_set_fetch_op(set, g, EYOT_UINT64, EYOT_SUM, add, &w->old[op]));
}

/* One drawn operation: all apply it to the model, its origin also executes it. */
static void operate(struct world *w, uint32_t origin, uint32_t phase, uint32_t op, uint64_t *rng,
                    uint8_t *buffer) {
  bool mine = origin == w->me;
  uint32_t target = (uint32_t)(draw(rng) % w->n);
  uint64_t stripe = (uint64_t)((origin + phase) % w->n) * STRIPE;
  /* Operations of one phase must not overlap either: each has its own part of the stripe. */
  uint64_t room = STRIPE / OPS / 8 * 8, start = stripe + op * room;
  uint64_t off = draw(rng) % (room / 2), len = draw(rng) % (room / 2) + 1;
  uint8_t *m = w->model + target * w->part + start;
  for (uint64_t i = 0; i < room; i++) buffer[i] = (uint8_t)draw(rng);
  uint64_t kind = draw(rng) % 12, word = draw(rng) % SHARED, add = draw(rng);
  if (kind < 4 || (kind >= 7 && kind < 10)) {
    memcpy(m + off, buffer, len);
  } else if (kind == 4) {
    eyot_strided_t s = {.block_bytes = 1 + len % 2,
                        .count = room / 4,
                        .local_stride = 2,
                        .remote_stride = 2 + (int64_t)(add % 2)};
    for (uint64_t i = 0; i < s.count; i++)
      memcpy(m + i * (uint64_t)s.remote_stride, buffer + 2 * i, s.block_bytes);
    if (mine && add % 4 < 2) OK(eyot_put_strided(at(w, target, start), buffer, &s));
    if (mine && add % 4 >= 2) OK(eyot_put_strided_nbi(at(w, target, start), buffer, &s));
  } else {
    uint64_t *p =
        (uint64_t *)(void *)(w->model + target * w->part + (uint64_t)w->n * STRIPE) + word;
    *p += add;
    eyot_gptr_t g = at(w, target, (uint64_t)w->n * STRIPE + word * 8);
    if (mine && kind == 5) OK(eyot_accumulate(g, EYOT_UINT64, EYOT_SUM, &add));
    if (mine && kind == 6) OK(eyot_accumulate_nbi(g, EYOT_UINT64, EYOT_SUM, &add));
    if (mine && kind >= 10) post_to_set(w, kind, op, g, buffer, 8, &add);
  }
  if (!mine || (kind >= 4 && kind < 7) || kind >= 10) return;
  eyot_gptr_t g = at(w, target, start + off);
  if (kind >= 7) post_to_set(w, kind, op, g, buffer, len, &add);
  if (kind == 0) OK(eyot_put(g, buffer, len));
  if (kind == 1) OK(eyot_put_nbi(g, buffer, len));
  if (kind == 2) {
    eyot_handle_t h;
    OK(eyot_put_nb(g, buffer, len, &h));
    OK(eyot_wait(&h, EYOT_REMOTE));
  }
  if (kind == 3) {
    uint64_t lens[2] = {len / 2, len - len / 2}, from[2] = {0, len / 2};
    OK(eyot_put_indexed(
        g, buffer, &(eyot_indexed_t){.n = 2, .len = lens, .local_off = from, .remote_off = from}));
  }
}

/* Completes all operations of the phase: of all sets at once, or of one after the other. */
static void flush_phase(const struct world *w, uint32_t phase) {
  for (uint32_t i = 0; i < SETS && phase % 3 != 0; i++) {
    if (phase % 3 == 1) OK(eyot_set_flush_all(w->set[i], EYOT_REMOTE));
    for (uint32_t u = 0; phase % 3 == 2 && u < w->n; u++)
      OK(eyot_set_flush(w->set[(i + u) % SETS], (eyot_unit_t){u}, EYOT_REMOTE));
  }
  if (phase % 3 == 0) OK(eyot_flush_all(EYOT_REMOTE));
}

static void write_phase(struct world *w, uint32_t phase) {
  static const size_t SIZE = STRIPE;
  uint8_t *buffers = malloc(OPS * SIZE), *other = malloc(SIZE);
  CHECK(buffers != NULL && other != NULL);
  for (uint32_t origin = 0; origin < w->n; origin++) {
    uint64_t rng = w->seed ^ ((uint64_t)phase << 32) ^ ((uint64_t)origin * 0x10001);
    for (uint32_t op = 0; op < OPS; op++)
      operate(w, origin, phase, op, &rng, origin == w->me ? buffers + op * SIZE : other);
  }
  flush_phase(w, phase);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  free(buffers);
  free(other);
}

static void read_phase(const struct world *w, uint32_t phase) {
  uint64_t rng = w->seed ^ ((uint64_t)phase << 32) ^ ((uint64_t)w->me << 8) ^ 0xabcdef;
  uint8_t in[2 * STRIPE];
  for (uint32_t r = 0; r < READS; r++) {
    uint32_t target = (uint32_t)(draw(&rng) % w->n);
    uint64_t off = draw(&rng) % w->part,
             room = w->part - off < sizeof in ? w->part - off : sizeof in,
             len = draw(&rng) % room + 1;
    memset(in, 0, sizeof in);
    switch (draw(&rng) % 4) {
      case 3:
        OK(eyot_set_get(w->set[r % SETS], in, at(w, target, off), len));
        OK(eyot_set_flush(w->set[r % SETS], (eyot_unit_t){target}, EYOT_LOCAL));
        break;
      case 0:
        OK(eyot_get(in, at(w, target, off), len));
        break;
      case 1:
        OK(eyot_get_nbi(in, at(w, target, off), len));
        OK(eyot_flush((eyot_unit_t){target}, EYOT_LOCAL));
        break;
      default: {
        eyot_strided_t s = {.block_bytes = 1, .count = len, .local_stride = -1, .remote_stride = 1};
        OK(eyot_get_strided(in + len - 1, at(w, target, off), &s));
        for (uint64_t i = 0; i < len / 2; i++) {
          uint8_t swap = in[i];
          in[i] = in[len - 1 - i];
          in[len - 1 - i] = swap;
        }
      }
    }
    CHECK(memcmp(in, w->model + target * w->part + off, len) == 0);
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  struct world w = {
      .me = eyot_me().id, .n = eyot_size(), .seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1};
  uint32_t phases = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 0) : 20;
  w.part = (uint64_t)w.n * STRIPE + SHARED * 8;
  w.model = calloc(w.n, w.part);
  CHECK(w.model != NULL);
  OK(eyot_team_alloc(EYOT_TEAM_ALL, w.part, &w.base));
  for (uint32_t i = 1; i < SETS; i++) OK(eyot_set_create(&w.set[i])); /* set[0]: the default */
  for (uint32_t phase = 0; phase < phases; phase++) {
    write_phase(&w, phase);
    read_phase(&w, phase);
  }
  for (uint32_t i = 1; i < SETS; i++) OK(eyot_set_destroy(&w.set[i]));
  OK(eyot_team_free(w.base));
  free(w.model);
  return finish();
}
