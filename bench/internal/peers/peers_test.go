package peers

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
)

// crowd is how many goroutines contend where many do.
const crowd = 64

func plain(_ int, f func()) { f() }

func TestCasesGoAsTheyShould(t *testing.T) {
	for _, c := range slices.Concat(Admits(), Refusals(), Calls()) {
		t.Run(c.Name, func(t *testing.T) {
			loop, stop, err := c.Start()
			if err != nil {
				t.Fatal(err)
			}
			defer stop()
			for _, goroutines := range []int{1, crowd} {
				if err := Batch(loop, 6400, goroutines, plain); err != nil {
					t.Errorf("%d goroutines: %v", goroutines, err)
				}
			}
		})
	}
}

func TestBatchReportsWhatWentWrong(t *testing.T) {
	half := func(n int) int { return n / 2 }
	for _, goroutines := range []int{1, crowd} {
		if err := Batch(half, 1000, goroutines, plain); err == nil {
			t.Errorf("%d goroutines: half of the operations went wrong, and no error", goroutines)
		}
	}
}

func TestBatchDoesWhatItSays(t *testing.T) {
	var did atomic.Int64
	loop := func(n int) int { did.Add(int64(n)); return n }
	said := 0
	err := Batch(loop, 1000, crowd, func(ops int, f func()) { said = ops; f() })
	if err != nil || int64(said) != did.Load() || said < 900 {
		t.Errorf("said %d operations, did %d, error %v", said, did.Load(), err)
	}
}

func TestCasesHaveNamesOfTheirOwn(t *testing.T) {
	for _, group := range [][]Case{Admits(), Refusals(), Calls()} {
		seen := map[string]bool{}
		for _, c := range group {
			if seen[c.Name] {
				t.Errorf("%q twice", c.Name)
			}
			seen[c.Name] = true
		}
	}
}

func BenchmarkAdmit(b *testing.B)  { benchmark(b, Admits()) }
func BenchmarkRefuse(b *testing.B) { benchmark(b, Refusals()) }
func BenchmarkCall(b *testing.B)   { benchmark(b, Calls()) }

func benchmark(b *testing.B, cases []Case) {
	for _, c := range cases {
		loop, stop, err := c.Start()
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.Name+"/alone", func(b *testing.B) {
			b.ReportAllocs()
			if did := loop(b.N); did != b.N {
				b.Fatalf("%d of %d went as they should", did, b.N)
			}
		})
		b.Run(c.Name+"/64 goroutines", func(b *testing.B) {
			b.ReportAllocs()
			b.SetParallelism(max(1, crowd/runtime.GOMAXPROCS(0)))
			var did atomic.Int64
			b.RunParallel(func(pb *testing.PB) {
				mine := 0
				for pb.Next() {
					mine += loop(1)
				}
				did.Add(int64(mine))
			})
			if did.Load() != int64(b.N) {
				b.Fatalf("%d of %d went as they should", did.Load(), b.N)
			}
		})
		stop()
	}
}
