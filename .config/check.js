// Runs every script check:* of package.json at the same time, and fails if one of them fails.
import { readFileSync } from 'node:fs';
import concurrently from 'concurrently';

const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const checks = Object.entries(scripts)
  .filter(([name]) => name.startsWith('check:'))
  .map(([name, command]) => ({ name: name.replace('check:', ''), command }));

// The checks share few cores. oxlint and tsc are written in Go: with several threads they check some
// types several times, and in a run this short the collection of garbage costs more than it frees.
const env = { GOMAXPROCS: '1', GOGC: 'off' };

concurrently(
  checks.map((check) => ({ ...check, env })),
  { group: true, timings: true },
).result.catch(() => {
  process.exitCode = 1;
});
