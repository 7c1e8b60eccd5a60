package manual

import (
	"strings"
	"testing"
)

func TestMatches(t *testing.T) {
	for name, c := range map[string]struct {
		promised, output string
		want             bool
	}{
		"the same":          {"a\nb\n", "a\nb\n", true},
		"a line less":       {"a\nb\n", "a\n", false},
		"a line more":       {"a\n", "a\nb\n", false},
		"other figures":     {"waited 12.5ms, 0.3\n", "waited  1s, 1.75\n", true},
		"a unit for a word": {"12ms\n", "12 miles\n", false},
		"another number":    {"HTTP/1.1 200 OK\n", "HTTP/1.1 503 OK\n", false},
		"a part":            {"at … ready\n", "at 10:00, line 3: ready\n", true},
		"any lines":         {"a\n…\nd\n", "a\nb\nc\nd\n", true},
		"none of any lines": {"a\n…\nd\n", "a\nd\n", true},
		"no pattern":        {"a.c\n", "abc\n", false},
		"nothing":           {"", "", true},
	} {
		if got := Matches(c.promised, c.output); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestParse(t *testing.T) {
	blocks, err := Parse("# A\n```sh\nx\n```\nprints\n```text\ny\n```\n```yaml\n# a-b.yaml\nz: 1\n```\n```js\n// s.mjs\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range blocks {
		got = append(got, b.Kind+" "+b.File)
	}
	if s := strings.Join(got, ","); s != "sh ,text ,yaml a-b.yaml,js s.mjs" {
		t.Error(s)
	}
	for fault, page := range map[string]string{
		"no word":                "```\nx\n```\n",
		"a file without a name":  "```yaml\nx: 1\n```\n",
		"output of nothing":      "```text\nx\n```\n",
		"no end":                 "```sh\nx\n",
		"a block inside another": "```sh\n```text\n```\n",
	} {
		if _, err := Parse(page); err == nil {
			t.Errorf("%s is no fault", fault)
		}
	}
}

func TestReader(t *testing.T) {
	for page, want := range map[string]string{
		"```sh\ntrue\n```":                                                             "",
		"```sh\nfalse\ntrue\n```":                                                      "fail",
		"```sh\necho 1s\n```\n```text\n2.5ms\n```":                                     "",
		"```sh\necho a\n```\n```text\nb\n```":                                          "promises",
		"```sh\nx=a\n```\n```sh\necho $x\n```\n```text\na\n```":                        "",
		"```conf\n# f.conf\n```\n```sh\ncat f.conf\n```\n```text\n# f.conf\n```":       "",
		"```sh\necho 127.0.0.1:8080\n```\n```text\n…:8080\n```":                        "",
		"```sh\necho a\n(read x && echo b || echo none) &\n```\n```text\na\nnone\n```": "",
	} {
		if err := follow(t, page); want == "" && err != nil {
			t.Errorf("%s\n%v", page, err)
		} else if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s\nwant a fault with %q, have %v", page, want, err)
		}
	}
}

func follow(t *testing.T, page string) error {
	blocks, err := Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	ports, err := NewPorts(blocks)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(t.TempDir(), t.TempDir(), t.TempDir(), ports)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for i, b := range blocks {
		var next *Block
		if i+1 < len(blocks) {
			next = &blocks[i+1]
		}
		if err := r.Follow(b, next); err != nil {
			return err
		}
	}
	return nil
}
