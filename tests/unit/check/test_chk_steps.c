/* SPDX-License-Identifier: BSD-3-Clause */
/* test_chk_steps.c - the steps of a run as records, and the rows, words and lines of its pictures.
 * What whole pictures look like: tests/sim/pictures.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check/race/race.h"
#include "check/steps/picture.h"

#define ABOUT \
  { .program = "p", .how = "seed 1", .failure = "it fails", .units = 2, .first = CHK_STEPS_NONE }

static struct chk_event event(enum chk_event_kind kind, uint64_t step, uint32_t unit) {
  return (struct chk_event){.kind = (uint8_t)kind,
                            .step = step,
                            .unit = unit,
                            .target = CHK_STEPS_NONE,
                            .op = CHK_STEPS_NONE};
}

/* Unit `from` posts a put of the word at `off` of unit `to`; the operation. */
static uint32_t post(struct chk_steps *s, uint64_t step, uint32_t from, uint32_t to, uint64_t off) {
  struct chk_event e = event(CHK_EVENT_POST, step, from);
  char place[64];
  snprintf(place, sizeof place, "offset %u of the memory of a.c:7 (main)", (unsigned)off);
  struct chk_steps_op op = {.kind = CHK_STEPS_PUT,
                            .name = "put",
                            .len = 8,
                            .unit = from,
                            .target = to,
                            .parts = 1,
                            .step = step,
                            .posted = s->n,
                            .where = chk_steps_keep(s, place),
                            .bytes = {to, 1, off, 8}};
  e.op = chk_steps_add_op(s, op);
  assert_int_not_equal(chk_steps_add(s, e), CHK_STEPS_NONE);
  return e.op;
}

static uint32_t arrive(struct chk_steps *s, uint64_t step, uint32_t op, uint64_t now) {
  struct chk_event e = event(CHK_EVENT_ARRIVAL, step, s->op[op].unit);
  e.op = op;
  e.where = s->op[op].where;
  e.data = (struct chk_change){true, 0, now};
  return chk_steps_add(s, e);
}

/* The text that a writer makes. */
static char *written(const struct chk_picture *p,
                     void (*write)(const struct chk_picture *p, FILE *out)) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  write(p, out);
  assert_int_equal(fclose(out), 0);
  return text;
}

static uint32_t count(const char *text, const char *of) {
  uint32_t n = 0;
  for (; (text = strstr(text, of)) != NULL; text++) n++;
  return n;
}

static void equal_texts_are_kept_once(void **state) {
  (void)state;
  struct chk_steps s;
  chk_steps_init(&s);
  chk_steps_text_t first = chk_steps_keep(&s, "a place"), many[2000];
  char text[32];
  for (unsigned i = 0; i < 2000; i++) {
    snprintf(text, sizeof text, "place %u", i);
    many[i] = chk_steps_keep(&s, text);
  }
  assert_int_equal(chk_steps_keep(&s, "a place"), first);
  assert_int_equal(chk_steps_keep(&s, ""), 0);
  for (unsigned i = 0; i < 2000; i++) {
    snprintf(text, sizeof text, "place %u", i);
    assert_string_equal(chk_steps_text(&s, many[i]), text);
    assert_int_equal(chk_steps_keep(&s, text), many[i]);
  }
  chk_steps_fini(&s);
}

static void lines_break_at_blanks_and_are_cut(void **state) {
  (void)state;
  char line[CHK_PICTURE_WORDS];
  const char *text = "  one two three-four-five six";
  assert_true(chk_picture_wrap(&text, 9, line));
  assert_string_equal(line, "one two");
  assert_true(chk_picture_wrap(&text, 9, line));
  assert_string_equal(line, "three-fou");
  assert_true(chk_picture_wrap(&text, 9, line));
  assert_string_equal(line, "r-five");
  assert_true(chk_picture_wrap(&text, 9, line));
  assert_string_equal(line, "six");
  assert_false(chk_picture_wrap(&text, 9, line));
  assert_string_equal(chk_picture_cut("12345678", 8, line), "12345678");
  assert_string_equal(chk_picture_cut("123456789", 8, line), "12345...");
  assert_string_equal(chk_picture_cut("\xc3\xa4\xc3\xb6\xc3\xbc\xff\xe2\x82", 9, line),
                      "\xc3\xa4\xc3\xb6\xc3\xbc???");
}

static void bytes_that_are_no_characters_are_found(void **state) {
  (void)state;
  static const char *const BAD[] = {"\x80",
                                    "\xc0\x80",
                                    "\xc3",
                                    "\xe0\x80\x80",
                                    "\xed\xa0\x80",
                                    "\xf0\x80\x80\x80",
                                    "\xf4\x90\x80\x80",
                                    "\xff"};
  for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) assert_int_equal(chk_utf8(BAD[i]), 0);
  assert_int_equal(chk_utf8("a"), 1);
  assert_int_equal(chk_utf8("\xc3\xa4"), 2);
  assert_int_equal(chk_utf8("\xe2\x82\xac"), 3);
  assert_int_equal(chk_utf8("\xf0\x9f\x98\x80"), 4);
}

