#!/bin/sh
# Runs the experiments of docs/benchmarks.md: pgfettle's plan against the defaults and against four
# calculators, under five loads. It takes a day and more on a quiet machine; one that was interrupted goes on
# where it was. What is set in the environment:
#   BENCH_DIR     where the documents go (default: ./bench-plans); finished experiments there are not run again
#   BENCH_BLOCKS  blocks of each experiment (8)
#   BENCH_FLAGS   more flags of prove, such as '--pg 17' or, for a trial, '--scale 1 --duration 2s --warmup 2s'
#   BENCH_KERNEL  1: this machine's kernel may be touched, and the plan is measured with its kernel part
#   BENCH_OTHERS, BENCH_LOADS  fewer of them, by name
#   BENCH_SCRATCH where the clusters are made (prove's own choice). The data of a load are loaded once, stay there for
#                 its experiments, and are removed after the last of them
#   BENCH_PAGE    the page (docs/benchmarks.md); another one may hold trials too
set -eu

dir=${BENCH_DIR:-bench-plans}
page=${BENCH_PAGE:-docs/benchmarks.md}
peers=internal/act/prove/testdata/peers
kernel=
[ "${BENCH_KERNEL:-}" = 1 ] && kernel=--kernel
scratch=${BENCH_SCRATCH:+--scratch $BENCH_SCRATCH}
mkdir -p "$dir"

for load in ${BENCH_LOADS:-tpcb select-only-8 select-only-100 olap 1c}; do
  # tpcb at 600 is 9 GB, beyond the 6 GB of shared buffers that all of them give a host of 24 GB; reads at 300 are
  # 4.5 GB, within them
  case $load in
    tpcb)            what='--workload tpcb --scale 600 --clients 8 --profile-of oltp' ;;
    select-only-8)   what='--workload select-only --scale 300 --clients 8 --profile-of web' ;;
    select-only-100) what='--workload select-only --scale 300 --clients 100 --profile-of web' ;;
    olap)            what='--workload olap --scale 0.3x --clients 2 --profile-of dw' ;;
    1c)              what='--workload 1c --scale 0.1x --clients 8 --profile-of 1c' ;;
    *) echo "bench-plans: there is no load $load" >&2; exit 2 ;;
  esac
  profile=${what##*--profile-of }
  what=${what%% --profile-of*}
  for other in ${BENCH_OTHERS:-default pgtune timescaledb-tune pgconfig autobase}; do
    conf=$peers/$other.conf
    [ "$other" = default ] && conf=default
    to=$dir/$load,$other
    if [ -e "$to/result.json" ]; then
      grep -Eq '"ended": *"' "$to/result.json" && continue
      echo "== $load against $other, resumed"
      ./bin/pgfettle prove --resume "$to" --keep-data $kernel
      continue
    fi
    echo "== $load against $other"
    # words of what and BENCH_FLAGS are meant to be split; the last of two equal flags holds
    ./bin/pgfettle prove --a "$conf" --b "plan:$profile" $what --blocks "${BENCH_BLOCKS:-8}" --dir "$to" --keep-data $scratch $kernel --yes ${BENCH_FLAGS:-}
  done
  ./bin/pgfettle prove --clean $scratch
done

any=
[ "$page" = docs/benchmarks.md ] || any=-any
${GO:-go} run ./internal/gen/benchplans $any "$dir" > "$page.new"
mv "$page.new" "$page"
echo "== $page"
