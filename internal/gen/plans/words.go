package plans

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// word says in the tables which part of a calculator's formula a value comes from, and
// below them the formula. It follows from the host and the profile as the value does, so
// that it is true of every value that it stands beside.
type word struct{ short, long string }

// wordOf returns the word for a calculator's value of a setting.
func wordOf(by, name string, h Host, p rule.Profile, v Values) word {
	switch by {
	case "pgtune":
		return pgtuneWord(name, h, PgtuneProfile(p), v)
	case "pgconfig":
		return pgconfigWord(name, h, PgconfigProfile(p))
	case "timescaledb-tune":
		return timescaleWord(name, h)
	}
	return configuratorWord(name, h, p)
}

// unset is the word for what a calculator leaves to the server.
func unset(why string) word {
	return word{"the default", "It leaves the setting to the server's default" + why + "."}
}

func pgtuneWord(name string, h Host, p rule.Profile, v Values) word {
	switch name {
	case "shared_buffers":
		return word{"a share, whatever the connections", "A quarter of the memory, a sixteenth for desktop. What " +
			"the connections hold beside it is not looked at."}
	case "effective_cache_size":
		if p == rule.Desktop {
			return word{"a quarter for desktop", "A quarter of the memory for desktop. The setting allocates " +
				"nothing; it only informs the planner of what may be cached."}
		}
		return word{"3/4 of the memory", "Three quarters of the memory, on the smallest hosts too."}
	case "work_mem":
		if have, _ := v.number(name); have <= float64(4*unit.MB/unit.KB) {
			return word{"its floor", "4 MB is its least value, whether the connections fit with it or not."}
		}
		part := map[rule.Profile]string{rule.DW: ", half of it for dw", rule.Mixed: ", half of it for mixed",
			rule.Desktop: ", a sixth of it for desktop"}[p]
		return word{"three for each connection and worker" + part,
			"(Memory − shared_buffers) ÷ 3 ÷ (connections + max_worker_processes); for dw and mixed half of that, " +
				"for desktop a sixth. Each session and worker is taken to hold it three times, hashes not more " +
				"than sorts; neither connections' own memory, maintenance nor the kernel are set aside."}
	case "maintenance_work_mem":
		return word{"up to 8 GB", "A sixteenth of the memory, for dw an eighth, up to 8 GB."}
	case "max_wal_size", "min_wal_size":
		return word{"fixed by profile", "min_wal_size and max_wal_size are 1 and 4 GB (web, mixed), 2 and 8 GB " +
			"(oltp), 4 and 16 GB (dw), 100 MB and 2 GB (desktop) on every host."}
	case "wal_buffers":
		return word{"3 % of its shared_buffers", "3 % of its shared_buffers, up to 16 MB: what -1 would do."}
	case "random_page_cost":
		if p == rule.DW {
			return word{"4 for dw", "4 for dw where the database does not fit into the memory, on every kind of " +
				"disk."}
		}
	case "effective_io_concurrency":
		return word{"by kind of disk", "2 on rotating disks, 200 on SSD, 300 on SAN, 1,000 on NVMe."}
	case "max_parallel_workers", "max_parallel_workers_per_gather":
		if h.CPUs < 4 {
			return unset(" below 4 CPUs")
		}
		if name == "max_parallel_workers" {
			return word{"as many as CPUs", "As many as CPUs in every profile, whatever the memory."}
		}
		return word{"half of the CPUs", "Half of the CPUs, at most 4 but for dw, where nothing bounds " +
			"it."}
	case "huge_pages":
		return word{"by shared_buffers", "try from 2 GB of shared_buffers up, off below. The pool that it would " +
			"need is not planned."}
	}
	return word{}
}

