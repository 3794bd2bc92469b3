package creation

import (
	"net/netip"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// Order is what a person asks for. The zero value of a field leaves the choice to Lay.
type Order struct {
	Major       int // 0: the newest that is installed, and that 1C supports if the profile is its
	Profile     rule.Profile
	Name        string // "": main
	Bin         string // directory of the programs; "": where the packages put them
	DataDir     string
	WALDir      string // "": pg_wal of the data directory
	Socket      string // "": /var/run/postgresql if it is there, else /tmp
	Owner       string // "": postgres
	Port        int    // 0: the first free one, from 5432
	Hand        newcluster.Hand
	Start       Start
	Locale      Locale
	Segment     unit.Bytes // of a WAL segment; 0: from max_wal_size
	Group       bool       // the group may read the data directory
	NoChecksums bool       // data pages without checksums: asked for in words alone

	AuthLocal, AuthHost string         // "": peer, scram-sha-256
	Allow               []netip.Prefix // networks that may connect; none: the socket and loopback alone
	OpenNetwork         bool           // a network of all addresses was accepted
	Firewall            Firewall
	Password            bool    // the superuser gets one
	Pgpass              *Pgpass // a line in the password file of who runs this; nil: none

	Primary *Primary // the server that it is to be a standby of; nil: none
	Slot    string   // of its own on the primary; "": from the name
	Fast    bool     // the copy requests a checkpoint on the primary
	// Tablespaces are where those of the primary go
	Tablespaces []newcluster.Mapping

	Share  float64    // of the memory of the host; 0: an equal part
	Memory unit.Bytes // 0: from Share
	Kernel bool       // the kernel part of the plan is made too
	Layers []string   // of HostLayers, what of it; none: all but LayerSwap
	// SwapFile is where the file of LayerSwap is made; "": DefaultSwap
	SwapFile string
	// Accepted are its changes of high risk that may be made
	Accepted []knob.Address
}

// Start says when the server starts.
type Start string

// The kinds of start, those of Debian's start.conf.
const (
	Auto     Start = "auto"     // at boot, and now
	Manual   Start = "manual"   // not at boot, but now
	Disabled Start = "disabled" // neither
)

// Locale is what initdb is told of languages.
type Locale struct {
	Provider string // builtin, icu, libc; "": builtin from 17 on, else libc
	Name     string // "": C.UTF-8 where there is one
	Encoding string // "": UTF8
	base     string // what LC_COLLATE and LC_CTYPE are beside another provider than libc
}

// Firewall says how a port is opened.
type Firewall string

// The firewalls.
const (
	NoFirewall Firewall = "none"
	Print      Firewall = "print" // the commands alone
	Firewalld  Firewall = "firewalld"
	NFT        Firewall = "nft"
)
