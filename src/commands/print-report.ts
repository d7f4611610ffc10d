/** Prints what one poll of every target found, and gives the exit code: the end of `check` and `init`. */
import { collectors } from '../collectors/collectors.ts';
import { planTargets } from '../collectors/plan.ts';
import type { Config } from '../config/config.ts';
import { checkJson, checkReport, type CheckReport } from '../expose/check-report.ts';
import { createRecordSamples } from '../expose/metrics/record-samples.ts';
import { encodePieces } from '../expose/metrics/text-format.ts';
import { nagiosOutput } from '../expose/nagios.ts';
import { checkMarkdown, checkTable } from '../expose/terminal/check-table.ts';
import { paintFor } from '../expose/terminal/style.ts';
import type { Surface } from '../expose/terminal/table-lines.ts';
import type { Alternative, EvaluatedLaunch } from '../model/launches/judge-region.ts';
import type { AskedSource } from '../model/launches/asked.ts';
import type { TargetRecord } from '../model/record.ts';
import type { Target } from '../model/target.ts';
import { thresholdsAt } from '../model/thresholds.ts';
import { checkExitCodes, printResult } from './command.ts';
import { scenarioText } from './scenario-text.ts';

interface ReportOptions {
  readonly records: readonly TargetRecord[];
  readonly render: Renderer;
  readonly config: Config;
  /** True for the targets that were to be polled: one without an answer makes the verdict `unknown`. */
  readonly isWanted: (target: Target) => boolean;
  /** True: the table also shows what is fine. */
  readonly all: boolean;
  /** What the check asks about. `null`: it judges all that is watched. */
  readonly asked?: readonly AskedSource[] | null;
  /** What could be started in place of a launch that is blocked. */
  readonly alternativesOf?: (launch: EvaluatedLaunch) => readonly Alternative[];
}

type Renderer = (report: CheckReport, options: ReportOptions) => string | Promise<string>;

/** The text of a report, by the values of `--output`. */
export const renderers = {
  table: (report, { all }) => checkTable(report, outputSurface(), all),
  json: (report) => `${JSON.stringify(checkJson(report, Date.now()), null, 2)}\n`,
  // Only the metrics of records: those of this short process are of no use.
  prometheus: async (report, { config: { accounts } }) => {
    const samples = await createRecordSamples(collectors)(report, accounts);
    return String(Buffer.concat([...encodePieces(samples, 'prometheus')]));
  },
  nagios: nagiosOutput,
  markdown: (report, { all }) => checkMarkdown(report, all),
  scenario: ({ targets }) => scenarioText(targets.map(({ record }) => record)),
} satisfies Readonly<Record<string, Renderer>>;

/**
 * Judges the records by the thresholds that apply now, and prints the report.
 *
 * @returns the exit code of the verdict
 */
export async function printReport(options: ReportOptions): Promise<number> {
  const { alternativesOf = () => [], asked = null, config, isWanted, records, render } = options;
  const thresholds = thresholdsAt(config.thresholds, Date.now());
  const planned = planTargets(config, collectors).filter(isWanted);
  const report = checkReport(records, { alternativesOf, asked, thresholds, collectors, planned });
  printResult(await render(report, options));
  return checkExitCodes[report.verdict.severity];
}

/** Colours and width of standard output. The width is 100 if it is not a terminal. */
function outputSurface(): Surface {
  const { columns, isTTY } = process.stdout;
  // A terminal without a size reports 0.
  return { paint: paintFor(process.stdout), width: isTTY && columns > 0 ? columns : 100 };
}
