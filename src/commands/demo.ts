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
import { printResult } from './command.ts';
import demoConfigFile from './demo-config.yaml?raw';
import help from './help.json' with { type: 'json' };
import { addFlags, addLogOptions, listenFlag, type ListenFlags, type LogFlags } from './options.ts';
import { runUntilSignal } from './run-until-signal.ts';

export function define(command: Command): void {
  addFlags(command, help.commands.demo.flags, {
    '--web.listen-address <host:port>': listenFlag('127.0.0.1:10042'),
  });
  addLogOptions(command);
}

/** @param endpoint the URL of the emulator */
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
