/**
 * What a user observes of a daemon, compared with a recording that was made with the build of 93e3395.
 *
 *     await observe(daemon, 'after the limit was raised');
 *
 * compares lines of three kinds with `test/process/scenarios/recorded/<scenario>.txt`:
 *
 *     cvm_quota_limit{…} 300                    a series; times and figures that vary are masked
 *     /api/v1/quotas.quotas[…].limit = 300      a field of JSON
 *     log info change {"kind":"…"}              a line of the log: level, message, stable fields
 *
 * A line that is new or missing fails the test, unless `differences.yaml` lists it for the scenario with the
 * issue that asks for it. A line that is listed for a scenario and allows nothing in it fails, too, when the last
 * moment of the recording is compared. The second observation of a test is recorded as its difference to the one before.
 * What is not yet as recorded is looked at again for some seconds, so that nothing has to be awaited twice.
 *
 * `UPDATE_RECORDED=1 PROGRAM=/path/to/the/build/of/93e3395/dist/main.js` writes the recordings of the files
 * that run. Run whole files then.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { parse } from 'yaml';
import type { Daemon, LogLine } from './program.ts';

export interface Aspects {
  /** Paths of JSON, such as `/api/v1/quotas`. Defaults to the feed of changes. */
  readonly json?: readonly string[];
  /** Leave lines out that are not stable in this scenario. */
  readonly except?: RegExp;
}

const usualJson = ['/api/v1/changes'];
const recordsNow = process.env.UPDATE_RECORDED === '1';
/** How long an observation may take to become as recorded. */
const patienceMs = 5_000;

/** Compares what is observed now with the recording of this moment. */
export async function observe(daemon: Daemon, moment: string, aspects: Aspects = {}) {
  if (recordsNow) {
    record(moment, await steady(() => linesOf(daemon, aspects)), testKey());
    return;
  }
  const recorded = recordingOf(moment, testKey());
  const endMs = performance.now() + patienceMs;
  for (;;) {
    const { unlisted, needed } = judge(recorded, await linesOf(daemon, aspects));
    if (unlisted.length === 0) {
      refuseUnneeded(moment, needed);
      return;
    }
    if (performance.now() > endMs) throw new Error(report(moment, unlisted));
    await delay(200);
  }
}

/** Compares the output of a command, or a document: JSON, an exposition, or lines of text. */
export function observeText(text: string, moment: string) {
  const lines = new Set(textLines(text).toSorted());
  if (recordsNow) {
    record(moment, lines, null);
    return;
  }
  const { unlisted, needed } = judge(recordingOf(moment, null), lines);
  if (unlisted.length > 0) throw new Error(report(moment, unlisted));
  refuseUnneeded(moment, needed);
}

function textLines(text: string): string[] {
  if (text.startsWith('{')) return jsonLines('', JSON.parse(text) as Json);
  if (text.startsWith('# HELP')) return metricLines(text);
  return text.split('\n').filter((line) => line !== '');
}

function report(moment: string, unlisted: readonly string[]): string {
  return [
    `${moment}: differs from the recording`,
    ...unlisted.map((line) => `  ${line}`),
    'If an issue asks for it, list it in test/process/scenarios/differences.yaml.',
  ].join('\n');
}

async function steady(look: () => Promise<Set<string>>): Promise<Set<string>> {
  for (let before = await look(); ;) {
    await delay(1_500);
    const after = await look();
    if (before.size === after.size && [...before].every((line) => after.has(line))) return after;
    before = after;
  }
}

async function linesOf(daemon: Daemon, aspects: Aspects): Promise<Set<string>> {
  const lines = [...metricLines(await daemon.text('/metrics')), ...logLines(daemon.log)];
  for (const path of aspects.json ?? usualJson) {
    lines.push(...jsonLines(path, (await daemon.json(path)) as Json));
  }
  const { except } = aspects;
  return new Set(lines.filter((line) => except === undefined || !except.test(line)).toSorted());
}

