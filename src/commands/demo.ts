/** The command `demo`: runs emulator and daemon together, without other machines and without files that stay. */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { collectors } from '../collectors/collectors.ts';
import { parseConfig } from '../config/config.ts';
import { startDaemon } from '../daemon/daemon.ts';
import { demoScenarioFile } from '../emulator/scenario-files.ts';
import { printResult, type CommandFile } from './command.ts';
import demoConfigFile from './demo-config.yaml?raw';
import { addLogOptions, listenOption, type ListenFlags, type LogFlags } from './options.ts';
import { runUntilSignal } from './run-until-signal.ts';

export const examples: CommandFile['examples'] = [
  ['demo', 'then open http://localhost:10042/'],
  ['demo --web.listen-address=127.0.0.1:0', 'on a free port, which it prints'],
  ['demo --web.listen-address=:10042', 'for other machines too'],
];

export function define(command: Command): void {
  addLogOptions(command.addOption(listenOption('127.0.0.1:10042')));
}

/** The configuration of the daemon, as YAML, for an emulator with this URL. */
export const demoConfig = (endpoint: string) => demoConfigFile.replace('{endpoint}', endpoint);

/** Runs until a signal stops both. The records are in a temporary directory, which the end of the process removes. */
export function run(flags: ListenFlags & LogFlags): Promise<number> {
  return runUntilSignal(flags, async (context) => {
    const storagePath = await mkdtemp(join(tmpdir(), 'cvm-quota-monitor-demo-'));
    process.once('exit', () => {
      rmSync(storagePath, { recursive: true, force: true });
    });
    const { startEmulator } = await import('../emulator/emulator.ts');
    const emulator = await startEmulator({ scenario: demoScenarioFile });
    const daemon = await startDaemon({
      ...context,
      env: {},
      loadConfig: () => Promise.resolve(parseConfig(demoConfig(emulator.url), 'demo', collectors)),
      web: { addresses: [flags['web.listenAddress']] },
      storagePath,
    });
    printResult(
      `\nOpen ${daemon.url}/ for the status page, ${daemon.url}/metrics for Prometheus.\n`,
    );
    printResult(`The emulated service is at ${emulator.url}. Ctrl-C ends both.\n\n`);
    return {
      stop: async () => {
        await daemon.stop();
        await emulator.close();
      },
    };
  });
}
