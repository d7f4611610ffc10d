import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { collectors } from '../collectors/collectors.ts';
import { parseConfig } from '../config/config.ts';
import { readBuildInfo } from '../daemon/build-info.ts';
import { Daemon } from '../daemon/daemon.ts';
import { demoScenarioFile } from '../emulator/scenario-files.ts';
import { createLogger } from '../log.ts';
import { print, processSurroundings, type ExitWith } from './command.ts';
import {
  examples,
  listenOption,
  logFormatOption,
  logLevelOption,
  type ListenFlags,
  type LogFlags,
} from './options.ts';
import { runUntilSignal } from './run-until-signal.ts';

/** `demo`: runs emulator and daemon together. It contacts no other machine and leaves no files behind. */
export function demoCommand(exitWith: ExitWith): Command {
  return new Command('demo')
    .addOption(listenOption('127.0.0.1:10042'))
    .addOption(logLevelOption())
    .addOption(logFormatOption())
    .addHelpText(
      'after',
      examples(
        ['demo', 'then open http://localhost:10042/'],
        ['demo --web.listen-address=127.0.0.1:0', 'on a free port, which it prints'],
        ['demo --web.listen-address=:10042', 'for other machines too'],
      ),
    )
    .action((flags: ListenFlags & LogFlags) => demo(flags).then(exitWith));
}

/** The configuration of the demo: it polls the regions of its scenario every two seconds. */
const demoConfig = (endpoint: string) => `
poll: { schedule: "*/2 * * * * *", stale_after: 30s }
api: { endpoint: "${endpoint}" }
accounts:
  - name: demo
    credentials: { type: none }
    launches: true
    regions:
      - name: ap-guangzhou
        launch_templates: [lt-b8v1kcyq, lt-he88kvq1]
        instance_types: [S5.LARGE8]
      - ap-shanghai
      - ap-singapore
`;

function demo(flags: ListenFlags & LogFlags): Promise<number> {
  const logger = createLogger({ level: flags['log.level'], format: flags['log.format'] });
  return runUntilSignal(async ({ fail, signal }) => {
    const storagePath = await mkdtemp(join(tmpdir(), 'cvm-quota-monitor-demo-'));
    process.once('exit', () => {
      rmSync(storagePath, { recursive: true, force: true });
    });
    const { startEmulator } = await import('../emulator/emulator.ts');
    const emulator = await startEmulator({ scenario: demoScenarioFile });
    const daemon = await Daemon.start({
      signal,
      loadConfig: () => Promise.resolve(parseConfig(demoConfig(emulator.url), 'demo', collectors)),
      web: { addresses: [flags['web.listenAddress']] },
      storagePath,
      build: readBuildInfo(process.env),
      logger,
      onFatal: fail,
      ...processSurroundings(),
      env: {},
    });
    print(`\nOpen ${daemon.url}/ for the status page, ${daemon.url}/metrics for Prometheus.\n`);
    print(`The emulated service is at ${emulator.url}. Ctrl-C ends both.\n\n`);
    return {
      stop: async () => {
        await daemon.stop();
        await emulator.close();
      },
    };
  }, logger);
}
