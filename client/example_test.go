package client_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/retry"
)

func ExampleClient_Do() {
	c, err := client.New(client.Config{Retry: retry.Policy{Backoff: retry.Backoff{Base: time.Millisecond}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	tries := 0
	err = c.Do(context.Background(), client.Op{Repeatable: true}, func(context.Context) error {
		if tries++; tries == 1 {
			return errors.New("connection reset")
		}
		return nil
	})
	fmt.Println(tries, err)

	err = c.Do(context.Background(), client.Op{}, func(context.Context) error { return errors.New("connection reset") })
	fmt.Println(err)
	// Output:
	// 2 <nil>
	// client: not_repeatable, after 1 attempt: connection reset
}

func ExampleGet() {
	c, err := client.New(client.Config{Hedge: &retry.HedgeConfig{After: 10 * time.Millisecond}})
	if err != nil {
		fmt.Println(err)
		return
	}
	// The first replica that is asked hangs; what it says is never used.
	replicas := make(chan string, 2)
	replicas <- "a"
	replicas <- "b"
	price, err := client.Get(context.Background(), c, client.Op{Repeatable: true, Hedge: true},
		func(ctx context.Context) (string, error) {
			replica := <-replicas
			if replica == "a" {
				<-ctx.Done()
				return "", ctx.Err()
			}
			return "42 by " + replica, nil
		}, nil)
	fmt.Println(price, err)
	// Output:
	// 42 by b <nil>
}
