package web

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// Order asks the client for requests: so many on each of [Connections]
// connections, one at a time.
type Order struct {
	Addr    string
	Request string
	Status  int
	Each    int
}

// report is what became of an order. Fault is empty when all went well.
type report struct{ Fault string }

// Client is the other end of a process that runs [Load].
type Client struct {
	orders  *json.Encoder
	reports *json.Decoder
	close   func() error
}

// StartClient starts a program, which must call [Load], or [Obey], with its
// standard input and output, in a process of its own.
func StartClient(path string, args ...string) (*Client, error) {
	cmd := exec.Command(path, args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &Client{
		orders:  json.NewEncoder(in),
		reports: json.NewDecoder(out),
		close:   func() error { in.Close(); return cmd.Wait() },
	}, nil
}

// Do carries an order out and returns when all its answers have arrived.
func (c *Client) Do(order any) error {
	if err := c.orders.Encode(order); err != nil {
		return err
	}
	var r report
	if err := c.reports.Decode(&r); err != nil {
		return err
	}
	if r.Fault != "" {
		return fmt.Errorf("%s", r.Fault)
	}
	return nil
}

// Close ends the other process.
func (c *Client) Close() error { return c.close() }

// Load carries out the orders that arrive on in and reports on out, until in
// ends.
func Load(in io.Reader, out io.Writer) error {
	clients := make(map[string]*callers)
	defer func() {
		for _, c := range clients {
			c.close()
		}
	}()
	return Obey(in, out, func(order json.RawMessage) error {
		var o Order
		if err := json.Unmarshal(order, &o); err != nil {
			return err
		}
		c := clients[o.Addr]
		if c == nil {
			c = new(callers)
			clients[o.Addr] = c
		}
		return c.do(o)
	})
}

// Obey has the orders that arrive on in carried out and reports on out, until
// in ends.
func Obey(in io.Reader, out io.Writer, do func(json.RawMessage) error) error {
	orders, reports := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var order json.RawMessage
		if err := orders.Decode(&order); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		var r report
		if err := do(order); err != nil {
			r.Fault = err.Error()
		}
		if err := reports.Encode(r); err != nil {
			return err
		}
	}
}
