#!/bin/sh
# entries.sh SOURCE_DIR [SYMBOLS] - each public function that can fail notes its name and its caller before anything else (EYOTI_ENTER, EYOTI_PASS, or by itself),
# so that every message has both. Those that return no code, and those that may run where no unit does, are listed here.
set -u
cd "${1:?entries.sh SOURCE_DIR [SYMBOLS]}" || exit 2
symbols=${2:-tests/baseline/symbols.txt}
# Cannot fail, or return no error code.
silent="eyot_abort eyot_check_active eyot_check_fail eyot_check_outcome eyot_check_racy eyot_check_reads eyot_check_writes eyot_cpu_add eyot_cpu_cas eyot_cpu_fence eyot_cpu_load
 eyot_cpu_store eyot_cpu_swap eyot_domain_name eyot_errname eyot_errors_clear eyot_exit_all eyot_fabric_name eyot_group_equal eyot_group_free eyot_group_has eyot_group_size
 eyot_initialized eyot_lock_kind_name eyot_me eyot_now_ns eyot_size eyot_strerror eyot_thread_level eyot_version"
silent=" $(echo $silent) "
# eyot_init of programs compiled with older headers; the others note the call before a unit runs.
own=" eyot_init "
bad=0
names=$(sed -n 's/^T \(eyot_[a-z0-9_]*\)$/\1/p' "$symbols")
# One pass over all sources: a function begins on a line with its name, and ends with a brace in column 1.
find src -name '*.c' -exec cat {} + | awk -v names="$names" -v others="$silent$own" '
  BEGIN {
    split(others, left_out)
    for (i in left_out) skip[left_out[i]] = 1
    n = split(names, name)
    for (i = 1; i <= n; i++) if (!(name[i] in skip)) wanted[name[i]] = 1
  }
  /^[a-z]/ && match($0, /[ *]eyot_[a-z0-9_]+\(/) { on = substr($0, RSTART + 1, RLENGTH - 2) }
  on != "" && /(EYOTI_(ENTER|ENTER_AS|PASS)|SET_ENTER)\(/ { ok[on] = 1 }
  /^}/ { on = "" }
  END {
    for (i = 1; i <= n; i++) {
      if (!(name[i] in wanted)) continue
      seen++
      if (name[i] in ok) continue
      print "entries: " name[i] " does not begin with EYOTI_ENTER or EYOTI_PASS"
      bad = 1
    }
    if (seen < 100) { print "entries: " seen + 0 " functions looked at, expected at least 100"; bad = 1 }
    exit bad
  }' || bad=1
# With -DEYOT_WARN_UNUSED compilers warn where a program ignores a code.
if grep -rnE '^(EYOT_API|EYOTI_INLINE|static inline) int eyot_' include; then
  echo "entries: declare these with EYOT_RET or EYOTI_INLINE_RET"
  bad=1
fi
exit $bad
