/**
 * A process that shows the series of another one with prom-client, the usual library, and compresses them in the same
 * way. Argument: the URL of that one's exposition. Messages are answered by the probe. After the message `change`, each
 * series has another value.
 */
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { Gauge, Registry } from 'prom-client';
import './probe.ts';
import { argument, serve } from './side.ts';

const compress = promisify(gzip);
const { url } = argument() as { url: string };
const text = await (await fetch(url)).text();

const registry = new Registry();
/** Each of them adds 1 to the value of one series. */
const changes: (() => void)[] = [];
for (const family of text.split(/^# HELP /m).slice(1)) {
  const [, help = ''] = /^\w+ (.*)/.exec(family) ?? [];
  const samples = samplesOf(family);
  const labelNames = [...new Set(samples.flatMap(({ labels }) => Object.keys(labels)))];
  // The parts of a histogram have names of their own.
  const names = new Set(samples.map(({ name }) => name));
  const gauges = new Map(
    [...names].map((name) => [name, new Gauge({ name, help, labelNames, registers: [registry] })]),
  );
  for (const { name, labels, value } of samples) {
    const gauge = gauges.get(name)!;
    gauge.set(labels, value);
    changes.push(() => {
      gauge.inc(labels);
    });
  }
}

process.on('message', (message) => {
  if (message === 'change') for (const change of changes) change();
});

serve((_request, response) => {
  void registry
    .metrics()
    .then((metrics) => compress(metrics, { level: constants.Z_BEST_SPEED }))
    .then((body) => {
      response.writeHead(200, {
        'Content-Type': registry.contentType,
        'Content-Encoding': 'gzip',
        'Content-Length': body.length,
      });
      response.end(body);
    });
});

function samplesOf(family: string) {
  return [...family.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(
    ([, name = '', labels = '', value]) => ({
      name,
      labels: Object.fromEntries(
        [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', text = '']) => [label, text]),
      ),
      value: Number(value),
    }),
  );
}
