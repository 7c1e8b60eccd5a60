package fronts

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/backend"
	"github.com/plimsoll-go/plimsoll/bench/internal/process"
	"github.com/plimsoll-go/plimsoll/internal/golden"
)

var facts = Facts{Slots: 8, Service: 17400 * time.Microsecond, Deadline: time.Second}

// TestMain lets the test's binary be what the fronts start.
func TestMain(m *testing.M) {
	if part, err := Role(os.Args[1:], os.Stdin, os.Stdout); part {
		if err != nil {
			panic(err)
		}
		return
	}
	if len(os.Args) == 2 && os.Args[1] == "backend" {
		if err := backend.Serve(2, 50*time.Millisecond, os.Stdin, os.Stdout); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

// program is where a front's program is; the test is skipped without it.
func program(t *testing.T, f Front) string {
	t.Helper()
	if f.Name == Plimsoll {
		if testing.Short() {
			t.Skip("builds the program")
		}
		path, err := process.Build(t.Context(), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	if f.Need == "" {
		return ""
	}
	out, err := exec.Command("../../../tools/need.sh", f.Need).CombinedOutput()
	if err != nil {
		t.Skip(strings.TrimSpace(string(out)))
	}
	return strings.TrimSpace(string(out))
}

// TestFrontsRelay starts each front before a service, asks it once, and ends
// it.
func TestFrontsRelay(t *testing.T) {
	service, err := process.Start(os.Args[0], "backend")
	if err != nil {
		t.Fatal(err)
	}
	defer service.Stop()
	for _, f := range All {
		t.Run(f.Name, func(t *testing.T) {
			p, err := f.Start(t.Context(), Site{facts, service.Address, t.TempDir(), os.Args[0], program(t, f)})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Stop()
			for _, class := range []string{"CRITICAL_PLUS", "CRITICAL", "SHEDDABLE"} {
				status, body := ask(t, p.Address, class)
				if status != http.StatusOK || body != "done\n" {
					t.Errorf("%s: %d %q", class, status, body)
				}
			}
			if used, err := p.TreeCPU(); err != nil || used < 0 || used > time.Minute {
				t.Errorf("used %s, %v", used, err)
			}
			p.Stop()
			if f.Name != Nothing {
				if _, err := http.Get("http://" + p.Address); err == nil {
					t.Error("answers when it has been stopped")
				}
			}
		})
	}
}

func ask(t *testing.T, address, class string) (int, string) {
	t.Helper()
	r, err := http.NewRequest("GET", "http://"+address+"/", nil)
	if err != nil {
		t.Error(err) // it may be another goroutine than the test's
		return 0, ""
	}
	r.Header.Set("X-Request-Criticality", class)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	_ = resp.Body.Close()
	return resp.StatusCode, string(body)
}

// TestTunedFrontsRefuse has each of the two fronts with bounds of their own
// stand before a service that answers nobody until all have been asked: what
// they let through, and refuse, of each class is what they were told.
func TestTunedFrontsRefuse(t *testing.T) {
	small := Facts{Slots: 2, Service: time.Second, Deadline: 20 * time.Second} // nobody waits too long while this is tested
	for _, tt := range []struct {
		front Front
		class string
		n     int // asked at once
		taken int
	}{
		{nginx, "CRITICAL_PLUS", 40, 18}, {nginx, "CRITICAL", 40, 13}, {nginx, "SHEDDABLE", 40, 4},
		{haproxy, "CRITICAL_PLUS", 40, 16 + 3}, {haproxy, "CRITICAL", 40, 16 + 2}, {haproxy, "SHEDDABLE", 40, 16 + 2},
	} {
		t.Run(tt.front.Name+" "+tt.class, func(t *testing.T) {
			all := make(chan struct{})
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				<-all
				_, _ = io.WriteString(w, "done\n")
			}))
			defer service.Close()
			p, err := tt.front.Start(t.Context(), Site{small, service.Listener.Addr().String(), t.TempDir(), os.Args[0], program(t, tt.front)})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Stop()
			ends := make(chan int)
			for range tt.n {
				go func() {
					status, _ := ask(t, p.Address, tt.class)
					ends <- status
				}()
			}
			counts := map[int]int{}
			for range tt.n - tt.taken {
				counts[<-ends]++
			}
			close(all)
			for range tt.taken {
				counts[<-ends]++
			}
			if counts[200] != tt.taken || counts[503] != tt.n-tt.taken {
				t.Errorf("%v, want %d answered and the others refused with 503", counts, tt.taken)
			}
		})
	}
}

func TestConfigurations(t *testing.T) {
	for _, f := range All {
		if f.File == nil {
			continue
		}
		golden.File(t, "testdata/"+f.Name+".golden", f.File(facts))
	}
}
