import { Command } from 'commander';
import {
  examples,
  listenOption,
  logFormatOption,
  logLevelOption,
  type ExitWith,
} from './options.ts';
import type { DemoFlags } from './run/demo.ts';

/** `demo`: runs emulator and daemon together. It contacts no other machine and leaves no files behind. */
export function demoCommand(exitWith: ExitWith): Command {
  return new Command('demo')
    .description(
      'emulator and daemon together; quotas move, a default version changes and a type sells out',
    )
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
    .action(async (flags: DemoFlags) => {
      const { demo } = await import('./run/demo.ts');
      exitWith(await demo(flags));
    });
}
