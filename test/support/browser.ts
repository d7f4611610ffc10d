/** A real browser. Its pages record every error. */
import axe from 'axe-core';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

/** Starts the Chromium of Debian. Its profile is deleted when the browser ends. */
export async function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

export const desk = { width: 1280, height: 800 };

export interface View extends BrowserContextOptions {
  readonly viewport: { width: number; height: number };
  readonly colorScheme: 'light' | 'dark';
  readonly timezoneId?: string;
  readonly javaScriptEnabled?: boolean;
}

export interface OpenedPage {
  readonly page: Page;
  /** Console messages, script errors, and requests for anything except the page. */
  readonly trouble: readonly string[];
}

export async function openPage(browser: Browser, url: string, view: View): Promise<OpenedPage> {
  const context = await browser.newContext(view);
  const page = await context.newPage();
  const trouble: string[] = [];
  page.on('console', (message) => trouble.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => trouble.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const isOwn = request.isNavigationRequest() || request.url().startsWith('data:');
    if (!isOwn) trouble.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  return { page, trouble };
}

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * The violations that axe-core finds in a page: one line per rule, with the first element. Of each table it looks at 20
 * rows, which have every form that a row has; what it does with 500 takes a minute. The page keeps those rows only.
 */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(
    "document.querySelectorAll('tbody tr:nth-child(n+21)').forEach((row) => row.remove())",
  );
  await page.evaluate(axe.source);
  // Without the thousands of elements that are as they should be.
  const options = JSON.stringify({ runOnly: rules, resultTypes: ['violations'] });
  const found = await page.evaluate<axe.Result[]>(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`);
}

/** Whether a page is wider than its window, so that it needs horizontal scrolling. */
export async function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(
    'document.documentElement.scrollWidth > document.documentElement.clientWidth',
  );
}
