/** The text of the configuration that `init` writes. */
import { Document, isMap, isScalar } from 'yaml';

export interface Answers {
  readonly account: string;
  /** The type and the other keys. */
  readonly credentials: Readonly<Record<string, unknown>>;
  /** `null` for the default. */
  readonly endpoint: string | null;
  /** By region, `all` or the IDs of the launch templates that are watched. `null` for every region and every template. */
  readonly regions: ReadonlyMap<string, 'all' | readonly string[]> | null;
}

/** YAML with comments. It names where secrets are, and holds none. */
export function configText(answers: Answers): string {
  const { account, credentials, endpoint } = answers;
  const document = new Document({
    poll: { schedule: '*/5 * * * *' },
    ...(endpoint !== null && { api: { endpoint } }),
    accounts: [{ name: account, credentials, launches: true, regions: regionsValue(answers) }],
  });
  document.commentBefore = [
    ' The configuration of cvm-quota-monitor. docs/configuration.md explains every key.',
    ' After an edit, check it with: cvm-quota-monitor check-config --config.file=FILE',
  ].join('\n');
  const first = document.getIn(['accounts', 0]);
  comment(document.get('poll'), 'schedule', 'A cron expression: every five minutes.');
  comment(first, 'name', 'The label `account` of all metrics.');
  comment(first, 'credentials', 'Where the credentials come from. They never stand in this file.');
  comment(first, 'launches', 'Also stock and subnets of what the launch templates would start.');
  comment(
    first,
    'regions',
    'The regions whose quotas are watched, and the launch templates of each.',
  );
  return document.toString({ lineWidth: 0 });
}

function regionsValue({ regions }: Answers): unknown {
  if (regions === null) return { launch_templates: 'all' };
  return [...regions].map(([name, templates]) =>
    templates.length === 0 ? name : { name, launch_templates: templates },
  );
}

/** Puts a comment before a key. */
function comment(map: unknown, name: string, text: string): void {
  if (!isMap(map)) return;
  const keys = map.items.map((pair) => pair.key);
  const key = keys.find((each) => isScalar(each) && each.value === name);
  if (isScalar(key)) key.commentBefore = ` ${text}`;
}
