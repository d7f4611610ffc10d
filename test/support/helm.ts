/** The chart of config/helm, rendered by helm. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Pair, type Scalar, type YAMLMap, isMap, parseDocument, visit } from 'yaml';
import { table } from './docs/markdown.ts';

/** Paths from the root of the repository. */
export const chart = 'config/helm/cvm-quota-monitor';

/** The sets of values that are tried. */
export const valueFiles = readdirSync(join(chart, 'ci'));

/** The output of helm. What it warns of is an error. */
export function helm(...args: readonly string[]): string {
  return execFileSync('sh', ['.config/tool', 'helm', ...args], { encoding: 'utf8', stdio: 'pipe' });
}

/** The manifests of a set of values, for the installation that config/kubernetes shows. */
export function helmTemplate(file: string, ...args: readonly string[]): string {
  const name = 'cvm-quota-monitor';
  const values = `--values=${chart}/ci/${file}`;
  return helm('template', name, chart, `--namespace=${name}`, values, ...args);
}

/** The values that have no further keys of the chart, in the order of the file. */
function leaves(): { key: string; description: string; fallback: string }[] {
  const document = parseDocument(readFileSync(`${chart}/values.yaml`, 'utf8'));
  const found: ReturnType<typeof leaves> = [];
  visit(document, {
    Pair(_, pair, ancestors) {
      const { key, value } = pair as Pair<Scalar<string>>;
      const path = [...ancestors, pair].flatMap((node) => ('key' in node ? [node] : []));
      const keys = (path as unknown as Pair<Scalar<string>>[]).map((each) => each.key.value);
      const open = isMap(value) && !value.flow && value.items.length > 0;
      // The comment above the first key of a map belongs to the map.
      const parent = ancestors.at(-1) as YAMLMap;
      const comment = parent.items[0] === pair ? parent.commentBefore : key.commentBefore;
      const description = (comment ?? '').split('\n\n').at(-1)!.trim();
      const fallback = open ? '' : `\`${JSON.stringify(value)}\``;
      found.push({ key: `\`${keys.join('.')}\``, description, fallback });
      return open ? undefined : visit.SKIP;
    },
  });
  return found;
}

/** The table of README.md of the chart. */
export function tableOfValues(): string {
  const rows = leaves().filter(({ description, fallback }) => description || fallback);
  return table(
    ['value', 'default', 'meaning'],
    rows.map(({ key, description, fallback }) => [key, fallback, description]),
  );
}
