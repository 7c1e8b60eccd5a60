package report

import "github.com/plimsoll-go/plimsoll/bench/internal/meter"

// Report is what one run has shown.
type Report struct {
	Go         string  `json:"go"`
	Platform   string  `json:"platform"`
	Processors int     `json:"processors"`
	Goroutines int     `json:"goroutines"` // of the crowd
	Rounds     int     `json:"rounds"`
	Pairs      int     `json:"http_pairs"`
	Groups     []Group `json:"groups"`
	HTTP       []Web   `json:"http"`
	Calls      []Call  `json:"grpc"`
	RelayPairs int     `json:"proxy_pairs"`
	Relays     []Relay `json:"proxy"`
	LoadRounds int     `json:"load_rounds"`
	Paced      int     `json:"load_paced"` // the rate at which slip and cost are measured
	Loads      []Load  `json:"load"`
	Targets    []Check `json:"targets"`
}

// Group compares limiters in one situation.
type Group struct {
	Title string `json:"title"`
	Peer  string `json:"peer"`  // whose figures are 1 in XPeer
	Floor string `json:"floor"` // whose figures are 1 in XFloor
	Rows  []Row  `json:"rows"`
}

// Row is one limiter.
type Row struct {
	Name  string `json:"name"`
	Alone Cost   `json:"alone"`
	Crowd Cost   `json:"crowd"`
}

// Cost is what one operation costs: medians over the rounds.
type Cost struct {
	NS     float64 `json:"ns"`      // processor time over the processors in use
	WallNS float64 `json:"wall_ns"` // on the wall; longer where others use the machine
	XPeer  float64 `json:"x_peer"`  // as a multiple of the peer's; 0: no peer in the group
	XFloor float64 `json:"x_floor"` // as a multiple of the floor's
	Allocs float64 `json:"allocs"`
	Bytes  float64 `json:"bytes"`
}

// Web is one HTTP handler.
type Web struct {
	Name     string  `json:"name"`
	Loopback Request `json:"loopback"`
	Memory   Request `json:"memory"`
}

// Request is what the server's side of one request costs: medians over the
// pairs.
type Request struct {
	CPUMicros  float64 `json:"cpu_us"`
	Throughput float64 `json:"throughput"`  // requests per second of processor time, of the bare handler's
	Low        float64 `json:"low"`         // a quarter of the pairs were below it
	High       float64 `json:"high"`        // a quarter of the pairs were above it
	Allocs     float64 `json:"allocs"`      // the server's included
	AllocsMore float64 `json:"allocs_more"` // than with the bare handler
}

// Series is a contender's samples, one for each round.
type Series struct {
	Name         string
	Alone, Crowd []meter.Sample
}

// Compare makes a group of series. Processors is how many the crowd uses.
func Compare(title, peer, floor string, processors int, all []Series) Group {
	g := Group{Title: title, Peer: peer, Floor: floor}
	var p, f Series
	for _, s := range all {
		if s.Name == peer {
			p = s
		}
		if s.Name == floor {
			f = s
		}
	}
	for _, s := range all {
		g.Rows = append(g.Rows, Row{
			Name:  s.Name,
			Alone: cost(s.Alone, p.Alone, f.Alone, 1),
			Crowd: cost(s.Crowd, p.Crowd, f.Crowd, processors),
		})
	}
	return g
}

func cost(own, peer, floor []meter.Sample, processors int) Cost {
	ns := func(s meter.Sample) float64 { return s.CPUPerOp(processors) }
	mine := each(own, ns)
	return Cost{
		NS:     meter.Median(mine),
		WallNS: meter.Median(each(own, meter.Sample.WallPerOp)),
		XPeer:  meter.Median(meter.Ratios(mine, each(peer, ns))),
		XFloor: meter.Median(meter.Ratios(mine, each(floor, ns))),
		Allocs: meter.Median(each(own, meter.Sample.MallocsPerOp)),
		Bytes:  meter.Median(each(own, meter.Sample.BytesPerOp)),
	}
}

// WebSeries is a handler's samples.
type WebSeries struct {
	Name             string
	Loopback, Memory Pairs
}

// Pairs are samples of a handler, each with one of the bare handler that was
// taken next to it.
type Pairs struct{ Own, Bare []meter.Sample }

// CompareWeb makes the rows of the handlers.
func CompareWeb(all []WebSeries) []Web {
	var rows []Web
	for _, s := range all {
		rows = append(rows, Web{Name: s.Name, Loopback: request(s.Loopback), Memory: request(s.Memory)})
	}
	return rows
}

func request(p Pairs) Request {
	ns := func(s meter.Sample) float64 { return s.CPUPerOp(1) }
	own, bare := each(p.Own, ns), each(p.Bare, ns)
	ratios := meter.Ratios(bare, own)
	allocs := meter.Median(each(p.Own, meter.Sample.MallocsPerOp))
	return Request{
		CPUMicros:  meter.Median(own) / 1000,
		Throughput: meter.Median(ratios),
		Low:        meter.Quantile(ratios, 0.25),
		High:       meter.Quantile(ratios, 0.75),
		Allocs:     allocs,
		AllocsMore: allocs - meter.Median(each(p.Bare, meter.Sample.MallocsPerOp)),
	}
}

func each(samples []meter.Sample, f func(meter.Sample) float64) []float64 {
	xs := make([]float64, len(samples))
	for i, s := range samples {
		xs[i] = f(s)
	}
	return xs
}
