package mix

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/section"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/internal/golden"
	"github.com/plimsoll-go/plimsoll/retry"
)

// decode reads a file that has others beside it.
func decode(text string, others map[string]string) (*Mix, error) {
	r := newReader("dir/mix.yaml")
	r.open = func(name string) ([]byte, error) {
		if data, ok := others[name]; ok {
			return []byte(data), nil
		}
		return nil, fs.ErrNotExist
	}
	return r.mix(r.file([]byte(text), newDraft(strict.Value{})))
}

const full = `
defaults:
  deadline: 300ms
  headers: {X-A: 1, X-B: yes}
  tenants: 2
  retries: 1
classes:
  checkout:
    weight: 0.7
    criticality: CRITICAL_PLUS
    level: 12
    deadline: 200ms
    tenants: [ann, bob]
    skew: 1
    protocol: http2
    method: PUT
    path: /cart?id=1
    headers: {x-b: 2, Host: shop.example}
    bodyFile: cart.json
    retries: 3
    backoff: 50ms
    maxBackoff: 1s
    jitter: none
    budget: 10%
    heed: true
  search:
    path: /search/{{.Int 1 9}}
    tenantPrefix: u
  feed:
    criticality: UNSET
    protocol: grpc
    method: /a.b.Feed/Get
    templateFile: feed.json
    retries: none
`

func TestFile(t *testing.T) {
	m, err := decode(full, map[string]string{"dir/cart.json": "{}", "dir/feed.json": `{"of":"{{.Tenant}}"}`})
	if err != nil {
		t.Fatal(err)
	}
	checkout, search, feed := *m.Classes[0], *m.Classes[1], *m.Classes[2]
	checkout.Tenants.upTo = nil
	if want := (Class{
		Name: "checkout", Weight: 0.7, Criticality: class.CriticalPlus, Level: 12, Deadline: 200 * time.Millisecond, Protocol: HTTP2, Method: "PUT", Path: "/cart?id=1",
		Header: http.Header{"X-A": {"1"}, "X-B": {"2"}, "Host": {"shop.example"}}, Body: &Body{Bytes: []byte("{}")}, Tenants: &Tenants{Names: []string{"ann", "bob"}, Skew: 1},
		Retry: Retry{Attempts: 4, Backoff: retry.Backoff{Base: 50 * time.Millisecond, Max: time.Second, Jitter: retry.NoJitter}, Budget: 0.1, Heed: true},
	}); !reflect.DeepEqual(checkout, want) {
		t.Errorf("checkout:\n%+v, want\n%+v", checkout, want)
	}
	if search.Weight != 1 || search.Deadline != 300*time.Millisecond || search.Method != "GET" || search.PathOf == nil || search.Retry.Attempts != 2 ||
		!reflect.DeepEqual(search.Tenants.Names, []string{"u1", "u2"}) || !reflect.DeepEqual(search.Header, http.Header{"X-A": {"1"}, "X-B": {"yes"}}) {
		t.Errorf("search: %+v", search)
	}
	if feed.Method != "a.b.Feed/Get" || feed.Body.Template == nil || feed.Retry.Attempts != 1 || !reflect.DeepEqual(feed.Tenants.Names, []string{"tenant-1", "tenant-2"}) {
		t.Errorf("feed: %+v", feed)
	}
}

