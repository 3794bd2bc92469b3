package kernlog

// stream is the lines of one host: a central syslog has those of many, line by line in turn.
type stream struct {
	host     string
	at       *Report // the report that lines belong to
	since    int     // lines since it was opened
	cols     columns
	inTable  bool
	inStat   bool
	inSlab   bool
	group    bool // further victims of the group follow
	held     string
	heldLine line
	pieces   int
	shown    int             // line behind which the state of memory stands that is no part of a kill's report
	tail     int             // lines that may still tell of the kill before them
	gave     bool            // the line before the rest is the reaper's
	killed   int             // the line of the last kill
	stopping map[string]bool // units that systemd itself kills, as they did not stop
	asked    int             // number of the line that says that a person asked for a kill; 0: none, as above
	askedAt  Stamp           // when
}

// maxStreams bounds the hosts that are kept apart: the lines of more go to the last.
const maxStreams = 64

// turn makes the stream of a host the one that lines belong to. Lines that name no host belong to the last that one
// named.
func (p *Reader) turn(host string) {
	if host == "" || host == p.host {
		return
	}
	if p.host == "" && len(p.streams) == 1 {
		p.host = host
		return
	}
	for _, s := range p.streams {
		if s.host == host {
			p.stream = s
			return
		}
	}
	if len(p.streams) < maxStreams {
		p.stream = &stream{host: host}
		p.streams = append(p.streams, p.stream)
	}
}

// inReport says whether lines that come may be parts of a report of this host.
func (s *stream) inReport() bool {
	if s.held != "" {
		return true
	}
	if s.at != nil && s.at.Shown {
		return s.since <= shownLines
	}
	return s.at != nil && ((len(s.at.Victims) == 0 || s.group) && s.since < openLines || s.since <= s.tail)
}

// inReport says it of all hosts.
func (p *Reader) inReport() bool {
	if p.stream.inReport() || p.entry.text != "" {
		return true
	}
	if len(p.streams) > 1 {
		for _, s := range p.streams {
			if s.inReport() {
				return true
			}
		}
	}
	return false
}
