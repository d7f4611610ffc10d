// Fails if a package that the program needs at run time has a known vulnerability. Not every registry answers
// audits. Then this says so, and does not fail.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const directory = mkdtempSync(join(tmpdir(), 'audit-'));
try {
  execFileSync('sh', ['.config/shipped.sh', directory], { stdio: 'inherit' });
  const args = ['audit', '--package-lock-only', '--omit=optional', '--json'];
  const { stdout } = spawnSync('npm', args, { encoding: 'utf8', cwd: directory });
  const { error, message, metadata } = JSON.parse(stdout);
  if (metadata === undefined) {
    const reasons = [error?.summary, message, 'the registry answers no audits'];
    console.log(`not audited: ${reasons.find(Boolean)}`);
  } else {
    const { total } = metadata.vulnerabilities;
    console.log(`audited: ${total} vulnerabilities in ${metadata.dependencies.prod} packages`);
    if (total > 0) {
      console.log(stdout);
      process.exitCode = 1;
    }
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