// Every fault is named, with the line that it is in.
func TestFileFaults(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "dir/mix.yaml: want classes; the file is empty"},
		{"no object", "hello", "dir/mix.yaml:1: want keys with values (defaults, classes), have hello"},
		{"no YAML", "classes: [", "dir/mix.yaml:1: want YAML: did not find expected node content"},
		{"no classes", "defaults: {}", "dir/mix.yaml:1: want classes: names with their keys"},
		{"none of them", "classes: {}", "dir/mix.yaml:1: classes: want one class at least"},
		{"twice", "classes: {a: {}, a: {}}", "dir/mix.yaml:1: classes.a: want the key once; it stands in line 1 already"},
		{"a name", "classes: {a b: {}}", "dir/mix.yaml:1: classes.a b: want a name of 64 letters, digits, '_', '-' and '.' at most"},
		{"a class of nothing", "classes: {a: }", "dir/mix.yaml:1: classes.a: want keys with values (" + strings.Join(keyNames(), ", ") + "), have nothing"},
		{"every kind of fault", `
defaults:
  deadline: 300
  retires: 2
classes:
  a:
    weight: 0
    criticality: CRITCAL
    level: 128
    deadline: 0
    bodyFile: no.json
  b:
    weight: -1
    template: "{{.Tenent}}"
    headers: {Content-Length: 5, X-Request-Criticality: CRITICAL, "X Y": 1, X-A: "a\nb"}
    path: no slash
  c:
    weight: .nan
    weigth: 1
    templateFile: broken.json
    tenants: []
    budget: 0.1
    backoff: 1s
    maxBackoff: 1ms
  d:
    protocol: grpc
    skew: 1
    level: tenant
  e:
    protocol: grpc
    method: GET
    path: /
  f:
    protocol: http3
    method: a.b/C
    weight: "1"
    tenants: 0
    retries: 1
    heed: yes
    body: [a]
    bodyFile: ""
`, `
dir/mix.yaml:3: defaults.deadline: want a duration that is not negative; it needs a unit right behind the number, such as 500ms, 2s or 1h30m, have 300
dir/mix.yaml:4: defaults.retires: want a known key; did you mean retries?
dir/mix.yaml:7: classes.a.weight: want a weight above 0, such as 0.7, have 0
dir/mix.yaml:8: classes.a.criticality: want CRITICAL_PLUS, CRITICAL, SHEDDABLE_PLUS, SHEDDABLE or UNSET (did you mean CRITICAL?), have CRITCAL
dir/mix.yaml:9: classes.a.level: want tenant or a whole number from 0 to 127, have 128
dir/mix.yaml:10: classes.a.deadline: want a duration above 0, have 0
dir/mix.yaml:11: classes.a.bodyFile: want a file that can be read (dir/no.json: file does not exist), have no.json
dir/mix.yaml:13: classes.b.weight: want a weight above 0, such as 0.7, have -1
dir/mix.yaml:14: classes.b.template: want a template that can be filled in: want one of .Tenant, .Class, .Criticality, .DeadlineMs, .Int, .Pick, .Hex, .UUID, have .Tenent (did you mean .Tenant?)
dir/mix.yaml:15: classes.b.headers.Content-Length: want a body instead: the load writes this header by itself
dir/mix.yaml:15: classes.b.headers.X-Request-Criticality: want criticality instead: the load writes this header by itself
dir/mix.yaml:15: classes.b.headers.X Y: want the name of a header, such as X-Plan, before its value, have 1
dir/mix.yaml:15: classes.b.headers.X-A: want a header's value on one line, have "a\nb"
dir/mix.yaml:16: classes.b.path: want a path that begins with / or ?, with spaces and the like encoded as in %20, have no slash
dir/mix.yaml:18: classes.c.weight: want a weight above 0, such as 0.7, have .nan
dir/mix.yaml:19: classes.c.weigth: want a known key; did you mean weight?
dir/mix.yaml:21: classes.c.tenants: want 1 to 100000 names
dir/mix.yaml:22: classes.c.budget: want a part with its sign, such as 10%, have 0.1
dir/mix.yaml:23: classes.c.backoff: want retries beside it, of which 1 or more are made
dir/mix.yaml:24: classes.c.maxBackoff: want a maxBackoff that is no shorter than the backoff, 1s
dir/mix.yaml:26: classes.d.protocol: want a method too, such as package.Service/Method: the protocol is grpc
dir/mix.yaml:27: classes.d.skew: want tenants beside it
dir/mix.yaml:28: classes.d.level: want tenants beside it: the level is a hash of the tenant
dir/mix.yaml:31: classes.e.method: want package.Service/Method as the protocol is grpc, have GET
dir/mix.yaml:34: classes.f.protocol: want http1, http2 or grpc, have http3
dir/mix.yaml:35: classes.f.method: want an HTTP method such as POST, or protocol grpc beside it, have a.b/C
dir/mix.yaml:36: classes.f.weight: want a weight above 0, such as 0.7, have "1"
dir/mix.yaml:37: classes.f.tenants: want names of tenants, or a whole number from 1 to 100000, have 0
dir/mix.yaml:39: classes.f.heed: want true or false, have yes
dir/mix.yaml:40: classes.f.body: want the text of a body, have a list
dir/mix.yaml:41: classes.f.bodyFile: want the path of a file, have ""
dir/mix.yaml:41: classes.f.bodyFile: want one of body, bodyFile, template and templateFile
dir/broken.json:2: want a template that can be filled in: missing value for command`},
	} {
		_, err := decode(tt.text, map[string]string{"dir/broken.json": "{\n{{}}\n}"})
		if err == nil {
			t.Errorf("%s: no fault", tt.name)
			continue
		}
		have, want := strings.Split(err.Error(), "\n"), strings.Split(strings.TrimPrefix(tt.want, "\n"), "\n")
		for i := range max(len(have), len(want)) {
			h, w := "", ""
			if i < len(have) {
				h = have[i]
			}
			if i < len(want) {
				w = want[i]
			}
			if h != w {
				t.Errorf("%s, %d:\n%s, want\n%s", tt.name, i, h, w)
			}
		}
	}
}

