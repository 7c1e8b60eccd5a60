package demo

import (
	"context"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestBackendServesOldestFirstAtItsCapacity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBackend(2, 10*time.Millisecond)
		defer b.stop()
		start := time.Now()
		jobs := make([]*job, 6)
		for i := range jobs {
			jobs[i] = b.enqueue()
		}
		var ended []time.Duration
		for _, j := range jobs {
			<-j.done
			ended = append(ended, time.Since(start))
		}
		want := []time.Duration{10, 10, 20, 20, 30, 30}
		for i := range want {
			want[i] *= time.Millisecond
		}
		if !slices.Equal(ended, want) {
			t.Errorf("ended after %v, want %v", ended, want)
		}
	})
}

func TestBackendDoesTheJobOfACallerWhoLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBackend(1, 10*time.Millisecond)
		defer b.stop()
		first := b.enqueue()

		ctx, leave := context.WithCancel(t.Context())
		returned := make(chan struct{})
		go func() {
			defer close(returned)
			b.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil).WithContext(ctx))
		}()
		synctest.Wait()
		leave()
		<-returned // the handler does not wait for the slot
		synctest.Wait()
		if got := b.backlog(); got != 1 {
			t.Fatalf("backlog %d after the caller left, want 1: its job stays", got)
		}

		start := time.Now()
		last := b.enqueue()
		<-first.done
		<-last.done
		if got, want := time.Since(start), 30*time.Millisecond; got != want {
			t.Errorf("the job behind it ended after %s, want %s", got, want)
		}
		if got := b.completed.Load(); got != 3 {
			t.Errorf("completed %d jobs, want 3", got)
		}
	})
}

func TestBackendIdleSlotBeginsOnArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBackend(1, 10*time.Millisecond)
		defer b.stop()
		<-b.enqueue().done
		time.Sleep(time.Second)
		start := time.Now()
		<-b.enqueue().done
		if got := time.Since(start); got != 10*time.Millisecond {
			t.Errorf("took %s, want the service time", got)
		}
	})
}

func TestBackendStopForgetsItsQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBackend(1, 10*time.Millisecond)
		for range 100 {
			b.enqueue()
		}
		synctest.Wait()
		b.stop()
		if got := b.completed.Load(); got != 1 {
			t.Errorf("completed %d jobs, want only the one that was begun", got)
		}
	})
}

func TestBackendDelaysAnswersAndHoldsNoSlotForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		b := newBackend(1, 10*ms)
		defer b.stop()
		phases := []phase{{name: "before", length: 100 * ms}, {name: "slower", length: 200 * ms, delay: 50 * ms}}
		go b.follow(t.Context(), phases)
		var answers sync.WaitGroup
		ask := func(n int, want ...time.Duration) {
			start := time.Now()
			for i := range n {
				answers.Go(func() {
					time.Sleep(time.Duration(i) * ms) // in order
					b.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
					if got := time.Since(start); got != want[i]*ms {
						t.Errorf("answer %d after %s, want %s", i, got, want[i]*ms)
					}
				})
			}
		}
		ask(2, 10, 20)
		answers.Wait()
		time.Sleep(100 * ms)
		ask(3, 60, 70, 80)
		answers.Wait()
	})
}
