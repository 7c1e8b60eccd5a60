package mix

import (
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/schedule"
	"github.com/plimsoll-go/plimsoll/sim"
)

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// likely reports whether counts are what shares, which sum to 1, make likely: by a
// chi-square test, in the normal approximation of Wilson and Hilferty (1931), that
// goes wrong once in a million times.
func likely(counts []int, shares []float64) bool {
	n, square := 0, 0.0
	for _, c := range counts {
		n += c
	}
	for i, c := range counts {
		d := float64(c) - shares[i]*float64(n)
		square += d * d / (shares[i] * float64(n))
	}
	k := float64(len(counts) - 1)
	z := (math.Cbrt(square/k) - (1 - 2/(9*k))) / math.Sqrt(2/(9*k))
	return z < 4.75
}

func TestLikely(t *testing.T) {
	if !likely([]int{498, 502}, []float64{0.5, 0.5}) || likely([]int{400, 600}, []float64{0.5, 0.5}) {
		t.Error("the test itself does not tell what is likely")
	}
}

func TestClassesComeByWeight(t *testing.T) {
	m := must(t, Flags{Class: []string{"critical:7", "sheddable:2", "critical_plus:0.5", "unset:0.5"}})
	counts, shares := make([]int, 4), []float64{0.7, 0.2, 0.05, 0.05}
	rng := source(1)
	for range 100_000 {
		r := m.Draw(rng, &schedule.Arrival{})
		if r.Class != m.Classes[r.Index] {
			t.Fatal("its index is of another class")
		}
		counts[r.Index]++
	}
	if !likely(counts, shares) {
		t.Errorf("%v of shares %v", counts, shares)
	}
}

// Zipf's law: the nth tenant is asked for 1/n^skew as often as the first.
func TestTenantsFollowZipf(t *testing.T) {
	for _, skew := range []string{"0", "0.5", "1", "1.1", "2"} {
		const tenants, draws = 50, 200_000
		m := must(t, Flags{Class: []string{"critical,tenants=50,skew=" + skew}})
		index, shares, sum := map[string]int{}, make([]float64, tenants), 0.0
		for i, name := range m.Classes[0].Tenants.Names {
			index[name] = i
			shares[i] = 1 / math.Pow(float64(i+1), m.Classes[0].Tenants.Skew)
			sum += shares[i]
		}
		for i := range shares {
			shares[i] /= sum
		}
		counts, rng := make([]int, tenants), source(2)
		for range draws {
			counts[index[m.Draw(rng, &schedule.Arrival{}).Tenant]]++
		}
		if !likely(counts, shares) {
			t.Errorf("skew %s: %v", skew, counts)
		}
	}
}

func TestOneSeedOneLoad(t *testing.T) {
	m := must(t, Flags{Class: []string{"critical:3,tenants=100,skew=1,path=/{{.Hex 8}}", "sheddable,template={{.UUID}} {{.Int 1 9}}"}})
	draw := func(seed uint64) (all []Request) {
		rng := source(seed)
		for range 100 {
			all = append(all, m.Draw(rng, &schedule.Arrival{}))
		}
		return all
	}
	if !reflect.DeepEqual(draw(1), draw(1)) {
		t.Error("one seed gives two loads")
	}
	if reflect.DeepEqual(draw(1), draw(2)) {
		t.Error("two seeds give one load")
	}
}

// What a trace says goes before what a class says.
func TestRecorded(t *testing.T) {
	classes := Flags{Class: []string{"critical:1,deadline=100ms,tenants=a|b,level=5", "critical_plus:1,name=checkout,level=9", "sheddable:1,level=tenant,tenants=c|d"}}
	byTenant := Flags{Class: []string{"sheddable:1,level=tenant,tenants=c|d"}}
	times := Flags{Class: []string{"critical:1,deadline=100ms,tenants=a|a"}}
	for _, tt := range []struct {
		name   string
		flags  Flags
		record sim.Record
		want   Request // Class and Path left out
	}{
		{"its kind names a class", classes, sim.Record{Kind: "checkout"}, Request{Index: 1, Criticality: class.CriticalPlus, Level: 9, Deadline: time.Second}},
		{"the kind goes before the criticality", classes, sim.Record{Kind: "checkout", Criticality: class.Sheddable, Level: 3}, Request{Index: 1, Criticality: class.Sheddable, Level: 3, Deadline: time.Second}},
		{"an unknown kind", classes, sim.Record{Kind: "search", Criticality: class.CriticalPlus}, Request{Index: 1, Criticality: class.CriticalPlus, Deadline: time.Second}},
		{"its criticality", classes, sim.Record{Criticality: class.Critical, Level: 7, Tenant: "z", Deadline: time.Minute},
			Request{Index: 0, Criticality: class.Critical, Level: 7, Tenant: "z", Deadline: time.Minute}},
		{"a level of no criticality says nothing", byTenant, sim.Record{Level: 3, Tenant: "z"},
			Request{Criticality: class.Sheddable, Level: class.LevelOf("z", 0), Tenant: "z", Deadline: time.Second}},
		{"the level by a recorded tenant", classes, sim.Record{Criticality: class.Sheddable, Tenant: "z"},
			Request{Index: 2, Criticality: class.Sheddable, Level: class.LevelOf("z", 0), Tenant: "z", Deadline: time.Second}},
		{"nothing but its time, and so nobody's", times, sim.Record{}, Request{Criticality: class.Critical, Deadline: 100 * time.Millisecond}},
		{"a criticality that no class has", times, sim.Record{Criticality: class.Sheddable}, Request{Criticality: class.Sheddable, Deadline: 100 * time.Millisecond}},
		{"a deadline as long as a run may not be held up", times, sim.Record{Deadline: 1000 * time.Hour}, Request{Criticality: class.Critical, Deadline: time.Hour}},
		{"without classes", Flags{}, sim.Record{Criticality: class.SheddablePlus, Level: 2}, Request{Index: 3, Criticality: class.SheddablePlus, Level: 2, Deadline: time.Second}},
		{"without classes, of no criticality", Flags{}, sim.Record{}, Request{Deadline: time.Second}},
	} {
		m, err := tt.flags.Mix(true)
		if err != nil {
			t.Fatal(err)
		}
		have := m.Draw(source(3), &schedule.Arrival{Recorded: &tt.record})
		have.Class = nil
		if !reflect.DeepEqual(have, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.name, have, tt.want)
		}
	}
}

