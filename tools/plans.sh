#!/bin/sh
# Asks the calculators of docs/plans.md and docs/benchmarks.md again: installs pg-configurator from PyPI into a
# temporary venv, which is removed, and writes internal/gen/plans/answers.tsv and the configuration of
# pg-configurator that plans are measured against. pgtune, pgconfig and timescaledb-tune are reckoned by their
# published formulas: they are a page for browsers and two programs that no registry of ours has.
set -eu
cd "$(dirname "$0")/.."
version=0.11.1 # as the head of pg-configurator.conf tells
venv=$(mktemp -d)
trap 'rm -rf "$venv"' EXIT
python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check "pg-configurator==$version"

answers=internal/gen/plans/answers.tsv
${GO:-go} run ./internal/gen/plans/ask "$venv/bin/pg-configurator" > "$answers.new"
mv "$answers.new" "$answers"

# the host of make bench-plans
peer=internal/act/experiment/configure/testdata/peers/pg-configurator.conf
{
  echo "# What pg-configurator $version (TantorLabs/pg_configurator, from PyPI) gives for:"
  echo '# duty oltp, 24 GB of memory, 2 CPUs, SSD, PostgreSQL 17, 100 connections, no replication.'
  echo '# What only 14 to 17 have, timeouts that would end runs, its log settings, and its libraries with their'
  echo '# parameters are left out: plans are measured on other versions too, and with the same log.'
  "$venv/bin/pg-configurator" --db-cpu 2 --db-ram 24Gi --db-disk-type SSD --db-duty oltp --pg-version 17 \
    --replication-mode none --min-conns 100 --max-conns 100 --output-format conf 2>/dev/null |
    grep -E '^[a-z_]+ = ' | grep -vE '^(log_|logging_|shared_preload_libraries|track_wal_io|compute_query_id|ssl_|password_encryption)' |
    grep -vE '^(statement_timeout|transaction_timeout|lock_timeout|idle_|tcp_|client_connection_check_interval|authentication_timeout)' |
    grep -vE '^(wal_level|max_wal_senders|max_replication_slots|synchronous_standby_names|io_combine_limit|vacuum_buffer_usage_limit|reserved_connections|max_parallel_apply_workers)' |
    grep -vE '^(default_toast_compression|wal_compression|wal_receiver_|wal_sender_|max_standby_|max_logical_|max_sync_|max_slot_|wal_keep_|hot_standby)'
} > "$peer.new"
mv "$peer.new" "$peer"
