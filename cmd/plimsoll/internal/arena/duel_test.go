package arena

import (
	"slices"
	"testing"
)

func TestVerdicts(t *testing.T) {
	for _, tt := range []struct {
		name string
		m    Mean
		want Verdict
	}{
		{"ahead", Mean{N: 3, Value: -0.02, Spread: 0.01}, Met},
		{"level", Mean{N: 3}, Met},
		{"behind by just as much as it may be", Mean{N: 3, Value: 0.005, Spread: 0.005}, Met},
		{"nobody knows", Mean{N: 3, Value: 0.008, Spread: 0.004}, Undecided},
		{"nobody knows, and it looks bad", Mean{N: 3, Value: 0.03, Spread: 0.02}, Undecided},
		{"even at best further behind", Mean{N: 3, Value: 0.03, Spread: 0.019}, Missed},
		{"one seed tells nothing", Mean{N: 1, Value: 0.5}, Undecided},
	} {
		if got := (Duel{Behind: tt.m}).Verdict(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// chosen is three policies, one of which was told the optimum.
var chosen = []Policy{{Name: Auto}, {Name: "fixed", Told: true}, {Name: None}}

// made are scores with these shares, by seed from Tuning on.
func made(scenario, policy string, shares ...float64) (scores []Score) {
	for i, s := range shares {
		scores = append(scores, Score{Scenario: scenario, Policy: policy, Seed: Tuning + uint64(i), Goodput: s})
	}
	return scores
}

// Differences are taken seed by seed, so that what all seeds have in common does
// not blur them; and who was told the optimum stands apart.
func TestDuelsArePaired(t *testing.T) {
	rows := Sum(slices.Concat(
		made("a", Auto, 0.5, 0.7, 0.9),
		made("a", "fixed", 0.52, 0.72, 0.921),
		made("a", None, 0.501, 0.701, 0.902),
	), chosen)
	r := rows[0]
	published, _ := r.Hardest(false)
	told, _ := r.Hardest(true)
	if published.Rival != None || published.Verdict() != Met || told.Rival != "fixed" || told.Verdict() != Missed || r.Seeds != 3 {
		t.Errorf("published %+v %s, told %+v %s", published, published.Verdict(), told, told.Verdict())
	}
	targets := Targets(rows, Names(chosen))
	if targets[0].Verdict != Met || targets[1].Verdict != Missed {
		t.Errorf("targets %+v", targets[:2])
	}
}

// What is open is played on, by the two alone, until it is not or there have
// been as many seeds as there may be. Cells stay with what everybody played.
func TestDecide(t *testing.T) {
	bouts := []Bout{{Name: "a"}, {Name: "b"}}
	scores := slices.Concat(
		made("a", Auto, 0.9, 0.8), made("a", "fixed", 0.9, 0.8), made("a", None, 0.95, 0.79),
		made("b", Auto, 0.9, 0.8), made("b", "fixed", 0.9, 0.8), made("b", None, 0.1, 0.1),
	)
	var played []int
	play := func(tasks []Task) (scores []Score, err error) {
		for _, task := range tasks {
			if names := Names(task.Policies); task.Bout.Name != "a" || !slices.Equal(names, []string{Auto, None}) {
				t.Errorf("%s is played on by %v", task.Bout.Name, names)
			}
			for _, p := range task.Policies {
				for s := range task.Seeds {
					share := 0.9
					if p.Name == None && (s%2 == 0) {
						share = 0.94
					}
					scores = append(scores, Score{Scenario: "a", Policy: p.Name, Seed: task.First + uint64(s), Goodput: share})
				}
			}
			played = append(played, int(task.First-Tuning)+task.Seeds)
		}
		return scores, nil
	}
	scores, err := Decide(bouts, chosen, scores, 10, play)
	if err != nil || !slices.Equal(played, []int{4, 8, 10}) {
		t.Errorf("played on up to %v seeds, want 4, 8, 10; %v", played, err)
	}
	rows := Sum(scores, chosen)
	if len(rows) != 2 || rows[0].Seeds != 10 || rows[0].Cells[0].Goodput.N != 2 || rows[0].Duels[1].Behind.N != 10 || rows[1].Seeds != 2 {
		t.Errorf("rows %+v", rows)
	}
	ordered := slices.IsSortedFunc(scores[:10], func(a, b Score) int { return int(a.Seed) - int(b.Seed) })
	if !ordered || scores[9].Policy != Auto || scores[10].Policy != "fixed" {
		t.Error("the scores are not in the order of bouts, policies and seeds")
	}
}