/* Names that no program can have today, but a file of a run may. */
static void hostile_names_stay_text(void **state) {
  (void)state;
  static const char NAME[] = "\"grid\"]]>--></text><script>x;\n  end\n%%{#quot;&'`\x01";
  struct chk_steps s;
  struct chk_picture p;
  chk_steps_init(&s);
  s.noun = "<PE>";
  struct chk_event e = event(CHK_EVENT_UNIT, 1, 0);
  e.words = e.where = e.cond = e.line = chk_steps_keep(&s, NAME);
  (void)chk_steps_add(&s, e);
  chk_steps_woke(&s, 0, 1);
  const struct chk_picture_about about = {.program = NAME,
                                          .how = NAME,
                                          .failure = NAME,
                                          .units = 2,
                                          .race = true,
                                          .first = 0,
                                          .second = CHK_STEPS_NONE,
                                          .first_where = NAME,
                                          .second_where = NAME,
                                          .remedy = NAME};
  assert_true(chk_picture_new(&s, &about, &p));
  char *svg = written(&p, chk_svg_write), *mermaid = written(&p, chk_mermaid_write);
  assert_int_equal(count(svg, "<script"), 0);
  assert_int_equal(count(svg, "]]>"), 0);
  assert_int_equal(count(svg, "\x01"), 0);
  assert_int_equal(count(svg, "<text "), count(svg, "</text>"));
  assert_true(count(svg, "&#60;script&#62;") >= 4);
  assert_int_equal(count(mermaid, "<script"), 0);
  assert_int_equal(count(mermaid, "%%"), 0);
  assert_int_equal(count(mermaid, "`"), 0);
  assert_int_equal(count(mermaid, "\n  end\n"), count(mermaid, "\n  rect "));
  assert_int_equal(count(mermaid, "participant"), 1);
  free(svg);
  free(mermaid);
  chk_picture_free(&p);
  chk_steps_fini(&s);
}

/* 400 puts of unit 2 to itself say nothing of unit 1, which unit 0 has woken. */
static void long_runs_are_cut_to_what_leads_to_the_failure(void **state) {
  (void)state;
  struct chk_steps s;
  struct chk_picture p;
  const struct chk_picture_about about = ABOUT;
  chk_steps_init(&s);
  (void)chk_steps_add(&s, event(CHK_EVENT_UNIT, 1, 0));
  uint32_t late = post(&s, 1, 0, 1, 64), news = post(&s, 1, 0, 1, 0),
           other = post(&s, 1, 0, 1, 128);
  uint64_t step = 2;
  for (int i = 0; i < 400; i++) {
    (void)chk_steps_add(&s, event(CHK_EVENT_UNIT, step, 2));
    uint32_t op = post(&s, step++, 2, 2, 8);
    (void)arrive(&s, step++, op, 1);
  }
  chk_steps_woke(&s, arrive(&s, step++, news, 1), 1);
  (void)chk_steps_add(&s, event(CHK_EVENT_UNIT, step, 1));
  struct chk_event get = event(CHK_EVENT_CPU, step, 1);
  get.bytes = (struct chk_steps_bytes){1, 1, 64, 8};
  (void)chk_steps_add(&s, get);
  (void)arrive(&s, ++step, other, 1);
  (void)chk_steps_add(&s, event(CHK_EVENT_UNIT, ++step, 1));
  uint32_t fails = s.n - 1;
  assert_true(chk_picture_new(&s, &about, &p));
  assert_int_equal(p.fails, fails);
  assert_int_equal(p.n_units, 2);
  assert_int_equal(p.left_out + p.n, s.n);
  assert_int_not_equal(p.row_of[s.op[news].posted], CHK_STEPS_NONE);
  assert_int_not_equal(p.row_of[s.op[news].arrived], CHK_STEPS_NONE);
  assert_int_not_equal(p.row_of[s.op[late].posted], CHK_STEPS_NONE); /* it should have come */
  assert_int_equal(p.row_of[s.op[other].posted], CHK_STEPS_NONE);
  assert_true(p.n < 12);
  char *mermaid = written(&p, chk_mermaid_write);
  assert_int_equal(count(mermaid, "-)"), 1);
  assert_int_equal(count(mermaid, "--x"), 1);
  assert_int_equal(count(mermaid, "FAILS HERE"), 1);
  assert_int_equal(count(mermaid, "are left out"), 1);
  free(mermaid);
  chk_picture_free(&p);
  chk_steps_fini(&s);
}

