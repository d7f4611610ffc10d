import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { mainFile, runCommand, startProgram } from '../support/command-line.ts';
import { temporaryDirectory, temporaryFile } from '../support/directories.ts';
import { takenAddress } from '../support/taken-address.ts';

const configFile = (text: string) => temporaryFile('config.yaml', text);

const small = 'accounts: [{ name: a, credentials: { type: none }, regions: [ap-x] }]';

/**
 * The flags of Node.js with which the file of a module loads for two seconds. That is longer than a process may
 * live after its end began.
 */
async function slowlyLoaded(module: string): Promise<string[]> {
  const hooks = await temporaryFile(
    'hooks.mjs',
    `import { setTimeout } from 'node:timers/promises';
    export async function load(url, context, nextLoad) {
      if (url.endsWith('/${module}.js')) await setTimeout(2_000);
      return nextLoad(url, context);
    }`,
  );
  const registering = await temporaryFile(
    'register.mjs',
    `import { register } from 'node:module'; register(${JSON.stringify(pathToFileURL(hooks).href)});`,
  );
  return [`--import=${pathToFileURL(registering).href}`];
}

describe('serve', () => {
  test('ends with one line for a taken port, which names it and how to choose another', async () => {
    const address = await takenAddress();
    const file = await configFile(small);
    const storage = await temporaryDirectory();

    const { code, stderr } = await runCommand(
      'serve',
      `--config.file=${file}`,
      `--storage.path=${storage}`,
      `--web.listen-address=${address}`,
    );

    expect(code).toBe(1);
    expect(stderr).toBe(
      `cannot listen on ${address}: the port is taken; choose another with --web.listen-address=HOST:PORT\n`,
    );
  });

  test('says why it cannot start, however slowly the code loads that says it', async () => {
    const file = await configFile(small);
    const slowLoading = await slowlyLoaded('explained-error');

    const { code, stderr } = await startProgram(process.execPath, [
      ...slowLoading,
      mainFile,
      'serve',
      `--config.file=${file}`,
      `--storage.path=${await temporaryDirectory()}`,
      `--web.listen-address=${await takenAddress()}`,
    ]).result;

    expect(code).toBe(1);
    expect(stderr).toContain('the port is taken');
  });

  test('exits 1 with the errors of a bad configuration', async () => {
    const file = await configFile('accounts: []');

    const { code, stderr } = await runCommand('serve', `--config.file=${file}`);

    expect(code).toBe(1);
    expect(stderr).toBe(`${file}:1:11: accounts: name at least one account\n`);
  });

  test('needs a configuration', async () => {
    const { code, stderr } = await runCommand('serve');

    expect(code).toBe(1);
    expect(stderr).toContain("required option '--config.file <path>' not specified");
  });
});
