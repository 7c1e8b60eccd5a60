// A service on Node, with paths like those of the Go one: HTTP/1.1, or HTTP/2
// without TLS if its argument is h2. It prints its port and ends with its
// standard input.
import { createHash } from "node:crypto";
import http from "node:http";
import http2 from "node:http2";

const h2 = process.argv[2] === "h2";

function handle(req, res) {
  const url = new URL(req.url, "http://x");
  const number = (key) => Number(url.searchParams.get(key)) || 0;
  switch (url.pathname) {
    case "/work": {
      const timer = setTimeout(() => res.end("done"), number("ms"));
      res.on("close", () => clearTimeout(timer));
      return;
    }
    case "/sum": {
      const sum = createHash("sha256");
      let n = 0;
      req.on("data", (d) => { n += d.length; sum.update(d); });
      req.on("end", () => res.end(`${n} ${sum.digest("hex")}`));
      return;
    }
    case "/echo":
      req.pipe(res);
      return;
    case "/hints":
      res.writeEarlyHints({ link: "</style.css>; rel=preload" });
      res.end("done");
      return;
    case "/events": {
      res.writeHead(200, { "content-type": "text/event-stream" });
      let left = number("n");
      const send = () => {
        res.write(`data: ${Date.now() * 1000}\n\n`);
        if (--left === 0) { clearInterval(timer); res.end(); }
      };
      const timer = setInterval(send, Math.max(number("ms"), 1));
      res.on("close", () => clearInterval(timer));
      return;
    }
    case "/request":
      res.setHeader("content-type", "application/json");
      res.end(JSON.stringify({ Proto: `HTTP/${req.httpVersion}`, Method: req.method, URI: req.url }));
      return;
    default:
      res.statusCode = 404;
      res.end();
  }
}

const server = h2 ? http2.createServer({ allowHTTP1: false }, handle) : http.createServer(handle);
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.on("end", () => process.exit(0)).resume();
