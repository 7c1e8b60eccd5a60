package sim

import (
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// The scenarios of the golden reports that are made for them.

// patient is how callers are where nothing else is said.
var patient = Client{Patience: 800 * ms, Attempts: 2, Backoff: 30 * ms}

// fed is a gated station under a stream of arrivals.
func fed(a Arrivals) Scenario {
	return simple(20*time.Second, a, Kind{Service: Exponential(15 * ms), Client: patient}, Station{Workers: 10, Gate: &Gate{}})
}

// closedLoop is users that think, in front of too small a station.
func closedLoop() Scenario {
	s := simple(20*time.Second, nil, Kind{Service: Lognormal{20 * ms, 0.7}, Client: patient}, Station{Workers: 4, Gate: &Gate{}})
	s.Sources[0].Users, s.Sources[0].Think = 300, Exponential(500*ms)
	return s
}

// recordedTrace is a trace some of whose records leave things to their kind.
func recordedTrace() Scenario {
	var records []Record
	for i := range 4000 {
		r := Record{At: time.Duration(i*i%7+i*3) * ms, Cost: int64(1 + i%3), Deadline: time.Duration(100+i%900) * ms}
		if i > 0 {
			r.At = max(r.At, records[i-1].At)
		}
		r.Tenant, r.Criticality = []string{"", "a", "b"}[i%3], class.Criticality(i%5)
		if i%2 == 0 {
			r.Kind, r.Service = "slow", time.Duration(5+i%40)*ms
		}
		records = append(records, r)
	}
	return Scenario{
		Length: 20 * time.Second,
		Sources: []Source{{Records: records, Kinds: []Kind{
			{Name: "fast", Weight: 3, Service: Exponential(8 * ms), Client: patient}, {Name: "slow", Service: Pareto{Least: 10 * ms, Alpha: 1.5}},
		}}},
		Stations: []Station{{Workers: 4, Gate: &Gate{}}},
	}
}

// sharing is a station whose jobs share its speed, overloaded.
func sharing(by Sharing) Scenario {
	s := simple(15*time.Second, Poisson{Rate: 900}, Kind{Service: Exponential(10 * ms), Client: patient}, Station{Workers: 200, Sharing: &by, Gate: &Gate{}})
	s.Stations[0].Disturbances = []Disturbance{{5 * time.Second, Slowdown(1.5)}, {6 * time.Second, Stall(200 * ms)}, {8 * time.Second, Slowdown(1)}, {10 * time.Second, Workers(50)}}
	return s
}

// coldCache is a station that fills its cache twice, and loses it once more.
func coldCache() Scenario {
	return simple(20*time.Second, Poisson{Rate: 500}, Kind{Service: Exponential(10 * ms), Client: patient}, Station{
		Workers: 8, Gate: &Gate{}, Cache: &Cache{Warm: 3000, Slowdown: 3.3, Gradual: true},
		Disturbances: []Disturbance{{8 * time.Second, ColdCache{}}, {13 * time.Second, Restart(700 * ms)}},
	})
}

// shop is a front that looks something up before its gate, asks stock for every
// part at once, a ledger through a pool of connections, and an advertisement
// that it can do without.
func shop(g *Gate) Scenario {
	stock := Call{
		Name: "stock", Station: 1, Service: Lognormal{6 * ms, 0.6}, Times: 4, Parallel: true, Margin: 5 * ms,
		Client: Client{Patience: 200 * ms, Attempts: 2, Backoff: 10 * ms, Hangup: true},
	}
	ledger := Call{Name: "ledger", Station: 3, Service: Deterministic(0), Calls: []Call{{Name: "row", Station: 4, Service: Exponential(4 * ms), Times: 2}}}
	advert := Call{Name: "advert", Station: 2, Service: Exponential(30 * ms), Optional: true, Untagged: true, Deadline: 40 * ms}
	lookUp := Call{Name: "session", Station: 5, Service: Exponential(ms), BeforeGate: true}
	return Scenario{
		Length: 15 * time.Second,
		Sources: []Source{{Name: "buyers", Arrivals: Poisson{Rate: 260}, Kinds: []Kind{
			{Name: "pay", Weight: 1, Service: Exponential(3 * ms), Criticality: class.CriticalPlus, Client: patient, Calls: []Call{lookUp, stock, ledger}},
			{Name: "browse", Weight: 4, Service: Exponential(5 * ms), Criticality: class.Sheddable, Client: patient, Calls: []Call{lookUp, stock, advert}},
		}}},
		Stations: []Station{
			{Name: "front", Workers: 64, Gate: g}, {Name: "stock", Workers: 6, Gate: &Gate{}}, {Name: "adverts", Workers: 3, Gate: &Gate{}},
			{Name: "connections", Workers: 5}, {Name: "database", Sharing: &Sharing{Cores: 2}}, {Name: "sessions", Workers: 2},
		},
	}
}

// mortal is a process that runs out of memory, and clients who come back with a
// handshake each.
func mortal() Scenario {
	station := Station{
		Workers: 6, Memory: &Memory{Each: 1 << 20, Most: 90 << 20, Restart: 800 * ms}, Cache: &Cache{Warm: 300, Slowdown: 2},
		Disturbances: []Disturbance{{14 * time.Second, Restart(500 * ms)}},
	}
	return Scenario{
		Length: 20 * time.Second, Stations: []Station{station},
		Sources: []Source{
			{Name: "work", Arrivals: OnOff{Rate: 900, On: 2 * time.Second, Off: 3 * time.Second}, Kinds: []Kind{
				{Name: "small", Weight: 5, Service: Exponential(10 * ms), Client: patient}, {Name: "large", Service: Exponential(25 * ms), Bytes: 5 << 20, Client: patient},
			}},
			{Name: "back", Arrivals: Reconnect{N: 60, Over: 2 * time.Second}, Kinds: []Kind{{Service: Deterministic(4 * ms), Client: Client{Patience: 2 * time.Second, Attempts: 5, Backoff: 100 * ms, Jitter: NoJitter}}}},
		},
	}
}

// openStreams is streams beside requests, some more than the gate has places for.
func openStreams() Scenario {
	s := simple(20*time.Second, Poisson{Rate: 900}, Kind{}, Station{Workers: 8, Gate: &Gate{MaxStreams: 100}, Disturbances: []Disturbance{{12 * time.Second, Restart(time.Second)}}})
	s.Sources[0].Kinds = []Kind{
		{Name: "request", Weight: 9, Service: Exponential(10 * ms), Client: patient},
		{Name: "stream", Service: Exponential(10 * ms), Stream: Exponential(2 * time.Second), Client: patient},
	}
	return s
}

// effects is an overload that an operator deals with.
func effects() Scenario {
	s := simple(25*time.Second, Poisson{Rate: 900}, Kind{Service: Exponential(10 * ms), Client: Client{Patience: time.Second, Attempts: 2, Hangup: true}}, Station{Workers: 8})
	s.Stations[0].Disturbances = append(Blips(2*time.Second, 3*time.Second, 4, 500*ms, 40*ms),
		Disturbance{6 * time.Second, UseGate{&Gate{}}}, Disturbance{15 * time.Second, Recover{Ramp: 2 * time.Second}},
		Disturbance{19 * time.Second, UseGate{}}, Disturbance{22 * time.Second, UseGate{bounded(8, 40)}})
	return s
}

// guarded is callers with guards before a station that is away for a while.
func guarded(c Client) Scenario {
	c.Patience = 300 * ms
	s := simple(20*time.Second, Poisson{Rate: 600}, Kind{Service: Exponential(10 * ms), Client: c}, Station{Workers: 8, Gate: &Gate{}})
	s.Stations[0].Disturbances = []Disturbance{{5 * time.Second, Workers(1)}, {9 * time.Second, Workers(8)}}
	return s
}

// crowded is an overload of tenants and criticalities, before a gate.
func crowded(g *Gate) Scenario {
	s := simple(20*time.Second, OnOff{Rate: 1500, On: 4 * time.Second, Off: 2 * time.Second}, Kind{}, Station{Workers: 8, Gate: g})
	kind := func(name string, weight int, c class.Criticality, cost int64, service Service) Kind {
		return Kind{Name: name, Weight: weight, Criticality: c, Tenant: name, Cost: cost, Bytes: cost * 1000, Service: service, Client: Client{Patience: 300 * ms, Most: 1500 * ms, Attempts: 2}}
	}
	s.Sources[0].Kinds = []Kind{
		kind("a", 3, class.Critical, 1, Exponential(8*ms)), kind("b", 2, class.Critical, 3, Exponential(12*ms)),
		kind("c", 3, class.Sheddable, 0, Deterministic(10*ms)), kind("d", 1, class.CriticalPlus, 0, Empirical{2 * ms, 30 * ms}),
	}
	return s
}
