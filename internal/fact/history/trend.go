package history

import (
	"slices"
	"time"
)

const (
	// trendDays is how far back the growth of a disk is looked for: the last two weeks hold
	// every day of the week twice, and what grew before them need not grow any more.
	TrendDays = 14
	// trendLeast is the least time that samples are there for, in hours: one night's import is
	// no growth.
	trendLeast = 48
	// trendApart is the time between two hours whose difference counts: a day, so that what comes and goes with the
	// time of the day does not.
	trendApart = 24 * time.Hour
	// burstHours is a night, and burstShare the most of all the room that went away that may
	// have gone in one: of two nights with an import each it is a half, of a single import all.
	burstHours, burstShare = 12 * time.Hour, 0.6
)

// Trend returns how fast the free room of a disk shrinks, from its free bytes by the hour; ok is false for too short a
// history. It is the median of the changes between any two hours that are at least a day apart (Theil and Sen), which
// one import or one clean-up does not move; Least is their lower quartile. What went away in one night is no growth.
func Trend(list []Bucket) (d Disk, ok bool) {
	if len(list) < trendLeast || list[len(list)-1].At.Sub(list[0].At) < trendLeast*time.Hour {
		return d, false
	}
	if gone := list[0].Last - list[len(list)-1].Last; gone > 0 && burst(list) > burstShare*gone {
		return d, false
	}
	var slopes []float64 // bytes a day
	for i, a := range list {
		for _, b := range list[i+1:] {
			if apart := b.At.Sub(a.At); apart >= trendApart {
				slopes = append(slopes, (a.Last-b.Last)/(apart.Hours()/24))
			}
		}
	}
	if len(slopes) == 0 {
		return d, false
	}
	slices.Sort(slopes)
	return Disk{Days: float64(len(list)) / 24, PerDay: slopes[len(slopes)/2], Least: slopes[len(slopes)/4]}, true
}

// burst is the most room that went away within a night.
func burst(list []Bucket) float64 {
	most := 0.0
	for i, a := range list {
		for _, b := range list[i+1:] {
			if b.At.Sub(a.At) > burstHours {
				break
			}
			most = max(most, a.Last-b.Last)
		}
	}
	return most
}
