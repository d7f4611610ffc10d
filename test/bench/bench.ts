/**
 * Measures the built program from outside, beside its limits and beside the least that could do the same,
 * and prints one table. Ends with 1 when a goal is missed.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cluster, cycle, growth, installSize, polls, start } from './costs.ts';
import { Processes, root } from './processes.ts';
import { changed, eventLoop, labels, readers, unchanged } from './scrapes.ts';
import { describeMachine, formatTable, isMet, type Row } from './table.ts';

const measurements: Readonly<Record<string, (processes: Processes) => Promise<Row[]>>> = {
  unchanged,
  changed,
  labels,
  'event-loop': eventLoop,
  readers,
  growth,
  cycle,
  polls,
  start,
  'install-size': installSize,
  cluster,
};

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: Object.keys(measurements) },
    program: { type: 'string', default: join(root, 'dist/main.js') },
  },
});

const table: Row[] = [];
for (const name of flags.only) {
  const measure = measurements[name];
  if (measure === undefined)
    throw new Error(`--only=${name} is none of ${Object.keys(measurements).join(', ')}`);
  const startedMs = performance.now();
  const processes = new Processes(flags.program);
  try {
    table.push(...(await measure(processes)));
  } finally {
    await processes.end();
  }
  console.error(`${name}: ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`);
}
console.log(`${formatTable(table)}\n\n- ${describeMachine()}.`);
process.exitCode = table.every(isMet) ? 0 : 1;
