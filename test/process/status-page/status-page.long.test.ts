/** The status page in a browser: what no reading of its markup can tell. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startWebServer } from '../../../src/expose/server.ts';
import { isTooWide, openPage, startBrowser, violations, type View } from '../../support/browser.ts';
import { FakeMonitor, quota, quotas, quotaTarget } from '../../support/fake-monitor.ts';
import { silentLogger } from '../../support/loggers.ts';
import { hasProgram } from '../../support/programs.ts';
import { inTrouble, largeFleet, longFleet, namedFleet, smallFleet } from './fleets.ts';

const heights = { 1400: 1_000, 900: 1_000, 390: 844 };
type Width = keyof typeof heights;

describe.runIf(hasProgram('chromium', 'chromium'))('Chromium', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser.close();
  });

  async function open(
    monitor: FakeMonitor,
    width: Width = 1400,
    view: Partial<View> = {},
    search = '',
  ) {
    const addresses = [{ host: '127.0.0.1', port: 0 }];
    const server = await startWebServer(monitor.app, { addresses }, silentLogger);
    onTestFinished(() => server.close());
    const viewport = { width, height: heights[width] };
    const opened = await openPage(browser, `${server.url}/${search}`, {
      viewport,
      colorScheme: 'light',
      ...view,
    });
    onTestFinished(() => opened.page.context().close());
    return opened;
  }

  const manyQuotas = () => largeFleet(10);
  const unpolled = () => new FakeMonitor(quotaTarget('production', 'ap-guangzhou'));

  test.each([
    ['a small fleet', 1400, 'light', smallFleet],
    ['a small fleet', 390, 'dark', smallFleet],
    ['long names in several languages', 900, 'light', longFleet],
    ['long names in several languages', 390, 'dark', longFleet],
    ['500 of many quotas', 1400, 'dark', manyQuotas],
    ['a cluster in trouble', 390, 'light', inTrouble],
    ['what was never polled', 900, 'dark', unpolled],
  ] as const)(
    'the page shows %s %i pixels wide in %s, and axe finds nothing',
    async (...options) => {
      const [, width, colorScheme, fleet] = options;
      // axe walks a large page for longer than it stays.
      const { page, trouble } = await open(fleet(), width, { colorScheme }, '?refresh=off');

      expect(await isTooWide(page)).toBe(false);
      expect(await violations(page)).toEqual([]);
      expect(trouble).toEqual([]);
    },
    300_000,
  );

  test.each([1400, 900] as const)(
    'on a page %i pixels wide, each quota and each name has one line',
    async (width) => {
      const { page } = await open(namedFleet(), width);

      const rowHeights = await page.evaluate<number[]>(
        "[...document.querySelectorAll('#quotas tbody tr')].map((row) => row.offsetHeight)",
      );
      const cut = await page.evaluate<number>(
        "[...document.querySelectorAll('#quotas tbody td:not(.trend)')].filter((cell) => cell.scrollWidth > cell.clientWidth + 1).length",
      );

      const names = await page.evaluate<number[]>(
        "[...document.querySelectorAll('.rows :is(.name, .where, .account, .target) bdi')].map((name) => name.offsetHeight)",
      );

      expect(rowHeights).toHaveLength(24);
      expect(Math.max(...names)).toBeLessThan(25);
      expect(Math.max(...rowHeights)).toBeLessThan(34);
      expect(cut).toBe(0);
    },
  );

  test('the page on a phone has the first card in sight without scrolling', async () => {
    const { page } = await open(namedFleet(), 390);

    const box = await page.locator('table.rows tbody tr').first().boundingBox();

    expect(box!.y + box!.height).toBeLessThan(heights[390]);
  });

  test('a cell of the page shows its figure when it has the focus of the keyboard, and Enter narrows the page down', async () => {
    const { page } = await open(smallFleet());
    const isShown = () =>
      page.evaluate<boolean>(
        "getComputedStyle(document.querySelector('.cell.critical .figure')).clipPath === 'none'",
      );

    expect(await isShown()).toBe(false);
    await page.locator('.map tbody a').first().focus();
    await page.keyboard.press('Tab');
    expect(await isShown()).toBe(true);

    await page.keyboard.press('Enter');
    await page.waitForURL(/account=production.*quota_type=postpaid/);
    expect(await page.locator('#quotas tbody tr').count()).toBe(2);
  });

  test('the page sorts and refines rows in the browser, and keeps both over a reload', async () => {
    const { page, trouble } = await open(smallFleet());
    const rows = page.locator('#quotas tbody tr:visible');

    await page.locator('#quotas').getByRole('button', { name: 'Used' }).click();
    expect(await rows.first().locator('.used').innerText()).toBe('0');
    await page.locator('#quotas').getByRole('button', { name: 'Used' }).click();
    expect(await rows.first().locator('.used').innerText()).toBe('512');
    await page.getByLabel('Find in the rows below').fill('spot shanghai');
    expect(await rows.count()).toBe(1);
    await page.getByLabel('Find in the rows below').fill('no such words');
    expect(await page.locator('.refine output').innerText()).toBe('no row has these words');
    await page.getByLabel('Find in the rows below').fill('spot shanghai');

    await page.reload();
    expect(await rows.count()).toBe(1);
    expect(
      await page
        .locator('#quotas th[aria-sort]')
        .evaluateAll((heads) => heads.map((h) => h.ariaSort)),
    ).toEqual(['descending']);
    expect(trouble).toEqual([]);
  });

  test('the page without script has the worst first, and its form narrows it down', async () => {
    const { page } = await open(smallFleet(), 1400, { javaScriptEnabled: false });

    expect(await page.locator('#quotas tbody tr').first().locator('.state').innerText()).toBe(
      'critical',
    );
    await page.getByLabel('Region').selectOption('ap-singapore');
    await page.getByRole('button', { name: 'Narrow' }).click();
    expect(await page.locator('#quotas tbody tr').count()).toBe(2);
  });

  test('the tables of the page are tables for assistive technology, also on a phone', async () => {
    const { page } = await open(smallFleet(), 390);

    const table = page.getByRole('table', { name: /^The worst first/ });
    expect(await table.getByRole('rowheader').count()).toBe(15);
    for (const landmark of ['banner', 'main', 'search', 'contentinfo'] as const) {
      expect(await page.getByRole(landmark).count()).toBe(1);
    }
  });

  test('the page selects a whole RequestId by a click', async () => {
    const { page } = await open(smallFleet());

    await page.locator('code.request-id').click();

    expect(await page.evaluate('getSelection().toString()')).toBe(
      '8b8e3c2a-5f6d-4d57-9f6e-0d3f5b1c7a42',
    );
  });

  test('the page says the local time of a time when the pointer is on it', async () => {
    const view = { timezoneId: 'Asia/Shanghai', locale: 'sv-SE' };
    const { page } = await open(smallFleet(), 1400, view);

    expect(await page.locator('.facts time').first().innerText()).toMatch(/^\d+ d ago$/);
    expect(await page.locator('.facts time').first().getAttribute('title')).toBe(
      '2026-02-03 14:04:00 UTC, here 2026-02-03 22:04:00',
    );
  });

  test('the page reloads itself by its header', async () => {
    const monitor = smallFleet();
    monitor.status = { ...monitor.status, nextCycleMs: monitor.nowMs };
    const { page } = await open(monitor);

    monitor.nowMs += 60 * 60_000;

    await page.getByText('nothing is known for').waitFor({ timeout: 30_000 });
  });

  test('the page would run no script even if one got in', async () => {
    const { page, trouble } = await open(smallFleet());

    await page.evaluate(`
      const script = document.createElement('script');
      script.textContent = 'globalThis.ran = true';
      document.body.append(script);
    `);

    expect(await page.evaluate('globalThis.ran')).toBeUndefined();
    expect(trouble.join()).toContain('Content Security Policy');
  });

  test('the page shows hostile names as nothing but text', async () => {
    const names = [
      '<script>alert(1)</script>',
      `"><img src=x onerror=alert(2)>`,
      '</style><style>*{display:none}</style>',
      '</title><svg/onload=alert(4)>',
      '\u202Eright to left\u0000',
      'long'.repeat(200),
    ];
    const targets = names.map((name) => quotaTarget(name, name));
    const monitor = new FakeMonitor(...targets);
    for (const [i, name] of names.entries()) {
      monitor.poll(targets[i]!, quotas(quota({ used: 1, limit: 10, zone: name })));
      monitor.poll(targets[i]!, { code: name, message: name });
    }
    monitor.storageProblem = names.join(' ');
    for (const width of [1400, 390] as const) {
      const { page, trouble } = await open(monitor, width);

      expect(await page.locator('#quotas').innerText()).toContain(names[0]);
      expect(await page.locator('main script, img, main style, svg[onload]').count()).toBe(0);
      expect(await isTooWide(page)).toBe(false);
      expect(await violations(page)).toEqual([]);
      expect(trouble).toEqual([]);
    }
  });
});
