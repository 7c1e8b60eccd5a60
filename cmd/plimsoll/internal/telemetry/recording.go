package telemetry

import (
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/capture"
)

// Recording is the trace that a proxy writes of what arrives, at one moment.
type Recording struct {
	capture.Status
	Counts *capture.Counts
}

// RecordStatus is the part of a [Status] about that trace.
type RecordStatus struct {
	File     string    `json:"file"`
	Bytes    int64     `json:"bytes"`          // of the file
	Began    time.Time `json:"began,omitzero"` // what the times in the file are since
	Fault    string    `json:"fault,omitzero"` // why nothing is written
	Written  uint64    `json:"written"`        // requests
	Dropped  uint64    `json:"dropped"`        // found no place in the buffer
	Lost     uint64    `json:"lost"`           // could not be written
	Failures uint64    `json:"failures"`       // of the file
}

// recordingOf sends what is known of a trace.
func recordingOf(to sink, r *Recording) {
	to.number(recording, truth(r.Fault == ""))
	to.number(recordBytes, float64(r.Bytes))
	to.number(recorded, float64(r.Counts.Written.Load()), "written")
	to.number(recorded, float64(r.Counts.Dropped.Load()), "dropped")
	to.number(recorded, float64(r.Counts.Lost.Load()), "lost")
	to.number(recordFailures, float64(r.Counts.Failures.Load()))
}

// recordStatus is nil where nothing is recorded.
func recordStatus(r *Recording) *RecordStatus {
	if r == nil {
		return nil
	}
	return &RecordStatus{
		File: r.File, Bytes: r.Bytes, Began: r.Began, Fault: r.Fault,
		Written: r.Counts.Written.Load(), Dropped: r.Counts.Dropped.Load(), Lost: r.Counts.Lost.Load(), Failures: r.Counts.Failures.Load(),
	}
}
