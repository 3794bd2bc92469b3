package loadgen

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/pgfettle/pgfettle/internal/act/experiment/clone"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// FromServer is the load of a mix that was made from the statistics of a live
// server, on a copy of its database.
type FromServer struct {
	Pgbench
	Source   *clone.Source // nil: the experiment is resumed, and the live server is not asked again
	Programs clone.Programs
	About    clone.About
	Taken    string // when it was inspected: a live database changes all the time
	notes    []say.Message
}

// Size implements Load: the scale is that of the database.
func (f *FromServer) Size(int) unit.Bytes { return f.About.Bytes }

// Data implements Load.
func (f *FromServer) Data() string {
	sum := sha256.Sum256([]byte(f.About.System + " " + f.About.Database + " " + f.Taken))
	return hex.EncodeToString(sum[:])
}

// Private says that the documents hold values out of tables.
func (f *FromServer) Private() bool { return true }

// Fill implements Load.
func (f *FromServer) Fill(ctx context.Context, c Conn, _ int, _ func(done, all int64)) (err error) {
	if f.Source == nil {
		return &say.Problem{Message: say.M("the copy of the database {database} is gone, and one that is made now "+
			"would be of other data", "database", f.About.Database),
			Hint: say.M("begin a new experiment; with --keep-data the copy stays when one is interrupted"),
			Code: say.CodeRefused}
	}
	f.notes, err = clone.Copy(ctx, f.Source, f.Programs, clone.Into{Host: c.Host, Port: c.Port, User: c.User, DB: c.DB,
		Account: c.Account})
	return err
}

// Notes are what has to be known of the copy, once it was made.
func (f *FromServer) Notes() []say.Message { return f.notes }
