/** The status page in a browser: what no reading of its markup can tell. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { demoConfig } from '../../../src/commands/demo.ts';
import { demoScenarioFile } from '../../../src/emulator/scenario-files.ts';
import { startWebServer } from '../../../src/expose/server.ts';
import { isTooWide, openPage, startBrowser, violations, type View } from '../../support/browser.ts';
import { FakeMonitor, quota, quotas, quotaTarget } from '../../support/fake-monitor.ts';
import { silentLogger } from '../../support/loggers.ts';
import { startMonitor, type ConfigInput } from '../../support/monitor.ts';
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

  /** Opens the page of a monitor, paused: on a busy machine a test takes longer than the page stays. */
  async function open(
    monitor: FakeMonitor,
    width: Width = 1400,
    view: Partial<View> = {},
    search = '?refresh=off',
  ) {
    const addresses = [{ host: '127.0.0.1', port: 0 }];
    const server = await startWebServer(monitor.app, { addresses }, silentLogger);
    onTestFinished(() => server.close());
    return openAddress(`${server.url}/${search}`, width, view);
  }

  async function openAddress(address: string, width: Width, view: Partial<View> = {}) {
    const viewport = { width, height: heights[width] };
    const opened = await openPage(browser, address, {
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
      const { page, trouble } = await open(fleet(), width, { colorScheme });

      expect(await isTooWide(page)).toBe(false);
      expect(await violations(page)).toEqual([]);
      expect(trouble).toEqual([]);
    },
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

  /** Elements with text that their box cuts off, in Chromium. */
  const cutOf = (selector: string) =>
    `[...document.querySelectorAll('${selector}')].filter((each) => each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1).map((each) => each.textContent)`;

  test.each([
    [1400, 'dark'],
    [900, 'light'],
    [390, 'light'],
  ] as const)(
    'the launches of the demo %i pixels wide in %s cut no part of their strips, and axe finds nothing',
    async (width, colorScheme) => {
      const monitor = await startMonitor({
        scenario: demoScenarioFile,
        config: ({ endpoint }) => parse(demoConfig(endpoint)) as ConfigInput,
      });
      for (let cycle = 0; cycle < 12; cycle += 1) await monitor.cycle(2_000);
      const address = `${monitor.daemon.url}/?refresh=off`;
      const { page, trouble } = await openAddress(address, width, { colorScheme });

      expect(await page.locator('.strip .critical').count()).toBeGreaterThan(1);
      expect(await page.evaluate(cutOf('.strip :is(i, b)'))).toEqual([]);
      expect(await page.evaluate(cutOf('.launches .name'))).toEqual([]);
      const priced = page.locator('.said', { hasText: 'priced' });
      expect(await priced.first().locator('time').textContent()).toMatch(/ago$/);
      expect(await isTooWide(page)).toBe(false);
      expect(await violations(page)).toEqual([]);
      expect(trouble).toEqual([]);
    },
  );

  test('the picture has whole heads, whole names beside it, and a legend in the colours of its cells', async () => {
    const { page } = await open(smallFleet());
    const named = await open(namedFleet());
    const colourOf = (cell: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${cell}')).backgroundColor`);

    expect(await page.locator('.map').first().locator('thead').innerText()).toContain(
      'placement groups',
    );
    expect(await page.evaluate(cutOf('.map thead span, .map caption, #quotas .name'))).toEqual([]);
    expect(await named.page.evaluate(cutOf('.rows bdi, #quotas td'))).toEqual([]);
    for (const state of ['fine', 'low', 'critical', 'unknown']) {
      const shown = state === 'unknown' ? 'stale' : state;
      expect(await colourOf(`.legend .${state}`)).toBe(await colourOf(`.map .${shown}`));
    }
  });

  test('on a phone the verdict keeps what is worst, and each map says how many regions it does not show', async () => {
    const large = await open(largeFleet(1), 390);
    const named = await open(namedFleet(), 390);
    const desk = await open(largeFleet(1));
    const rowsOf = ({ page }: typeof large) => page.locator('.map tbody tr:visible');
    const hiddenOf = ({ page }: typeof large) => page.locator('.map .hidden:visible');

    expect(await large.page.locator('.verdict small:visible').innerText()).toMatch(/ of 400 /);
    expect(await rowsOf(large).count()).toBe(2);
    expect(await hiddenOf(large).allInnerTexts()).toEqual(['and 18 more regions']);
    expect(await rowsOf(named).count()).toBe(0);
    expect(await hiddenOf(named).allInnerTexts()).toEqual(Array(4).fill('1 region not shown'));
    expect(await rowsOf(desk).count()).toBe(20);
    expect(await hiddenOf(desk).count()).toBe(0);
  });

  test('who uses a keyboard can skip the filters', async () => {
    const { page } = await open(smallFleet());
    const focus = () => page.evaluate<string>('document.activeElement.textContent.trim()');

    await page.locator('.map a').last().focus();
    await page.keyboard.press('Tab');
    expect(await focus()).toBe('Skip to the rows');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');

    expect(await page.evaluate('document.activeElement.closest("section")?.id')).toBe('problems');
  });

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
    await page.getByRole('link', { name: 'production' }).first().click();
    expect(await page.getByLabel('Find in the rows below').inputValue()).toBe('');
    expect(await rows.count()).toBeGreaterThan(1);
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

    expect(await page.locator('.facts time').first().innerText()).toMatch(/^\d+d ago$/);
    expect(await page.locator('.facts time').first().getAttribute('title')).toMatch(
      /^2026-02-03 14:04:00 UTC · 2\/3\/2026, 10:04:00\sPM GMT\+8$/,
    );
  });

  test('the page reloads itself by its header', async () => {
    const monitor = smallFleet();
    monitor.status = { ...monitor.status, nextCycleMs: monitor.nowMs };
    const { page } = await open(monitor, 1400, {}, '');

    monitor.nowMs += 60 * 60_000;

    await page.getByText('quotas stale for').waitFor({ timeout: 30_000 });
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
