// Installs the tools of development before the first test, if they are not installed.
import { execFileSync } from 'node:child_process';

export function setup() {
  execFileSync('sh', ['.config/tool', 'true'], { stdio: 'inherit' });
}
