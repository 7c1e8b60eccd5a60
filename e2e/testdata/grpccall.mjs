// Calls a method of gRPC by @grpc/grpc-js, with what the message of a line says
// in JSON, and prints what came of it: {address, method, metadata, retry}.
import {createRequire} from 'node:module';
import {createInterface} from 'node:readline';

// NODE_PATH is not looked at for modules of this kind.
const require = createRequire(process.env.NODE_PATH + '/');
const grpc = require('@grpc/grpc-js');

const plain = b => b;

async function call({address, method, metadata = {}, retry = false}) {
  const config = retry && {methodConfig: [{name: [{}], retryPolicy: {
    maxAttempts: 3, initialBackoff: '0.001s', maxBackoff: '0.001s', backoffMultiplier: 1, retryableStatusCodes: ['UNAVAILABLE'],
  }}]};
  const client = new grpc.Client(address, grpc.credentials.createInsecure(), config ? {'grpc.service_config': JSON.stringify(config)} : {'grpc.enable_retries': 0});
  const sent = new grpc.Metadata();
  for (const [key, value] of Object.entries(metadata)) sent.set(key, value);
  const began = performance.now();
  const outcome = await new Promise(resolve => {
    const c = client.makeUnaryRequest(method, plain, plain, Buffer.alloc(0), sent, {deadline: Date.now() + 30000}, () => {});
    c.on('status', resolve);
  });
  client.close();
  const first = key => outcome.metadata.get(key)[0];
  return {
    code: outcome.code, details: outcome.details, took: performance.now() - began,
    pushback: first('grpc-retry-pushback-ms') ?? '', gaveUp: first('plimsoll-gave-up') ?? '',
    status: first('grpc-status-details-bin')?.toString('base64') ?? '',
    load: first('endpoint-load-metrics-bin')?.toString('base64') ?? '',
  };
}

for await (const line of createInterface({input: process.stdin})) {
  console.log(JSON.stringify(await call(JSON.parse(line))));
}
