package bounds

import (
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

func seconds(d time.Duration) value {
	s := d.Seconds()
	return value{most: &s, unit: "seconds", text: d.String()}
}

// gate adds what a request meets at a gate: the deadline that it comes with or
// gets, the queue, the limit.
func (m *model) gate(g config.Gate) {
	hop := "gate " + g.Name
	key := func(name string) string { return "gates." + g.Name + "." + name }
	now, live := m.now.gate(g.Name)

	m.deadlines(hop, g.Name)
	places := m.add(hop, "places in the queue", key("maxQueue"), placesOf(g),
		"somebody less important gives up a place, or "+m.refused("queue_full"))
	bytes := m.add(hop, "bytes in the queue", key("maxQueueBytes"), size(g.MaxQueueBytes), "as with the places")
	m.add(hop, "time in the queue", key("maxWait"), seconds(g.MaxWait), m.refused("max_wait")+"; at 0 it is "+m.refused("busy")+" at once")
	m.tiers(hop, g)
	limit := m.add(hop, "requests in flight", key("limit"), limitOf(g), "the request waits in the queue")
	streams := m.add(hop, "streams beside the limit", key("maxStreams"), number(g.MaxStreams, "streams"),
		m.refused("streams")+"; where the bound is 0 a stream keeps its slot instead")
	if live {
		places.InForce, places.Used = of(now.Places), of(now.Depth)
		bytes.Used = of(int(now.Bytes))
		limit.InForce, limit.Used = of(now.Limit), of(now.InFlight)
		streams.Used = of(now.Streams)
	}
}

// refused is the answer of a gate that has no room.
func (m *model) refused(reason string) string {
	return fmt.Sprintf("%d %s with Retry-After", m.config.StatusWhenFull, reason)
}

// deadlines adds the timeouts of the routes that pass a gate.
func (m *model) deadlines(hop, gate string) {
	for i, r := range m.config.Routes {
		if r.Gate != gate {
			continue
		}
		key := m.routeKey(i, "timeout")
		v := seconds(r.Timeout)
		if r.Timeout == 0 {
			v = value{unit: "seconds", text: "none"}
		}
		m.add(hop, "time of "+r.Name, key, v, "504, and the service is told to stop")
	}
}

// routeKey is where a timeout of a route comes from: its own key, or the
// file's.
func (m *model) routeKey(i int, name string) string {
	if own := fmt.Sprintf("routes[%d].%s", i, name); m.places.Given(own) {
		return own
	}
	return name
}

func placesOf(g config.Gate) value {
	if g.MaxQueue == config.Unbounded {
		return value{unit: "requests", most: of(plimsoll.DefaultMaxPlaces),
			text: fmt.Sprintf("auto, what is served within %s, %d at most", g.MaxWait, plimsoll.DefaultMaxPlaces)}
	}
	return number(g.MaxQueue, "requests")
}

func limitOf(g config.Gate) value {
	if g.Limit == 0 {
		return value{unit: "requests", most: of(g.MaxLimit), text: fmt.Sprintf("auto, %d to %d", g.MinLimit, g.MaxLimit)}
	}
	return number(g.Limit, "requests")
}
