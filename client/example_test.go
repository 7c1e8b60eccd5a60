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
	// client: not_repeatable, after 1 attempts: connection reset
}
