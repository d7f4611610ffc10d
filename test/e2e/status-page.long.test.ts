import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startEmulator } from '../../src/emulator/emulator.ts';
import { demoScenarioFile } from '../../src/emulator/demo-scenario.ts';
import { startWebServer } from '../../src/expose/server.ts';
import {
  desk,
  isTooWide,
  openPage,
  phone,
  tablet,
  startBrowser,
  violations,
  type OpenedPage,
  type View,
} from '../helpers/browser.ts';
import { accountCycle, clusterStatus, member } from '../helpers/cluster-status.ts';
import { startDaemon } from '../helpers/daemon-process.ts';
import {
  FakeMonitor,
  quota,
  quotas,
  quotaTarget,
  templateTarget,
  versions,
} from '../helpers/fake-monitor.ts';
import { largeFleet, longFleet, smallFleet } from '../helpers/fleet.ts';
import { hasProgram } from '../helpers/programs.ts';

const views = {
  'a desk in light': { viewport: desk, colorScheme: 'light' },
  'a desk in dark': { viewport: desk, colorScheme: 'dark' },
  'a phone in light': { viewport: phone, colorScheme: 'light' },
  'a phone in dark': { viewport: phone, colorScheme: 'dark' },
  'a tablet in light': { viewport: tablet, colorScheme: 'light' },
  'a tablet in dark': { viewport: tablet, colorScheme: 'dark' },
} as const;

const links = {
  grafana: 'https://grafana.example.com/',
  runbooks: 'https://runbooks.example.com/',
};

