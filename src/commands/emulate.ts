import { Command, Option } from 'commander';
import { parseListenAddress } from '../expose/listen-address.ts';
import {
  examples,
  logFormatOption,
  logLevelOption,
  validArgument,
  type ExitWith,
} from './options.ts';
import { demoScenarioFile } from '../emulator/demo-scenario.ts';
import type { EmulateAddress, EmulateFlags } from './run/emulate.ts';

function readAddress(text: string): EmulateAddress {
  if (/^unix:./.test(text)) return { socketPath: text.slice('unix:'.length) };
  return validArgument(parseListenAddress(text), 'HOST:PORT or :PORT, or unix:PATH');
}

/** What is wrong with the URL of a service. The URL is not repeated, because it may contain a password. */
function problemOfUpstream(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return 'must begin with https:// or http://';
  if (url.username + url.password !== '') return 'must not contain a user or a password';
  return url.pathname + url.search === '/' ? null : 'must not have a path';
}

const defaultAddress = '127.0.0.1:10043';

/** `emulate`: runs only the emulator, until a signal stops it. */
export function emulateCommand(exitWith: ExitWith): Command {
  return new Command('emulate')
    .description('serve an emulator of the cloud service, to test alerts and clients')
    .addOption(
      new Option('--web.listen-address <address>', 'where to listen: HOST:PORT, :PORT or unix:PATH')
        .argParser(readAddress)
        .default(readAddress(defaultAddress), defaultAddress),
    )
    .addOption(
      new Option('--scenario <path>', 'the file with the emulated accounts').default(
        demoScenarioFile,
        'that of demo',
      ),
    )
    .option('--record <directory>', 'pass requests on to --upstream, and keep the answers here')
    .option('--upstream <url>', 'the service to record, such as https://cvm.tencentcloudapi.com')
    .option('--replay <directory>', 'answer from this recording, instead of a scenario')
    .option('--tls', 'serve HTTPS with a new certificate; its authority is printed')
    .option('--tls.cert-file <path>', 'serve HTTPS with this certificate (PEM)')
    .option('--tls.key-file <path>', 'the key of the certificate (PEM)')
    .addOption(logLevelOption())
    .addOption(logFormatOption())
    .addHelpText(
      'after',
      examples(
        ['emulate', 'the scenario of demo, at http://127.0.0.1:10043'],
        ['emulate --scenario=scenario.yaml', 'your own accounts, quotas, templates and faults'],
        [
          'emulate --record=recording --upstream=https://cvm.tencentcloudapi.com',
          'keep what the service answers',
        ],
        ['emulate --replay=recording', 'answer the same again'],
      ),
    )
    .action(async (flags: EmulateFlags, command: Command) => {
      if ((flags['tls.certFile'] === undefined) !== (flags['tls.keyFile'] === undefined)) {
        command.error('error: --tls.cert-file and --tls.key-file must be used together');
      }
      if ((flags.record === undefined) !== (flags.upstream === undefined)) {
        command.error('error: --record and --upstream must be used together');
      }
      const problem = flags.upstream === undefined ? null : problemOfUpstream(flags.upstream);
      if (problem !== null) command.error(`error: --upstream ${problem}`);
      const sources = [flags.record, flags.replay, command.getOptionValueSource('scenario')];
      if (sources.filter((source) => source !== undefined && source !== 'default').length > 1) {
        command.error('error: use only one of --scenario, --record and --replay');
      }
      const { emulate } = await import('./run/emulate.ts');
      exitWith(await emulate(flags));
    });
}
