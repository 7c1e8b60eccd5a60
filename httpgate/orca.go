package httpgate

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"strconv"
)

// A load report of ORCA (xds.data.orca.v3.OrcaLoadReport), in the two forms
// that balancers read. Envoy takes two reports in one answer, a metric that
// occurs twice, and one that is not finite for errors, and so none is written.
const (
	// LoadReportHeader has the text form, on answers over HTTP.
	LoadReportHeader = "Endpoint-Load-Metrics"
	// LoadReportBinHeader has the binary form, in the trailers of gRPC, whose
	// clients read no other.
	LoadReportBinHeader = "Endpoint-Load-Metrics-Bin"
)

// orcaReport is what is reported. Shares are of 1.
type orcaReport struct {
	application float64 // offered over what can be served; above 1 in an overload
	rps, eps    float64
	named       []orcaMetric
}

// figures is the report as a value.
func (r *orcaReport) figures() LoadFigures {
	f := LoadFigures{Utilization: finite(r.application), RPS: finite(r.rps), EPS: finite(r.eps), Named: make(map[string]float64, len(r.named))}
	for _, m := range r.named {
		f.Named[m.name] = finite(m.value)
	}
	return f
}

type orcaMetric struct {
	name  string
	value float64
}

// The fields of OrcaLoadReport, by their numbers in protobuf.
const (
	orcaRPS         = 6
	orcaEPS         = 7
	orcaNamed       = 8
	orcaApplication = 9
)

// text is the report as Envoy calls its native form. Of the two separators
// that it has read, ":" is the one that every version reads which knows the
// prefix.
func (r *orcaReport) text() string {
	b := append(make([]byte, 0, 256), "TEXT "...)
	b = appendMetric(b, "application_utilization", r.application)
	b = appendMetric(append(b, ','), "rps_fractional", r.rps)
	b = appendMetric(append(b, ','), "eps", r.eps)
	for _, m := range r.named {
		b = append(b, ",named_metrics."...)
		b = appendMetric(b, m.name, m.value)
	}
	return string(b)
}

func appendMetric(b []byte, name string, v float64) []byte {
	b = append(b, name...)
	b = append(b, ':')
	return strconv.AppendFloat(b, finite(v), 'f', -1, 64)
}

// binary is the report in protobuf's wire format, in padded base64: versions of
// Envoy that read no unpadded one are in use.
func (r *orcaReport) binary() string {
	var b []byte
	b = appendDouble(b, orcaRPS, r.rps)
	b = appendDouble(b, orcaEPS, r.eps)
	for _, m := range r.named {
		entry := append([]byte{1<<3 | 2, byte(len(m.name))}, m.name...)
		entry = appendDouble(entry, 2, m.value)
		b = append(b, orcaNamed<<3|2, byte(len(entry)))
		b = append(b, entry...)
	}
	b = appendDouble(b, orcaApplication, r.application)
	return base64.StdEncoding.EncodeToString(b)
}

func appendDouble(b []byte, field byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(append(b, field<<3|1), math.Float64bits(finite(v)))
}

// finite returns v with four digits behind the point, and 0 for what is not a
// number of this world or is below it: no balancer reads that.
func finite(v float64) float64 {
	if !(v > 0) || v > 1e12 {
		return 0
	}
	return math.Round(v*1e4) / 1e4
}
