/** The table of a run, for people and for docs/benchmarks.md. */
import { cpus, totalmem } from 'node:os';
import { isClose, isMet, resultOf, type Finding } from './harness.ts';

/** Where and when a run was made. */
export function describeMachine(now: Date): string {
  const cores = cpus();
  const model = cores[0]?.model.trim() ?? 'unknown processor';
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  const day = now.toISOString().slice(0, 10);
  return `${cores.length} cores (${model}), ${memoryGiB} GiB, Node ${process.versions.node}, ${day}`;
}

const columns = ['what', 'ours', 'beside', 'result', 'spread', 'goal', ''] as const;

/** A table in Markdown, aligned for a terminal. */
export function formatTable(findings: readonly Finding[]): string {
  const rows = findings.map((finding) => [
    finding.what,
    finding.ours,
    finding.beside,
    amount(resultOf(finding), finding.goal?.unit),
    spread(finding),
    ...verdict(finding),
  ]);
  const widths = columns.map((name, i) =>
    Math.max(3, name.length, ...rows.map((row) => row[i]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  return [line(columns), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join(
    '\n',
  );
}

/** The goal of a row, and whether it is met. */
function verdict(finding: Finding): [goal: string, result: string] {
  const { goal } = finding;
  if (goal === undefined) return ['', ''];
  const result = `${isMet(finding) ? 'met' : 'MISSED'}${isClose(finding) ? ', within 5 %' : ''}`;
  return [`${goal.bound} ${amount(goal.value, goal.unit)}`, result];
}

/** From the lowest round to the highest. */
function spread({ values, goal }: Finding): string {
  if (values.length === 1) return '';
  return `${digits(Math.min(...values))} to ${amount(Math.max(...values), goal?.unit)}`;
}

function amount(value: number, unit: string | undefined): string {
  return unit === undefined ? digits(value) : `${digits(value)} ${unit}`;
}

function digits(value: number): string {
  return value >= 100 ? Math.round(value).toString() : String(Number(value.toPrecision(3)));
}
