/** What one would write without this project: prom-client, rendering at every scrape. Argument: the URL whose series it has. */
import { createServer } from 'node:http';
import { Gauge, Registry } from 'prom-client';
import { announce, argument } from './side.ts';

const { url } = argument() as { url: string };
const registry = new Registry();
const gauges = new Map<string, Gauge>();

for (const line of (await (await fetch(url)).text()).split('\n')) {
  const [, name, labelText = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === undefined || value === undefined) continue;
  const labels = Object.fromEntries(
    [...labelText.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', label = '']) => [key, label]),
  );
  gaugeOf(name).set(labels, Number(value));
}

function gaugeOf(name: string): Gauge {
  let gauge = gauges.get(name);
  if (gauge === undefined) {
    const labelNames = ['account', 'region', 'zone', 'quota_type', 'unit', 'direction', 'level'];
    labelNames.push('operation', 'app_id', 'code', 'le', 'quantile', 'reason', 'kind', 'type');
    labelNames.push('version', 'revision', 'node_version', 'major', 'minor', 'patch', 'space');
    gauge = new Gauge({ name, help: name, labelNames, registers: [registry] });
    gauges.set(name, gauge);
  }
  return gauge;
}

announce(
  createServer((_request, response) => {
    void registry.metrics().then((text) => {
      response.writeHead(200, { 'Content-Type': registry.contentType }).end(text);
    });
  }),
);
