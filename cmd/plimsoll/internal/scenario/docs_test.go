package scenario

import (
	"os"
	"strings"
	"testing"
)

// everyKey is the keys of every object of a file, by what the object is.
func everyKey() map[string][]string {
	forms := func(of []form[maker]) (keys []string) {
		for _, f := range of {
			keys = append(keys, f.key)
		}
		return keys
	}
	all := map[string][]string{
		"file": keysOf(planKeys), "station": keysOf(stationKeys), "memory": keysOf(memoryKeys), "sharing": keysOf(sharingKeys), "cache": keysOf(cacheKeys), "blips": keysOf(blipKeys),
		"disturbance": keysOf(disturbanceKeys), "gate": keysOf(gateKeys), "codel": keysOf(codelKeys), "shares": keysOf(shareKeys), "ladder": keysOf(ladderKeys), "tier": keysOf(tierKeys), "switch": keysOf(switchKeys), "limit": forms(algorithms),
		"auto": keysOf(autoKeys), "aimd": keysOf(aimdKeys), "vegas": keysOf(vegasKeys), "gradient": keysOf(gradientKeys), "gradient2": keysOf(gradient2Keys),
		"source": keysOf(sourceKeys), "kind": keysOf(kindKeys), "client": keysOf(clientKeys), "call": keysOf(callKeys()),
		"budget": keysOf(budgetKeys), "throttle": keysOf(throttleKeys), "breaker": keysOf(breakerKeys),
		"steady": keysOf(steadyKeys), "batch": keysOf(batchKeys), "steps": keysOf(stepsKeys), "step": keysOf(stepKeys), "ramp": keysOf(rampKeys),
		"on-off": keysOf(onOffKeys), "sine": keysOf(sineKeys), "markov": keysOf(markovKeys), "state": keysOf(stateKeys), "reconnect": keysOf(reconnectKeys),
		"lognormal": keysOf(lognormalKeys), "pareto": keysOf(paretoKeys), "bimodal": keysOf(bimodalKeys()),
	}
	for _, f := range streams {
		all["arrivals"] = append(all["arrivals"], f.key)
	}
	for _, f := range services() {
		all["service"] = append(all["service"], f.key)
	}
	return all
}

// The page of the format lists every key.
func TestDocsHaveEveryKey(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := []string{"file", "station", "memory", "sharing", "cache", "disturbance", "gate", "source", "kind", "client", "call", "arrivals", "service"}
	for object, keys := range everyKey() {
		for _, key := range keys {
			mark := "`" + key
			for _, row := range rows {
				if row == object {
					mark = "| `" + key + "` |"
				}
			}
			if !strings.Contains(string(page), mark) {
				t.Errorf("%s: no %s", object, mark)
			}
		}
	}
}
