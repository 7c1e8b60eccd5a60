// Package page writes what simulated runs, a sweep of them or a load on a real
// service came to as one HTML page: plots that need no script, and every figure
// in tables beside them. The page asks no network for anything.
package page
