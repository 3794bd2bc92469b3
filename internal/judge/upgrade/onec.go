package upgrade

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// onec judges what the platform 1C:Enterprise does at each of its connections. It is no obstacle for pg_upgrade, but
// the application does not work on the new server. Tried on 19rc1, it answers "non-standard string literals are not
// supported" and "unrecognized configuration parameter". What the vendor's 19 answers is not known.
func (j *judge) onec() {
	platform, ok := j.in.Server.OneCPlatform()
	if !ok || !j.crosses(19) {
		return
	}
	signs := check.OneCSigns(platform)
	if p := j.in.Server.Product; p.Name != "" {
		j.change("onec_not_on_19", say.M("1C:Enterprise uses this server ({signs}). At each connection, its platform "+
			"runs SET standard_conforming_strings = off and SET escape_string_warning = off. PostgreSQL {major} "+
			"answers both with an error; whether {product} 19 does is unknown.", "signs", signs, "major", MajorOf(19),
			"product", p.Name),
			say.M("Ask the vendor whether {product} 19 supports your version of the 1C platform. Test it on a copy.",
				"product", p.Name))
		return
	}
	j.stop("onec_not_on_19", say.M("1C:Enterprise uses this server ({signs}). At each connection, its platform runs "+
		"SET standard_conforming_strings = off and SET escape_string_warning = off. PostgreSQL {major} answers both "+
		"with an error. No statement of 1C that its platform supports 19 is known.", "signs", signs, "major",
		MajorOf(19)),
		say.M("Stay on 18 or earlier until 1C lists 19 among the supported versions. Then update the platform first, "+
			"and test it on a copy: pgfettle explain onec-session-values"))
}
