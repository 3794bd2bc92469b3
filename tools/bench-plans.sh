#!/bin/sh
# Runs the experiments of docs/benchmarks.md: pgfettle's plan against the defaults and against five
# calculators under five loads, the exercises of courses, and configurations against themselves. With prove's own
# durations it takes a day and more on a quiet machine; one that was interrupted goes on where it was, and what had
# no verdict because the machine was disturbed is run again. The calculators were told that the disk is an SSD; what a
# virtual disk is, nobody tells pgfettle: 'pgfettle probe' comes first. What is set in the environment:
#   BENCH_DIR     where the documents go (default: ./bench-plans); finished experiments there are not run again
#   BENCH_BLOCKS  blocks of each experiment (8)
#   BENCH_FLAGS   more flags of prove, such as '--pg 17', '--duration 8s --warmup 5s' for two hours in all, or, for a
#                 trial, '--scale 1 --duration 2s --warmup 2s'
#   BENCH_KERNEL  1: this machine's kernel may be touched: the plan is measured with its kernel part, and huge pages are
#   BENCH_AIO     directory of the programs of a server of 18 or later that was built with io_uring: io-method and
#                 io-method-sync are measured with it
#   BENCH_OTHERS, BENCH_LOADS  fewer of them, by name
#   BENCH_SCRATCH where the clusters are made (prove's own choice). The data of a load are loaded once, stay there for
#                 its experiments, and are removed after the last of them
#   BENCH_OLAP    size of the data of analytic queries (0.1x); at 0.01x two clients take ten seconds for the ten queries,
#                 at 0.1x minutes, and no run ends before they do
#   BENCH_1C      transactions of each client of the 1c load (100): its reports have 100 to 50,000 rows, so that runs of a
#                 time differ by what they happened to draw, and those of a number do not
#   BENCH_UNTIL   no experiment begins after this time of the day: 17:30
#   BENCH_PAGE    the page (docs/benchmarks.md); another one may hold trials too
set -eu

dir=${BENCH_DIR:-bench-plans}
page=${BENCH_PAGE:-docs/benchmarks.md}
peers=internal/act/experiment/configure/testdata/peers
kernel=
[ "${BENCH_KERNEL:-}" = 1 ] && kernel=--kernel
olap=${BENCH_OLAP:-0.1x}
scratch=${BENCH_SCRATCH:+--scratch $BENCH_SCRATCH}
mkdir -p "$dir"

# Of a virtual disk nobody tells what it is: without a probe the plan keeps random_page_cost = 4, and the calculators
# were told that it is an SSD.
state=/var/lib
[ "$(id -u)" = 0 ] || state=${XDG_STATE_HOME:-$HOME/.local/state}
if [ -z "$(find "$state/pgfettle/measured" -name '*.json' 2>/dev/null)" ]; then
  echo "bench-plans: this host was not probed; make a cluster on the filesystem that is measured, and run: pgfettle probe DATADIR --yes" >&2
  exit 2
fi

# one NAME FLAGS…: an experiment, unless it is there
one() {
  to=$dir/$1
  shift
  if [ -n "${BENCH_UNTIL:-}" ] && [ "$(date +%H%M)" -gt "$(echo "$BENCH_UNTIL" | tr -d :)" ]; then
    return 0
  fi
  if [ -e "$to/result.json" ]; then
    if ! grep -Eq '"ended": *"' "$to/result.json"; then
      echo "== $to, resumed"
      ./bin/pgfettle prove --resume "$to" --keep-data $kernel
      return
    fi
    grep -Eq '"verdict": *"UNSUITABLE"' "$to/result.json" || return 0
    rm -r "$to"
  fi
  echo "== $to, $(date +%H:%M)"
  # words of BENCH_FLAGS are meant to be split; the last of two equal flags holds
  ./bin/pgfettle prove "$@" --blocks "${BENCH_BLOCKS:-8}" --dir "$to" --keep-data $scratch $kernel --yes ${BENCH_FLAGS:-} $last
}

for load in ${BENCH_LOADS:-aa exercises tpcb select-only-8 select-only-100 olap 1c}; do
  # tpcb at 450 is 6.6 GB, beyond the 6 GB of shared buffers that all of them give a host of 24 GB; reads at 300 are
  # 4.4 GB, within them. Each configuration of a load that writes keeps its copy: to make a new one takes longer than a short run.
  last= # flags of a load that hold against those of BENCH_FLAGS
  case $load in
    tpcb)            what='--workload tpcb --scale 450 --clients 8 --restore kept'; profile=oltp ;;
    select-only-8)   what='--workload select-only --scale 300 --clients 8'; profile=web ;;
    select-only-100) what='--workload select-only --scale 300 --clients 100'; profile=web ;;
    olap)            what="--workload olap --scale $olap --clients 2"; profile=dw ;;
    1c)              what='--workload 1c --scale 0.1x --clients 8 --restore kept'; profile=1c; last="--duration 0 --transactions ${BENCH_1C:-100}" ;;
    exercises)
      # the data of the course (2 GB) would be copied for each block
      for name in synchronous-commit fsync-off reconnect; do
        one "exercise,$name" --experiment "$name" --scale 50
      done
      for name in work-mem random-page-cost; do
        one "exercise,$name" --experiment "$name" --scale "$olap"
      done
      if [ -n "$kernel" ]; then
        one exercise,huge-pages --experiment huge-pages
        one exercise,huge-pages-8 --experiment huge-pages --clients 8
      fi
      # programs of 18 or later that were built with io_uring
      if [ -n "${BENCH_AIO:-}" ]; then
        for name in io-method io-method-sync; do
          one "exercise,$name" --experiment "$name" --bin "$BENCH_AIO"
        done
      fi
      ./bin/pgfettle prove --clean $scratch
      continue ;;
    aa)
      # twenty short ones: what is asked is how often they find a difference, not how small a one they could find
      all_flags=${BENCH_FLAGS:-} all_kernel=$kernel kernel=
      BENCH_FLAGS="$all_flags --duration 3s --warmup 3s"
      for n in 1 2 3 4 5; do
        one "aa,default-select-only-$n" --aa --a default --workload select-only --scale 10 --clients 4 --design slices
        one "aa,plan-select-only-$n" --aa --a plan --workload select-only --scale 10 --clients 8 --design slices
        one "aa,plan-tpcb-$n" --aa --a plan --workload tpcb --scale 10 --clients 4 --design slices
        one "aa,default-oltp-rw-$n" --aa --a default --workload oltp-rw --scale 10 --clients 4 --design slices
      done
      BENCH_FLAGS=$all_flags kernel=$all_kernel
      ./bin/pgfettle prove --clean $scratch
      continue ;;
    *) echo "bench-plans: there is no load $load" >&2; exit 2 ;;
  esac
  for other in ${BENCH_OTHERS:-default pgtune timescaledb-tune pgconfig autobase pg-configurator}; do
    conf=$peers/$other.conf
    [ "$other" = default ] && conf=default
    one "$load,$other" --a "$conf" --b "plan:$profile" $what
  done
  ./bin/pgfettle prove --clean $scratch
done

any=
publish=
if [ "$page" = docs/benchmarks.md ]; then publish='-publish docs/benchmarks'; else any=-any; fi
${GO:-go} run ./internal/gen/benchplans $any $publish "$dir" > "$page.new"
mv "$page.new" "$page"
echo "== $page"
