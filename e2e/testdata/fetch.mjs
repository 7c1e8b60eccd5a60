// Exchanges by Node's fetch with the proxy whose URL is the argument. Each line
// of standard input names one; it prints {status, headers, body, error} as a
// line of JSON. It ends with its standard input.
import { createInterface } from "node:readline";

const base = process.argv[2];

// parts is a body that comes in parts, of a length that is not known before.
const parts = (left) => new ReadableStream({
  pull(c) {
    if (left-- > 0) c.enqueue(new TextEncoder().encode("0123456789abcdef".repeat(1024)));
    else c.close();
  },
});

const exchanges = {
  get: () => fetch(`${base}/work?ms=1`),
  upload: () => fetch(`${base}/echo`, { method: "POST", body: "x".repeat(300000) }),
  stream: () => fetch(`${base}/sum`, { method: "POST", body: parts(20), duplex: "half" }),
  events: () => fetch(`${base}/events?n=3&ms=10`),
};

for await (const what of createInterface({ input: process.stdin })) {
  try {
    const res = await exchanges[what]();
    let body = await res.text();
    if (what === "upload" && res.status === 200) body = `${body.length} ${body === "x".repeat(300000)}`;
    if (what === "events" && res.status === 200) body = `${body.match(/data: /g).length} events`;
    console.log(JSON.stringify({ status: res.status, headers: Object.fromEntries(res.headers), body }));
  } catch (e) {
    console.log(JSON.stringify({ error: `${e} ${e.cause ?? ""}` }));
  }
}
process.exit(0);
