// Fails if a package that the program needs at run time has a known vulnerability. Not every registry answers
// audits. Then this says so, and does not fail.
import { spawnSync } from 'node:child_process';

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8' });
const { error, message, metadata } = JSON.parse(stdout);
if (metadata === undefined) {
  console.log(`not audited: ${error?.summary || message || 'the registry answers no audits'}`);
} else {
  const { total } = metadata.vulnerabilities;
  console.log(`audited: ${total} vulnerabilities in production dependencies`);
  if (total > 0) {
    console.log(stdout);
    process.exitCode = 1;
  }
}
