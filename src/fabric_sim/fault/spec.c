/* SPDX-License-Identifier: BSD-3-Clause */
/* spec.c - parses the text of EYOT_FAULT: kind:key=value,... , several separated by ';'. See
 * fault.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/conf_text.h"
#include "base/wording.h"
#include "fabric_sim/fault/fault.h"

#define SPEC_BYTES 256u
#define FACTOR_MAX 1000000u
#define TIME_MAX_NS (24ull * 3600 * 1000000000) /* a day, as for all options */
#define A_TIME "a time with its unit, as in 20us, of at most a day"
#define NOISE_SHARE_MOST 900000u   /* millionths of the time that all noises may take */
#define NOISE_MAX_NS 1000000000ull /* twice this is the bound of a draw */

enum fault_key { UNIT = 0, BETWEEN, AT, FOR, OP, FACTOR, EVERY, TAKES, PER, GAPS, PROFILE, KEYS };
static const char *const KEY[KEYS] = {"unit",  "between", "at",  "for",  "op",     "factor",
                                      "every", "takes",   "per", "gaps", "profile"};
#define BIT(k) (1u << (k))

static const struct {
  const char *name;
  uint32_t needs, may;
  const char *form;
} KIND[SIM_FAULT_KINDS] = {
    {"crash", BIT(UNIT), BIT(AT) | BIT(OP),
     "crash:unit=U,at=TIME or crash:unit=U,op=N (eyotcheck: crash:unit=U|any,op=N|any)"},
    {"slow", BIT(UNIT) | BIT(FACTOR), BIT(AT) | BIT(FOR),
     "slow:unit=U|all,factor=F[,at=TIME][,for=TIME]"},
    {"noise", 0, BIT(UNIT) | BIT(EVERY) | BIT(TAKES) | BIT(PER) | BIT(GAPS) | BIT(PROFILE),
     "noise:unit=U|all,every=TIME,takes=TIME[,per=unit|node|all][,gaps=drawn|equal] or "
     "noise:profile=NAME[,unit=U|all] (eyot-info --noise lists them)"},
    {"link-down", BIT(BETWEEN), BIT(AT) | BIT(FOR),
     "link-down:between=U-V[,at=TIME][,for=TIME] (eyotcheck: link-down:between=U-V|any,at=any)"},
    {"link-slow", BIT(BETWEEN) | BIT(FACTOR), BIT(AT) | BIT(FOR),
     "link-slow:between=U-V,factor=F[,at=TIME][,for=TIME]"},
};

struct fault_reader {
  const char *spec; /* the text of the fault, for messages */
  uint32_t n_units;
  bool explore;
  struct sim_fault f;
  uint32_t seen;
  const struct sim_noise_profile *profile; /* NULL: none is named */
};

static const char *form_of(const struct fault_reader *r) {
  return KIND[r->f.kind].form;
}

static bool read_unit(const struct fault_reader *r, const char *text, uint32_t *unit) {
  uint64_t v;
  if (!eyoti_text_u64(text, &v) || v >= r->n_units) return false;
  *unit = (uint32_t)v;
  return true;
}

static bool read_ps(const char *text, uint64_t max_ns, uint64_t *ps) {
  uint64_t ns;
  if (!eyoti_text_time_ns(text, &ns) || ns > max_ns) return false;
  *ps = ns * SIM_PS_PER_NS;
  return true;
}

static int wrong(const struct fault_reader *r, enum fault_key k, const char *value,
                 const char *expected) {
  return EYOTI_FAIL(EYOT_EINVAL, "fault '%s': %s is '%s'; expected %s; accepted: %s", r->spec,
                    KEY[k], value, expected, form_of(r));
}