func pgconfigWord(name string, h Host, p rule.Profile) word {
	whole := map[rule.Profile]string{rule.Mixed: "half of the memory", rule.Desktop: "a fifth of the memory"}[p]
	if whole == "" {
		whole = "all memory"
	}
	usable := "Usable memory is all of it for web, oltp and dw, half for mixed, a fifth for desktop."
	switch name {
	case "shared_buffers":
		return word{"a share, whatever the connections", "A quarter of the usable memory, for desktop a sixteenth " +
			"of all. " + usable + " What the connections hold beside it is not looked at."}
	case "effective_cache_size":
		return word{"3/4 of " + whole, "Three quarters of the usable memory. " + usable}
	case "work_mem":
		part := map[rule.Profile]string{rule.Web: "25 %", rule.OLTP: "35 %", rule.DW: "50 %",
			rule.Mixed: "20 % of half", rule.Desktop: "10 % of a fifth"}[p]
		return word{part + " by connections",
			"A part of the usable memory (web 25 %, oltp 35 %, dw 50 %, mixed 20 %, desktop 10 %) ÷ connections. " +
				usable + " Each connection is taken to hold it once, neither sorts, hashes nor workers counted."}
	case "maintenance_work_mem":
		return word{"5 % of " + whole, "5 % of the usable memory, without an upper limit. " + usable}
	case "max_wal_size":
		return word{"3 GB everywhere", "3 GB on every host and in every profile."}
	case "min_wal_size":
		return word{"2 GB everywhere", "2 GB on every host and in every profile."}
	case "wal_buffers":
		return word{"follows its shared_buffers", "-1: a 32nd of its shared_buffers, up to 16 MB."}
	case "effective_io_concurrency":
		return word{"by kind of disk", "2 on rotating disks, 200 on SSD, 300 on SAN; it does not know NVMe."}
	case "max_parallel_workers":
		return word{"2 everywhere", "2, whatever the CPUs."}
	case "max_parallel_workers_per_gather":
		return word{"2 everywhere", "2, whatever the CPUs and the profile."}
	case "default_statistics_target", "huge_pages":
		return unset("")
	}
	return word{}
}

func timescaleWord(name string, h Host) word {
	switch name {
	case "shared_buffers":
		return word{"a quarter always", "A quarter of the memory. It has no desktop profile, and does not look at " +
			"what the connections hold beside it."}
	case "effective_cache_size":
		return word{"3/4 of the memory", "Three quarters of the memory, on the smallest hosts too."}
	case "work_mem":
		return word{"by connections and half the CPUs",
			"400 MB for each GB of memory ÷ connections ÷ half of the CPUs, at least 64 kB. Half of the " +
				"CPUs stand for the workers of one query; the kind of load is not asked for."}
	case "maintenance_work_mem":
		return word{"an eighth, up to 2 GB", "An eighth of the memory in every profile, up to 2,047 MB."}
	case "max_wal_size":
		return word{"1 GB without a disk size", "1 GB on every host; 60 % of the WAL disk if its size is " +
			"given."}
	case "min_wal_size":
		return word{"half of max_wal_size", "Half of max_wal_size: 512 MB if the disk size is not given."}
	case "wal_buffers":
		if h.RAM < 2*unit.GB {
			return word{"7.7 MB for each GB", "7,864 kB for each GB of memory below 2 GB."}
		}
		return word{"16 MB from 2 GB up", "16 MB on every host from 2 GB of memory up."}
	case "random_page_cost", "effective_io_concurrency":
		return word{"takes every disk for an SSD", "1.1 and 256: it does not ask what the disk is."}
	case "default_statistics_target":
		return word{"100 everywhere", "100 in every profile."}
	case "max_parallel_workers", "max_parallel_workers_per_gather":
		if h.CPUs < 2 {
			return unset(" with one CPU")
		}
		if name == "max_parallel_workers" {
			return word{"as many as CPUs", "As many as CPUs, whatever the load and the memory."}
		}
		return word{"half of the CPUs", "Half of the CPUs without an upper limit, whatever the load."}
	case "huge_pages":
		return unset("")
	}
	return word{}
}

