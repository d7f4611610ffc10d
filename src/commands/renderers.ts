/** The texts of what one poll of every target found, by the values of `check --output`. `init` prints the table. */
import { collectors } from '../collectors/collectors.ts';
import type { Config } from '../config/config.ts';
import { checkJson, type CheckReport } from '../expose/check-report.ts';
import { createRecordSamples } from '../expose/metrics/record-samples.ts';
import { encodePieces } from '../expose/metrics/text-format.ts';
import { nagiosOutput } from '../expose/nagios.ts';
import { checkMarkdown, checkTable } from '../expose/terminal/check-table.ts';
import { paintFor } from '../expose/terminal/style.ts';
import type { Surface } from '../expose/terminal/table-lines.ts';
import { scenarioText } from './scenario-text.ts';

interface ReportOptions {
  /** Their `labels` go to the series of `prometheus`. */
  readonly accounts: Config['accounts'];
  /** True: the table also shows what is fine. */
  readonly all: boolean;
}

type Renderer = (report: CheckReport, options: ReportOptions) => string | Promise<string>;

/** Each writes a report as a text, with a newline at its end. */
export const renderers = {
  table: (report, { all }) => checkTable(report, outputSurface(), all),
  json: (report) => `${JSON.stringify(checkJson(report, Date.now()), null, 2)}\n`,
  // Only the metrics of records: those of this short process are of no use.
  prometheus: async (report, { accounts }) => {
    const samples = await createRecordSamples(collectors)(report, accounts);
    return String(Buffer.concat([...encodePieces(samples, 'prometheus')]));
  },
  nagios: nagiosOutput,
  markdown: (report, { all }) => checkMarkdown(report, all),
  scenario: ({ targets }) => scenarioText(targets.map(({ record }) => record)),
} satisfies Readonly<Record<string, Renderer>>;

/** Colours and width of standard output. The width is 100 if it is not a terminal. */
function outputSurface(): Surface {
  const { columns, isTTY } = process.stdout;
  // A terminal without a size reports 0.
  return { paint: paintFor(process.stdout), width: isTTY && columns > 0 ? columns : 100 };
}
