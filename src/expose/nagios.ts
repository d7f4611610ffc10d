/**
 * A report as the output of a Nagios plugin, for `check --output=nagios`: the status and performance data in the first line,
 * then the problems. The Monitoring Plugins Development Guidelines define it.
 */
import { english } from '../model/texts/texts.ts';
import type { CheckReport } from './check-report.ts';
import type { Severity } from './display-state.ts';
import { reportLines } from './terminal/check-table.ts';
import { plain } from './terminal/style.ts';
import { zoneOrRegion } from './text.ts';
import { verdictText } from './verdict.ts';
import { resourceOf } from './evaluation.ts';

/** Nagios cuts the output at 8 KiB, with the zero byte at its end. A number that is cut would be another number. */
const maxBytes = 8_191;
/** The bytes that performance data leave for the problems, if there is not enough room for all. */
const minTextBytes = 2_048;

/**
 * The whole output, at most 8 KiB, each line with a newline. Performance data are in the order of the targets, then by name, and what
 * does not fit is left out whole.
 */
export function nagiosOutput(report: CheckReport): string {
  const status = statusLine(report.verdict.severity, verdictText(report.verdict, report.texts));
  const problems = reportLines(report, { paint: plain, width: 0 }).flat();
  const lines = problems.map((line) => `${withoutPipes(line)}\n`);
  const data = performanceData(report).map((datum, i) => `${i === 0 ? ' | ' : ' '}${datum}`);
  const textBytes = Math.min(Buffer.byteLength(lines.join('')), minTextBytes);
  const shown = partsWithin([status, ...data], maxBytes - textBytes);
  const omitted = data.length + 1 - shown.length;
  const note = english.word(
    'performance data of {count quota|quotas} left out; divide the check with --account and --region\n',
    { count: omitted },
  );
  const first = `${shown.join('')}\n`;
  return partsWithin([first, ...(omitted === 0 ? [] : [note]), ...lines], maxBytes).join('');
}

/** The first line without performance data. `check` prints it alone for an error of its own. */
export function statusLine(status: Severity, text: string): string {
  return `CVM QUOTA ${status === 'fine' ? 'OK' : status.toUpperCase()}: ${withoutPipes(text)}`;
}

/** In Nagios, `|` begins performance data, so texts have `/` in its place. */
function withoutPipes(text: string): string {
  return text.replaceAll('|', '/');
}

/** `N:` warns below N. Nothing left is critical for every threshold. Labels are quoted, and a quote inside is doubled. */
function performanceData({ targets }: CheckReport): string[] {
  return targets.flatMap(({ quotas, record }) =>
    quotas
      .map((evaluated) => {
        const { quota, thresholds } = evaluated;
        const { limit, remaining, type } = quota;
        const resource = Object.values(resourceOf(evaluated));
        const name = [record.target.account, zoneOrRegion(evaluated), type, ...resource].join('/');
        const label = withoutPipes(name).replaceAll(/\s/g, '_').replaceAll("'", "''");
        const ranges =
          thresholds === null ? ';' : `${thresholds.warning}:;${Math.max(1, thresholds.critical)}:`;
        return `'${label}'=${remaining ?? 'U'};${ranges};0;${limit}`;
      })
      .toSorted(),
  );
}

/** The first parts that fit into the bytes, and always the first one: Nagios may cut its text, which is still true. */
function partsWithin(parts: readonly string[], bytes: number): readonly string[] {
  let length = 0;
  const end = parts.findIndex((part, i) => {
    length += Buffer.byteLength(part);
    return i > 0 && length > bytes;
  });
  return end === -1 ? parts : parts.slice(0, end);
}
