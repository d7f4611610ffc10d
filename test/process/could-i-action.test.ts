/** The shell of the GitHub Action, as GitHub runs it, with programs in place of docker and curl that write down their calls. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryDirectory } from '../support/directories.ts';
import { repository } from '../support/docs/markdown.ts';
import { hasProgram } from '../support/programs.ts';

const action = parse(
  await readFile(join(repository, '.github/actions/could-i/action.yml'), 'utf8'),
) as { runs: { steps: { shell: string; env: Record<string, string>; run: string }[] } };
const [step] = action.runs.steps;

interface Given {
  code: number;
  table?: string;
  pullRequest?: string;
  curlCode?: number;
  more?: string;
}

async function act({ code, curlCode = 0, more = '', pullRequest = '7', table = '' }: Given) {
  const directory = await temporaryDirectory();
  const path = (name: string) => join(directory, name);
  const program = async (name: string, script: string) => {
    await writeFile(path(`bin/${name}`), `#!/bin/sh\n${script}\n`);
    await chmod(path(`bin/${name}`), 0o755);
  };
  await mkdir(path('bin'));
  await program(
    'docker',
    `printf '%s\\n' "$@" > docker.args; cat > docker.in; cat table; exit ${code}`,
  );
  await program('curl', `printf '%s\\n' "$@" > curl.args; cat > curl.in; exit ${curlCode}`);
  await writeFile(path('table'), table);
  await writeFile(path('plan.json'), '{"plan":1}');
  await writeFile(path('config.yaml'), '');
  await writeFile(path('script.sh'), step!.run);
  const env = {
    ...{ PATH: `${path('bin')}:${process.env.PATH}`, GITHUB_STEP_SUMMARY: path('summary') },
    ...{ GITHUB_API_URL: 'https://api', GITHUB_REPOSITORY: 'o/r', PULL_REQUEST: pullRequest },
    ...{
      PLAN: 'plan.json',
      CONFIG: 'config.yaml',
      IMAGE: 'image',
      TOKEN: 'token',
      ARGUMENTS: more,
    },
  };
  const args = ['--noprofile', '--norc', '-eo', 'pipefail', 'script.sh'];
  const ended = await new Promise<{ code: unknown; stdout: string }>((resolve) => {
    execFile('bash', args, { cwd: directory, env }, (error, stdout) => {
      resolve({ code: error === null ? 0 : error.code, stdout });
    });
  });
  const read = (name: string) => readFile(path(name), 'utf8').catch(() => null);
  return { ...ended, read };
}

const isRun = hasProgram('jq', 'jq');

test.runIf(isRun).each([0, 1, 2, 3])(
  'the action ends with the exit code %i of check, and comments with its table',
  async (code) => {
    const { read, ...ended } = await act({ code, table: '**FINE** `$(x)` "1"\n' });

    expect(ended.code).toBe(code);
    expect(await read('docker.in')).toBe('{"plan":1}');
    expect(await read('summary')).toBe('**FINE** `$(x)` "1"\n');
    expect(JSON.parse((await read('curl.in'))!)).toEqual({ body: '**FINE** `$(x)` "1"\n' });
    expect(await read('curl.args')).toContain('https://api/repos/o/r/issues/7/comments\n');
  },
);

test.runIf(isRun)('the action gives check its flags, and no credentials as arguments', async () => {
  const { read } = await act({ code: 0, table: 'x', more: '--region=a --account=b;c' });

  const args = (await read('docker.args'))!.trim().split('\n');
  expect(args.slice(args.indexOf('image'))).toEqual([
    ...['image', 'check', '--config.file=/config.yaml', '--plan=-', '--output=markdown'],
    ...['--region=a', '--account=b;c'],
  ]);
  expect(args.filter((arg) => arg.startsWith('TENCENTCLOUD_')).join()).not.toContain('=');
});

test.runIf(isRun)('the action says that check printed nothing, and fails', async () => {
  const { read, ...ended } = await act({ code: 3 });

  expect(ended.code).toBe(3);
  expect(await read('summary')).toContain('UNKNOWN');
  expect(await read('curl.in')).toContain('UNKNOWN');
});

test.runIf(isRun).each([
  ['no pull request', { pullRequest: '' }, false],
  ['a comment that is refused', { curlCode: 22 }, true],
])('with %s the action still has the exit code of check', async (_what, given, isAsked) => {
  const { read, ...ended } = await act({ code: 0, table: 'x', ...given });

  expect(ended.code).toBe(0);
  expect((await read('curl.in')) !== null).toBe(isAsked);
  expect(ended.stdout.includes('::warning::')).toBe(isAsked);
});
