package web

import (
	"io"
	"net/http"
	"os"
	"testing"
)

// TestMain lets the test's binary be its own client.
func TestMain(m *testing.M) {
	if os.Getenv(asClient) != "" {
		if err := Load(os.Stdin, os.Stdout); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

const asClient = "WEB_TEST_CLIENT"

func plain(_ int, f func()) { f() }

func TestEveryCaseAnswersAsItShould(t *testing.T) {
	cases, stop, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	t.Setenv(asClient, "1")
	client, err := StartClient(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, c := range cases {
		t.Run("memory/"+c.Name, func(t *testing.T) {
			m := NewMemory(c)
			defer m.Close()
			for range 2 {
				if err := m.Serve(400, plain); err != nil {
					t.Error(err)
				}
			}
		})
		t.Run("loopback/"+c.Name, func(t *testing.T) {
			l, err := NewLoopback(c, client)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			for range 2 {
				if err := l.Serve(400, plain); err != nil {
					t.Error(err)
				}
			}
		})
	}
	if cases[0].Name != Bare {
		t.Errorf("the first case is %q, not %q", cases[0].Name, Bare)
	}
}

func TestAnswersOfAnotherStatusAreFaults(t *testing.T) {
	teapot := Case{"teapot", http.StatusOK, plainRequest, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTeapot)
	})}
	m := NewMemory(teapot)
	defer m.Close()
	if err := m.Serve(80, plain); err == nil {
		t.Error("memory: no fault")
	}
	t.Setenv(asClient, "1")
	client, err := StartClient(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	l, err := NewLoopback(teapot, client)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Serve(80, plain); err == nil {
		t.Error("loopback: no fault")
	}
}

func TestLoadEndsWithItsInput(t *testing.T) {
	r, w := io.Pipe()
	w.Close()
	if err := Load(r, io.Discard); err != nil {
		t.Error(err)
	}
}

func TestServeSaysHowMuchItServes(t *testing.T) {
	served := 0
	m := NewMemory(Case{"count", http.StatusOK, plainRequest, http.HandlerFunc(trivial)})
	defer m.Close()
	if err := m.Serve(100, func(ops int, f func()) { served = ops; f() }); err != nil {
		t.Fatal(err)
	}
	if served != 100/Connections*Connections {
		t.Errorf("said %d", served)
	}
}

// BenchmarkMemory is the way to a profile of one handler.
func BenchmarkMemory(b *testing.B) {
	cases, stop, err := Cases()
	if err != nil {
		b.Fatal(err)
	}
	defer stop()
	for _, c := range cases {
		b.Run(c.Name, func(b *testing.B) {
			m := NewMemory(c)
			defer m.Close()
			b.ReportAllocs()
			if err := m.Serve(b.N, plain); err != nil {
				b.Fatal(err)
			}
		})
	}
}