/** Series that say something else each time, or that the clock or the machine decides. */
const unstable =
  /^(process_|nodejs_|cvm_monitor_(api_|build_info|clock_skew|cycles_skipped|last_cycle|next_cycle|polls_total|rate_limit|target_last))/;
/** Families whose values depend on how often was polled: only 0 and more are told apart. */
const masked = /(_seconds|_failures_total|_cycles_total|anomalies_total)$/;

function metricLines(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !unstable.test(line))
    .map((line) => {
      const [, series = '', value = ''] = /^(.*) (\S+)$/.exec(line) ?? [];
      const [name = ''] = series.split('{');
      return masked.test(name) && value !== '0' ? `${series} #` : line;
    });
}

const stableFields = new Set(
  'account accounts region operation template_id code kind from to quota_type zone targets signal type'.split(
    ' ',
  ),
);

/** A busy machine decides whether they are logged. */
const unstableMessages = /^(cycle is late|cycles missed|cycles run on schedule)/;

function logLines(log: readonly LogLine[]): string[] {
  return log
    .filter(({ msg }) => !unstableMessages.test(msg))
    .map(({ level, msg, ...fields }) => {
      const stable = Object.entries(fields)
        .filter(([name]) => stableFields.has(name))
        .toSorted(([one], [other]) => (one < other ? -1 : 1));
      return `log ${level} ${msg} ${JSON.stringify(Object.fromEntries(stable))}`;
    });
}

/** Fields whose values no two runs share. */
const unstableField =
  /(_at|_seconds|^time|^polls|^polls_failed|^id|^total|cursor|request_id|message|reason)$/;
/** Fields whose form depends on how often was polled. */
const wholeField = /^(trend|change)$/;
/** The fields that name a row. */
const identity = ['account', 'region', 'zone', 'operation', 'quota_type', 'template_id', 'kind'];

type Json = null | boolean | number | string | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [key: string]: Json;
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !isList(value);

const isTime = (value: Json) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);