static int read_whose(struct fault_reader *r, const char *value) {
  char expected[96];
  bool crash = r->f.kind == SIM_FAULT_CRASH;
  if (crash && strcmp(value, "any") == 0) {
    r->f.unit = SIM_FAULT_ANY;
    return r->explore
               ? EYOT_OK
               : wrong(r, UNIT, value, "a unit: which one strikes is a choice in eyotcheck only");
  }
  if (!crash && strcmp(value, "all") == 0) {
    r->f.unit = SIM_FAULT_ALL;
    return EYOT_OK;
  }
  eyoti_snprintf(expected, sizeof expected, "a unit from 0 to %u or %s", r->n_units - 1,
                 crash ? "any" : "all");
  return read_unit(r, value, &r->f.unit) ? EYOT_OK : wrong(r, UNIT, value, expected);
}

static int read_between(struct fault_reader *r, char *value) {
  if (r->f.kind == SIM_FAULT_LINK_DOWN && strcmp(value, "any") == 0) {
    r->f.unit = SIM_FAULT_ANY;
    return r->explore ? EYOT_OK
                      : wrong(r, BETWEEN, value,
                              "two units: which link goes down is a choice in eyotcheck only");
  }
  char whole[64], *dash = strchr(value, '-');
  snprintf(whole, sizeof whole, "%s", value);
  if (dash != NULL) *dash = '\0';
  bool ok = dash != NULL && read_unit(r, value, &r->f.unit) &&
            read_unit(r, dash + 1, &r->f.other) && r->f.unit != r->f.other;
  return ok ? EYOT_OK
            : wrong(r, BETWEEN, whole,
                    "two units, as in 0-1, whose nodes are the ends of the link");
}

static int read_op(struct fault_reader *r, const char *value) {
  if (strcmp(value, "any") == 0) {
    r->f.chosen = true;
    return r->explore ? EYOT_OK
                      : wrong(r, OP, value,
                              "a number: where the crash strikes is a choice in eyotcheck only");
  }
  if (eyoti_text_u64(value, &r->f.op) && r->f.op >= 1) return EYOT_OK;
  return wrong(r, OP, value, "the number of an operation of the unit, from 1, or any");
}

static int read_at(struct fault_reader *r, const char *value) {
  if (r->f.kind == SIM_FAULT_LINK_DOWN && strcmp(value, "any") == 0) {
    r->f.chosen = true;
    return r->explore ? EYOT_OK
                      : wrong(r, AT, value,
                              "a time: when the link goes down is a choice in eyotcheck only");
  }
  return read_ps(value, TIME_MAX_NS, &r->f.at_ps) ? EYOT_OK : wrong(r, AT, value, A_TIME);
}

