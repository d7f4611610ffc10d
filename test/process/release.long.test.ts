/** `npm run release`: what it finds in a clone, and what it leaves to a person. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tmpdir } from 'node:os';
import { runProgram } from '../support/run-program.ts';
import { copyOfSource } from '../support/source.ts';

let directory: string;
let clone: string;

const git = (...args: string[]) =>
  runProgram('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {}, clone);
const release = (...flags: string[]) =>
  runProgram('node', ['.config/release.js', ...flags], {}, clone);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cvm-quota-monitor-'));
  clone = await copyOfSource(directory);
  await git('init', '--quiet');
  await writeFile(join(clone, '.git/info/exclude'), 'node_modules\n');
  await git('add', '--all');
  await git('commit', '--quiet', '--message=all');
});

afterAll(() => rm(directory, { recursive: true, force: true }));

test('a dry run packs the package and the chart of a fresh clone, and says what a person has to do', async () => {
  const output = await release('--dry-run');

  expect(output).toMatch(/ok +package \S+\.tgz sha256:.*/);
  expect(output).toMatch(/ok +chart \S+\.tgz sha256:.*/);
  expect(output).toContain(
    'What a person has to do\n1. Write the date of the release to CHANGELOG.md',
  );
  expect(output).not.toContain('MISTAKE');
  expect(await git('status', '--porcelain')).toBe('');
});

test.each([
  ['config/helm/cvm-quota-monitor/Chart.yaml', 'version: 0.1.0', 'version: 0.2.0', 'of the chart'],
  ['Dockerfile', 'image.version="0.1.0"', 'image.version="0.2.0"', 'label of the image'],
  ['CHANGELOG.md', '## 0.1.0 /', '## 0.2.0 /', 'newest version of CHANGELOG.md'],
  ['config/compose.yaml', /@sha256:\w+/, '', 'no digest'],
  ['.github/workflows/ci.yml', /@sha256:\w+/, '@sha256:to-be-filled-in', 'node:20-bookworm'],
  ['.config/release.json', 'example-org', 'somebody', 'owner in the links'],
])('a dry run refuses a %s in which %s is %s', async (file, from, to, mistake) => {
  const path = join(clone, file);
  await writeFile(path, (await readFile(path, 'utf8')).replace(from, to));

  await expect(release('--dry-run')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(new RegExp(`${mistake}.*changed files`, 's')) as unknown,
  });
  await git('checkout', '--', file);
});

test('a release of a tag refuses what a dry run leaves to a person, and a tag that is there is no new one', async () => {
  await git('tag', 'v0.1.0');

  await expect(release('--tag=v0.1.0')).rejects.toMatchObject({
    stderr: expect.stringMatching(/Write the date .*Write your names /s) as unknown,
  });
  await expect(release('--dry-run')).rejects.toMatchObject({
    stderr: expect.stringContaining('tag v0.1.0 is v0.1.0, and must be none') as unknown,
  });
});

test('one file names the owner and the image of all others', async () => {
  const names = join(clone, '.config/release.json');
  const text = (await readFile(names, 'utf8')).replaceAll('ghcr.io/example-org', 'r.test/somebody');
  await writeFile(names, text.replaceAll('example-org', 'somebody'));

  await release('--rename');

  await expect(git('grep', 'example-org')).rejects.toMatchObject({ code: 1, stdout: '' });
});
