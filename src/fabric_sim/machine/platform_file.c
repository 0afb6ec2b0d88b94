/* SPDX-License-Identifier: BSD-3-Clause */
/* platform_file.c - a machine from a machine file. See platform_file.h. */
#include "fabric_sim/machine/platform_file.h"

#include <string.h>

#include "base/check.h"
#include "base/machine_file.h"
#include "fabric_sim/machine/platform_keys.h"

static int take_base(const char *path, const struct eyoti_machine *m,
                     const struct sim_plat *(*find)(const char *name, size_t len),
                     struct sim_plat *out) {
  const struct eyoti_machine_entry *base = eyoti_machine_find(m, "platform", "base");
  if (base == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s: [platform] has no base; expected base = PRESET", path);
  const struct sim_plat *preset = find(base->value, strlen(base->value));
  if (preset == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s:%u: base = %s; expected a preset, such as dragonfly", path,
                      base->line, base->value);
  if (*base->unit != '\0' || base->measured)
    return EYOTI_FAIL(EYOT_EINVAL, "%s:%u: base = %s%s%s%s; expected the preset alone, base = %s",
                      path, base->line, base->value, *base->unit != '\0' ? " " : "", base->unit,
                      base->measured ? " [...]" : "", base->value);
  *out = *preset;
  return EYOT_OK;
}

static int take_figures(const char *path, const struct eyoti_machine *m, struct sim_plat *p) {
  for (uint32_t i = 0; i < m->n; i++) {
    const struct eyoti_machine_entry *e = &m->at[i];
    if (strcmp(e->section, "platform") != 0 || strcmp(e->key, "base") == 0) continue;
    EYOTI_TRY(sim_plat_key(path, e->line, e->key, e->value, e->unit, p));
  }
  return EYOT_OK;
}

int sim_plat_file(const char *path, const struct sim_plat *(*find)(const char *name, size_t len),
                  struct sim_plat *out) {
  struct eyoti_machine m;
  struct sim_plat p;
  EYOTI_TRY(eyoti_machine_read(path, &m));
  int rc = take_base(path, &m, find, &p);
  if (rc == EYOT_OK) rc = take_figures(path, &m, &p);
  if (rc == EYOT_OK) rc = sim_plat_complete(path, &m, &p);
  eyoti_machine_free(&m);
  if (rc != EYOT_OK) return rc;
  p.model = "measured by eyot-calibrate";
  p.sources = NULL;
  p.measured = true;
  *out = p;
  return EYOT_OK;
}
