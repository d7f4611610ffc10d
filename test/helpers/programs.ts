/** Programs outside of npm that some tests need. */
import { execFileSync } from 'node:child_process';

/**
 * Whether a test that needs `program` can run. Where it cannot, the reason is printed; under
 * `CI=true` everything must be there, so a missing program is an error.
 *
 * Use as `describe.runIf(hasProgram('promtool', 'prometheus'))(…)`.
 *
 * @param program looked up on the PATH
 * @param debianPackage what brings it
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
