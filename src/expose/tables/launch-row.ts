/** A launch in the table of launches: its state, what it starts, and what binds it. `tables.ts` makes the rows. */
import { html } from 'hono/html';
import type { EvaluatedLaunch } from '../../model/launches/judge-region.ts';
import { runbookLink } from '../../model/links.ts';
import { isLowOrWorse } from '../display-state.ts';
import { launchLabels } from '../filter.ts';
import { bindingLines, chargeTypeText, launchNames, launchStateText } from '../launch-text.ts';
import { small } from './html.ts';
import { strip } from './strip.ts';
import { numberText } from '../../model/texts/texts.ts';
import { accountCell, stateCell, type ToRow } from './table.ts';

/** The row of a launch. The page and the table of `check` show its cells in this order. */
export const launchTableRow: ToRow<EvaluatedLaunch> = (launch, { links, texts }) => {
  const { say } = texts;
  const { blocking, chargeType, count, group, headroom, instanceType, judgedZone, state, zone } =
    launch;
  const sinceMs = launch.sinceMs ?? launch.shortSinceMs;
  // The alert whose runbook the state links to. `undefined` without one, as for a launch that is fine.
  const riskAlert = launch.isShort ? 'CvmScalingGroupShort' : 'CvmInstanceTypeStockLow';
  const badAlert = blocking.length > 0 ? 'CvmLaunchBlocked' : riskAlert;
  const unknownAlert = state === 'unknown' ? 'CvmLaunchUnknown' : undefined;
  const alert = isLowOrWorse(state) ? badAlert : unknownAlert;
  const startTexts = [
    instanceType ?? say('unknown type'),
    chargeTypeText(launch) ?? say('unknown charge type'),
    group?.mixed && chargeType ? say('{charge} decides', { charge: chargeType }) : '',
    count === 1 ? '' : `× ${numberText(count)}`,
  ];
  const starts = launch.unjudged === null ? startTexts : [];
  // Nothing names a zone, so the launch is judged in the best one.
  const isBestOfAny = judgedZone !== '' && zone === '';
  const where = [judgedZone || launch.region, isBestOfAny ? say('the best of any zone') : ''];
  const roomTexts = headroom === null ? [] : [say('{count} more', { count: headroom })];
  const href = runbookLink(links.runbooks, alert, { ...launchLabels(launch), zone });
  const lines = bindingLines(launch, texts);
  // The first line is what binds the launch. If it succeeds, the strip has said that already.
  const hasStripSaidAll = state === 'fine' && launch.leftOut.length === 0;
  const linesBelow = hasStripSaidAll ? lines.slice(1) : lines;
  const content = html`${strip(launch, texts)} ${linesBelow.map(small)}`;
  return {
    state,
    cells: [
      stateCell(state, launchStateText(launch, texts), href, texts, sinceMs),
      { role: 'name', title: say('Launch'), texts: launchNames(launch, texts) },
      { role: 'where', title: say('Where'), texts: where },
      accountCell(launch.account, texts),
      { role: 'detail starts', title: say('Starts'), texts: starts },
      { role: 'figure more', title: say('Room for'), texts: roomTexts },
      { role: 'lines parts', title: say('What it needs'), texts: lines, content },
    ],
  };
};