func TestFileOrFlags(t *testing.T) {
	_, err := (&Flags{File: "no-such.yaml", Class: []string{"critical"}}).Mix(false)
	if want := "no-such.yaml: want a file that can be read: no such file or directory\n--mix: want either --class or --mix"; err == nil || err.Error() != want {
		t.Errorf("%v, want\n%s", err, want)
	}
}

const (
	schemaFile = "../../../../schema/mix.schema.json"
	example    = "../../mix.example.yaml"
	page       = "../../../../docs/load.md"
)

func TestSchemaIsPublished(t *testing.T) {
	want, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, schemaFile, string(want))
}

// The page of the load has every key, and every value of templates.
func TestPageHasEveryKey(t *testing.T) {
	var b strings.Builder
	fmt.Fprint(&b, "| key | with `--class` | value | meaning |\n|---|---|---|---|\n")
	for _, k := range keys {
		flag := "`" + kebab(k.name) + "=`"
		if k.name == "weight" || k.name == "criticality" {
			flag = "first"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.name, flag, k.shape, strings.ReplaceAll(k.doc, "|", `\|`))
	}
	want, err := section.Replaced(page, "keys", b.String())
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, page, want)
	methods := reflect.TypeFor[Values]()
	if methods.NumMethod() != len(values) {
		t.Errorf("templates may use %d values, and there are %d", len(values), methods.NumMethod())
	}
	for _, name := range values {
		if _, ok := methods.MethodByName(name); !ok {
			t.Errorf("templates may use .%s, which there is not", name)
		}
		if !strings.Contains(want, "`{{."+name) {
			t.Errorf("docs/load.md has no {{.%s}}", name)
		}
	}
}

// compiled is the schema, checked against its own dialect.
func compiled(t testing.TB) *jsonschema.Schema {
	t.Helper()
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mix.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mix.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var errNotJSON = errors.New("it is nothing that JSON has")

// validate asks the schema about a file.
func validate(s *jsonschema.Schema, text string) error {
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		return err
	}
	data, err := json.Marshal(v)
	if err != nil {
		return errNotJSON
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	if err != nil {
		return err
	}
	return s.Validate(doc)
}

// The example names its schema, has every key, and is whole.
func TestExample(t *testing.T) {
	data, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	if !strings.HasPrefix(text, "# yaml-language-server: $schema=../../schema/mix.schema.json\n") {
		t.Error("the example does not begin with the line that tells an editor its schema")
	}
	if err := validate(compiled(t), text); err != nil {
		t.Error(err)
	}
	if _, err := (&Flags{File: example}).Mix(false); err != nil {
		t.Error(err)
	}
	for _, k := range keys {
		if !strings.Contains(text, " "+k.name+": ") {
			t.Errorf("the example has no %s", k.name)
		}
	}
}

func TestSchemaAcceptsGoodFiles(t *testing.T) {
	if err := validate(compiled(t), full); err != nil {
		t.Error(err)
	}
}

// What the schema can know to be wrong, both refuse.
func TestSchemaRefusesBadFiles(t *testing.T) {
	s := compiled(t)
	for _, text := range []string{
		"hello", "- a", "classes: {}", "classes: [a]", "defaults: {}", "classes: {a b: {}}", "classes: {a: 1}", "clases: {a: {}}", "defaults: {weight: 1}\nclasses: {a: {}}",
		"classes: {a: {weigth: 1}}", "classes: {a: {weight: 0}}", "classes: {a: {weight: -1}}", "classes: {a: {weight: '1'}}", "classes: {a: {criticality: HIGH}}",
		"classes: {a: {level: 128}}", "classes: {a: {level: user}}", "classes: {a: {deadline: 5}}", "classes: {a: {deadline: 5 s}}", "classes: {a: {deadline: 0}}",
		"classes: {a: {tenants: 0}}", "classes: {a: {tenants: []}}", "classes: {a: {tenants: all}}", "classes: {a: {tenants: 5, skew: -1}}", "classes: {a: {tenants: 5, skew: 21}}",
		"classes: {a: {protocol: http3}}", "classes: {a: {headers: [a]}}", "classes: {a: {headers: {a b: c}}}", "classes: {a: {body: {file: a}}}",
		"classes: {a: {retries: 16}}", "classes: {a: {retries: some}}", "classes: {a: {retries: 1, jitter: half}}", "classes: {a: {retries: 1, budget: 10}}", "classes: {a: {retries: 1, heed: 1}}",
		"classes: {a: {body: a, template: b}}",
	} {
		if validate(s, text) == nil {
			t.Errorf("the schema accepts %s", text)
		}
		if _, err := decode(text, nil); err == nil {
			t.Errorf("the reader accepts %s", text)
		}
	}
}
