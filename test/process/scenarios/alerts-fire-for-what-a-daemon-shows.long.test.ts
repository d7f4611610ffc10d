/** What a daemon exposes, read by promtool. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { configOf, run, startWatched } from '../../support/program.ts';
import { hasProgram } from '../../support/programs.ts';

test.runIf(hasProgram('promtool', 'prometheus'))(
  'promtool finds nothing wrong with /metrics and with check --output=prometheus',
  async () => {
    const account = { labels: { team: String.raw`the "payments" \ one` } };
    const { emulator, daemon } = await startWatched({ account });
    const config = configOf(emulator, { account });
    const { stdout } = await run('check', { config, flags: ['--output=prometheus'] });

    for (const input of [await daemon.text('/metrics'), stdout]) {
      const complaints = execFileSync('promtool', ['check', 'metrics'], {
        input,
        encoding: 'utf8',
      });
      expect(complaints).toBe('');
    }
  },
);
