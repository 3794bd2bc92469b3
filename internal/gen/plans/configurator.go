package plans

import "github.com/pgfettle/pgfettle/internal/judge/rule"

// What a host and a profile are to pg-configurator. It knows no web application, whose short reads its oltp is nearest
// to; of 1C it has a profile of its own, with its default duty.
var (
	ConfiguratorDuty = map[rule.Profile]string{
		rule.Web: "oltp", rule.OLTP: "oltp", rule.DW: "statistic", rule.Mixed: "mixed", rule.Desktop: "mixed",
		rule.OneC: "mixed",
	}
	ConfiguratorDisk = map[rule.Storage]string{rule.NVMe: "NVME", rule.SSD: "SSD", rule.SAN: "NETWORK",
		rule.HDD: "SATA"}
)

// ConfiguratorVersion is the one that tools/plans.sh installs.
const ConfiguratorVersion = "0.11.1"

// ConfiguratorMost1C is how many connections its profile of 1C uses; it refuses more.
const ConfiguratorMost1C = 1000
