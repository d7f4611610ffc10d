import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  FakeMonitor,
  quota,
  quotas,
  quotaTarget,
  templateTarget,
  versions,
} from '../../../../helpers/fake-monitor.ts';
import { alertsOf, rowsOf, textOf } from '../../../../helpers/page-text.ts';
import { override } from '../../../../helpers/thresholds.ts';
import { largeFleet, smallFleet } from '../../../../helpers/fleet.ts';

/** Those with problems, then the others. */
const targetRowsOf = (page: string) => [...rowsOf(page, 'problems'), ...rowsOf(page, 'targets')];

const firstCells = (rows: string[][]) => rows.map(([cell]) => cell);

describe('the page', () => {
  let monitor: FakeMonitor;
  let page: string;

  beforeEach(async () => {
    monitor = smallFleet();
    page = await monitor.text('/');
  });

  test('lists the quota with the least left first, and what is stale last', () => {
    const rows = rowsOf(page, 'quotas').map((row) => row.join(' | '));

    expect(rows.slice(0, 3)).toEqual([
      'spotpaid vcpus critical | ap-shanghai-4 | production | ap-shanghai |  | 0 % | – | 0 | 160 | 160',
      'postpaid instances critical | ap-guangzhou-3 | production | ap-guangzhou |  | 6 % | no change in 24 h full in about 2 h | 20 | 268 | 288',
      'spotpaid vcpus low | ap-guangzhou-4 | production | ap-guangzhou |  | 17 % | +48 in 24 h full in about 6 h | 34 | 165 | 199',
    ]);
    expect(rows.at(-1)).toBe(
      'postpaid instances stale | ap-tokyo-1 | staging | ap-tokyo | last known 1 h 35 min ago | – |  | 32 | 118 | 150',
    );
  });

  test('uses the thresholds of the configuration, and marks what they mute', async () => {
    monitor.thresholds = {
      warning: { count: 21 },
      critical: { count: 5 },
      overrides: [
        override({ zones: ['ap-shanghai-4'] }, null),
        override({ quotaTypes: ['image'] }, null, monitor.nowMs),
      ],
    };

    const changed = await monitor.text('/');

    const states = firstCells(rowsOf(changed, 'quotas'));
    expect(states.slice(0, 2)).toEqual(['image images critical', 'postpaid instances low']);
    expect(states).toContain('spotpaid vcpus muted');
    expect(changed).toContain('class="bar warning"');
    expect(firstCells(rowsOf(await monitor.text('/?q=muted'), 'quotas'))).toHaveLength(2);
    expect(firstCells(rowsOf(await monitor.text('/?show=problems'), 'quotas'))).not.toContain(
      'spotpaid vcpus muted',
    );
  });

  test('draws a bar as long as the used share, and none for a stale quota', () => {
    const [, markup = ''] = /<section id="quotas"(.*?)<\/section>/s.exec(page) ?? [];

    const fills = [...markup.matchAll(/class="fill" width="([\d.]+)"/g)].map(([, width]) => width);

    expect(fills.slice(0, 3)).toEqual(['100', '93.1', '82.9']);
    expect(fills).toHaveLength(rowsOf(page, 'quotas').length - 1);
  });

  test('shows targets with problems before the quotas, with code, message, RequestId and since when', () => {
    expect(page.indexOf('id="problems"')).toBeLessThan(page.indexOf('id="quotas"'));
    const rows = targetRowsOf(page).map((row) => row.join(' | '));

    expect(rows.slice(0, 3)).toEqual([
      'lt-0000dead | staging | ap-singapore | failing | InvalidParameterValue.LaunchTemplateNotFound since 38 min ago The launch template lt-0000dead is not found. RequestId 8b8e3c2a-5f6d-4d57-9f6e-0d3f5b1c7a42 | never | 0.4 s | –',
      'quotas | staging | ap-tokyo | failing stale | AuthFailure.SecretIdNotFound since 38 min ago The SecretId is not found, please ensure that your SecretId is correct. | 1 h 35 min ago | 0.4 s | –',
      'quotas | production | ap-guangzhou | up | – | 1 min ago | 0.2 s | 6 % left postpaid ap-guangzhou-3',
    ]);
  });

  test('shows default and latest version of a template, and its last change', () => {
    expect(rowsOf(page, 'templates').map((row) => row.join(' | '))).toEqual([
      'lt-b8v1kcyq | production | ap-guangzhou | 8 | 11 | 7 | S5.2XLARGE16 img-8toqc6s3 POSTPAID_BY_HOUR | default version changed from 5 to 8, 7 min ago',
      'lt-4kq0zr2m | production | ap-shanghai | 3 | 3 | 3 | SA5.LARGE8 img-8toqc6s3 POSTPAID_BY_HOUR | –',
      'lt-0000dead not known yet | staging | ap-singapore | – | – | – | – | –',
    ]);
  });

  test('shows recent changes, the newest first', () => {
    expect(firstCells(rowsOf(page, 'changes'))).toEqual([
      'default version changed from 5 to 8',
      'version 11 created',
      'postpaid limit raised from 1000 to 1250 in ap-guangzhou-4',
    ]);
  });

  test('sums up quotas, targets, cycle, next run and version', () => {
    const [summary = ''] = /<dl class="summary">.*?<\/dl>/s.exec(page) ?? [];

    expect(textOf(summary)).toBe(
      'Quotas 2 critical 1 low of 12 known now, 1 stale, 0 unknown ' +
        'Targets 5 of 7 up 2 failing, 0 incomplete, 0 stale, 0 not polled yet ' +
        'Last cycle 2.4 s 128 cycles, 0 skipped Next cycle in 3 min 2026-02-03 14:08:12 UTC ' +
        'Version 0.1.0 0818cb0d, started 11 h ago',
    );
    expect(page).toContain('<title>2 quotas critical, 1 quota low, 2 targets failing · ');
  });

  test('tells of records that cannot be stored and of a configuration that was refused', async () => {
    expect(page).not.toContain('role="alert"');
    monitor.storageProblem = 'ENOSPC: no space left on <device>';
    monitor.status = { ...monitor.status, lastReloadSuccessful: false };

    expect(alertsOf(await monitor.text('/'))).toEqual([
      'Records cannot be stored. Polling goes on; a restart would go on from what was stored before. ENOSPC: no space left on &lt;device&gt;',
      'The configuration was not reloaded. The one of 2026-02-02 14:05:00 UTC stays in force; the log says why.',
    ]);
  });

  test('shows no figure as present once everything is stale', async () => {
    monitor.nowMs += 3_600_000;

    const stale = await monitor.text('/');

    for (const row of rowsOf(stale, 'quotas')) {
      expect(row[0]).toMatch(/ stale$/);
      expect(row[4]).toMatch(/^last known .* ago$/);
      expect(row[5]).toBe('–');
    }
    expect(stale).not.toContain('class="fill"');
    expect(stale).toContain('<title>2 targets failing, 5 targets stale · ');
  });
});

