package replay

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// What each attempt gets of a body that is ten bytes long.
func TestBody(t *testing.T) {
	const whole = "0123456789"
	for _, c := range []struct {
		name    string
		bound   int64
		unknown bool // its length
		made    bool // anew, by the request
		reads   int  // of the first attempt; 11: all, and its end
		again   bool // there is a second attempt
	}{
		{"within the bound", 10, false, false, 11, true},
		{"within the bound, half read", 10, false, false, 5, true},
		{"over the bound", 9, false, false, 11, false},
		{"over the bound, one byte read", 9, false, false, 1, false},
		{"over the bound, nothing read", 9, false, false, 0, false},
		{"of unknown length, within the bound", 10, true, false, 11, true},
		{"of unknown length, over the bound", 9, true, false, 11, false},
		{"of unknown length, less than the bound read", 9, true, false, 9, true},
		{"nothing is kept, nothing read", 0, true, false, 0, true},
		{"nothing is kept, one byte read", 0, true, false, 1, false},
		{"made anew", 0, false, true, 11, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			closed := 0
			r := &http.Request{ContentLength: 10, Body: closing{strings.NewReader(whole), &closed}}
			if c.unknown {
				r.ContentLength = -1
			}
			if c.made {
				r.GetBody = func() (io.ReadCloser, error) { return closing{strings.NewReader(whole), &closed}, nil }
			}
			b := Of(r, c.bound)
			if b.Made() != c.made {
				t.Errorf("made: %v", b.Made())
			}
			first, err := b.Next()
			if err != nil {
				t.Fatal(err)
			}
			if !c.made && b.Possible() {
				t.Error("it can be sent again while it is being sent")
			}
			if c.reads > len(whole) {
				_, err = io.ReadAll(first)
			} else {
				_, err = io.ReadFull(first, make([]byte, c.reads))
			}
			if err != nil || first.Close() != nil {
				t.Fatal(err)
			}
			if n, err := first.Read(make([]byte, 1)); n != 0 || !c.made && err != http.ErrBodyReadAfterClose {
				t.Errorf("closed, it reads %d, %v", n, err)
			}
			first.Close()
			if b.Possible() != c.again {
				t.Fatalf("it can be sent again: %v", b.Possible())
			}
			second, err := b.Next()
			if (err == nil) != c.again {
				t.Fatal(err)
			}
			if err == nil {
				if have, err := io.ReadAll(second); string(have) != whole || err != nil {
					t.Errorf("the second attempt gets %q, %v", have, err)
				}
			}
			b.Finish()
			if err == nil {
				if !c.made && closed != 0 {
					t.Error("closed before the last attempt is done")
				}
				second.Close()
				second.Close()
			}
			if !c.made && closed != 1 {
				t.Errorf("closed %d times", closed)
			}
		})
	}
}

// No body is as good as any.
func TestNoBody(t *testing.T) {
	for _, body := range []io.ReadCloser{nil, http.NoBody} {
		b := Of(&http.Request{Body: body}, 0)
		if again, err := b.Next(); err != nil || again != http.NoBody || !b.Possible() {
			t.Error(again, err)
		}
		b.Finish()
	}
}

type closing struct {
	io.Reader
	times *int
}

func (c closing) Close() error { *c.times++; return nil }

// An attempt that has read the end of the body, and has not closed it yet, is
// done with it: its transport may close it much later.
func TestReadToItsEndIsDone(t *testing.T) {
	closed := 0
	b := Of(&http.Request{ContentLength: 3, Body: closing{strings.NewReader("abc"), &closed}}, 3)
	var readers []io.ReadCloser
	for range 3 {
		r, err := b.Next()
		if err != nil {
			t.Fatal(err)
		}
		if have, err := io.ReadAll(r); string(have) != "abc" || err != nil {
			t.Errorf("%q, %v", have, err)
		}
		readers = append(readers, r)
	}
	b.Finish()
	for i, r := range readers {
		if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("reader %d: %d, %v", i, n, err)
		}
		if r.Close(); closed != i/2 {
			t.Errorf("reader %d closed: the body is closed %d times", i, closed)
		}
	}
}

// An attempt that has read as much as the request is said to have is done with
// it, and need not have looked for the end: nothing that follows is asked for.
func TestReadAsLongAsItIsSaidToBe(t *testing.T) {
	for _, c := range []struct {
		length int64
		read   int
		done   bool
	}{{3, 3, true}, {3, 2, false}, {0, 3, false}, {-1, 3, false}} { // 0 and a body: its length is not known
		closed := 0
		b := Of(&http.Request{ContentLength: c.length, Body: closing{strings.NewReader("abcdef"), &closed}}, 6)
		first, err := b.Next()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(first, make([]byte, c.read)); err != nil || b.Possible() != c.done {
			t.Errorf("%d of %d read: another attempt is possible: %v, %v", c.read, c.length, b.Possible(), err)
		}
		if !c.done {
			continue
		}
		second, err := b.Next()
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range []io.Reader{first, second} {
			if have, err := io.ReadAll(r); len(have) != 3*i || err != nil {
				t.Errorf("attempt %d reads on: %q, %v", i+1, have, err)
			}
		}
	}
}