func TestTemplates(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                            `^plain$`,
		"{{.Tenant}}/{{.Class}}":           `^ann\(\)/CRITICAL$`,
		"{{.Criticality}} {{.DeadlineMs}}": `^CRITICAL 200$`,
		"{{.Int 5 5}} {{.Int -3 -1}}":      `^5 -[123]$`,
		`{{.Pick "a" "b"}}{{.Pick "c"}}`:   `^[ab]c$`,
		"{{.Hex 5}}":                       `^[0-9a-f]{5}$`,
		"{{.UUID}}":                        `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`,
		`{{printf "%04d" (.Int 1 9)}}`:     `^000[1-9]$`,
		`{{.Tenant | printf "%q"}}`:        `^"ann\(\)"$`,
		"a{{/* nobody sees it */ -}} b":    `^ab$`,
	} {
		m := must(t, Flags{Class: []string{"critical,deadline=200ms,tenants=ann()|ann(),template=`" + text + "`"}})
		r := m.Draw(source(4), &schedule.Arrival{})
		if !regexp.MustCompile(want).Match(r.Body) {
			t.Errorf("%s: %q, want %s", text, r.Body, want)
		}
	}
	m := must(t, Flags{Class: []string{"critical,tenants=a b|a b,path=/of/{{.Tenant}}?n={{.Int 7 7}}"}})
	if r := m.Draw(source(4), &schedule.Arrival{}); r.Path != "/of/a%20b?n=7" {
		t.Errorf("the path is %s", r.Path)
	}
}

func TestTemplateFaults(t *testing.T) {
	for text, want := range map[string]string{
		"{{.Tenant":                         `unclosed action`,
		"{{.Tenent}}":                       `did you mean .Tenant?`,
		"{{.Int 1}}":                        `wrong number of args for Int: want 2 got 1`,
		"{{.Int 9 1}}":                      `want Int LEAST MOST with the lesser first, have 9 1`,
		"{{.Hex 9999}}":                     `want Hex with 1 to 4096 digits, have 9999`,
		"{{range 1000000000}}{{end}}":       `want text and values such as {{.Tenant}} only, have {{range 1000000000}}{{end}}`,
		"{{if .Tenant}}a{{end}}":            `want text and values such as {{.Tenant}} only`,
		"{{$x := 1}}":                       `want no variables`,
		"{{.}}":                             `want text and values such as {{.Tenant}} only, have .`,
		"{{len .Tenant}}":                   `want one of print, printf, js, html, urlquery, have len`,
		`{{define "a"}}{{end}}`:             `want no define or block in it`,
		`{{template "a"}}`:                  `want text and values such as {{.Tenant}} only`,
		`{{printf "%999999d%999999d" 1 1}}`: `want 1 MiB at most, have 1999998 bytes`,
		"{{nil}}":                           `have nil`,
	} {
		_, err := (&Flags{Class: []string{"critical,template=`" + text + "`"}}).Mix(false)
		if err == nil || !regexp.MustCompile(regexp.QuoteMeta(want)).MatchString(err.Error()) {
			t.Errorf("%s:\n%v, want %s", text, err, want)
		}
	}
}

func TestDrawingDoesNotAllocate(t *testing.T) {
	m := must(t, Flags{Class: []string{"critical:7,tenants=10000,skew=1.1,level=tenant,body=hello", "sheddable:3"}})
	rng, a := source(5), &schedule.Arrival{}
	var r Request
	if n := testing.AllocsPerRun(1000, func() { r = m.Draw(rng, a) }); n > 0 {
		t.Errorf("%v allocations for a request of %s", n, r.Class.Name)
	}
}

func BenchmarkDraw(b *testing.B) {
	for _, bb := range []struct {
		name  string
		flags Flags
	}{
		{"one_class", Flags{}},
		{"four_classes", Flags{Class: []string{"critical_plus:1", "critical:6", "sheddable_plus:2", "sheddable:1"}}},
		{"tenants", Flags{Class: []string{"critical:7,tenants=100000,skew=1.1"}}},
		{"templates", Flags{Class: []string{"critical:7,path=/items/{{.Int 1 100}},template={\"id\":\"{{.UUID}}\"}"}}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			m, rng, a := must(b, bb.flags), source(1), &schedule.Arrival{}
			b.ReportAllocs()
			for b.Loop() {
				m.Draw(rng, a)
			}
		})
	}
}
