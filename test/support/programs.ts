/** Programs that some tests need and that npm does not install. */
import { execFileSync } from 'node:child_process';

/**
 * Whether a test that needs `program` can run. If not, the reason is printed. With `CI=true`, a missing
 * program is an error.
 *
 * Use it as `describe.runIf(hasProgram('promtool', 'prometheus'))(…)`.
 *
 * @param program its name on the PATH
 * @param debianPackage the package that contains it
 */
export function hasProgram(program: string, debianPackage: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v "${program}"`], { stdio: 'ignore' });
    return true;
  } catch {
    const reason = `${program} is not installed (apt-get install ${debianPackage})`;
    if (process.env.CI === 'true') throw new Error(reason);
    console.warn(`skipped: ${reason}`);
    return false;
  }
}
