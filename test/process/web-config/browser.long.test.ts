/** A browser opens the page of a daemon with TLS, a user and a prefix. */
import { expect, onTestFinished, test } from 'vitest';
import { desk, openPage, startBrowser } from '../../support/browser.ts';
import { tlsConfigFile } from '../../support/certificate-authority.ts';
import { emulate } from '../../support/emulator.ts';
import { configOf, spawnDaemon } from '../../support/program.ts';
import { hasProgram } from '../../support/programs.ts';
import { listenLocally } from '../../support/prometheus/servers.ts';
import { ask } from '../../support/toolkit-client.ts';

async function start() {
  const { file } = await tlsConfigFile({ carol: 'carol123' });
  const emulator = await emulate();
  const daemon = await spawnDaemon({
    config: configOf(emulator, {}),
    flags: [`--web.config.file=${file}`, '--web.external-url=https://ops.example.com/quota/'],
  });
  const browser = await startBrowser();
  onTestFinished(() => browser.close());
  return { browser, daemon, url: await daemon.url() };
}

const view = {
  viewport: desk,
  colorScheme: 'light',
  ignoreHTTPSErrors: true,
  httpCredentials: { username: 'carol', password: 'carol123' },
} as const;

const chromiumTest = test.runIf(
  hasProgram('chromium', 'chromium') && hasProgram('openssl', 'openssl'),
);

chromiumTest(
  'the page works in Chromium with TLS, a user and a prefix, and sets no cookie',
  async () => {
    const { browser, url } = await start();

    const { page, trouble } = await openPage(browser, new URL('/', url).href, view);
    expect(page.url()).toBe(`${url}/`);
    await page.goto(`${url}/?quota_type=image`);
    // Paused: a page that reloads under the test has no links for a moment.
    await page.goto(`${url}/?refresh=off`);

    expect(new URL(page.url()).pathname).toBe('/quota/');
    expect(await page.context().cookies()).toEqual([]);
    expect(trouble).toEqual([]);
    const links = await page.evaluate<string[]>('[...document.links].map(({ href }) => href)');
    for (const target of new Set(links.filter((href) => href.startsWith(new URL('/', url).href)))) {
      const path = target.slice(new URL(url).origin.length);
      expect([path, (await ask(url, { path, login: 'carol:carol123' })).status]).toEqual([
        path,
        200,
      ]);
    }
  },
);

chromiumTest('no site can reload the daemon with the password that Chromium knows', async () => {
  const { browser, daemon, url } = await start();
  const { page } = await openPage(browser, `${url}/`, view);
  // Its page sends this form at once.
  const otherSite = await listenLocally((_, response) => {
    response
      .setHeader('Content-Type', 'text/html')
      .end(
        `<form method=post action="${url}/-/reload"></form><script>document.forms[0].submit()</script>`,
      );
  });

  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().endsWith('/-/reload')),
    page.goto(`http://${otherSite}/`),
  ]);

  expect(answer.status()).toBe(403);
  expect(daemon.log.filter(({ msg }) => msg.startsWith('configuration'))).toEqual([]);
  const reload = () =>
    page.evaluate<number>(`fetch('${url}/-/reload', { method: 'POST' }).then((r) => r.status)`);
  await page.goto(`${url}/-/healthy`);
  expect(await reload()).toBe(403);
});