test('before the first poll, the page says what is not known yet', async () => {
  const monitor = new FakeMonitor(quotaTarget('production', 'ap-guangzhou'));
  monitor.status = { ...monitor.status, cycles: new Map(), nextCycleMs: null };

  const page = await monitor.text('/');

  expect(page).toContain('No quota is known yet.');
  expect(page).toContain('No launch template is configured.');
  expect(page).toContain('Nothing has changed since the first poll.');
  expect(page).toContain('<title>1 target not polled yet · ');
  expect(targetRowsOf(page)).toEqual([
    ['quotas', 'production', 'ap-guangzhou', 'not polled yet', '–', 'never', '–', '–'],
  ]);
});

describe('a target whose answer lacked something', () => {
  const target = quotaTarget('production', 'ap-guangzhou');
  const missing = ['zone ap-guangzhou-8: no row in the answer', 'PostPaidQuotaSet[2]: no name'];

  async function lackingPage(query = ''): Promise<string> {
    const monitor = new FakeMonitor(target);
    monitor.poll(target, { ...quotas(quota({ used: 1, limit: 10 })), missing });
    return monitor.text(`/${query}`);
  }

  test.each(['', '?show=problems'])('is incomplete, and all of it is named: /%s', async (query) => {
    const page = await lackingPage(query);

    const [row = []] = targetRowsOf(page);
    expect(row.slice(0, 4)).toEqual(['quotas', 'production', 'ap-guangzhou', 'incomplete']);
    for (const sentence of missing) expect(row[4]).toContain(sentence);
  });

  test('keeps the page from saying that all is well', async () => {
    const page = await lackingPage();

    expect(page).toContain('<title>1 target incomplete · ');
    expect(page).not.toContain('1 of 1 target up');
  });
});