describe.runIf(hasProgram('chromium', 'chromium'))('the status page in Chromium', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser.close();
  });

  async function serve(monitor: FakeMonitor): Promise<string> {
    const server = await startWebServer(monitor.app, {
      addresses: [{ host: '127.0.0.1', port: 0 }],
    });
    onTestFinished(() => server.close());
    return server.url;
  }

  async function open(url: string, view: View = views['a desk in light']): Promise<OpenedPage> {
    const opened = await openPage(browser, url, view);
    onTestFinished(() => opened.page.context().close());
    return opened;
  }

  const unpolled = () => new FakeMonitor(quotaTarget('production', 'ap-guangzhou'));

  /** With everything that the page can say about a cluster. */
  const clusterInTrouble = () => {
    const monitor = smallFleet();
    monitor.cluster = clusterStatus({
      members: [
        member('web-1:14', { isThis: true }),
        member(`${'a-host-with-a-long-name.'.repeat(6)}:9`, { configuration: 'b02f44d1a7c3' }),
      ],
      accounts: [
        accountCycle('production', {
          polledBy: 'web-1:14',
          isRunning: true,
          begunAtMs: monitor.nowMs - 5_000,
        }),
        accountCycle('staging', { waitingSinceMs: monitor.nowMs - 120_000 }),
      ],
      problem: 'Redis at valkey:6379 does not answer: no connection',
    });
    return monitor;
  };

  test.each([
    ['a small fleet', 'a desk in light', smallFleet],
    ['a small fleet', 'a desk in dark', smallFleet],
    ['a small fleet', 'a phone in light', smallFleet],
    ['a small fleet', 'a phone in dark', smallFleet],
    ['a small fleet', 'a tablet in light', smallFleet],
    ['a small fleet', 'a tablet in dark', smallFleet],
    ['long names in several languages', 'a desk in light', longFleet],
    ['long names in several languages', 'a desk in dark', longFleet],
    ['long names in several languages', 'a tablet in light', longFleet],
    ['long names in several languages', 'a phone in dark', longFleet],
    ['2,000 targets', 'a desk in light', () => largeFleet(20)],
    ['2,000 targets', 'a phone in dark', () => largeFleet(20)],
    ['a cluster in trouble', 'a desk in light', clusterInTrouble],
    ['a cluster in trouble', 'a phone in dark', clusterInTrouble],
    ['what was never polled', 'a desk in dark', unpolled],
    ['what was never polled', 'a phone in light', unpolled],
  ] as const)('shows %s on %s, and neither browser nor axe complains', async (_, view, fleet) => {
    const monitor = fleet();
    monitor.storageProblem = 'ENOSPC: no space left on device';
    monitor.links = links;
    const { page, trouble } = await open(await serve(monitor), views[view]);

    expect(await violations(page)).toEqual([]);
    expect(trouble).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
  });

  test('shows what a running daemon polled, and narrows it down by its form', async () => {
    const emulator = await startEmulator({ scenario: demoScenarioFile });
    onTestFinished(() => emulator.close());
    const daemon = await startDaemon({
      config: {
        api: { endpoint: emulator.url },
        accounts: [
          {
            name: 'demo',
            credentials: { type: 'none' },
            regions: [
              { name: 'ap-guangzhou', launch_templates: ['lt-b8v1kcyq', 'lt-00000000'] },
              'ap-singapore',
            ],
          },
        ],
      },
    });
    await daemon.ready();

    const { page, trouble } = await open(`${await daemon.serving()}/`);
    const rows = (section: string) => page.locator(`#${section} tbody tr`);
    expect(await rows('quotas').first().innerText()).toMatch(
      /^image images low\s+whole region\s+demo\s+ap-singapore/,
    );
    expect(await rows('quotas').count()).toBe(16);
    expect(await rows('problems').first().innerText()).toContain('LaunchTemplateIdNotExisted');
    expect(await rows('problems').first().innerText()).toMatch(/RequestId [\w-]+/);
    expect(await rows('templates').first().innerText()).toMatch(/^lt-b8v1kcyq\s+demo\s/);

    await page.locator('select[name=region]').selectOption('ap-singapore');
    await page.getByLabel('Search').fill('SPOT');
    await page.getByRole('button', { name: 'Apply' }).click();
    expect(new URL(page.url()).search).toBe('?q=SPOT&account=&region=ap-singapore&kind=');
    expect(await rows('quotas').count()).toBe(2);

    await page.getByRole('link', { name: 'Clear' }).click();
    expect(await rows('quotas').count()).toBe(16);
    expect(trouble).toEqual([]);
  });

  test('is paged, and every page is reached by its links', async () => {
    const { page } = await open(`${await serve(largeFleet(20))}/?account=account-03`);
    const pager = page.getByRole('navigation', { name: 'Pages of quotas' });

    const seen = new Set<string>();
    for (let number = 1; number <= 3; number += 1) {
      expect(await pager.innerText()).toContain('of 60');
      for (const zone of await page.locator('#quotas td.zone').allInnerTexts()) seen.add(zone);
      if (number < 3) await pager.getByRole('link', { name: 'Next' }).click();
    }

    expect(seen.size).toBe(60);
    expect(await pager.getByRole('link', { name: 'Next' }).count()).toBe(0);
  });

  test('keeps tables tables for assistive technology, also on a phone', async () => {
    const { page } = await open(await serve(smallFleet()), views['a phone in light']);

    const table = page.getByRole('table', { name: /^The worst first/ });
    expect(await table.getByRole('columnheader').allInnerTexts()).toContain('Remaining');
    expect(
      await table.getByRole('img', { name: 'Use in the last 24 h: from 117 to 165' }).count(),
    ).toBe(1);
    expect(await table.getByRole('rowheader').count()).toBe(13);
    for (const landmark of ['banner', 'main', 'search', 'contentinfo'] as const) {
      expect(await page.getByRole(landmark).count()).toBe(1);
    }
    const titles = [
      'Targets with problems',
      'Quotas',
      'Targets',
      'Launch templates',
      'Recent changes',
    ];
    for (const name of titles) {
      expect(await page.getByRole('region', { name: new RegExp(`^${name} \\d`) }).count()).toBe(1);
    }
  });

  test('takes the colours that the reader prefers', async () => {
    const url = await serve(smallFleet());
    const grounds = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await open(url, { viewport: desk, colorScheme });
      grounds.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
    }

    expect(grounds).toEqual(['rgb(245, 246, 248)', 'rgb(15, 20, 26)']);
  });

  test('reloads itself by its header, with the filter it had, also at a fragment', async () => {
    const monitor = smallFleet();
    monitor.status = { ...monitor.status, nextCycleMs: monitor.nowMs };
    const { page } = await open(`${await serve(monitor)}/?account=staging#targets`);

    monitor.published.replaceAll([]);
    await page.locator('#targets .empty').waitFor();

    expect(new URL(page.url()).search).toBe('?account=staging');
  });

  test('shows hostile names as nothing but text', async () => {
    const script = '<script>alert(1)</script>';
    const names = [
      script,
      `"><img src=x onerror=alert(2)>`,
      `' style=display:none onload='alert(3)`,
      '</style><style>*{display:none}</style>',
      '</title><svg/onload=alert(4)>',
      '<meta http-equiv=refresh content=0;url=//example.com>',
      'javascript:alert(5)',
      '\u202Eright to left\u0000',
      'long'.repeat(200),
    ];
    const regions = names.map((name) => quotaTarget(name, name));
    const templates = names.map((name) => templateTarget(name, name, name));
    const monitor = new FakeMonitor(...regions, ...templates);
    for (const [i, name] of names.entries()) {
      monitor.poll(regions[i]!, quotas(quota({ used: 1, limit: 10, zone: name })));
      monitor.poll(regions[i]!, quotas(quota({ used: 1, limit: 9, zone: name })));
      const data = { imageId: name, instanceType: name, chargeType: name };
      monitor.poll(templates[i]!, versions([1], 1, data));
      monitor.poll(templates[i]!, { code: name, message: name });
    }
    monitor.storageProblem = names.join(' ');
    const url = await serve(monitor);

    for (const view of [views['a desk in light'], views['a phone in light']]) {
      const { page, trouble } = await open(`${url}/?account=&q=&region=`, view);
      expect(await page.locator('#quotas').innerText()).toContain(script);
      expect(
        await page.locator('main script, img, main style, main meta, main svg[onload]').count(),
      ).toBe(0);
      expect(await page.locator('script').count()).toBe(1);
      expect(await isTooWide(page)).toBe(false);
      expect(await violations(page)).toEqual([]);
      expect(trouble).toEqual([]);
    }
    const { page, trouble } = await open(`${url}/?q=${encodeURIComponent(script)}`);
    expect(await page.getByLabel('Search').inputValue()).toBe(script);
    expect(trouble).toEqual([]);
  });

  test('is sorted by a click on a column, also on a phone', async () => {
    for (const view of [views['a desk in light'], views['a phone in light']]) {
      const { page } = await open(await serve(smallFleet()), view);
      const used = page.locator('#quotas td.used');

      await page.getByRole('link', { name: 'Used' }).click();
      expect(await used.first().innerText()).toBe('0');
      await page.getByRole('link', { name: 'Used' }).click();
      expect(await used.first().innerText()).toBe('512');
    }
  });

  test('copies a RequestId by a click, which can be read and marked without script', async () => {
    const requestId = '8b8e3c2a-5f6d-4d57-9f6e-0d3f5b1c7a42';
    const url = await serve(smallFleet());
    const { page, trouble } = await open(url);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);

    await page.getByRole('button', { name: `Copy RequestId ${requestId}` }).click();

    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(requestId);
    expect(trouble).toEqual([]);

    const without = await openPage(browser, url, {
      ...views['a desk in light'],
      javaScriptEnabled: false,
    });
    onTestFinished(() => without.page.context().close());
    expect(await without.page.locator('#problems').innerText()).toContain(requestId);
    expect(await without.page.getByRole('button', { name: 'Copy' }).count()).toBe(0);
  });

  test('shows times in the time zone of the browser, and still does after its reload', async () => {
    const monitor = smallFleet();
    const opened = await openPage(browser, await serve(monitor), {
      ...views['a desk in light'],
      timezoneId: 'Asia/Shanghai',
    });
    const { page, trouble } = opened;
    onTestFinished(() => page.context().close());
    const asOf = page.locator('footer time');
    expect(await asOf.innerText()).toBe('2026-02-03 14:05:00 UTC');

    await page.getByRole('link', { name: 'Times in local time' }).click();
    expect(await asOf.innerText()).toBe('2026-02-03 22:05:00 GMT+8');
    expect(await page.locator('#changes td.seen time').first().getAttribute('title')).toBe(
      '2026-02-03 21:58:00 GMT+8',
    );
    await page.reload();
    expect(await asOf.innerText()).toBe('2026-02-03 22:05:00 GMT+8');

    await page.getByRole('link', { name: 'Times in UTC' }).click();
    expect(await asOf.innerText()).toBe('2026-02-03 14:05:00 UTC');
    expect(trouble).toEqual([]);
  });

  test.each([
    ['a small fleet', smallFleet, 'low'],
    ['long names in several languages', longFleet, 'overdrawn'],
  ] as const)('gives each quota of %s a page of its own', async (_, fleet, severity) => {
    const monitor = fleet();
    monitor.links = links;
    const url = await serve(monitor);
    for (const view of Object.values(views)) {
      const { page, trouble } = await open(`${url}/?q=${severity}`, view);
      await page.locator('#quotas tbody tr').first().locator('th > a').click();

      expect(await page.locator('header').innerText()).toContain(severity);
      expect(await page.getByRole('img', { name: /^Use in the last 24 h/ }).count()).toBe(1);
      expect(await violations(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
      await page.getByRole('link', { name: 'Its target' }).click();
      expect(await page.locator('#quotas tbody tr').count()).toBeGreaterThan(0);
      expect(trouble).toEqual([]);
    }
  });

  test('shows one row at its own address, and says so of a quota that is not there', async () => {
    const url = await serve(smallFleet());
    const { page } = await open(url);

    await page.locator('#targets tbody tr').nth(1).locator('th > a').click();
    expect(await page.locator('#targets tbody tr').count()).toBe(1);
    expect(await page.locator('#quotas .empty').count()).toBe(1);

    const response = await page.goto(
      `${url}/quota?account=production&region=gone&quota_type=image`,
    );
    expect(response?.status()).toBe(404);
    expect(await violations(page)).toEqual([]);
  });

  test('would run no script even if one got in', async () => {
    const { page, trouble } = await open(await serve(smallFleet()));

    await page.evaluate(`
      const script = document.createElement('script');
      script.textContent = 'globalThis.ran = true';
      document.body.append(script);
    `);

    expect(await page.evaluate('globalThis.ran')).toBeUndefined();
    expect(trouble).toEqual([expect.stringContaining('Content Security Policy')]);
  });
});
