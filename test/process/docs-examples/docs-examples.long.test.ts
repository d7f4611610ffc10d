/** Every console example of the documentation prints what the documentation shows. */
import { chmod, copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/directories.ts';
import { readPages } from '../../support/docs/markdown.ts';
import { mainFile, startProgram } from '../../support/program.ts';
import { hasProgram } from '../../support/programs.ts';
import { examplesOf, outputsOf, patternOf, scriptOf, startNeeded } from './console-examples.ts';

/** Programs that examples use besides our own, and what brings them. */
const debianPackages = { curl: 'curl', jq: 'jq', promtool: 'prometheus' };

test.each(
  readPages().flatMap(({ path, text }) =>
    examplesOf(text)
      .filter(({ steps }) => {
        const words = steps.flatMap(({ command }) => command.split(/\s+/));
        return Object.entries(debianPackages)
          .filter(([program]) => words.includes(program))
          .every(([program, debianPackage]) => hasProgram(program, debianPackage));
      })
      .map((example) => [path, example.line, example] as const),
  ),
)('the example of %s, line %i, prints what it shows', async (...[, , { needs, files, steps }]) => {
  const directory = await temporaryDirectory();
  const [documented, actual] = await startNeeded(needs);
  const adapted = (text: string) =>
    documented === '' ? text : text.replaceAll(documented, actual);
  await copyFile(join(import.meta.dirname, 'plan.json'), join(directory, 'plan.json'));
  for (const [name, text] of files) await writeFile(join(directory, name), adapted(text));
  const program = join(directory, 'cvm-quota-monitor');
  await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${mainFile}" "$@"\n`);
  await chmod(program, 0o755);
  // In a clone, npx finds the program of the clone.
  await writeFile(join(directory, 'npx'), '#!/bin/sh\nexec "$@"\n');
  await chmod(join(directory, 'npx'), 0o755);

  const script = `cd "${directory}"; exec 2>&1\n${adapted(scriptOf(steps))}`;
  const env = { PATH: `${directory}:${process.env.PATH}`, HOME: directory };
  const { stdout } = await startProgram('bash', ['-c', script], env).result;

  const outputs = outputsOf(stdout);
  expect(outputs).toHaveLength(steps.length);
  for (const [i, { command, output }] of steps.entries()) {
    expect(outputs[i], `$ ${command}`).toMatch(patternOf(output));
  }
});