test.each([
  ['less than nothing is left', { used: 12, limit: 10 }, '-2'],
  ['more is used than the limit allows', { used: 25, limit: 10, remaining: 5 }, '5'],
  ['a limit of 0 is in use', { used: 3, limit: 0 }, '-3'],
])('a quota of which %s is critical and overdrawn', async (_what, figures, remaining) => {
  const target = quotaTarget('production', 'ap-guangzhou');
  const monitor = new FakeMonitor(target);
  monitor.poll(target, quotas(quota(figures)));

  const page = await monitor.text('/');

  const [row = []] = rowsOf(page, 'quotas');
  expect(row[0]).toBe('postpaid instances overdrawn');
  expect(row[7]).toBe(remaining);
  expect(page).toContain('<title>1 quota critical · ');
});

test('when all is well, the page says so', async () => {
  const target = quotaTarget('production', 'ap-guangzhou');
  const monitor = new FakeMonitor(target);
  monitor.poll(target, quotas(quota({ used: 1, limit: 10 })));

  expect(await monitor.text('/')).toContain(
    '<title>1 of 1 target up, 0 of 1 quota low · cvm-quota-monitor</title>',
  );
});

describe('the query string', () => {
  test.each([
    ['?account=staging', 3, ['lt-0000dead', 'quotas', 'quotas']],
    ['?account=staging&region=ap-tokyo', 1, ['quotas']],
    ['?kind=launch-template', 0, ['lt-0000dead', 'lt-b8v1kcyq', 'lt-4kq0zr2m']],
    ['?kind=quota&region=ap-shanghai', 4, ['quotas']],
    ['?show=problems', 4, ['lt-0000dead', 'quotas']],
    ['?q=ZR2M', 0, ['lt-4kq0zr2m']],
    ['?q=secretid', 0, ['quotas']],
    ['?q=spot', 3, []],
    ['?q=overdrawn', 0, []],
    ['?q=CRITICAL', 2, []],
    ['?q=low', 1, []],
    ['?q=stale', 1, ['quotas']],
    ['?q=whole+region', 3, []],
    ['?q=used+this+month', 1, []],
    ['?q=8b8e3c2a', 0, ['lt-0000dead']],
    ['?q=is+not+found', 0, ['lt-0000dead', 'quotas']],
    ['?target=staging%40ap-tokyo%40DescribeAccountQuota', 1, ['quotas']],
    ['?account=nobody', 0, []],
  ])('%s narrows every table', async (query, quotaCount, targets) => {
    const page = await smallFleet().text(`/${query}`);

    expect(rowsOf(page, 'quotas')).toHaveLength(quotaCount);
    expect(firstCells(targetRowsOf(page))).toEqual(targets);
  });

  test('is shown in the form again, also when it names what is not watched', async () => {
    const page = await smallFleet().text('/?account=nobody&region=ap-tokyo&show=problems&q=a"b');

    expect(page).toContain('<option value="nobody" selected>nobody</option>');
    expect(page).toContain('<option value="ap-tokyo" selected>ap-tokyo</option>');
    expect(page).toContain('value="a&quot;b"');
    expect(page).toMatch(/value="problems"\s+checked/);
    expect(page).toContain('Nothing matches the filter.');
  });

  test.each(['?quotas=0', '?quotas=-1', '?quotas=x', '?quotas=99999999999', '?kind=x&show=y&z=1'])(
    'that makes no sense is as good as none: %s',
    async (query) => {
      expect(rowsOf(await smallFleet().text(`/${query}`), 'quotas')).toHaveLength(13);
    },
  );
});