static void rows_are_bounded(void **state) {
  (void)state;
  struct chk_steps s;
  struct chk_picture p;
  const struct chk_picture_about about = ABOUT;
  chk_steps_init(&s);
  for (uint64_t i = 1; i < 5000; i++) {
    (void)chk_steps_add(&s, event(CHK_EVENT_UNIT, i, (uint32_t)(i % 2)));
    (void)arrive(&s, i, post(&s, i, (uint32_t)(i % 2), 0, 8 * (i % 3)), i);
  }
  assert_true(chk_picture_new(&s, &about, &p));
  assert_true(p.n >= CHK_PICTURE_ROWS && p.n < 2 * CHK_PICTURE_ROWS);
  assert_int_equal(p.row[p.n - 1].event, s.n - 1);
  char *mermaid = written(&p, chk_mermaid_write);
  assert_true(count(mermaid, "\n") < 2 * CHK_PICTURE_ROWS);
  free(mermaid);
  chk_picture_free(&p);
  chk_steps_fini(&s);
}

static void a_run_without_steps_has_no_picture(void **state) {
  (void)state;
  struct chk_steps s;
  struct chk_picture p;
  const struct chk_picture_about about = ABOUT;
  chk_steps_init(&s);
  assert_false(chk_picture_new(&s, &about, &p));
  chk_steps_fini(&s);
}

static void memories_get_letters_if_there_are_several(void **state) {
  (void)state;
  struct chk_steps s;
  struct chk_picture p;
  const struct chk_picture_about about = ABOUT;
  char words[CHK_PICTURE_WORDS];
  chk_steps_init(&s);
  (void)post(&s, 1, 0, 1, 24);
  assert_true(chk_picture_new(&s, &about, &p));
  assert_string_equal(chk_picture_op(&p, &s.op[0], words), "put 8 bytes to offset 24");
  assert_string_equal(chk_picture_bases(&p, words), "offsets are in the memory of a.c:7 (main)");
  chk_picture_free(&p);
  struct chk_steps_op op = s.op[0];
  op.where = chk_steps_keep(&s, "offset 8 of block 3");
  struct chk_event e = event(CHK_EVENT_POST, 2, 0);
  e.op = chk_steps_add_op(&s, op);
  (void)chk_steps_add(&s, e);
  op.where = chk_steps_keep(&s, "offset 8 of \"grid\"");
  e.op = chk_steps_add_op(&s, op);
  (void)chk_steps_add(&s, e);
  assert_true(chk_picture_new(&s, &about, &p));
  assert_string_equal(chk_picture_op(&p, &s.op[0], words), "put 8 bytes to offset 24 of A");
  assert_string_equal(chk_picture_op(&p, &s.op[1], words), "put 8 bytes to offset 8 of B");
  assert_string_equal(chk_picture_op(&p, &s.op[2], words), "put 8 bytes to offset 8 of \"grid\"");
  assert_string_equal(chk_picture_bases(&p, words), "A: the memory of a.c:7 (main); B: block 3");
  chk_picture_free(&p);
  chk_steps_fini(&s);
}

/* Each reason of a report has its remedy, in the calls of the interface. */
static void remedies_follow_the_reason(void **state) {
  (void)state;
  struct chk_race_report r = {.first = {.at = {.unit = 0}, .kind = CHK_RACE_PUT, .target = 1},
                              .second = {.at = {.unit = 1}, .kind = CHK_RACE_GET, .target = 1}};
  char text[CHK_RACE_REMEDY];
  (void)chk_race_remedy(&r, "unit", false, text, sizeof text);
  assert_non_null(strstr(text, "unit 1 must first learn from unit 0"));
  r.known = 5;
  r.first.number = 3;
  (void)chk_race_remedy(&r, "unit", false, text, sizeof text);
  assert_non_null(strstr(text, "eyot_flush_all(EYOT_REMOTE) by unit 0 after the first access"));
  (void)chk_race_remedy(&r, "PE", true, text, sizeof text);
  assert_non_null(strstr(text, "shmem_quiet by PE 0 after"));
  assert_null(strstr(text, "eyot"));
  r.first.state = CHK_RACE_RELEASED;
  (void)chk_race_remedy(&r, "unit", false, text, sizeof text);
  assert_non_null(strstr(text, "before the news that unit 1 has seen, not after it"));
  r.second.at.unit = 0;
  r.second.kind = CHK_RACE_PUT;
  (void)chk_race_remedy(&r, "unit", false, text, sizeof text);
  assert_non_null(strstr(text, "eyot_order by unit 0 between the two"));
  r.first.source = true;
  (void)chk_race_remedy(&r, "unit", false, text, sizeof text);
  assert_non_null(strstr(text, "locally complete"));
  assert_true(strlen(text) + 1 < sizeof text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_texts_are_kept_once),
      cmocka_unit_test(lines_break_at_blanks_and_are_cut),
      cmocka_unit_test(bytes_that_are_no_characters_are_found),
      cmocka_unit_test(hostile_names_stay_text),
      cmocka_unit_test(long_runs_are_cut_to_what_leads_to_the_failure),
      cmocka_unit_test(rows_are_bounded),
      cmocka_unit_test(a_run_without_steps_has_no_picture),
      cmocka_unit_test(memories_get_letters_if_there_are_several),
      cmocka_unit_test(remedies_follow_the_reason),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
