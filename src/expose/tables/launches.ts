import { launchLabels } from '../filter.ts';
import { bindingTexts, launchStates, type LaunchRow, type UnjudgedRow } from '../launches.ts';
import { timeOrNull } from './html.ts';
import type { Word } from '../severity.ts';
import { figure } from '../text.ts';
import { placeHrefs, runbookOf, type Table, type TableSettings } from './table.ts';

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
    texts: (row) => {
      const { account, region, templateId, templateName, version } = row;
      const launch = {
        name: [
          templateId === '' ? 'instance type' : templateId,
          templateName,
          version === null ? '' : `version ${version}`,
        ],
        account: [account],
      };
      if (!('word' in row)) {
        return {
          ...launch,
          state: ['not judged'],
          where: [region],
          'lines binding': [row.unjudged],
        };
      }
      const { chargeType, count, headroom, instanceType, judgedZone, word, zone } = row;
      return {
        ...launch,
        state: [launchStates[word]],
        'detail starts': [
          instanceType ?? 'unknown type',
          chargeType ?? 'unknown charge type',
          count === 1 ? '' : `× ${figure(count)}`,
        ],
        where: [
          judgedZone || region,
          judgedZone !== '' && zone === '' ? 'the best of any zone' : '',
        ],
        figure: headroom === null ? [] : [figure(headroom)],
        'lines binding': bindingTexts(row),
      };
    },
    hrefs: (row) => {
      const { account } = placeHrefs(row);
      if (!('word' in row)) return { account };
      const isStockLow = row.word === 'low' && row.blocking.length === 0;
      const alert = isStockLow ? 'CvmInstanceTypeStockLow' : launchAlerts[row.word];
      const values = { ...launchLabels(row), zone: row.zone };
      return { account, state: runbookOf(links, alert, values) };
    },
    markup: (row) => ({ time: 'word' in row ? timeOrNull(row.sinceMs, today) : null }),
  };
}