/** One line for each value, under the names of the rows that it is in. */
function jsonLines(place: string, value: Json): string[] {
  if (isList(value)) {
    const seen = new Map<string, number>();
    const rows = isObject(value[0] ?? null) ? value.toReversed() : value;
    // Lists are newest first: counted from the oldest, earlier rows keep their names.
    return value.length === 0
      ? [`${place} = []`]
      : rows.flatMap((row, index) => {
          const name = isObject(row) ? nameOf(row) : String(index);
          const count = (seen.get(name) ?? 0) + 1;
          seen.set(name, count);
          return jsonLines(`${place}[${name}${count === 1 ? '' : ` #${count}`}]`, row);
        });
  }
  if (!isObject(value)) return [`${place} = ${isTime(value) ? '#' : String(value)}`];
  return Object.entries(value)
    .filter(([key, each]) => !(identity.includes(key) && typeof each === 'string'))
    .flatMap(([key, each]) => {
      const isMasked = unstableField.test(key) || wholeField.test(key);
      return jsonLines(`${place}.${key}`, isMasked && each !== null ? '#' : each);
    });
}

function nameOf(row: JsonObject): string {
  const parts = identity.map((field) => row[field]).filter((part) => typeof part === 'string');
  return parts.join('/');
}

/** The file of the test that runs, without its ending. */
function scenario(): { name: string; recording: string; differences: string } {
  const file = expect.getState().testPath ?? '';
  const name = basename(file).replace(/(\.long)?\.test\.ts$/, '');
  return {
    name,
    recording: join(dirname(file), 'recorded', `${name}.txt`),
    differences: join(dirname(file), 'differences.yaml'),
  };
}

const heading = (moment: string) => `## ${expect.getState().currentTestName ?? ''} / ${moment}`;

/** What was observed last in a test, to record differences to it. */
const lastMoments = new Map<string, Set<string>>();
const testKey = () => `${expect.getState().testPath}\n${expect.getState().currentTestName}`;
/** The recordings that this process began to write. */
const begun = new Set<string>();

/** @param series the moments that this one is recorded as a difference to; `null` for one that stands alone */
function record(moment: string, lines: Set<string>, series: string | null): void {
  const { recording } = scenario();
  const before = series === null ? undefined : lastMoments.get(series);
  const text =
    before === undefined
      ? [...lines]
      : [
          ...[...before].filter((line) => !lines.has(line)).map((line) => `- ${line}`),
          ...[...lines].filter((line) => !before.has(line)).map((line) => `+ ${line}`),
        ];
  if (series !== null) lastMoments.set(series, lines);
  const earlier = begun.has(recording) ? readFileSync(recording, 'utf8') : '';
  begun.add(recording);
  const section = `${heading(moment)}\n${text.map((line) => `${line}\n`).join('')}\n`;
  writeFileSync(recording, earlier + section);
}

function recordingOf(moment: string, series: string | null): Set<string> {
  const { recording } = scenario();
  const text = existsSync(recording) ? readFileSync(recording, 'utf8') : '';
  const section = text
    .split(/^(?=## )/m)
    .find((each) => each.startsWith(`${heading(moment)}\n`))
    ?.split('\n')
    .slice(1)
    .filter((line) => line !== '');
  if (section === undefined) throw new Error(`"${moment}" was never recorded`);
  const before = series === null ? undefined : lastMoments.get(series);
  const lines = new Set(before ?? []);
  for (const line of section) {
    if (before === undefined) lines.add(line);
    else if (line.startsWith('- ')) lines.delete(line.slice(2));
    else lines.add(line.slice(2));
  }
  if (series !== null) lastMoments.set(series, lines);
  return lines;
}

interface Listed {
  readonly issue: number;
  readonly why: string;
  /** `- line` or `+ line`; `*` stands for any text. */
  readonly lines: readonly string[];
}

/** The moments that were compared, and the lines of `differences.yaml` that they needed: for each scenario. */
const compared = new Map<string, { moments: Set<string>; needed: Set<string> }>();

function listedOf(section: string): readonly string[] {
  const all = parse(readFileSync(scenario().differences, 'utf8')) as Record<
    string,
    readonly Listed[]
  >;
  return (all[section] ?? []).flatMap(({ lines }) => lines);
}

function patternOf(line: string): RegExp {
  return new RegExp(`^${line.split('*').map(escaped).join('.*')}$`);
}

/** The differences that no line allows, and the scenario's own lines that allow one. */
function judge(recorded: Set<string>, observed: Set<string>) {
  const differences = [
    ...[...recorded].filter((line) => !observed.has(line)).map((line) => `- ${line}`),
    ...[...observed].filter((line) => !recorded.has(line)).map((line) => `+ ${line}`),
  ];
  const own = listedOf(scenario().name).map((line) => ({ line, pattern: patternOf(line) }));
  const common = listedOf('every scenario').map(patternOf);
  return {
    unlisted: differences.filter(
      (line) => ![...common, ...own.map(({ pattern }) => pattern)].some((each) => each.test(line)),
    ),
    needed: own
      .filter(({ pattern }) => differences.some((difference) => pattern.test(difference)))
      .map(({ line }) => line),
  };
}

/**
 * Remembers what a moment needed.
 *
 * @throws after the last moment of the recording, when no moment needed a line that is listed for the scenario
 */
function refuseUnneeded(moment: string, lines: readonly string[]): void {
  const { name, recording } = scenario();
  const { moments, needed } = compared.get(name) ?? { moments: new Set(), needed: new Set() };
  compared.set(name, { moments: moments.add(heading(moment)), needed });
  for (const line of lines) needed.add(line);
  const headings = readFileSync(recording, 'utf8').match(/^## .*$/gm) ?? [];
  if (!headings.every((each) => moments.has(each))) return;
  const unneeded = listedOf(name).filter((line) => !needed.has(line));
  if (unneeded.length === 0) return;
  throw new Error(
    [`differences.yaml lists for ${name} what does not differ:`, ...unneeded].join('\n  '),
  );
}

const escaped = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
