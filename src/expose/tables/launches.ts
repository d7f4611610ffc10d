import { launchLabels } from '../filter.ts';
import { bindingTexts, launchStates, type LaunchRow, type UnjudgedRow } from '../launches.ts';
import { time } from './html.ts';
import type { Word } from '../severity.ts';
import { figure } from '../text.ts';
import { placeCells, runbookOf, type Table, type TableSettings } from './table.ts';

const launchAlerts: Readonly<Partial<Record<Word, string>>> = {
  critical: 'CvmLaunchBlocked',
  low: 'CvmLaunchBlocked',
  unknown: 'CvmLaunchUnknown',
};

export function launchTable({ links, today }: TableSettings): Table<LaunchRow | UnjudgedRow> {
  return {
    heads: {
      state: 'State',
      name: 'Launch',
      'detail starts': 'Starts',
      where: 'Where',
      account: 'Account',
      figure: 'How many more',
      'lines binding': 'What binds',
      time: 'Blocked since',
    },
    wordOf: (row) => ('word' in row ? row.word : 'none'),
    cells: (row) => {
      const { region, templateId, templateName, version } = row;
      const { account } = placeCells(row);
      const name = {
        texts: [
          templateId === '' ? 'instance type' : templateId,
          templateName,
          version === null ? '' : `version ${version}`,
        ],
      };
      if (!('word' in row)) {
        const reason = { texts: [row.unjudged] };
        const state = { texts: ['not judged'] };
        return { state, name, where: { texts: [region] }, account, 'lines binding': reason };
      }
      const { blocking, chargeType, count, headroom, instanceType, judgedZone, word, zone } = row;
      const isStockLow = word === 'low' && blocking.length === 0;
      const alert = isStockLow ? 'CvmInstanceTypeStockLow' : launchAlerts[word];
      const isBestOfAny = judgedZone !== '' && zone === '';
      return {
        state: {
          texts: [launchStates[word]],
          href: runbookOf(links, alert, { ...launchLabels(row), zone }),
        },
        name,
        'detail starts': {
          texts: [
            instanceType ?? 'unknown type',
            chargeType ?? 'unknown charge type',
            count === 1 ? '' : `× ${figure(count)}`,
          ],
        },
        where: { texts: [judgedZone || region, isBestOfAny ? 'the best of any zone' : ''] },
        account,
        figure: { texts: headroom === null ? [] : [figure(headroom)] },
        'lines binding': { texts: bindingTexts(row) },
        time: { html: time(row.sinceMs, today) },
      };
    },
  };
}
