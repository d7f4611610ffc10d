/**
 * What one would write without this project: prom-client, rendering at every scrape. Argument: the URL whose series
 * it has.
 */
import { createServer } from 'node:http';
import { Gauge, Registry } from 'prom-client';
import { announce, argument } from './side.ts';

const { url } = argument() as { url: string };
const registry = new Registry();
const lines = (await (await fetch(url)).text()).split('\n');
const samples = lines.flatMap((line) => {
  const [, name, labelText = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === undefined || value === undefined) return [];
  const labels = Object.fromEntries(
    [...labelText.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', label = '']) => [key, label]),
  );
  return [{ name, labels, value: Number(value) }];
});

// A gauge of prom-client names all labels of its series beforehand.
const labelNames = [...new Set(samples.flatMap(({ labels }) => Object.keys(labels)))];
const gauges = new Map<string, Gauge>();
for (const { name, labels, value } of samples) {
  const gauge =
    gauges.get(name) ?? new Gauge({ name, help: name, labelNames, registers: [registry] });
  gauges.set(name, gauge);
  gauge.set(labels, value);
}

announce(
  createServer((_request, response) => {
    void registry.metrics().then((text) => {
      response.writeHead(200, { 'Content-Type': registry.contentType }).end(text);
    });
  }),
);
