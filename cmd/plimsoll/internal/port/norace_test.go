//go:build !race

package port

const raced = false
