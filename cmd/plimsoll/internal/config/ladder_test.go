package config

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// Everything that is wrong with tiers and with what routes do by them is said at
// once, where it stands.
func TestLadderFaults(t *testing.T) {
	_, faults := loadFile(t, `version: 1
upstreams:
  shop: {endpoints: [http://127.0.0.1:8081]}
  plain: {endpoints: [http://127.0.0.1:8082]}
gates:
  shop:
    ladder:
      exercise: 101%
      tiers:
        - {name: reviews}
        - {name: images, above: 300ms}
        - {name: images, above: 200ms, below: 300ms}
        - {name: late, above: 500ms}
        - {name: nobody, above: 450ms, spare: [CRITICAL_PLUS, CRITICAL, SHEDDABLE_PLUS, SHEDDABLE]}
        - {name: "a b", above: 0}
  plain: {maxWait: 0, ladder: {tiers: [{name: slow, above: 1s}]}}
routes:
  - upstream: shop
    match: {path: /a}
    degrade:
      reviews: {upstream: nowhere}
      imagse: {body: {}}
      images: {}
      late: {path: lite, body: {status: 99}}
  - upstream: plain
    degrade:
      slow: {upstream: plain}
      slow: {path: /a, body: {text: a, file: b}}
`, Flags{})
	want := []string{
		`gate.yaml:8: gates.shop.ladder.exercise: want a part from 0% to 100%, with its sign, have 101%`,
		`gate.yaml:10: gates.shop.ladder.tiers[0].above: want the delay of the queue beyond which the tier goes on, such as 200ms`,
		`gate.yaml:12: gates.shop.ladder.tiers[2].below: want a delay of 0 or more that is less than above, have 300ms`,
		`gate.yaml:12: gates.shop.ladder.tiers[2].name: want a name that no other tier has, have images`,
		`gate.yaml:12: gates.shop.ladder.tiers[2].above: want no less than 300ms, where the tier before it goes on, have 200ms`,
		`gate.yaml:13: gates.shop.ladder.tiers[3].above: want a delay below maxWait, 500ms, or nothing reaches tier late, have 500ms`,
		`gate.yaml:14: gates.shop.ladder.tiers[4].spare: want fewer than all criticalities, or the tier is of no use, have [CRITICAL_PLUS CRITICAL SHEDDABLE_PLUS SHEDDABLE]`,
		`gate.yaml:14: gates.shop.ladder.tiers[4].above: want no less than 500ms, where the tier before it goes on, have 450ms`,
		`gate.yaml:15: gates.shop.ladder.tiers[5].name: want a name of letters, digits, - and _ that says what is lost, such as reviews, have "a b"`,
		`gate.yaml:15: gates.shop.ladder.tiers[5].above: want a duration above 0, have 0`,
		`gate.yaml:16: gates.plain.ladder: want a queue before it (maxWait and maxQueue above 0), by whose delay tiers go on`,
		`gate.yaml:21: routes[0].degrade.reviews.upstream: want a name that stands under upstreams (shop, plain), have nowhere`,
		`gate.yaml:23: routes[0].degrade.images: want path, upstream, body or stale: true`,
		`gate.yaml:24: routes[0].degrade.late.path: want a path that begins with / and may end in *, such as /lite/*, have lite`,
		`gate.yaml:24: routes[0].degrade.late.body.status: want a whole number from 200 to 599, have 99`,
		`gate.yaml:27: routes[1].degrade.slow.upstream: want another upstream than the route's own, or a path with it`,
		`gate.yaml:28: routes[1].degrade.slow: want the key once; it stands in line 27 already`,
	}
	for _, w := range want {
		if !slices.Contains(faults, w) {
			t.Errorf("nobody says %s", w)
		}
	}
	for _, f := range faults {
		if !slices.Contains(want, f) {
			t.Errorf("somebody says %s", f)
		}
	}
}

