/** A launch in the table of launches: its state, what it starts, and what binds it. */
import type { EvaluatedLaunch } from '../../model/launches/judge-region.ts';
import { runbookLink, type Links } from '../../model/links.ts';
import { isLowOrWorse } from '../display-state.ts';
import { launchLabels } from '../filter.ts';
import {
  bindingLines,
  chargeTypeText,
  launchNames,
  launchStateText,
  stripOf,
} from '../launch-text.ts';
import { numberText } from '../text.ts';
import { accountCell, type TableRow } from './table.ts';

/** The row of a launch. The page and the table of `check` show its cells in this order. */
export function launchTableRow(launch: EvaluatedLaunch, { runbooks }: Links): TableRow {
  const { blocking, chargeType, count, group, headroom, instanceType, judgedZone, state, zone } =
    launch;
  const sinceMs = launch.sinceMs ?? launch.shortSinceMs;
  const riskAlert = launch.isShort ? 'CvmScalingGroupShort' : 'CvmInstanceTypeStockLow';
  const badAlert = blocking.length > 0 ? 'CvmLaunchBlocked' : riskAlert;
  const unknownAlert = state === 'unknown' ? 'CvmLaunchUnknown' : undefined;
  const alert = isLowOrWorse(state) ? badAlert : unknownAlert;
  const starts = [
    instanceType ?? 'unknown type',
    chargeTypeText(launch) ?? 'unknown charge type',
    group?.mixed && chargeType ? `${chargeType} decides` : '',
    count === 1 ? '' : `× ${numberText(count)}`,
  ];
  const isBestOfAny = judgedZone !== '' && zone === '';
  const where = [judgedZone || launch.region, isBestOfAny ? 'the best of any zone' : ''];
  const more = headroom === null ? [] : [`${numberText(headroom)} more`];
  const href = runbookLink(runbooks, alert, { ...launchLabels(launch), zone });
  const texts = bindingLines(launch);
  const strip = stripOf(launch);
  const isSaid = state === 'fine' && launch.leftOut.length === 0;
  return {
    state,
    cells: [
      { role: 'state', title: 'State', texts: [launchStateText(launch)], href, sinceMs },
      { role: 'name', title: 'Launch', texts: launchNames(launch) },
      { role: 'where', title: 'Where', texts: where },
      accountCell(launch.account),
      { role: 'detail starts', title: 'Starts', texts: launch.unjudged === null ? starts : [] },
      { role: 'figure more', title: 'Room for', texts: more },
      // The strip of a launch that succeeds has said what binds it.
      {
        role: 'lines parts',
        title: 'What it needs',
        texts,
        content: { strip, lines: isSaid ? texts.slice(1) : texts },
      },
    ],
  };
}
