/**
 * What a user observes of a daemon, compared with a recording.
 *
 *     await observe(daemon, 'after the limit was raised');
 *
 * compares lines of three kinds with `test/process/scenarios/recorded/<scenario>.txt`:
 *
 *     cvm_quota_limit{…} 300                    a series; times and figures that vary are masked
 *     /api/v1/quotas.quotas[…].limit = 300      a field of JSON
 *     log info change {"kind":"…"}              a line of the log: level, message, stable fields
 *
 * Each moment is recorded as its difference to the one before in its test: `+ line` is new, `- line` is gone. What is
 * not yet as recorded is looked at again for some seconds, so that nothing has to be awaited twice.
 *
 * `UPDATE_RECORDED=1` writes the recordings of the files that run. Run whole files then, and read what changed: it is
 * what a user will notice.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Daemon, LogLine } from './program.ts';

export interface Aspects {
  /** Paths of JSON, such as `/api/v1/quotas`. Defaults to the feed of changes. */
  readonly json?: readonly string[];
}

const usualJson = ['/api/v1/changes'];
/** How long an observation may take to become as recorded. */
const patience = { timeout: 5_000, interval: 200 };
/** What was observed last in each test. */
const last = new Map<string, ReadonlySet<string>>();

/** Compares what is observed now with the recording of this moment. */
export async function observe(daemon: Daemon, moment: string, aspects: Aspects = {}) {
  const test = `${expect.getState().testPath} ${expect.getState().currentTestName}`;
  const before = last.get(test) ?? new Set();
  let lines = before;
  const look = async () => {
    lines = await linesOf(daemon, aspects);
    return difference(before, lines);
  };
  if (isRecording) record(moment, await steady(look));
  else await expect.poll(look, patience).toBe(recorded(moment));
  last.set(test, lines);
}

/** Compares the output of a command, or a document: JSON, an exposition, or lines of text. */
export function observeText(text: string, moment: string) {
  const lines = difference(new Set(), new Set(textLines(text).toSorted()));
  if (isRecording) record(moment, lines);
  else expect(lines).toBe(recorded(moment));
}

function difference(before: ReadonlySet<string>, now: ReadonlySet<string>): string {
  const gone = [...before].filter((line) => !now.has(line)).map((line) => `- ${line}\n`);
  const added = [...now].filter((line) => !before.has(line)).map((line) => `+ ${line}\n`);
  return [...gone, ...added].join('');
}

function textLines(text: string): string[] {
  if (text.startsWith('{')) return jsonLines('', JSON.parse(text) as Json);
  if (text.startsWith('# HELP')) return metricLines(text);
  return text.split('\n').filter((line) => line !== '');
}

async function steady(look: () => Promise<string>): Promise<string> {
  for (let before = await look(); ;) {
    await delay(1_500);
    const after = await look();
    if (after === before) return after;
    before = after;
  }
}

async function linesOf(daemon: Daemon, aspects: Aspects): Promise<Set<string>> {
  const lines = [...metricLines(await daemon.text('/metrics')), ...logLines(daemon.log)];
  for (const path of aspects.json ?? usualJson) {
    lines.push(...jsonLines(path, (await daemon.json(path)) as Json));
  }
  return new Set(lines.toSorted());
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

const isRecording = process.env.UPDATE_RECORDED === '1';
/** The recordings that this process began to write. */
const begun = new Set<string>();

/** The recording of the test file that runs. */
function recording(): string {
  const file = expect.getState().testPath ?? '';
  const name = basename(file).replace(/(\.long)?\.test\.ts$/, '.txt');
  return join(dirname(file), 'recorded', name);
}

const heading = (moment: string) => `## ${expect.getState().currentTestName} / ${moment}\n`;

function record(moment: string, lines: string): void {
  const file = recording();
  const earlier = begun.has(file) ? readFileSync(file, 'utf8') : '';
  begun.add(file);
  writeFileSync(file, `${earlier}${heading(moment)}${lines}\n`);
}

function recorded(moment: string): string {
  const file = recording();
  const sections = existsSync(file) ? readFileSync(file, 'utf8').split(/^(?=## )/m) : [];
  const section = sections.find((each) => each.startsWith(heading(moment)));
  if (section === undefined) throw new Error(`"${moment}" was never recorded`);
  return section.slice(heading(moment).length).replace(/\n$/, '');
}
