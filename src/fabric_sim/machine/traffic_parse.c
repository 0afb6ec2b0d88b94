/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_parse.c - reads the text of --traffic. See traffic.h. */
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/conf_text.h"
#include "fabric_sim/machine/traffic.h"

#define TEXT_MAX 256u
#define LIST_MAX 64u
#define BYTES_MOST (1u << 20)

/* The classes of links of a machine; all of them together are `links`. */
static const char *const CLASSES[][SIM_PLAT_CLASSES] = {
    [SIM_PLAT_DRAGONFLY] = {"green", "black", "blue"},
    [SIM_PLAT_TORUS] = {"x", "y", "z"},
    [SIM_PLAT_TREE] = {"level_1", "level_2", "level_3"},
    [SIM_PLAT_XML] = {NULL, NULL, NULL},
};

/* How many classes the machine has: a fat tree may have fewer levels. */
static uint32_t classes_of(const struct sim_plat *p) {
  uint32_t n = 0, most = p->kind == SIM_PLAT_TREE ? p->levels : SIM_PLAT_CLASSES;
  while (n < most && CLASSES[p->kind][n] != NULL) n++;
  return n;
}

/* Writes the names of the classes, each with a comma after it. */
static void list_classes(const struct sim_plat *p, char list[LIST_MAX]) {
  size_t used = 0;
  list[0] = '\0';
  for (uint32_t i = 0; i < classes_of(p); i++)
    used += (size_t)snprintf(list + used, LIST_MAX - used, "%s, ", CLASSES[p->kind][i]);
}

static int traffic_wrong(const struct sim_plat *p, const char *pair) {
  char list[LIST_MAX];
  list_classes(p, list);
  return EYOTI_FAIL(EYOT_EINVAL,
                    "traffic '%s': expected %slinks or nic=PERCENT (of their rate, 1 to %u), or "
                    "bytes=N (of a message, 1 to %u), separated by commas, each once",
                    pair, list, SIM_TRAFFIC_MOST, BYTES_MOST);
}

/* `text` says how long messages are, and nothing else. */
static int traffic_no_share(const struct sim_plat *p, const char *text) {
  char list[LIST_MAX];
  list_classes(p, list);
  return EYOTI_FAIL(EYOT_EINVAL,
                    "traffic '%s' has no share of links or NICs; expected %slinks or nic=PERCENT "
                    "(of their rate, 1 to %u) beside it, as in links=20,%s",
                    text, list, SIM_TRAFFIC_MOST, text);
}

static uint32_t class_of(const struct sim_plat *p, const char *key) {
  uint32_t n = classes_of(p), i = 0;
  while (i < n && strcmp(CLASSES[p->kind][i], key) != 0) i++;
  return i < n ? i : SIM_PLAT_CLASSES;
}

/* Sets a value that is 0: not given yet. */
static bool set_once(uint32_t *to, uint64_t value) {
  if (*to != 0) return false;
  *to = (uint32_t)value;
  return true;
}

static bool read_pair(const struct sim_plat *p, char *pair, struct sim_traffic_shares *x) {
  char *equals = strchr(pair, '=');
  uint64_t value;
  if (equals == NULL || !eyoti_text_u64(equals + 1, &value) || value == 0) return false;
  *equals = '\0';
  if (strcmp(pair, "bytes") == 0) return value <= BYTES_MOST && set_once(&x->bytes, value);
  if (value > SIM_TRAFFIC_MOST) return false;
  if (strcmp(pair, "nic") == 0) return set_once(&x->nic, value);
  if (strcmp(pair, "links") == 0) {
    bool ok = true;
    for (uint32_t i = 0; i < SIM_PLAT_CLASSES; i++) ok = set_once(&x->link[i], value) && ok;
    return ok;
  }
  uint32_t class = class_of(p, pair);
  return class < SIM_PLAT_CLASSES && set_once(&x->link[class], value);
}

int sim_traffic_parse(const char *text, const struct sim_plat *plat,
                      struct sim_traffic_shares *out) {
  struct sim_traffic_shares x = {0};
  char copy[TEXT_MAX], whole[TEXT_MAX], *rest = copy;
  if (strlen(text) >= sizeof copy)
    return EYOTI_FAIL(EYOT_EINVAL, "traffic of %zu characters; expected at most %u", strlen(text),
                      TEXT_MAX - 1);
  memcpy(copy, text, strlen(text) + 1);
  for (char *pair; (pair = strsep(&rest, ",")) != NULL;) {
    memcpy(whole, pair, strlen(pair) + 1);
    if (!read_pair(plat, pair, &x)) return traffic_wrong(plat, whole);
  }
  if (x.nic == 0 && x.link[0] == 0 && x.link[1] == 0 && x.link[2] == 0)
    return traffic_no_share(plat, text);
  if (x.bytes == 0) x.bytes = SIM_TRAFFIC_BYTES;
  *out = x;
  return EYOT_OK;
}
