import type { LaunchRow } from '../../model/launches/judge-region.ts';
import { runbookLink } from '../../model/links.ts';
import { launchLabels } from '../filter.ts';
import { bindingTexts, launchStateText } from '../launch-text.ts';
import { isBad } from '../severity.ts';
import { figure } from '../text.ts';
import { time } from './html.ts';
import { accountCell, type ShownRow, type TableSettings } from './table.ts';

export function launchRow(row: LaunchRow, { links, today }: TableSettings): ShownRow {
  const { blocking, count, headroom, judgedZone, templateId, version, state, zone } = row;
  const badAlert = blocking.length > 0 ? 'CvmLaunchBlocked' : 'CvmInstanceTypeStockLow';
  const unknownAlert = state === 'unknown' ? 'CvmLaunchUnknown' : undefined;
  const alert = isBad(row) ? badAlert : unknownAlert;
  const starts = [
    row.instanceType ?? 'unknown type',
    row.chargeType ?? 'unknown charge type',
    count === 1 ? '' : `× ${figure(count)}`,
  ];
  const name = [
    templateId || 'instance type',
    row.templateName,
    version === null ? '' : `version ${version}`,
  ];
  const isBestOfAny = judgedZone !== '' && zone === '';
  const where = [judgedZone || row.region, isBestOfAny ? 'the best of any zone' : ''];
  const room = headroom === null ? [] : [figure(headroom)];
  const href = runbookLink(links.runbooks, alert, { ...launchLabels(row), zone });
  return {
    state,
    cells: [
      { role: 'state', title: 'State', texts: [launchStateText(row)], href },
      { role: 'name', title: 'Launch', texts: name },
      { role: 'detail starts', title: 'Starts', texts: state === 'none' ? [] : starts },
      { role: 'where', title: 'Where', texts: where },
      accountCell(row.account),
      { role: 'figure', title: 'How many more', texts: room },
      { role: 'lines binding', title: 'What binds', texts: bindingTexts(row) },
      { role: 'time', title: 'Blocked since', html: time(row.sinceMs, today) },
    ],
  };
}
