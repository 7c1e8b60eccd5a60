package httpgate

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

// readOrcaText is a second reading of what Envoy's parser accepts: a prefix, a
// list of name and value, no name twice, no value that is not finite or below
// zero, no name that it does not know.
func readOrcaText(s string) (map[string]float64, error) {
	list, ok := strings.CutPrefix(s, "TEXT ")
	if !ok {
		return nil, errors.New("unsupported format")
	}
	report := map[string]float64{}
	for entry := range strings.SplitSeq(list, ",") {
		name, value, found := strings.Cut(entry, ":")
		if !found || name == "" || value == "" {
			return nil, fmt.Errorf("not a name and a value: %q", entry)
		}
		if _, twice := report[name]; twice {
			return nil, fmt.Errorf("duplicate metric: %s", name)
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
			return nil, fmt.Errorf("value of %s: %q", name, value)
		}
		switch named, isNamed := strings.CutPrefix(name, "named_metrics."); {
		case isNamed && named != "" && !strings.ContainsAny(named, "=:, "):
		case name == "application_utilization", name == "cpu_utilization", name == "mem_utilization", name == "eps", name == "rps_fractional":
		default:
			return nil, fmt.Errorf("unsupported metric: %q", name)
		}
		report[name] = v
	}
	return report, nil
}

// readOrcaBinary reads the protobuf of OrcaLoadReport, field by field, into
// what readOrcaText makes of the text.
func readOrcaBinary(s string) (map[string]float64, error) {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return nil, err
	}
	names := map[uint64]string{1: "cpu_utilization", 2: "mem_utilization", 6: "rps_fractional", 7: "eps", 9: "application_utilization"}
	report := map[string]float64{}
	for len(b) > 0 {
		field, kind, double, bytes, rest, err := readField(b)
		if err != nil {
			return nil, err
		}
		b = rest
		name := names[field]
		switch {
		case kind == 1 && name != "":
		case kind == 2 && field == 8:
			key, kind, _, text, rest, err := readField(bytes)
			if err != nil || key != 1 || kind != 2 {
				return nil, fmt.Errorf("a key: %d %d %v", key, kind, err)
			}
			value, kind, v, _, rest, err := readField(rest)
			if err != nil || value != 2 || kind != 1 || len(rest) > 0 {
				return nil, fmt.Errorf("a value: %d %d %v", value, kind, err)
			}
			name, double = "named_metrics."+string(text), v
		default:
			return nil, fmt.Errorf("field %d of kind %d", field, kind)
		}
		if _, twice := report[name]; twice {
			return nil, fmt.Errorf("%s twice", name)
		}
		report[name] = double
	}
	return report, nil
}

// readField reads one field of protobuf's wire format: a double or bytes.
func readField(b []byte) (field, kind uint64, double float64, bytes, rest []byte, err error) {
	tag, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, 0, 0, nil, nil, errors.New("a tag")
	}
	b = b[n:]
	switch tag & 7 {
	case 1:
		if len(b) < 8 {
			return 0, 0, 0, nil, nil, errors.New("a double cut short")
		}
		return tag >> 3, 1, math.Float64frombits(binary.LittleEndian.Uint64(b)), nil, b[8:], nil
	case 2:
		size, n := binary.Uvarint(b)
		if n <= 0 || size > uint64(len(b)-n) {
			return 0, 0, 0, nil, nil, errors.New("bytes cut short")
		}
		return tag >> 3, 2, 0, b[n : n+int(size)], b[n+int(size):], nil
	}
	return 0, 0, 0, nil, nil, fmt.Errorf("kind %d", tag&7)
}

func TestOrcaText(t *testing.T) {
	r := orcaReport{application: 1.25, rps: 1000, eps: 0.00004, named: []orcaMetric{{"queue_delay_ms", 12.34567}, {"shed_critical", 0}}}
	const want = "TEXT application_utilization:1.25,rps_fractional:1000,eps:0,named_metrics.queue_delay_ms:12.3457,named_metrics.shed_critical:0"
	if got := r.text(); got != want {
		t.Errorf("have %s\nwant %s", got, want)
	}
}

// What is written is read, by both parsers and alike, whatever is computed.
func FuzzOrca(f *testing.F) {
	f.Add(0.5, 1000.0, 2.0, 30.0)
	f.Add(math.NaN(), math.Inf(1), math.Inf(-1), -1.0)
	f.Add(1e300, 5e-324, 0.0, 1e12)
	f.Fuzz(func(t *testing.T, application, rps, eps, named float64) {
		r := orcaReport{application: application, rps: rps, eps: eps, named: []orcaMetric{{"a", named}, {"b", application}}}
		text, err := readOrcaText(r.text())
		if err != nil {
			t.Fatalf("%s: %v", r.text(), err)
		}
		binary, err := readOrcaBinary(r.binary())
		if err != nil {
			t.Fatalf("%s: %v", r.binary(), err)
		}
		if fmt.Sprint(text) != fmt.Sprint(binary) || len(text) != 5 {
			t.Fatalf("%v in text, %v in binary", text, binary)
		}
	})
}
