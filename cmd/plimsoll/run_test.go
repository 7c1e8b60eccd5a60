package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/bounds"
	"github.com/plimsoll-go/plimsoll/internal/deaf"
)

// TestMain lets the test binary be the program, for tests that need a process.
func TestMain(m *testing.M) {
	if args := os.Getenv("PLIMSOLL_TEST_ARGS"); args != "" {
		os.Exit(run(strings.Split(args, " "), os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// call runs the program in this process.
func call(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return code, out.String(), errs.String()
}

func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "gate.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// sound is a configuration without faults.
const sound = "version: 1\nupstreams: {shop: {endpoints: [http://127.0.0.1:8081]}}\n"

// freePort is an address at which a program can be told to listen.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestEveryCommandHasHelpWithAnExample(t *testing.T) {
	seen := 0
	var look func(node *kong.Node, args []string)
	look = func(node *kong.Node, args []string) {
		seen++
		command := strings.Join(args, " ")
		code, out, _ := call(append(args, "--help")...)
		_, example, found := strings.Cut(out, "Example:\n")
		if code != 0 || !found || !strings.Contains(example, "plimsoll "+strings.TrimSuffix(command, " run")) {
			t.Errorf("%s --help: exit %d\n%s", command, code, out)
		}
		for _, f := range node.Flags {
			if f.HasDefault && !f.IsBool() && !strings.Contains(f.FormatPlaceHolder()+f.Help, f.Default) {
				t.Errorf("%s --help does not say that --%s is %s by default", command, f.Name, f.Default)
			}
		}
		for _, c := range node.Children {
			look(c, append(slices.Clone(args), c.Name))
		}
	}
	look(newParser(io.Discard, io.Discard).Model.Node, nil)
	if seen < 25 {
		t.Errorf("%d commands", seen)
	}
	for _, args := range [][]string{nil, {"--help"}, {"help"}, {"help", "proxy"}} {
		if code, out, _ := call(args...); code != 0 || !strings.Contains(out, "proxy") {
			t.Errorf("%q: exit %d\n%s", args, code, out)
		}
	}
}

func TestVersion(t *testing.T) {
	for _, args := range []string{"version", "--version"} {
		if code, out, _ := call(args); code != 0 || !strings.HasPrefix(out, "plimsoll ") {
			t.Errorf("%s: exit %d, %q", args, code, out)
		}
	}
}

// What is wanted of a command line that is none.
func TestMisreadCommandLines(t *testing.T) {
	for args, want := range map[string]string{
		"prox":             "prox: want a command of plimsoll; did you mean proxy?",
		"prox --listen :1": "--listen: want a flag of plimsoll; see --help\nprox: want a command of plimsoll; did you mean proxy?",
		"-v":               "-v: want a flag of plimsoll; see --help",
		"size":             "plimsoll size: want a command: queue, concurrency, burst, wait, refusal, retries, deadline, critical; see plimsoll size --help",
		"size brust":       "brust: want a command of plimsoll size; did you mean burst?",
		"sim nothing":      "nothing: want a command of plimsoll sim: run, compare, sweep, list, trace, arena, reference",
		"version now":      "now: want no further argument of plimsoll version; see plimsoll version --help",
		"demo --story foo": `--story: want one of "overload", "checkout", have "foo"`,
		"top":              "<admin>: want an argument: The proxy's admin port, such as 127.0.0.1:9090.",
		"check":            "<file>: want the configuration to check, or --schema or --doc",
	} {
		if code, out, errs := call(strings.Fields(args)...); code != 2 || out != "" || errs != want+"\n" {
			t.Errorf("%s: exit %d, %q, have\n%s\nwant\n%s", args, code, out, errs, want)
		}
	}
}

// Every fault of a command line and of the file it names, at once, and
// nothing listens.
func TestH19WrongInputExits2(t *testing.T) {
	listen := freePort(t)
	name := file(t, "version: 1\ngats: 5\ntimeout: 600\nlisteners: [{address: \""+listen+"\"}]\n")
	code, out, errs := call("proxy", "--config", name, "--limit", "-1", "--foo", "3", "--maxWait=4", "--timeout", "NaN")
	want := []string{
		name + ":2: gats: want a known key; did you mean gates?",
		name + ":3: timeout: want a duration that is not negative; it needs a unit right behind the number, such as 500ms, 2s or 1h30m, have 600",
		name + ": upstreams: want the service to protect, such as {shop: {endpoints: [http://127.0.0.1:8081]}}",
		"--foo: want a flag of plimsoll proxy; see --help",
		"--maxWait: want a flag of plimsoll proxy; did you mean --max-wait?",
		"--limit: want auto or a whole number from 1 to 1048576, have -1",
		"--timeout: want a duration that is not negative; it needs a unit right behind the number, such as 500ms, 2s or 1h30m, have NaN",
	}
	have := strings.Split(strings.TrimSpace(errs), "\n")
	slices.Sort(have)
	slices.Sort(want)
	if code != 2 || out != "" || !slices.Equal(have, want) {
		t.Errorf("exit %d, %q\nhave\n%s\nwant\n%s", code, out, strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
	if conn, err := net.Dial("tcp", listen); err == nil {
		conn.Close()
		t.Error("it listens")
	}
}

func TestWrongCommandLines(t *testing.T) {
	for _, args := range [][]string{
		{"prxy"}, {"proxy"}, {"proxy", "extra"}, {"proxy", "--limit"}, {"check"}, {"check", "--deep", file(t, sound)},
		{"check", "/does/not/exist"}, {"version", "--long"}, {"--upstream", "http://a"},
	} {
		if code, out, errs := call(args...); code != 2 || out != "" || errs == "" {
			t.Errorf("%q: exit %d, %q, %q", args, code, out, errs)
		}
	}
}

func TestMissingArgumentIsExplained(t *testing.T) {
	for _, command := range []string{"top", "recover"} {
		if _, _, errs := call(command); !strings.Contains(errs, "127.0.0.1:9090") {
			t.Errorf("%s: %s", command, errs)
		}
	}
}

func TestEveryMissingArgumentIsNamed(t *testing.T) {
	code, _, errs := call("load", "compare")
	if code != 2 || !strings.Contains(errs, "<a>: want an argument: ") || !strings.Contains(errs, "<b>: want an argument: ") {
		t.Errorf("exit %d, %s", code, errs)
	}
}

func TestCheckPrintsWhatItMeans(t *testing.T) {
	name := file(t, sound+"maxTimeout: 600s\n")
	code, out, _ := call("check", "--offline", name)
	if code != 0 || !strings.Contains(out, "maxTimeout: 10m0s\n") || !strings.Contains(out, "    limit: auto\n") {
		t.Errorf("exit %d\n%s", code, out)
	}
	if code, _, errs := call("check", file(t, "version: 1\ntimeout: 0.5\n")); code != 2 || strings.Count(errs, "\n") != 2 {
		t.Errorf("exit %d\n%s", code, errs)
	}
}

// What is printed is a file that means the same, chain of bounds and all.
func TestCheckPrintsAFile(t *testing.T) {
	name := file(t, sound)
	_, first, _ := call("check", "--offline", name)
	if !strings.Contains(first, "\n#   connections ") || strings.Contains(first, "no proxy was read") {
		t.Errorf("no chain of bounds:\n%s", first)
	}
	yaml := func(s string) string { before, _, _ := strings.Cut(s, "\n#"); return before }
	code, second, errs := call("check", file(t, strings.Replace(first, "127.0.0.1:9090", deaf.Address(t), 1)))
	if code != 0 || !strings.Contains(second, "\n# no proxy was read: ") {
		t.Errorf("exit %d, %s\n%s", code, errs, second)
	}
	if code, third, _ := call("check", "--offline", file(t, first)); code != 0 || yaml(third) != yaml(first) {
		t.Errorf("exit %d\n%s\nwas\n%s", code, third, first)
	}
}

func TestCheckWarns(t *testing.T) {
	const few = "listeners: [{address: ':8080', maxConnections: 100}]\n" // descriptors for them are everywhere
	name := file(t, sound+"gates: {shop: {maxWait: 20s}}\n"+few)
	want := "warning: " + name + ":3: gates.shop.maxWait: a wait of 20s never ends by this bound"
	for args, exit := range map[string]int{"": 0, "--strict": 1} {
		code, out, errs := call(append([]string{"check", "--offline", name}, strings.Fields(args)...)...)
		if code != exit || out == "" || !strings.HasPrefix(errs, want) {
			t.Errorf("%s: exit %d, %q", args, code, errs)
		}
	}
	if code, _, errs := call("check", "--offline", "--strict", file(t, sound+few)); code != 0 || errs != "" {
		t.Errorf("a sound file: exit %d, %q", code, errs)
	}
	code, out, errs := call("check", "--offline", "--json", name)
	var chain bounds.Chain
	if err := json.Unmarshal([]byte(out), &chain); err != nil || code != 0 || errs != "" || len(chain.Bounds) < 15 || len(chain.Warnings) != 1 {
		t.Errorf("--json: exit %d, %q, %v, %d bounds, %v", code, errs, err, len(chain.Bounds), chain.Warnings)
	}
}

// A running proxy is read, and what of the file it does not have yet is said.
func TestCheckReadsTheRunningProxy(t *testing.T) {
	text := sound + "admin: " + freePort(t) + "\nlisteners: [{address: \"127.0.0.1:0\", maxConnections: 100}]\n"
	name := file(t, text+"gates: {shop: {limit: 7}}\n")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PLIMSOLL_TEST_ARGS=proxy --no-watch --config "+name)
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(errs)
	for lines.Scan() && !strings.Contains(lines.Text(), "msg=serving") {
	}
	code, out, said := call("check", name)
	if want := fmt.Sprintf("# The chain of bounds, as the running proxy (process %d) has it:", cmd.Process.Pid); code != 0 || said != "" || !strings.Contains(out, want) || !regexp.MustCompile(` 7, used 0 +\(`+regexp.QuoteMeta(name)+`:5\)\n`).MatchString(out) {
		t.Errorf("exit %d, %s\n%s", code, said, out)
	}
	if err := os.WriteFile(name, []byte(text+"gates: {shop: {limit: 8}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := "warning: " + name + ":5: gates.shop.limit: the running proxy has 7 for requests in flight at gate shop, and not 8; reload it\n"
	if code, _, said := call("check", "--strict", name); code != 1 || !strings.HasPrefix(said, want) {
		t.Errorf("exit %d, %s", code, said)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestCheckSchema(t *testing.T) {
	code, out, _ := call("check", "--schema")
	if code != 0 || !json.Valid([]byte(out)) || !strings.Contains(out, "2020-12") {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// Certificates and keys that are not there yet are no fault where nobody looks.
func TestCheckWithoutFiles(t *testing.T) {
	name := file(t, sound+"trust: {keys: [{id: a, file: nothing.key}]}\n")
	if code, _, errs := call("check", "--offline", name); code != 2 || !strings.Contains(errs, ":3: trust.keys[0].file: want a file that can be used") {
		t.Errorf("exit %d, %s", code, errs)
	}
	if code, _, errs := call("check", "--offline", "--no-files", name); code != 0 {
		t.Errorf("exit %d, %s", code, errs)
	}
}

func TestPortTakenExits1(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	code, _, errs := call("proxy", "--upstream", "http://127.0.0.1:1", "--admin", "127.0.0.1:0", "--listen", l.Addr().String())
	if code != 1 || !strings.HasPrefix(errs, "plimsoll: proxy: listen: ") {
		t.Errorf("exit %d, %q", code, errs)
	}
}

func TestSignalEndsInOrder(t *testing.T) {
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "PLIMSOLL_TEST_ARGS=proxy --listen 127.0.0.1:0 --admin 127.0.0.1:0 --upstream http://127.0.0.1:1")
		errs, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(errs)
		serving := regexp.MustCompile(`msg=serving .*listen=127\.0\.0\.1:\d+`)
		var said []string
		for lines.Scan() {
			said = append(said, lines.Text())
			if serving.MatchString(lines.Text()) {
				if err := cmd.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); err != nil || !strings.Contains(strings.Join(said, "\n"), "msg=drained") {
			t.Errorf("%s: %v\n%s", signal, err, strings.Join(said, "\n"))
		}
	}
}
