package creation

// State says whether a server runs.
type State string

// The states; "" is unknown.
const (
	Runs    State = "running"
	Stopped State = "stopped"
)

// Cluster is an instance of the host, as 'create --list' shows it. What is not known is empty.
type Cluster struct {
	Name    string `json:"name"` // VERSION/NAME where a registry has it, else the data directory
	Version string `json:"version"`
	Port    int    `json:"port"` // 0: unknown
	State   State  `json:"state"`
	Owner   string `json:"owner"`
	Data    string `json:"data_directory"`
	Service string `json:"service,omitempty"`
	Journal string `json:"journal,omitempty"` // of the create that made it; absent: made otherwise
}

// List is all instances of a host.
type List struct {
	Schema    string    `json:"schema"`
	Instances []Cluster `json:"instances"`
}

// ListSchema names the version of List.
const ListSchema = "pgfettle.instances/1"
