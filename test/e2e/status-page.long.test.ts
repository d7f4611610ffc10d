import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startEmulator } from '../../src/emulator/emulator.ts';
import { demoScenarioFile } from '../../src/commands/run/demo-scenario.ts';
import { startWebServer } from '../../src/expose/web/server.ts';
import {
  desk,
  isTooWide,
  openPage,
  phone,
  startBrowser,
  violations,
  type OpenedPage,
  type View,
} from '../helpers/browser.ts';
import { startDaemon } from '../helpers/daemon-process.ts';
import {
  FakeMonitor,
  quota,
  quotas,
  quotaTarget,
  templateTarget,
  versions,
} from '../helpers/fake-monitor.ts';
import { largeFleet, smallFleet } from '../helpers/fleet.ts';
import { hasProgram } from '../helpers/programs.ts';

const views = {
  'a desk in light': { viewport: desk, colorScheme: 'light' },
  'a desk in dark': { viewport: desk, colorScheme: 'dark' },
  'a phone in light': { viewport: phone, colorScheme: 'light' },
  'a phone in dark': { viewport: phone, colorScheme: 'dark' },
} as const;

describe.runIf(hasProgram('chromium', 'chromium'))('the status page in Chromium', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser.close();
  });

  async function serve(monitor: FakeMonitor): Promise<string> {
    const server = await startWebServer(monitor.app, { host: '127.0.0.1', port: 0 });
    onTestFinished(() => server.close());
    return server.url;
  }

  async function open(url: string, view: View = views['a desk in light']): Promise<OpenedPage> {
    const opened = await openPage(browser, url, view);
    onTestFinished(() => opened.page.context().close());
    return opened;
  }

  const unpolled = () => new FakeMonitor(quotaTarget('production', 'ap-guangzhou'));

  test.each([
    ['a small fleet', 'a desk in light', smallFleet],
    ['a small fleet', 'a desk in dark', smallFleet],
    ['a small fleet', 'a phone in light', smallFleet],
    ['a small fleet', 'a phone in dark', smallFleet],
    ['2,000 targets', 'a desk in light', () => largeFleet(20)],
    ['2,000 targets', 'a phone in dark', () => largeFleet(20)],
    ['what was never polled', 'a desk in dark', unpolled],
    ['what was never polled', 'a phone in light', unpolled],
  ] as const)('shows %s on %s, and neither browser nor axe complains', async (_, view, fleet) => {
    const monitor = fleet();
    monitor.storageProblem = 'ENOSPC: no space left on device';
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
    expect(await rows('targets').first().innerText()).toContain('LaunchTemplateIdNotExisted');
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

    const table = page.getByRole('table', { name: 'The worst first' });
    expect(await table.getByRole('columnheader').allInnerTexts()).toContain('Remaining');
    expect(await table.getByRole('rowheader').count()).toBe(13);
    for (const landmark of ['banner', 'main', 'search', 'contentinfo'] as const) {
      expect(await page.getByRole(landmark).count()).toBe(1);
    }
    for (const title of ['Quotas', 'Targets', 'Launch templates', 'Recent changes']) {
      expect(await page.getByRole('region', { name: title }).count()).toBe(1);
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

  test('loads itself anew by its header, with the filter it had, also at a fragment', async () => {
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
        await page.locator('script, img, main style, main meta, main svg[onload]').count(),
      ).toBe(0);
      expect(await isTooWide(page)).toBe(false);
      expect(await violations(page)).toEqual([]);
      expect(trouble).toEqual([]);
    }
    const { page, trouble } = await open(`${url}/?q=${encodeURIComponent(script)}`);
    expect(await page.getByLabel('Search').inputValue()).toBe(script);
    expect(trouble).toEqual([]);
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
