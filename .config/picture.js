// Makes docs/status-page.png, a picture of the demo, and beside it a hash of what the page is made of.
//   node .config/picture.js           makes the picture; it needs the built program and Chromium
//   node .config/picture.js --check   fails if the page has changed since the picture was made
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const picture = 'docs/status-page.png';
const size = { width: 1400, height: 1240 };

/** The folders of the page, and the files that write its texts. */
const folders = ['page', 'tables'];
const texts = ['display-state.ts', 'launch-text.ts', 'text.ts', 'verdict.ts'];

function hashOfPage() {
  const parts = readdirSync('src/expose', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      const [, , first] = path.split('/');
      return folders.includes(first) || texts.includes(first);
    });
  const hash = createHash('sha256');
  const demo = ['src/commands/demo.ts', 'src/commands/demo-config.yaml', 'config/demo.yaml'];
  const paths = [...parts, ...demo];
  for (const path of paths.toSorted((a, b) => (a < b ? -1 : 1)))
    hash.update(`${path}\n`).update(readFileSync(path));
  return `${hash.digest('hex')}\n`;
}

/** The moment that the text of README.md tells of: a subnet has fewer addresses than a launch needs, and a type is sold out. */
async function untilBlocked(url) {
  for (;;) {
    const { launches = [] } = await (await fetch(`${url}/api/v1/launches`)).json();
    const reasons = launches.flatMap(({ parts }) => parts.map(({ reason }) => reason));
    if (reasons.includes('subnet') && reasons.includes('sold-out')) return;
    await delay(200);
  }
}

async function makePicture() {
  const { chromium } = await import('playwright-core');
  const args = ['dist/main.js', 'demo', '--web.listen-address=127.0.0.1:0', '--log.level=error'];
  const demo = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    let shown = '';
    demo.stdout.setEncoding('utf8').on('data', (text) => (shown += String(text)));
    const urlOf = () => /Open (\S+)\/ for the status page/.exec(shown)?.[1];
    while (urlOf() === undefined) await once(demo.stdout, 'data');
    await untilBlocked(urlOf());
    const browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu'],
    });
    const page = await browser.newPage({ viewport: size, colorScheme: 'light' });
    await page.goto(`${urlOf()}/`);
    await page.screenshot({ path: picture });
    await browser.close();
    writeFileSync(`${picture}.sha256`, hashOfPage());
  } finally {
    demo.kill();
  }
}

if (!process.argv.includes('--check')) await makePicture();
else if (readFileSync(`${picture}.sha256`, 'utf8') !== hashOfPage()) {
  console.error(`the page has changed since ${picture} was made: npm run picture`);
  process.exit(1);
}
