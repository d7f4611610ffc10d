import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBuildInfo } from '../../daemon/build-info.ts';
import { collectors } from '../../collectors/collectors.ts';
import { parseConfig } from '../../config/config.ts';
import { Daemon } from '../../daemon/daemon.ts';
import { startEmulator } from '../../emulator/emulator.ts';
import { createLogger } from '../../log.ts';
import type { ListenFlags, LogFlags } from './flags.ts';
import { demoScenarioFile } from '../../emulator/scenario-files.ts';
import { print } from './print.ts';
import { runUntilSignal } from './run-until-signal.ts';
import { processSurroundings } from './surroundings.ts';

export interface DemoFlags extends ListenFlags, LogFlags {}

/** The configuration of the demo: it polls the regions of its scenario every two seconds. */
const demoConfig = (endpoint: string) => `
poll: { schedule: "*/2 * * * * *", stale_after: 30s }
api: { endpoint: "${endpoint}" }
accounts:
  - name: demo
    credentials: { type: none }
    regions:
      - name: ap-guangzhou
        launch_templates: [lt-b8v1kcyq]
      - ap-shanghai
      - ap-singapore
`;

export function demo(flags: DemoFlags): Promise<number> {
  const logger = createLogger({ level: flags['log.level'], format: flags['log.format'] });
  return runUntilSignal(async ({ fail, signal }) => {
    const storagePath = await mkdtemp(join(tmpdir(), 'cvm-quota-monitor-demo-'));
    const emulator = await startEmulator({ scenario: demoScenarioFile });
    const leaveNothing = async () => {
      await emulator.close();
      await rm(storagePath, { recursive: true, force: true });
    };
    try {
      const daemon = await Daemon.start({
        signal,
        loadConfig: () =>
          Promise.resolve(parseConfig(demoConfig(emulator.url), 'demo', collectors)),
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
        reload: () => daemon.reload(),
        stop: async () => {
          await daemon.stop();
          await leaveNothing();
        },
      };
    } catch (error) {
      await leaveNothing();
      throw error;
    }
  }, logger);
}
