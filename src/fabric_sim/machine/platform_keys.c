/* SPDX-License-Identifier: BSD-3-Clause */
/* platform_keys.c - the table of the keys of "dragonfly:", and the checks that involve several of
 * them. See platform_keys.h. */
#include "fabric_sim/machine/platform_keys.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

#define KEY_TEXT_MAX 32 /* characters of one value; a longer one is malformed */
#define KEY_LIST                                                                             \
  "groups, chassis, blades, nodes, cores, numa, links, ports, bw_green, bw_black, bw_blue, " \
  "bw_nic, lat_hop, lat_blue"

enum key_type { KEY_COUNT, KEY_GBPS, KEY_NS };

struct plat_key {
  const char *name;
  enum key_type type;
  double min, max;
  size_t at[2]; /* offset in struct sim_plat; a key may set two fields */
};

#define AT(field) offsetof(struct sim_plat, field)
#define BOTH(a, b) \
  { AT(a), AT(b) }
#define ONE(a) BOTH(a, a)

static const struct plat_key KEYS[] = {
    {"groups", KEY_COUNT, 0, 4096, ONE(groups)},
    {"chassis", KEY_COUNT, 1, 64, ONE(chassis)},
    {"blades", KEY_COUNT, 1, 256, ONE(blades)},
    {"nodes", KEY_COUNT, 1, 64, ONE(nodes)},
    {"cores", KEY_COUNT, 1, 1024, ONE(cores)},
    {"numa", KEY_COUNT, 1, 64, ONE(numa)},
    {"links", KEY_COUNT, 0, 256, ONE(blue)},
    {"ports", KEY_COUNT, 1, 256, ONE(ports)},
    {"bw_green", KEY_GBPS, 0.001, 100000, ONE(link[0].bytes_per_s)},
    {"bw_black", KEY_GBPS, 0.001, 100000, ONE(link[1].bytes_per_s)},
    {"bw_blue", KEY_GBPS, 0.001, 100000, ONE(link[2].bytes_per_s)},
    {"bw_nic", KEY_GBPS, 0.001, 100000, BOTH(price.nic_put_bytes_per_s, price.nic_get_bytes_per_s)},
    {"lat_hop", KEY_NS, 0, 1000000, BOTH(link[0].lat_ps, link[1].lat_ps)},
    {"lat_blue", KEY_NS, 0, 1000000, ONE(link[2].lat_ps)},
};

static const char *type_text(enum key_type type) {
  return type == KEY_COUNT ? "a whole number" : type == KEY_GBPS ? "GB/s" : "nanoseconds";
}

static const struct plat_key *find_key(const char *text, size_t len) {
  for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++)
    if (strlen(KEYS[i].name) == len && strncmp(KEYS[i].name, text, len) == 0) return &KEYS[i];
  return NULL;
}

/* Reads a decimal number and nothing else; an integer if the type requires it. */
static int read_number(const char *text, size_t len, enum key_type type, double *out) {
  char buf[KEY_TEXT_MAX];
  if (len == 0 || len >= sizeof buf ||
      strspn(text, type == KEY_COUNT ? "0123456789" : "0123456789.eE+-") < len)
    return EYOT_EINVAL;
  memcpy(buf, text, len);
  buf[len] = '\0';
  char *end;
  errno = 0;
  double value = strtod(buf, &end);
  if (errno != 0 || *end != '\0') return EYOT_EINVAL;
  *out = value;
  return 0;
}

static void keys_store(struct sim_plat *p, const struct plat_key *k, double value) {
  for (size_t i = 0; i < 2; i++) {
    char *field = (char *)p + k->at[i];
    uint32_t count = (uint32_t)value;
    uint64_t wide = k->type == KEY_GBPS ? SIM_GBPS(value) : SIM_NS(value);
    if (k->type == KEY_COUNT)
      memcpy(field, &count, sizeof count);
    else
      memcpy(field, &wide, sizeof wide);
  }
}

/* Checks the keys that depend on each other. */
static int keys_check_whole(const struct sim_plat *p) {
  uint32_t routers = p->chassis * p->blades;
  if (p->cores % p->numa != 0)
    return EYOTI_FAIL(EYOT_EINVAL, "dragonfly: numa=%u does not divide cores=%u", p->numa,
                      p->cores);
  if (p->blue > routers)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "dragonfly: links=%u between two groups; expected at most one a router, "
                      "chassis * blades = %u",
                      p->blue, routers);
  if (p->groups > 1 &&
      (uint64_t)(p->groups - 1) * (p->blue != 0 ? p->blue : 1) > (uint64_t)routers * p->ports)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "dragonfly: groups=%u with links=%u need %" PRIu64
                      " blue ports a group; chassis * blades * ports = %" PRIu64,
                      p->groups, p->blue, (uint64_t)(p->groups - 1) * (p->blue != 0 ? p->blue : 1),
                      (uint64_t)routers * p->ports);
  return 0;
}

int sim_plat_keys(const char *text, struct sim_plat *p) {
  while (*text != '\0') {
    size_t len = strcspn(text, ","), key_len = strcspn(text, "=,");
    const struct plat_key *k = find_key(text, key_len);
    if (k == NULL)
      return EYOTI_FAIL(EYOT_EINVAL, "dragonfly: unknown key '%.*s'; known are " KEY_LIST,
                        (int)key_len, text);
    if (text[key_len] != '=')
      return EYOTI_FAIL(EYOT_EINVAL, "dragonfly: %s has no value; expected %s=VALUE", k->name,
                        k->name);
    const char *value = text + key_len + 1;
    size_t value_len = len - key_len - 1;
    double number;
    if (read_number(value, value_len, k->type, &number) != 0 ||
        !(number >= k->min && number <= k->max))
      return EYOTI_FAIL(EYOT_EINVAL, "dragonfly: %s=%.*s; expected %s from %g to %g", k->name,
                        (int)value_len, value, type_text(k->type), k->min, k->max);
    keys_store(p, k, number);
    text += len;
    if (*text == ',' && *++text == '\0')
      return EYOTI_FAIL(EYOT_EINVAL, "dragonfly: key=value expected after the last comma");
  }
  return keys_check_whole(p);
}
