/** A launch in the table of launches: its state, what it starts, and what binds it. */
import type { EvaluatedLaunch } from '../../model/launches/judge-region.ts';
import { runbookLink, type Links } from '../../model/links.ts';
import { isLowOrWorse } from '../display-state.ts';
import { launchLabels } from '../filter.ts';
import { bindingLines, launchStateText } from '../launch-text.ts';
import { numberText } from '../text.ts';
import { accountCell, timeCell, type TableRow } from './table.ts';

/** The row of a launch. The page and the table of `check` show its cells in this order. */
export function launchTableRow(launch: EvaluatedLaunch, { runbooks }: Links): TableRow {
  const { blocking, count, headroom, judgedZone, templateId, unjudged, version, state, zone } =
    launch;
  const badAlert = blocking.length > 0 ? 'CvmLaunchBlocked' : 'CvmInstanceTypeStockLow';
  const unknownAlert = state === 'unknown' ? 'CvmLaunchUnknown' : undefined;
  const alert = isLowOrWorse(state) ? badAlert : unknownAlert;
  const starts = [
    launch.instanceType ?? 'unknown type',
    launch.chargeType ?? 'unknown charge type',
    count === 1 ? '' : `× ${numberText(count)}`,
  ];
  const name = [
    templateId || 'instance type',
    launch.templateName,
    version === null ? '' : `version ${version}`,
  ];
  const isBestOfAny = judgedZone !== '' && zone === '';
  const where = [judgedZone || launch.region, isBestOfAny ? 'the best of any zone' : ''];
  const more = headroom === null ? [] : [numberText(headroom)];
  const href = runbookLink(runbooks, alert, { ...launchLabels(launch), zone });
  return {
    state,
    cells: [
      { role: 'state', title: 'State', texts: [launchStateText(launch)], href },
      { role: 'name', title: 'Launch', texts: name },
      { role: 'detail starts', title: 'Starts', texts: unjudged === null ? starts : [] },
      { role: 'where', title: 'Where', texts: where },
      accountCell(launch.account),
      { role: 'figure', title: 'How many more', texts: more },
      { role: 'lines binding', title: 'What binds', texts: bindingLines(launch) },
      timeCell('Blocked since', launch.sinceMs),
    ],
  };
}