static int read_per(struct fault_reader *r, const char *value) {
  static const char *const WORDS[] = {"unit", "node", "all"}; /* enum sim_noise_whom */
  for (uint32_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
    if (strcmp(value, WORDS[i]) == 0) {
      r->f.noise.whom = (enum sim_noise_whom)i;
      return EYOT_OK;
    }
  return wrong(r, PER, value, "unit (detours of its own), node or all (the same at the same time)");
}

static int read_value(struct fault_reader *r, enum fault_key k, char *value) {
  switch (k) {
    case UNIT:
      return read_whose(r, value);
    case BETWEEN:
      return read_between(r, value);
    case OP:
      return read_op(r, value);
    case AT:
      return read_at(r, value);
    case FOR:
      return read_ps(value, TIME_MAX_NS, &r->f.for_ps) && r->f.for_ps > 0
                 ? EYOT_OK
                 : wrong(r, k, value, A_TIME);
    case EVERY:
    case TAKES: {
      uint64_t *ps = k == EVERY ? &r->f.noise.every_ps : &r->f.noise.takes_ps;
      return read_ps(value, NOISE_MAX_NS, ps) && *ps > 0
                 ? EYOT_OK
                 : wrong(r, k, value, "a time with its unit, as in 20us, of at most a second");
    }
    case FACTOR:
      if (eyoti_text_u64(value, &r->f.factor) && r->f.factor >= 2 && r->f.factor <= FACTOR_MAX)
        return EYOT_OK;
      return wrong(r, k, value, "a whole number from 2 to 1000000");
    case PER:
      return read_per(r, value);
    case GAPS:
      r->f.noise.equal = strcmp(value, "equal") == 0;
      return r->f.noise.equal || strcmp(value, "drawn") == 0
                 ? EYOT_OK
                 : wrong(r, k, value, "drawn (distances of detours) or equal");
    case PROFILE:
      return (r->profile = sim_noise_profile(value)) != NULL
                 ? EYOT_OK
                 : wrong(r, k, value, "a name that eyot-info --noise lists");
    case KEYS:
      break;
  }
  return EYOT_EINVAL;
}

static int read_pair(struct fault_reader *r, char *pair) {
  char *equals = strchr(pair, '=');
  enum fault_key k = 0;
  if (equals != NULL) *equals = '\0';
  while (k < KEYS && strcmp(pair, KEY[k]) != 0) k++;
  if (equals == NULL || k == KEYS || ((KIND[r->f.kind].needs | KIND[r->f.kind].may) & BIT(k)) == 0)
    return EYOTI_FAIL(
        EYOT_EINVAL,
        "fault '%s': '%s' is not of the form key=value, or no key of this kind; accepted: %s",
        r->spec, pair, form_of(r));
  if ((r->seen & BIT(k)) != 0)
    return EYOTI_FAIL(EYOT_EINVAL, "fault '%s': %s is given twice; accepted: %s", r->spec, KEY[k],
                      form_of(r));
  r->seen |= BIT(k);
  return read_value(r, k, equals + 1);
}

/* Either a name, or all that the name would stand for. */
static int spec_check_noise(const struct fault_reader *r) {
  uint32_t own = BIT(EVERY) | BIT(TAKES) | BIT(PER) | BIT(GAPS),
           needs = BIT(UNIT) | BIT(EVERY) | BIT(TAKES);
  if (r->profile != NULL && (r->seen & own) == 0) return EYOT_OK;
  if (r->profile == NULL && (r->seen & needs) == needs) return EYOT_OK;
  return EYOTI_FAIL(EYOT_EINVAL, "fault '%s': expected %s; accepted: %s", r->spec,
                    r->profile != NULL ? "no other key than unit beside profile"
                                       : "unit, every and takes, or a profile",
                    form_of(r));
}

/* Checks the combination of all pairs. */
static int spec_check_whole(const struct fault_reader *r) {
  uint32_t missing = KIND[r->f.kind].needs & ~r->seen;
  for (enum fault_key k = 0; k < KEYS; k++)
    if ((missing & BIT(k)) != 0)
      return EYOTI_FAIL(EYOT_EINVAL, "fault '%s': %s is missing; accepted: %s", r->spec, KEY[k],
                        form_of(r));
  bool at = (r->seen & BIT(AT)) != 0, op = (r->seen & BIT(OP)) != 0;
  if (r->f.kind == SIM_FAULT_CRASH && at == op)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "fault '%s': expected one of at and op, which say when; accepted: %s",
                      r->spec, form_of(r));
  if (r->f.unit == SIM_FAULT_ANY && !r->f.chosen)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "fault '%s': the faulty part can be a choice only if the time is one too "
                      "(%s); accepted: %s",
                      r->spec, r->f.kind == SIM_FAULT_CRASH ? "op=any" : "at=any", form_of(r));
  if (r->f.kind == SIM_FAULT_NOISE) EYOTI_TRY(spec_check_noise(r));
  if (r->f.kind == SIM_FAULT_NOISE && r->profile == NULL &&
      r->f.noise.takes_ps >= r->f.noise.every_ps)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "fault '%s': takes is not less than every, so that no time would be left for "
                      "the program; accepted: %s",
                      r->spec, form_of(r));
  bool link_chosen = r->f.kind == SIM_FAULT_LINK_DOWN && r->f.chosen && (r->seen & BIT(FOR)) == 0;
  if (r->explore && !link_chosen && (r->f.kind != SIM_FAULT_CRASH || at))
    return EYOTI_FAIL(EYOT_EINVAL,
                      "fault '%s': eyotcheck has no durations, and shows every order of events "
                      "anyway; accepted: %s; %s",
                      r->spec, KIND[SIM_FAULT_CRASH].form, "link-down:between=U-V|any,at=any");
  return EYOT_OK;
}

