package config

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// elsewhere says below what a key stands: "gates.NAME" for limit.
func elsewhere(key string) string {
	places := slices.Compact(owners()[key])
	return strings.Join(places, " or ")
}

// owners are the objects that have each key, in the order of the file's keys.
var owners = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for _, k := range rootKeys {
		out[k.name] = append(out[k.name], "the file itself")
	}
	for _, k := range rootKeys {
		collectOwners(out, k.name, k.schema)
	}
	return out
})

func collectOwners(out map[string][]string, place string, s schema) {
	if all, ok := s["anyOf"].([]schema); ok {
		for _, one := range all {
			collectOwners(out, place, one)
		}
	}
	if items, ok := s["items"].(schema); ok {
		collectOwners(out, place+"[]", items)
	}
	if named, ok := s["additionalProperties"].(schema); ok {
		collectOwners(out, place+".NAME", named)
	}
	properties, _ := s["properties"].(schema)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		out[name] = append(out[name], place)
		if below, ok := properties[name].(schema); ok {
			collectOwners(out, under(place, name), below)
		}
	}
}
