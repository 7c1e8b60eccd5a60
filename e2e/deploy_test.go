package e2e

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// The types have of Kubernetes' objects what deploy/kubernetes uses of them: a
// key that is in the wrong place, or misspelt, is a fault.
type (
	manifest struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string `yaml:"kind"`
		Metadata   struct {
			Name string `yaml:"name"`
		} `yaml:"metadata"`
		Data map[string]string `yaml:"data"`
		Spec struct {
			Replicas int         `yaml:"replicas"`
			Ports    []port      `yaml:"ports"`
			Selector yaml.Node   `yaml:"selector"`
			Template podTemplate `yaml:"template"`
		} `yaml:"spec"`
	}
	podTemplate struct {
		Metadata struct {
			Labels      map[string]string `yaml:"labels"`
			Annotations map[string]string `yaml:"annotations"`
		} `yaml:"metadata"`
		Spec struct {
			Grace      int         `yaml:"terminationGracePeriodSeconds"`
			Volumes    []volume    `yaml:"volumes"`
			Containers []container `yaml:"containers"`
		} `yaml:"spec"`
	}
	volume struct {
		Name      string `yaml:"name"`
		ConfigMap struct {
			Name string `yaml:"name"`
		} `yaml:"configMap"`
	}
	port struct {
		Name       string `yaml:"name"`
		Port       int    `yaml:"port"`
		TargetPort string `yaml:"targetPort"`
		Container  int    `yaml:"containerPort"`
	}
	container struct {
		Name         string   `yaml:"name"`
		Image        string   `yaml:"image"`
		Args         []string `yaml:"args"`
		Ports        []port   `yaml:"ports"`
		VolumeMounts []struct {
			Name      string `yaml:"name"`
			MountPath string `yaml:"mountPath"`
			ReadOnly  bool   `yaml:"readOnly"`
		} `yaml:"volumeMounts"`
		StartupProbe   probe `yaml:"startupProbe"`
		ReadinessProbe probe `yaml:"readinessProbe"`
		LivenessProbe  probe `yaml:"livenessProbe"`
		Resources      struct {
			Requests map[string]string `yaml:"requests"`
			Limits   map[string]string `yaml:"limits"`
		} `yaml:"resources"`
		SecurityContext struct {
			RunAsNonRoot             bool `yaml:"runAsNonRoot"`
			RunAsUser                int  `yaml:"runAsUser"`
			ReadOnlyRootFilesystem   bool `yaml:"readOnlyRootFilesystem"`
			AllowPrivilegeEscalation bool `yaml:"allowPrivilegeEscalation"`
			Capabilities             struct {
				Drop []string `yaml:"drop"`
			} `yaml:"capabilities"`
		} `yaml:"securityContext"`
		Lifecycle struct {
			PreStop struct {
				Exec struct {
					Command []string `yaml:"command"`
				} `yaml:"exec"`
			} `yaml:"preStop"`
		} `yaml:"lifecycle"`
	}
	probe struct {
		HTTPGet struct {
			Path string `yaml:"path"`
			Port string `yaml:"port"`
		} `yaml:"httpGet"`
		PeriodSeconds    int `yaml:"periodSeconds"`
		FailureThreshold int `yaml:"failureThreshold"`
	}
)

// No Kubernetes is asked: what the manifest says has to hang together, and the
// proxy has to understand its part.
func TestDeployKubernetes(t *testing.T) {
	file, err := os.Open("../deploy/kubernetes/sidecar.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	objects := map[string]manifest{}
	for d := strictly(file); ; {
		var m manifest
		err := d.Decode(&m)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		objects[m.Kind] = m
	}
	pod := objects["Deployment"].Spec.Template.Spec
	proxy, service := pod.Containers[0], pod.Containers[1]
	config := objects["ConfigMap"]

	if pod.Volumes[0].ConfigMap.Name != config.Metadata.Name || proxy.VolumeMounts[0].Name != pod.Volumes[0].Name {
		t.Error("the proxy does not see the configuration")
	}
	dir := t.TempDir()
	for name, text := range config.Data {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var c struct {
		Admin     string
		Listeners []struct{ Address string }
		Drain     struct{ Delay, Timeout time.Duration }
	}
	checked(t, proxy.Args, proxy.VolumeMounts[0].MountPath, dir, &c)
	drain := c.Drain.Delay + c.Drain.Timeout
	if grace := time.Duration(pod.Grace) * time.Second; grace <= drain {
		t.Errorf("the pod is killed after %v, while the proxy drains for %v", grace, drain)
	}
	if sleep := service.Lifecycle.PreStop.Exec.Command; len(sleep) != 2 || sleep[1]+"s" != drain.String() {
		t.Errorf("the service waits for %q before it ends, the proxy drains for %v", sleep, drain)
	}
	if out := objects["Service"].Spec.Ports[0].TargetPort; out != proxy.Ports[0].Name {
		t.Errorf("the Service leads to %s", out)
	}
	for i, addr := range []string{c.Listeners[0].Address, c.Admin} {
		if _, number, _ := strings.Cut(addr, ":"); number != strconv.Itoa(proxy.Ports[i].Container) {
			t.Errorf("port %s of the proxy is %d, and it listens at %s", proxy.Ports[i].Name, proxy.Ports[i].Container, addr)
		}
	}
	for _, p := range []probe{proxy.ReadinessProbe, proxy.LivenessProbe} {
		if p.HTTPGet.Port != proxy.Ports[1].Name || !slices.Contains([]string{"/readyz", "/healthz"}, p.HTTPGet.Path) {
			t.Errorf("a probe asks %+v", p.HTTPGet)
		}
	}
}

// systemd reads its unit if it is there; the proxy has to understand its part.
func TestDeploySystemd(t *testing.T) {
	text, err := os.ReadFile("../deploy/systemd/plimsoll.service")
	if err != nil {
		t.Fatal(err)
	}
	start := regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/plimsoll (.*)$`).FindSubmatch(text)
	if start == nil {
		t.Fatal("it does not start /usr/local/bin/plimsoll")
	}
	dir := t.TempDir()
	example, err := os.ReadFile("../deploy/examples/sidecar.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "proxy.yaml"), example, 0o600); err != nil {
		t.Fatal(err)
	}
	checked(t, strings.Fields(string(start[1])), "/etc/plimsoll", dir, new(struct{}))

	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip(err)
	}
	unit := filepath.Join(dir, "plimsoll.service")
	if err := os.WriteFile(unit, []byte(strings.ReplaceAll(string(text), "/usr/local/bin/plimsoll", program)), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(analyze, "verify", "--man=no", "--recursive-errors=no", unit).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}

// checked has the program check the file of a proxy's command line, with a
// folder in place of the one where it will be, and reads what it amounts to.
func checked(t *testing.T, args []string, at, dir string, into any) {
	t.Helper()
	if len(args) < 3 || args[0] != "proxy" || args[1] != "--config" {
		t.Fatalf("want proxy --config FILE, have %q", args)
	}
	file := strings.Replace(args[2], at, dir, 1)
	out, err := exec.Command(program, "check", "--strict", "--offline", file).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("%s: %s", file, exit.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(out, into); err != nil {
		t.Fatal(err)
	}
	help, err := exec.Command(program, "proxy", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range args[3:] {
		if strings.HasPrefix(f, "--") && !strings.Contains(string(help), f+"=") {
			t.Errorf("there is no flag %s", f)
		}
	}
}

func strictly(r io.Reader) *yaml.Decoder {
	d := yaml.NewDecoder(r)
	d.KnownFields(true)
	return d
}