static int read_one(struct fault_reader *r) {
  char text[SPEC_BYTES], *rest = text;
  EYOTI_ASSERT(strlen(r->spec) < sizeof text);
  memcpy(text, r->spec, strlen(r->spec) + 1);
  const char *kind = strsep(&rest, ":");
  uint32_t k = 0;
  while (k < SIM_FAULT_KINDS && strcmp(kind, KIND[k].name) != 0) k++;
  if (k == SIM_FAULT_KINDS)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "fault '%s': there is no fault '%s'; there are: %s; %s; %s; %s; %s", r->spec,
                      kind, KIND[0].form, KIND[1].form, KIND[2].form, KIND[3].form, KIND[4].form);
  r->f = (struct sim_fault){.kind = (enum sim_fault_kind)k, .for_ps = SIM_FAULT_FOREVER};
  if (r->f.kind == SIM_FAULT_NOISE) r->f.unit = SIM_FAULT_ALL;
  r->seen = 0;
  for (char *pair; (pair = strsep(&rest, ",")) != NULL;) EYOTI_TRY(read_pair(r, pair));
  EYOTI_TRY(spec_check_whole(r));
  if (r->f.kind == SIM_FAULT_CRASH && (r->seen & BIT(AT)) == 0) r->f.at_ps = SIM_FAULT_FOREVER;
  return EYOT_OK;
}

struct fault_list {
  struct sim_fault *list; /* [SIM_FAULTS_MAX] */
  uint32_t n, chosen, noises;
  uint64_t share; /* of the processor's time that noises take, in millionths */
};

static int list_add(struct fault_list *l, const struct sim_fault *f, const char *spec) {
  if (l->n == SIM_FAULTS_MAX)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "fault '%s': more than %u faults (each noise of a profile is one)", spec,
                      SIM_FAULTS_MAX);
  l->list[l->n] = *f;
  l->chosen += f->chosen;
  if (l->chosen > 1)
    return EYOTI_FAIL(EYOT_EINVAL, "fault '%s': one fault of a run can be a choice, not two", spec);
  if (f->kind == SIM_FAULT_NOISE) {
    l->list[l->n].noise_index = l->noises++;
    l->share += sim_noise_share(&f->noise);
    if (l->share >= NOISE_SHARE_MOST)
      return EYOTI_FAIL(EYOT_EINVAL,
                        "fault '%s': all noises together take %" PRIu64
                        " %% of the time; expected less than %u %%, so that the program ends",
                        spec, l->share / 10000, NOISE_SHARE_MOST / 10000);
  }
  l->n++;
  return EYOT_OK;
}

static int list_add_profile(struct fault_list *l, const struct fault_reader *r) {
  struct sim_fault f = r->f;
  for (uint32_t i = 0; i < SIM_NOISES_MAX && r->profile->noise[i].every_ps != 0; i++) {
    f.noise = r->profile->noise[i];
    EYOTI_TRY(list_add(l, &f, r->spec));
  }
  return EYOT_OK;
}

int sim_fault_parse(const char *text, uint32_t n_units, bool explore, struct sim_fault *list,
                    uint32_t *n) {
  struct fault_list l = {.list = list};
  while (*text != '\0') {
    size_t len = strcspn(text, ";");
    char spec[SPEC_BYTES];
    if (len >= sizeof spec)
      return EYOTI_FAIL(EYOT_EINVAL, "a fault of more than %u characters: '%s'", SPEC_BYTES - 1,
                        text);
    memcpy(spec, text, len);
    spec[len] = '\0';
    text += len;
    text += *text == ';';
    if (len == 0)
      return EYOTI_FAIL(EYOT_EINVAL,
                        "nothing before a ';': expected a fault, as in slow:unit=1,factor=2");
    struct fault_reader r = {.spec = spec, .n_units = n_units, .explore = explore};
    EYOTI_TRY(read_one(&r));
    EYOTI_TRY(r.profile != NULL ? list_add_profile(&l, &r) : list_add(&l, &r.f, spec));
  }
  *n = l.n;
  return EYOT_OK;
}
