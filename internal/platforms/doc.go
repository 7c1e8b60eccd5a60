// Package platforms holds that the simulator gives the same reports on every
// platform. Its test builds the tests of package sim for 386 and for wasm and
// runs TestGolden there: 386 by itself where the kernel takes such programs and
// by qemu-i386 of QEMU 8 or later where it does not, wasm by Node.
package platforms
