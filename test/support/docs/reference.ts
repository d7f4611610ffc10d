/**
 * The generated parts of the documentation: metrics, flags, configuration keys. A page contains a part between
 * `<!-- generated: NAME -->` and `<!-- end -->`.
 */
import { createProgram } from '../../../src/commands/program.ts';
import { collectors } from '../../../src/collectors/collectors.ts';
import { configJsonSchema } from '../../../src/config/schema.ts';
import { configurationKeys } from './configuration-keys.ts';
import { commandReference } from './flags.ts';
import { metricTables } from './metric-tables.ts';

/** The text of each part, by name. */
export async function generatedParts(): Promise<ReadonlyMap<string, string>> {
  const metrics = await metricTables();
  return new Map([
    ['metrics of quotas', metrics.quotas],
    ['metrics of launch templates', metrics.launchTemplates],
    ['metrics of launches', metrics.launches],
    ['metrics of other targets', metrics.others],
    ['metrics of polls', metrics.polls],
    ['metrics of the daemon', metrics.daemon],
    ['metrics of a cluster', metrics.cluster],
    ['flags', commandReference(createProgram(() => undefined))],
    ['configuration keys', keyTable()],
  ]);
}

/** Every key of the configuration, as a table. */
export function keyTable(): string {
  return configurationKeys(configJsonSchema(collectors));
}

const part = /(?<start><!-- generated: (?<name>.+) -->\n)[^]*?(?=<!-- end -->)/g;

/** The names of the generated parts of a page. */
export function partsOf(page: string): readonly string[] {
  return [...page.matchAll(part)].map(({ groups }) => groups!.name!);
}

/** The page with new generated parts. A part with an unknown name becomes empty. */
export function regenerate(page: string, parts: ReadonlyMap<string, string>): string {
  return page.replaceAll(part, (_match, start: string, name: string) => {
    return `${start}\n${parts.get(name) ?? ''}\n\n`;
  });
}