describe('2,000 targets', () => {
  test('are shown 25 at a time, with links that keep the filter', async () => {
    const page = await largeFleet(20).text('/?account=account-07&quotas=2');

    expect(rowsOf(page, 'quotas')).toHaveLength(25);
    expect(page).toContain('26–50 of 60');
    expect(page).toContain('href="./?account=account-07#quotas" rel="prev"');
    expect(page).toContain('href="./?account=account-07&amp;quotas=3#quotas" rel="next"');
  });

  test('show their last page when a later one is asked for', async () => {
    expect(await largeFleet(20).text('/?targets=900')).toContain('1,976–2,000 of 2,000');
  });
});

describe('headers', () => {
  test('allow the one style and the one script of the page and nothing else', async () => {
    const response = await smallFleet().get('/');
    const page = await response.text();
    const hashOf = (tag: string) => {
      const [, text = ''] = new RegExp(`<${tag}>(.*?)</${tag}>`, 's').exec(page) ?? [];
      return createHash('sha256').update(text).digest('base64');
    };

    expect(response.headers.get('Content-Security-Policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hashOf('style')}'; script-src 'sha256-${hashOf('script')}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    );
    expect(response.headers.get('Referrer-Policy')).toBe('no-referrer');
  });

  test.each([
    [192_000, 60],
    [20_000, 22],
    [1_000, 10],
    [-5_000, 10],
    [null, 60],
  ])('with %s ms to the next cycle, reload the page in %s s', async (ms, seconds) => {
    const monitor = smallFleet();
    monitor.status = { ...monitor.status, nextCycleMs: ms === null ? null : monitor.nowMs + ms };

    expect((await monitor.get('/')).headers.get('Refresh')).toBe(`${seconds}; url=./`);
  });

  test('reload the page with its filter and pages, and nothing that is not known', async () => {
    const response = await smallFleet().get('/?account=%0d%0aa;b&targets=2&show=problems&x=y');

    expect(response.headers.get('Refresh')).toBe(
      '60; url=./?account=a%3Bb&show=problems&targets=2',
    );
  });

  test('leave a paused page alone', async () => {
    const response = await smallFleet().get('/?refresh=off&account=staging');

    expect(response.headers.get('Refresh')).toBeNull();
    expect(await response.text()).toContain('<a href="./?account=staging">Refresh by itself</a>');
  });
});

test('every value is escaped, wherever it comes from', async () => {
  const hostile = `"'><script>alert(1)</script><img src=x onerror=alert(2)>`;
  const region = quotaTarget(hostile, hostile);
  const template = templateTarget(hostile, hostile, hostile);
  const failing = templateTarget(hostile, 'failing', hostile);
  const monitor = new FakeMonitor(region, template, failing);
  monitor.poll(region, quotas(quota({ used: 1, limit: 10, zone: hostile })));
  monitor.poll(region, quotas(quota({ used: 1, limit: 9, zone: hostile })));
  const data = { imageId: hostile, instanceType: hostile, chargeType: hostile };
  monitor.poll(template, versions([1], 1, data));
  monitor.poll(failing, { code: hostile, message: hostile });
  monitor.storageProblem = hostile;

  const pages = [
    await monitor.text('/'),
    await monitor.text(`/?account=${encodeURIComponent(hostile)}&q=${encodeURIComponent('<img')}`),
    await monitor.text(`/?region=${encodeURIComponent(hostile)}&q=${encodeURIComponent(hostile)}`),
  ];

  for (const page of pages) {
    expect(page).toContain('&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).not.toMatch(/<script>alert|<img|onerror=alert\(2\)>/);
  }
});

describe('the links of the configuration', () => {
  const hrefs = (markup: string, text: string) =>
    [...markup.matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g)]
      .filter(([, , label]) => label === text)
      .map(([, href]) => href!.replaceAll('&amp;', '&'));

  test('lead each quota and target to its dashboard, with its values encoded', async () => {
    const target = templateTarget('a', 'ap-x', 'lt-1');
    const monitor = new FakeMonitor(quotaTarget('a', 'ap-x'), target);
    monitor.links = {
      grafana: 'https://g/?a={account}&z={zone}&t={quota_type}&i={template_id}',
      runbooks: null,
    };
    monitor.poll(quotaTarget('a', 'ap-x'), quotas(quota({ used: 1, limit: 10, zone: 'z&"<' })));
    monitor.poll(target, versions([1], 1));

    const page = await monitor.text('/');

    expect(hrefs(page, 'Dashboard')).toEqual([
      'https://g/?a=a&z=z%26%22%3C&t=postpaid&i=',
      'https://g/?a=a&z=&t=&i=',
      'https://g/?a=a&z=&t=&i=lt-1',
    ]);
    expect(hrefs(page, 'Runbook')).toEqual([]);
  });

  test('lead each problem to the runbook of its alert, which exists', async () => {
    const regions = ['ap-fine', 'ap-low', 'ap-full', 'ap-over', 'ap-failing', 'ap-incomplete'];
    const monitor = new FakeMonitor(...regions.map((region) => quotaTarget('a', region)));
    monitor.links = { grafana: null, runbooks: 'https://x/runbooks/' };
    const results = [
      quotas(quota({ used: 1, limit: 10 })),
      quotas(quota({ used: 9, limit: 10 })),
      quotas(quota({ used: 10, limit: 10 })),
      quotas(quota({ used: 11, limit: 10 })),
      { code: 'Timeout', message: '' },
      { ...quotas(), missing: ['no quota in the answer'] },
    ];
    for (const [i, region] of regions.entries())
      monitor.poll(quotaTarget('a', region), results[i]!);
    const links = hrefs(await monitor.text('/'), 'Runbook');
    monitor.nowMs += monitor.staleAfterMs;
    const whenStale = hrefs(await monitor.text('/'), 'Runbook');

    const names = [...links, ...whenStale].map((href) => href.replace('https://x/runbooks/', ''));
    expect(names).toEqual([
      'CvmMonitorTargetFailing.md',
      'CvmMonitorTargetIncomplete.md',
      'CvmQuotaExhausted.md',
      'CvmQuotaExhausted.md',
      'CvmQuotaLow.md',
      'CvmMonitorTargetFailing.md',
      ...Array.from({ length: 5 }, () => 'CvmMonitorTargetStale.md'),
    ]);
    expect(names.filter((name) => !existsSync(`docs/runbooks/${name}`))).toEqual([]);
  });

  test('are left out while none is configured', async () => {
    const page = await smallFleet().text('/');

    expect([...hrefs(page, 'Dashboard'), ...hrefs(page, 'Runbook')]).toEqual([]);
  });
});

describe('what the eye sees is found', () => {
  test.each([
    ['default+version', 'changes', ['default version changed from 5 to 8']],
    ['raised+from+1000', 'changes', ['postpaid limit raised from 1000 to 1250 in ap-guangzhou-4']],
    ['changed+from+5', 'templates', ['lt-b8v1kcyq']],
    ['S5.2XLARGE16', 'templates', ['lt-b8v1kcyq']],
  ])('?q=%s in %s', async (text, section, rows) => {
    expect(firstCells(rowsOf(await smallFleet().text(`/?q=${text}`), section))).toEqual(rows);
  });
});

describe('a column', () => {
  const orderOf = async (query: string, section: string, column = 0) =>
    rowsOf(await smallFleet().text(`/?${query}`), section).map((row) => row[column]);

  test('sorts its table by a link, and in the other direction by another click', async () => {
    const page = await smallFleet().text('/?account=production&quotas-sort=used');

    expect(page).toContain('href="./?account=production&amp;quotas-sort=-used#quotas"');
    expect(page).toContain('href="./?account=production&amp;quotas-sort=limit#quotas"');
    expect(page).toMatch(/class="used number"\s+aria-sort="ascending"/);
    expect(page).toMatch(/class="limit number"\s+aria-sort="none"/);
  });

  test.each([
    ['quotas-sort=used', 'quotas', 8, ['0', '3', '4', '6', '41']],
    ['quotas-sort=-used', 'quotas', 8, ['512', '268', '205', '165', '160']],
    ['quotas-sort=-share', 'quotas', 5, ['83 %', '70 %', '65 %', '65 %', '60 %']],
    ['templates-sort=-column-1', 'templates', 3, ['8', '3', '–']],
    ['templates-sort=column-1', 'templates', 3, ['3', '8', '–']],
    ['problems-sort=success', 'problems', 0, ['quotas', 'lt-0000dead']],
    [
      'changes-sort=time',
      'changes',
      0,
      ['postpaid limit raised from 1000 to 1250 in ap-guangzhou-4'],
    ],
    ['targets-sort=-account', 'targets', 1, ['staging', 'production']],
  ])('%s orders %s', async (query, section, column, first) => {
    expect((await orderOf(query, section, column)).slice(0, first.length)).toEqual(first);
  });

  test.each(['quotas-sort=toString', 'quotas-sort=nothing', 'quotas-sort=-', 'sort=used'])(
    'that does not exist changes no order: %s',
    async (query) => {
      expect(await orderOf(query, 'quotas', 8)).toEqual(await orderOf('', 'quotas', 8));
    },
  );

  test('keeps what is unknown last, also with thousands of rows', async () => {
    const page = await largeFleet(20).text('/?quotas-sort=-used&targets=2');

    expect(rowsOf(page, 'quotas')[0]?.[8]).toBe('399');
  });
});

describe('what could not be read', () => {
  const target = quotaTarget('production', 'ap-guangzhou');
  const template = templateTarget('production', 'ap-guangzhou', 'lt-b8v1kcyq');

  test('is counted as unknown, and marks the rows of the same answer', async () => {
    const monitor = new FakeMonitor(target, template);
    const rest = quota({ used: 1, limit: 10 });
    monitor.poll(target, quotas(rest, quota({ used: 9, limit: 10, zone: 'ap-guangzhou-4' })));
    const answer = quotas(rest);
    const unreadable = { ...answer.rows[0]!, names: ['ap-guangzhou-3', 'ap-guangzhou-4'] };
    monitor.poll(target, {
      ...answer,
      rows: [unreadable],
      missing: ['PostPaidQuotaSet[1]: UsedQuota'],
    });
    monitor.poll(template, { ...versions([1], 1), missing: ['version 2'] });

    const page = await monitor.text('/');

    expect(page).toContain('of 1 known now, 0 stale, 1 unknown');
    expect(firstCells(rowsOf(page, 'quotas'))).toEqual(['postpaid instances incomplete']);
    expect(firstCells(rowsOf(page, 'templates'))).toEqual(['lt-b8v1kcyq incomplete']);
    expect(firstCells(rowsOf(await monitor.text('/?q=incomplete'), 'quotas'))).toHaveLength(1);
  });
});

describe('links', () => {
  test('lead to the same quotas as JSON and CSV', async () => {
    const page = await smallFleet().text('/?account=staging&q=%22a&quotas-sort=used&quotas=2');

    expect(page).toContain('href="api/v1/quotas?account=staging&amp;q=%22a"');
    expect(page).toContain('href="api/v1/quotas?account=staging&amp;q=%22a&amp;format=csv"');
  });

  test('lead to one target, and to one change of it', async () => {
    const page = await smallFleet().text('/?account=production&quotas-sort=used');
    const target =
      './?target=production%40ap-guangzhou%40DescribeLaunchTemplateVersions%40lt-b8v1kcyq';

    expect(page).toContain(`href="${target}"`);
    const [, anchor = ''] =
      /<tr role="row" class="default-version-changed" id="([^"]+)">/.exec(page) ?? [];
    expect(anchor).toMatch(/^change-\d+-[0-9a-f]{12}$/);
    expect(page).toContain(`href="${target}#${anchor}"`);
  });

  test('keep local time, which the reader has chosen', async () => {
    const response = await smallFleet().get('/?time=local');
    const page = await response.text();

    expect(page).toMatch(/<html lang="en" data-time="local">/);
    expect(page).toMatch(/href="\.\/"\s*>Times in UTC</);
    expect(page).toContain('href="./?account=production&amp;time=local"');
    expect(page).toContain('<input type="hidden" name="time" value="local" />');
    expect(response.headers.get('Refresh')).toBe('60; url=./?time=local');
    expect(await smallFleet().text('/')).toMatch(/href="\.\/\?time=local"\s*>Times in local time</);
  });
});
