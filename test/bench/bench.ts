/**
 * Measures the program beside its limits and beside what one would have without it, and prints one
 * table. Ends with 1 when a goal is missed.
 */
import { parseArgs } from 'node:util';
import {
  fullEffort,
  isMet,
  resultOf,
  smokeEffort,
  type Finding,
  type Measurement,
} from './harness.ts';
import { cycle } from './measurements/cycle.ts';
import { deadHost } from './measurements/dead-host.ts';
import { emulatorRequests } from './measurements/emulator-requests.ts';
import { eventLoop } from './measurements/event-loop.ts';
import { growth } from './measurements/growth.ts';
import { installSize } from './measurements/install-size.ts';
import { memory } from './measurements/memory.ts';
import { npmStart } from './measurements/npm-start.ts';
import { pollCost } from './measurements/poll-cost.ts';
import { promClient } from './measurements/prom-client.ts';
import { prometheusScrape } from './measurements/prometheus-scrape.ts';
import { pushgateway } from './measurements/pushgateway.ts';
import { scrape } from './measurements/scrape.ts';
import { scrapeWhileChanging } from './measurements/scrape-while-changing.ts';
import { start } from './measurements/start.ts';
import { takeOver } from './measurements/take-over.ts';
import { tlsScrape } from './measurements/tls-scrape.ts';
import { describeMachine, formatTable } from './report.ts';
import { Workbench } from './workbench.ts';

const measurements: readonly Measurement[] = [
  scrape,
  tlsScrape,
  scrapeWhileChanging,
  promClient,
  pushgateway,
  prometheusScrape,
  eventLoop,
  emulatorRequests,
  cycle,
  deadHost,
  pollCost,
  start,
  npmStart,
  memory,
  growth,
  takeOver,
  installSize,
];

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    json: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
    'image-node': { type: 'string', default: process.execPath },
  },
});

process.exitCode = await bench();

async function bench(): Promise<number> {
  const findings: Finding[] = [];
  for (const measurement of selected()) findings.push(...(await measure(measurement)));
  const machine = describeMachine(new Date());
  console.log(
    flags.json
      ? JSON.stringify({
          machine,
          findings: findings.map((each) => ({
            ...each,
            result: resultOf(each),
            met: isMet(each),
          })),
        })
      : `${machine}\n\n${formatTable(findings)}`,
  );
  return flags.smoke || findings.every(isMet) ? 0 : 1;
}

function selected(): readonly Measurement[] {
  const { only } = flags;
  if (only === undefined) return measurements;
  const unknown = only.filter((name) => !measurements.some((each) => each.name === name));
  if (unknown.length > 0) {
    const names = measurements.map(({ name }) => name).join(', ');
    throw new Error(`no measurement is called ${unknown.join(', ')}; there are ${names}`);
  }
  return measurements.filter(({ name }) => only.includes(name));
}

async function measure({ name, run }: Measurement): Promise<readonly Finding[]> {
  const startedMs = performance.now();
  const workbench = new Workbench(flags['image-node']);
  try {
    return await run(flags.smoke ? smokeEffort : fullEffort, workbench);
  } finally {
    await workbench.end();
    const seconds = (performance.now() - startedMs) / 1_000;
    process.stderr.write(`${name}: ${seconds.toFixed(0)} s\n`);
  }
}
