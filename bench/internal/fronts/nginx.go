package fronts

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/plimsoll-go/plimsoll/bench/internal/process"
)

var nginx = Front{
	Name: "nginx", Title: "nginx, limit_conn", Need: "nginx", start: startNginx, File: nginxFile,
	Tuned: "`limit_conn` in three zones ([the module's page](https://nginx.org/en/docs/http/ngx_http_limit_conn_module.html)): it has no queue, so that what it " +
		"lets through queues in the service, and its numbers are how long that queue may be. All: what half the capacity works off within nine " +
		"tenths of the deadline. All but CRITICAL_PLUS: three quarters of it. SHEDDABLE: twice the slots, which is what it needs at half the load. " +
		"Keep-alive to the service, no retries, a read timeout of the deadline.",
}

func nginxFile(f Facts) string { return f.nginx("127.0.0.1:8080", "127.0.0.1:8081") }

// nginx is the configuration for an address and a service.
func (f Facts) nginx(address, upstream string) string {
	all := int(0.45 * f.Capacity() * f.Deadline.Seconds())
	return strings.NewReplacer("ADDRESS", address, "UPSTREAM", upstream,
		"ALL", fmt.Sprint(all), "ORDINARY", fmt.Sprint(all*3/4), "LOW", fmt.Sprint(2*f.Slots),
		"DEADLINE", fmt.Sprintf("%dms", f.Deadline.Milliseconds()),
	).Replace(nginxText)
}

const nginxText = `daemon off;
worker_processes auto;
worker_rlimit_nofile 20000;
pid nginx.pid;
events { worker_connections 9000; }
http {
    access_log off;
    client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp; uwsgi_temp_path tmp; scgi_temp_path tmp;
    map $http_x_request_criticality $ordinary {
        default 1;
        CRITICAL_PLUS "";                       # an empty key is not counted
    }
    map $http_x_request_criticality $low {
        default "";
        SHEDDABLE 1;
    }
    limit_conn_zone $server_name zone=all:1m;
    limit_conn_zone $ordinary zone=ordinary:1m;
    limit_conn_zone $low zone=low:1m;
    upstream service {
        server UPSTREAM max_fails=0;
        keepalive 256;
        keepalive_requests 1000000;
    }
    server {
        listen ADDRESS backlog=4096;
        server_name service;
        keepalive_requests 1000000;
        location / {
            limit_conn all ALL;
            limit_conn ordinary ORDINARY;
            limit_conn low LOW;
            limit_conn_log_level info;
            proxy_pass http://service;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_connect_timeout DEADLINE;
            proxy_read_timeout DEADLINE;
            proxy_next_upstream off;
        }
    }
}
`

func startNginx(ctx context.Context, s Site) (*process.Process, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(s.Folder, "nginx.conf")
	if err := os.WriteFile(file, []byte(s.nginx(address, s.Upstream)), 0o600); err != nil {
		return nil, err
	}
	return process.StartAt(ctx, address, s.Program, "-p", s.Folder, "-c", file, "-e", "stderr")
}
