package pglog

// clock reads a time as log_line_prefix's %t, %m and %s, csvlog and jsonlog write
// it: "2026-11-21 06:39:28.833 UTC". It returns the microseconds since 1970 on
// that clock, and how long the text is without the zone; 0 where there is none.
func clock(b []byte) (us int64, n int) {
	if len(b) < 19 || b[4] != '-' || b[7] != '-' || b[10] != ' ' || b[13] != ':' || b[16] != ':' {
		return 0, 0
	}
	y, ok1 := number4(b)
	mo, ok2 := number2(b[5:])
	d, ok3 := number2(b[8:])
	h, ok4 := number2(b[11:])
	mi, ok5 := number2(b[14:])
	s, ok6 := number2(b[17:])
	// 60 is a leap second.
	if !(ok1 && ok2 && ok3 && ok4 && ok5 && ok6) || mo < 1 || mo > 12 || d < 1 || d > 31 || h > 23 ||
		mi > 59 || s > 60 {
		return 0, 0
	}
	us = (days(y, mo, d)*86400 + int64(h)*3600 + int64(mi)*60 + int64(s)) * 1e6
	n = 19
	if len(b) > 19 && b[19] == '.' {
		unit := int64(100000)
		for n = 20; n < len(b) && n < 26 && isDigit(b[n]); n++ {
			us += int64(b[n]-'0') * unit
			unit /= 10
		}
		if n == 20 {
			n = 19
		}
	}
	return us, n
}

// dayFirst reads the time that a program other than the server puts before its lines: "17/07/2017 20:31:13", also with
// dots, or the month first where that alone can be. Where both can be, it is none.
func dayFirst(b []byte) (us int64, n int) {
	if len(b) < 19 || b[2] != b[5] || b[2] != '/' && b[2] != '.' || b[10] != ' ' {
		return 0, 0
	}
	d, ok1 := number2(b)
	m, ok2 := number2(b[3:])
	switch {
	case !ok1 || !ok2:
		return 0, 0
	case b[2] == '/' && m > 12:
		d, m = m, d
	case b[2] == '/' && d <= 12:
		return 0, 0
	}
	iso := make([]byte, 0, 19)
	iso = append(append(iso, b[6:10]...), '-', byte('0'+m/10), byte('0'+m%10), '-', byte('0'+d/10), byte('0'+d%10))
	return clock(append(iso, b[10:19]...))
}

// zone returns the name of a zone that follows a time: letters, or an offset.
func zone(b []byte) []byte {
	offset := len(b) > 0 && (b[0] == '+' || b[0] == '-')
	for i, c := range b {
		in := !offset && (c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z') ||
			offset && (i == 0 || isDigit(c) || c == ':' && i+1 < len(b) && isDigit(b[i+1]))
		if !in || i == 10 {
			return b[:i]
		}
	}
	return b
}

// utc is the zone of times that count seconds.
var utc = []byte("UTC")

// epoch reads %n: seconds with milliseconds, "1763707168.833".
func epoch(b []byte) (us int64, n int) {
	for n < len(b) && n < 12 && isDigit(b[n]) {
		us = us*10 + int64(b[n]-'0')
		n++
	}
	if n < 9 || n+4 > len(b) || b[n] != '.' { // nine digits were enough until 2001
		return 0, 0
	}
	us *= 1e6
	unit := int64(100000)
	for n++; n < len(b) && isDigit(b[n]) && unit > 0; n++ {
		us += int64(b[n]-'0') * unit
		unit /= 10
	}
	return us, n
}

// days counts from 1970-01-01 in the Gregorian calendar: years begin in March, so
// that the leap day comes last.
func days(y, m, d int) int64 {
	if m <= 2 {
		y--
		m += 12
	}
	era := y / 400
	yoe := y - era*400
	doy := (153*(m-3)+2)/5 + d - 1
	return int64(era*146097 + yoe*365 + yoe/4 - yoe/100 + doy - 719468)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func number2(b []byte) (int, bool) {
	return int(b[0]-'0')*10 + int(b[1]-'0'), isDigit(b[0]) && isDigit(b[1])
}

func number4(b []byte) (int, bool) {
	hi, ok1 := number2(b)
	lo, ok2 := number2(b[2:])
	return hi*100 + lo, ok1 && ok2
}

// leadingNumber reads a decimal number that a text begins with; n is its length. More
// than 18 digits are none: they could overflow.
func leadingNumber(b []byte) (v int64, n int) {
	for n < len(b) && isDigit(b[n]) {
		if n == 18 {
			return 0, 0
		}
		v = v*10 + int64(b[n]-'0')
		n++
	}
	return v, n
}