func configuratorWord(name string, h Host, p rule.Profile) word {
	const kept = "Usable memory is nine tenths less 256 MB."
	duty := ConfiguratorDuty[p]
	switch name {
	case "shared_buffers":
		return word{"a quarter always", "A quarter of the usable memory in every profile. " + kept +
			" It has no desktop profile, and does not make it smaller for many connections."}
	case "effective_cache_size":
		return word{"what its parts leave", "What is left of the usable memory after its parts for work_mem (20 " +
			"%) and maintenance (10 %), 10 MB for each connection, locks and logical decoding; at least " +
			"shared_buffers. " + kept}
	case "work_mem":
		limit := map[string]string{"oltp": "32 MB", "mixed": "64 MB", "statistic": "256 MB"}[duty]
		return word{"four for each session at work, up to " + limit,
			"20 % of the usable memory less temp_buffers ÷ sessions at work ÷ 4 ÷ hash_mem_multiplier, up to 32 " +
				"MB (oltp), 64 MB (mixed) or 256 MB (statistic). Sessions at work are two for each CPU, at " +
				"least 4; for 1C the temp_buffers take half. " + kept}
	case "maintenance_work_mem":
		return word{"a twentieth for 4 to 16 sessions", "A twentieth of the usable memory ÷ sessions of " +
			"maintenance, an eighth of the CPUs but 4 to 16, up to 2 GB. " + kept}
	case "max_wal_size":
		return word{"4 MB/s of WAL assumed", "Two checkpoint_timeouts (10 min oltp, 15 min mixed, 30 min " +
			"statistic) of 4 MB of WAL a second, which it assumes on every host; at least 1 GB."}
	case "min_wal_size":
		return word{"a quarter of max_wal_size", "A quarter of its max_wal_size, up to 4 GB."}
	case "wal_buffers":
		return word{"follows its shared_buffers", "-1: a 32nd of its shared_buffers, up to 16 MB."}
	case "random_page_cost":
		return word{"by its score of the disk", "4 − 2.9 × its score of the disk: 3.56 (SATA), 2.7 (network), " +
			"1.83 (SSD), 1.39 (NVMe)."}
	case "effective_io_concurrency":
		return word{"by its score of the disk", "2 (SATA), 16 (network), 128 (SSD), 256 (NVMe)."}
	case "default_statistics_target":
		return word{"500 to 5,000 by duty", "500 (oltp), 1,000 (mixed, 1C) or 2,500 (statistic), less on small " +
			"machines: 500 below 4 CPUs or 8 GB of usable memory, 1,000 below 8 CPUs or 32 GB. " +
			"Planning and ANALYZE take the longer for it."}
	case "max_parallel_workers":
		if h.CPUs < 2 || h.RAM.Scale(0.9)-256*unit.MB < 2*unit.GB {
			return word{"none on so small a host", "None with one CPU or below 2 GB of usable memory. " + kept}
		}
		return word{"a part of the processors", "0.35 (oltp), 0.5 (mixed, 1C) or 0.75 (statistic) of the " +
			"processors, rounded down, at most 32 and one for each 2 GB of usable memory. " + kept}
	case "max_parallel_workers_per_gather":
		if h.CPUs < 2 || h.RAM.Scale(0.9)-256*unit.MB < 2*unit.GB {
			return word{"none on so small a host", "None with one CPU or below 2 GB of usable memory. " + kept}
		}
		return word{"by duty", "2 (oltp), 4 (mixed) or 8 (statistic), not above max_parallel_workers; none for 1C."}
	case "huge_pages":
		return unset("")
	}
	return word{}
}

// explained returns the word for a difference; its error means that it has none.
func explained(by, name string, h Host, p rule.Profile, v Values) (word, error) {
	w := wordOf(by, name, h, p, v)
	if w.short == "" {
		return w, fmt.Errorf("%s gives %s another %s for %s, and no word says why: add one to words.go", by,
			h.Name, name, p)
	}
	return w, nil
}
