package measure

import (
	"maps"
	"slices"
)

// measures is all there is to take, by name.
var measures = table()

func table() map[string]measure {
	t := map[string]measure{
		"goodput":        {is: "answers a second that reached a caller who was still waiting", take: takeRate("good"), keys: windowKeys},
		"throughput":     {is: "jobs a second that workers ended", take: takeRate(perDone), keys: windowKeys},
		"amplification":  {is: "attempts per request", take: takeAmplification, keys: windowKeys},
		"burst":          {is: "the most attempts that come within a bucket, per the mean of the window", take: takeBurst, keys: windowKeys},
		"wait":           {is: "time from sending an attempt until a worker begins", take: takeWait, keys: []string{"from", "to", "quantile"}},
		"latency":        {is: "time from the first attempt until a good answer", take: takeLatency, keys: []string{"quantile"}},
		"max-wait":       {is: "the longest time from sending an attempt until a worker begins", take: takeMaxWait, keys: windowKeys},
		"refusal-time":   {is: "the longest time from sending an attempt until its refusal, or a quantile of it", take: takeRefusalTime, keys: []string{"reason", "quantile"}},
		"restarts":       {is: "how often the process of a station was killed", take: takeRestarts},
		"drained":        {is: "time from the window's begin until nobody waits", take: takeDrained, keys: windowKeys},
		"short-wait":     {is: "time from the window's begin until somebody arrives who waits for less than a level, in seconds", take: takeShortWait, keys: []string{"from", "to", "level"}},
		"alarm":          {is: "time from the window's begin until goodput has been below a level for as long as hold, in the mean", take: takeAlarm, keys: []string{"from", "to", "level", "hold"}},
		"in-system":      {is: "the mean number of attempts at a station", take: takeInSystem},
		"sojourn":        {is: "the mean time of an attempt at a station", take: takeSojourn},
		"backlog-served": {is: "time from a moment until the last of those began who were there then", take: takeBacklog, keys: []string{"at"}},
		"nth-refusal":    {is: "when so many attempts had been refused", take: takeRefusal, keys: []string{"count"}},
		"end":            {is: "when the last request was done with", take: takeEnd},
		"fall":           {is: "time from the window's begin until goodput is below a level", take: takeFall, keys: []string{"from", "to", "level"}},
		"recovery":       {is: "time from the window's begin until goodput, once below a level, is at it again for as long as hold, in the mean", take: takeRecovery, keys: []string{"from", "to", "level", "hold"}},
	}
	for name, c := range counts {
		keys := windowKeys
		if c.window == nil {
			keys = nil
		}
		t[name] = measure{is: c.is, take: takeCount(name), keys: keys}
	}
	t["refused"] = measure{is: counts["refused"].is, take: takeCount("refused"), keys: append([]string{"reason"}, windowKeys...)}
	for name, l := range levels {
		t[name] = measure{is: l.is + ", at a moment", take: takeLevel(name), keys: []string{"at"}}
		t["max-"+name] = measure{is: "the most of " + name + " at the end of any bucket", take: takePeak(name), keys: []string{"from", "to"}}
	}
	return t
}

var windowKeys = []string{"from", "to"}

// Names are the measures in alphabetical order.
func Names() []string { return slices.Sorted(maps.Keys(measures)) }

// Describe says what a measure is.
func Describe(name string) string { return measures[name].is }
