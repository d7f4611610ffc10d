/** What the page and `check` say to readers of Chinese. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { demoConfig } from '../../src/commands/demo.ts';
import { temporaryFile } from '../support/directories.ts';
import { runHere } from '../support/in-process.ts';
import { startMonitor, type ConfigInput } from '../support/monitor.ts';
import { repository } from '../support/docs/markdown.ts';

/** The English words of a text that are no code, ID or address, no label and no name. */
function englishWords(text: string): readonly string[] {
  const labels = /\b(postpaid|prepaid|spotpaid|image|demo|workers|test)\b/g;
  return (
    text
      .replaceAll(/[\w./=-]*[A-Z\d_./=-][\w./=-]*|\{time\}/g, '')
      .replaceAll(labels, '')
      .match(/[a-z]{4,}/g) ?? []
  );
}

/** The text of a page, with what assistive technology and the pointer say. */
function textOf(markup: string): string {
  const body = markup.replaceAll(
    /<(style|script|code|a lang)\b[^]*?<\/\w+>|<a [^>]*lang="en".*?<\/a>/g,
    '',
  );
  const said = [...body.matchAll(/(?:title|aria-label|data-label|data-for|data-none)="([^"]*)"/g)];
  return [body.replaceAll(/<[^>]*>/g, ' '), ...said.map(([, text]) => text)].join(' ');
}

test('the page and check speak Chinese where the reader asks for it, with codes, labels and names', async () => {
  const monitor = await startMonitor({
    scenario: join(repository, 'config/demo.yaml'),
    config: ({ endpoint }) => parse(demoConfig(endpoint)) as ConfigInput,
  });
  await monitor.cycle(13_000);
  await monitor.cycle(22_000);
  const page = async (query: string) => (await monitor.get(`/${query}`)).text();
  const chinese = await page('?lang=zh-CN');
  const config = await temporaryFile('config.yaml', demoConfig(monitor.emulator.url));
  const check = (flags: readonly string[], env = {}) =>
    runHere(['check', `--config.file=${config}`, ...flags], env);
  const table = await check(['--lang=zh-CN', '--all']);
  const inEnvironment = await check([], { LC_ALL: 'zh_CN.UTF-8' });
  const markdown = await check(['--output=markdown', '--all'], { LC_ALL: '', LANG: 'zh_CN' });
  const nagios = await check(['--output=nagios'], { LC_ALL: 'zh_CN.UTF-8' });

  expect(chinese).toContain('<html lang="zh-CN">');
  expect(chinese).toContain('href="./?account=demo&amp;lang=zh-CN"');
  expect(englishWords(textOf(chinese))).toEqual([]);
  expect(englishWords(table.stdout)).toEqual([]);
  expect(englishWords(markdown.stdout.replaceAll('\\', ''))).toEqual([]);
  expect(table.stdout).toContain('1 次启动受阻');
  expect(inEnvironment.stdout).toMatch(/^严重 {2}/m);
  expect(nagios.stdout).toMatch(/^CVM QUOTA CRITICAL: /);
  expect(await page('')).toContain('<html lang="en">');
});
