package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
)

// mb is the number of 8 kB blocks in a megabyte.
const mb = 128

// grid returns the settings to measure: shared_buffers from 128 MB to 256 GB
// by max_connections from 20 to 5000; every other setting alone, at both ends of
// them and in between; and random combinations, always the same ones.
func grid(major int) []map[string]string {
	buffers := []int{128, 200, 256, 512, 1000, 1024, 2048, 4096, 8192, 12288, 16384, 32768, 65536, 78125, 100000,
		131072, 262144}
	connections := []int{20, 100, 200, 500, 1000, 2000, 5000}
	var out []map[string]string
	for _, sb := range buffers {
		for _, c := range connections {
			out = append(out, point(sb*mb, c))
		}
	}
	corners := []map[string]string{point(128*mb, 20), point(128*mb, 100), point(8192*mb, 200), point(1024*mb, 1000),
		point(262144*mb, 5000)}
	single := singles(major)
	for _, p := range corners {
		for _, kv := range single {
			q := maps.Clone(p)
			q[kv[0]] = kv[1]
			out = append(out, q)
		}
	}
	if major >= 19 { // Debian's build, which has it
		for _, p := range corners {
			for _, c := range []string{"-1", "1", "64", "1024"} {
				q := maps.Clone(p)
				q["io_method"], q["io_max_concurrency"] = "io_uring", c
				out = append(out, q)
			}
		}
	}
	r := rand.New(rand.NewPCG(uint64(major), 0))
	for range 60 {
		p := point(128*mb+int(r.Float64()*r.Float64()*262016*mb), 20+r.IntN(4981))
		for range 1 + r.IntN(6) {
			kv := single[r.IntN(len(single))]
			p[kv[0]] = kv[1]
		}
		out = append(out, p)
	}
	return out
}

func point(blocks, connections int) map[string]string {
	return map[string]string{"shared_buffers": strconv.Itoa(blocks), "max_connections": strconv.Itoa(connections)}
}

// singles lists the settings that a major version has, with values at and
// beyond the ends of what is met in the field.
func singles(major int) [][2]string {
	var out [][2]string
	add := func(from int, name string, values ...int) {
		if major < from {
			return
		}
		for _, v := range values {
			out = append(out, [2]string{name, fmt.Sprint(v)})
		}
	}
	add(13, "max_locks_per_transaction", 16, 128, 256, 1024)
	add(13, "max_pred_locks_per_transaction", 16, 256, 1024)
	add(13, "max_prepared_transactions", 10, 500)
	add(13, "max_worker_processes", 0, 16, 128)
	add(13, "max_wal_senders", 0, 100)
	add(13, "autovacuum_max_workers", 1, 10, 50)
	add(13, "max_replication_slots", 0, 200)
	add(13, "max_logical_replication_workers", 50)
	add(13, "track_activity_query_size", 100, 16384)
	add(13, "wal_buffers", 8, 2048, 32768)
	add(14, "min_dynamic_shared_memory", 1, 1024)
	add(17, "transaction_buffers", 16, 1024)
	add(17, "subtransaction_buffers", 1024)
	add(17, "commit_timestamp_buffers", 1024)
	add(17, "multixact_member_buffers", 1024)
	add(18, "autovacuum_worker_slots", 3, 100)
	add(18, "io_max_concurrency", 1, 64, 256, 1024)
	add(18, "io_max_combine_limit", 1, 128)
	add(18, "max_active_replication_origins", 500)
	add(19, "io_max_workers", 1, 32)
	add(19, "autovacuum_max_parallel_workers", 16)
	add(19, "max_repack_replication_slots", 0, 100)
	return out
}
