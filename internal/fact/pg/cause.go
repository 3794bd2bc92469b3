package pg

// Cause says why a server did not answer: the SQLSTATE of what it said, or a
// word where no server spoke. It stands in the evidence next to the reason,
// which is for people and in the language of the server's lc_messages.
type Cause string

// The words. SQLSTATEs are digits and capitals, so that the two never meet.
const (
	TimedOut     Cause = "timeout"       // no answer within our time
	NoListener   Cause = "no_listener"   // nobody listens at the address
	NoSocket     Cause = "no_socket"     // there is no such socket
	ClosedSocket Cause = "closed_socket" // the socket's permissions keep us out
	// it asks for a password, or another proof, and was given none as nobody named it
	AsksPassword Cause = "asks_password"
	Stranger     Cause = "stranger"     // another user than the owner of the data directory serves the socket
	UnknownHost  Cause = "unknown_host" // the name has no address
	Lost         Cause = "lost"         // the connection ended, or what came was no protocol
	NoWay        Cause = "no_way"       // nothing was found to connect to
	NotAsked     Cause = "not_asked"    // we did not want to know
	NotHeld      Cause = "not_held"     // the evidence was cut
)

// SQLSTATEs that are told apart.
const (
	NoLock    Cause = "55P03" // lock_not_available: ours is lock_timeout
	Cancelled Cause = "57014" // query_canceled: ours is statement_timeout
	noSlot    Cause = "53300" // too_many_connections
	noRight   Cause = "42501" // insufficient_privilege
)

// CauseKind is what a cause means for who wants to be answered.
type CauseKind int

// The kinds.
const (
	OtherCause CauseKind = iota // an error, or no connection
	NotLetIn                    // the server, or its socket, refuses us and perhaps nobody else
	NoSlot                      // all connections that we may have are taken
	NotReady                    // it starts, recovers or shuts down
	Waits                       // it takes longer than we wait: for a lock, or for anything
)

// Kind classifies a cause.
func (c Cause) Kind() CauseKind {
	switch c {
	case noSlot:
		return NoSlot
	case "57P01", "57P02", "57P03": // admin_shutdown, crash_shutdown, cannot_connect_now
		return NotReady
	case TimedOut, NoLock, Cancelled:
		return Waits
	// no such role, password, database; no right, closed
	case "28000", "28P01", "3D000", noRight, "55000", ClosedSocket, AsksPassword, Stranger:
		return NotLetIn
	}
	return OtherCause
}

// SQLState says whether a server itself gave the cause.
func (c Cause) SQLState() bool {
	if len(c) != 5 {
		return false
	}
	for _, r := range c {
		if (r < '0' || r > '9') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	return true
}
