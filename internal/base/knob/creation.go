package knob

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Steps of 'pgfettle create' are in journals beside knobs, and no plan, policy or pin names one: what they set is there
// or not.
//
//	swapfile:/swapfile                a swap file
//	swap:/swapfile                    a swap file in use, now and at boot
//	dir:/srv/pg/17/main               a directory
//	slot:pgfettle_main                a replication slot on the primary of a standby
//	cluster:/srv/pg/17/main           a database cluster, by its data directory
//	file:/etc/systemd/system/X.service  a file of the host
//	service:X.service                 a service that is enabled and runs
//	server:/srv/pg/17/main            a server that systemd does not start
//	password:/srv/pg/17/main          the password of the superuser of a cluster
//	pgpass:/root/.pgpass              a line of a password file
//	firewall:5432                     a port that is open to some networks
const (
	SwapFilePrefix = "swapfile"
	SwapPrefix     = "swap"
	DirPrefix      = "dir"
	SlotPrefix     = "slot"
	ClusterPrefix  = "cluster"
	FilePrefix     = "file"
	ServicePrefix  = "service"
	ServerPrefix   = "server"
	PasswordPrefix = "password"
	PgpassPrefix   = "pgpass"
	FirewallPrefix = "firewall"
)

// Creation is the layer of what 'pgfettle create' makes. It is none of Layers: no plan shows it.
const Creation Layer = "creation"

var creates = map[string]bool{SwapFilePrefix: true, SwapPrefix: true, DirPrefix: true, SlotPrefix: true,
	ClusterPrefix: true, FilePrefix: true, ServicePrefix: true, ServerPrefix: true, PasswordPrefix: true,
	PgpassPrefix: true, FirewallPrefix: true}

// Step returns the address of a step of a creation.
func Step(prefix, name string) Address { return Address(prefix + ":" + name) }

// Creates reports whether an address is that of a step of a creation.
func (a Address) Creates() bool { return creates[a.Prefix()] }

// ParseStep reads what a journal may name: a knob, or a step of a creation.
func ParseStep(s string) (Address, error) {
	a := Address(s)
	if !a.Creates() {
		return Parse(s)
	}
	if a.Name() == "" || strings.ContainsAny(s, "\n\r\x00") {
		return "", say.Err("{text} is not the address of a step", "text", say.Quoted(s))
	}
	return a, nil
}
