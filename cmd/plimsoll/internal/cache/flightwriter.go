package cache

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// flightWriter is a flight as its handler sees it. Interim answers (1xx) are
// dropped: who asked may have gone.
type flightWriter flight

// Header is what the handler says in it.
func (w *flightWriter) Header() http.Header { return w.header }

// WriteHeader begins the answer.
func (w *flightWriter) WriteHeader(status int) {
	if status >= 200 {
		(*flight)(w).begin(status)
	}
}

// Flush begins the answer. What is written is read at once anyway.
func (w *flightWriter) Flush() { (*flight)(w).begin(http.StatusOK) }

// Write adds to the body: to what will be stored, or straight to the leader.
func (w *flightWriter) Write(p []byte) (int, error) {
	f := (*flight)(w)
	f.begin(http.StatusOK)
	f.mu.Lock()
	switch {
	case f.request.Method == http.MethodHead || f.status == http.StatusNoContent || f.status == http.StatusNotModified:
		f.mu.Unlock()
		return 0, http.ErrBodyNotAllowed
	case f.phase == storing:
		if f.holdLocked(p) {
			f.wakeLocked()
			f.mu.Unlock()
			return len(p), nil
		}
		f.phase, f.entry = passes, nil // what has come of it stays for the leader
		f.passLocked()
		f.wakeLocked()
	}
	to := f.to
	f.mu.Unlock()
	if to == nil {
		return len(p), nil // a body that nobody is owed
	}
	n, err := to.Write(p)
	if err == errDiscarded {
		return len(p), nil
	}
	return n, err
}

// holdLocked adds to what is held of the body; false: it becomes too much, of
// this one or of all.
func (f *flight) holdLocked(p []byte) bool {
	if int64(len(f.body)+len(p)) > f.c.config.Load().ObjectBytes {
		return false
	}
	if f.c.filling.Add(int64(len(p))) > f.c.maxFilling() {
		f.c.filling.Add(-int64(len(p)))
		return false
	}
	f.body = append(f.body, p...)
	return true
}

// announced is the length that an answer announces; -1: it announces none.
func announced(h http.Header) int64 {
	if v := h["Content-Length"]; len(v) > 0 {
		if n, err := strconv.ParseInt(v[0], 10, 64); err == nil && n >= 0 {
			return n
		}
	}
	return -1
}

// trailersLocked are the fields that came after the body.
func (f *flight) trailersLocked() http.Header {
	var out http.Header
	for name, values := range f.header {
		if _, before := f.sent[name]; before || f.sent == nil {
			continue
		}
		if strings.HasPrefix(name, http.TrailerPrefix) || slices.Contains(trailerNames(f.sent), name) {
			if out == nil {
				out = http.Header{}
			}
			out[name] = values
		}
	}
	return out
}

// trailerNames are the trailers that an answer announces.
func trailerNames(h http.Header) []string {
	var names []string
	for _, line := range h["Trailer"] {
		for name := range strings.SplitSeq(line, ",") {
			names = append(names, http.CanonicalHeaderKey(strings.Trim(name, " \t")))
		}
	}
	return names
}

// copyHeader puts the header of an answer into that of the answer to a caller.
func copyHeader(to, from http.Header) { maps.Copy(to, from) }