// A tier that a gate has not is one that nothing reaches.
func TestFallbackFaults(t *testing.T) {
	const before = "gates: {shop: {ladder: {tiers: [{name: reviews, above: 200ms}]}}}\nroutes: [{degrade: {"
	for _, c := range []struct{ text, want string }{
		{"revews: {path: /a}", "gate.yaml:2: routes[0].degrade.revews: want a tier of gate shop (reviews), or nothing reaches this, have revews; did you mean reviews?"},
		{"reviews: {path: /a, body: {text: x}}", "gate.yaml:2: routes[0].degrade.reviews: want either a body, or a path or an upstream"},
		{"reviews: {upstream: shop}", "gate.yaml:2: routes[0].degrade.reviews.upstream: want another upstream than the route's own, or a path with it"},
		{"reviews: {body: {text: x, file: y}}", "gate.yaml:2: routes[0].degrade.reviews.body: want text or file, not both"},
		{"reviews: {body: {status: 204, text: x}}", "gate.yaml:2: routes[0].degrade.reviews.body: want no text and no file with status 204, whose answers have no body"},
		{"reviews: {stale: true}", "gate.yaml:2: routes[0].degrade.reviews.stale: want a cache on the route with it, which has what is stale"},
		{"reviews: {path: /a/../b}", "gate.yaml:2: routes[0].degrade.reviews.path: want a path that begins with / and may end in *, such as /lite/*, have /a/../b"},
		{"reviews: {path: /*/b}", "gate.yaml:2: routes[0].degrade.reviews.path: want a path that begins with / and may end in *, such as /lite/*, have /*/b"},
		{"reviews: {body: {text: [x]}}", "gate.yaml:2: routes[0].degrade.reviews.body.text: want a text, in quotes where it looks like something else, have a list"},
	} {
		if _, faults := loadFile(t, before+c.text+"}}]"+minimal, Flags{}); len(faults) != 1 || faults[0] != c.want {
			t.Errorf("%s\n have %q\n want %q", c.text, faults, c.want)
		}
	}
	_, faults := loadFile(t, "routes: [{cache: {}, degrade: {reviews: {stale: true}}}]"+minimal, Flags{})
	if want := "gate.yaml:1: routes[0].degrade.reviews: want a ladder with that tier in gate shop, or nothing reaches this"; len(faults) != 1 || faults[0] != want {
		t.Errorf("have %q\nwant %q", faults, want)
	}
}

const laddered = `
gates:
  shop:
    ladder:
      exercise: 0%
      tiers:
        - {name: reviews, above: 100ms}
        - {name: images, above: 400ms, below: 100ms, spare: [CRITICAL_PLUS], fallbacks: 10}
routes:
  - match: {path: /api/*}
    cache: {}
    degrade:
      reviews: {path: /lite/*, stale: true}
      images: {body: {type: application/json, text: "[\"on\"]\n"}}
  - {}
`

func TestLadder(t *testing.T) {
	c := good(t, laddered)
	l := c.Gates[0].Ladder
	if l.Dwell != 250*time.Millisecond || l.Quiet != 5*time.Second || l.Tiers[0].Off != 50*time.Millisecond || l.Tiers[1].Off != 100*time.Millisecond {
		t.Errorf("%+v", l)
	}
	p := c.GateConfig("shop").Ladder
	if !p.NoExercise || p.Tiers[1].Spare[0] != class.CriticalPlus || p.Tiers[1].Fallbacks != 10 || p.Validate() != nil {
		t.Errorf("%+v", p)
	}
	if f := c.Routes[0].Degrade[1].Body; f.Status != 200 || f.Text != "[\"on\"]\n" || c.Routes[1].Degrade != nil {
		t.Errorf("%+v", f)
	}
	if p := good(t, "").GateConfig("shop"); p.Ladder != nil {
		t.Error("there is a ladder without tiers")
	}
	other := good(t, strings.Replace(laddered, "CRITICAL_PLUS", "CRITICAL", 1))
	if !c.Gates[0].Equal(good(t, laddered).Gates[0]) || c.Gates[0].Equal(other.Gates[0]) {
		t.Error("who is spared is no difference, or nothing is one")
	}

	var printed, again bytes.Buffer
	if err := c.Print(&printed); err != nil {
		t.Fatal(err)
	}
	back, faults := loadFile(t, printed.String(), Flags{})
	if err := back.Print(&again); err != nil || faults != nil || printed.String() != again.String() {
		t.Errorf("%v %v\n%s", err, faults, again.String())
	}
}

func TestFallbackFiles(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "gate.yaml")
	text := strings.Replace(laddered, `text: "[\"on\"]\n"`, "file: empty.json", 1) + minimal
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Load(Flags{Config: name})
	if err == nil || !strings.HasSuffix(err.Error(), "empty.json: no such file or directory") || !strings.Contains(err.Error(), ":14: routes[0].degrade.images.body.file: want a file that can be used") {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "empty.json"), []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(Flags{Config: name})
	if err != nil {
		t.Fatal(err)
	}
	if b, err := c.Routes[0].Degrade[1].Body.Content(); string(b) != "[]" || err != nil {
		t.Errorf("%s %v", b, err)
	}
}
