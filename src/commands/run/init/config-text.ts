/** The text of the configuration that `init` writes. */
import { Document, isMap, isScalar, isSeq } from 'yaml';

export interface FoundTemplate {
  readonly id: string;
  /** Empty when the service does not say. */
  readonly name: string;
}

/** The templates of a region that are watched. `all` also finds templates that are created later. */
export type WatchedTemplates = 'all' | readonly FoundTemplate[];

export interface Answers {
  readonly account: string;
  /** The type and the other keys. */
  readonly credentials: Readonly<Record<string, unknown>>;
  /** `null` for the default. */
  readonly endpoint: string | null;
  /** By region. `null` for every region that the service lists. */
  readonly regions: ReadonlyMap<string, WatchedTemplates> | null;
  /** Whether the templates of every region are watched, if there is no list of regions. */
  readonly everyTemplate: boolean;
}

/** YAML with comments. It names where secrets are, and holds none. */
export function configText({ account, credentials, endpoint, ...watched }: Answers): string {
  const document = new Document({
    poll: { schedule: '*/5 * * * *' },
    ...(endpoint !== null && { api: { endpoint } }),
    accounts: [{ name: account, credentials, regions: regionsValue(watched) }],
  });
  document.commentBefore = [
    ' The configuration of cvm-quota-monitor. docs/configuration.md explains every key.',
    ' After an edit, check it with: cvm-quota-monitor check-config --config.file=FILE',
  ].join('\n');
  comment(document.get('poll'), 'schedule', 'A cron expression: every five minutes.');
  const first = document.getIn(['accounts', 0]);
  const name = document.getIn(['accounts', 0, 'name'], true);
  if (isScalar(name)) name.comment = ' The label `account` of all metrics.';
  comment(first, 'credentials', 'Where the credentials come from. They never stand in this file.');
  comment(first, 'regions', regionsComment(watched));
  nameTemplates(document, watched);
  return document.toString({ lineWidth: 0 });
}

type Watched = Pick<Answers, 'regions' | 'everyTemplate'>;

function regionsValue({ regions, everyTemplate }: Watched): unknown {
  if (regions === null) return everyTemplate ? { launch_templates: 'all' } : 'all';
  return [...regions].map(([name, templates]) => {
    if (templates === 'all') return { name, launch_templates: 'all' };
    return templates.length === 0
      ? name
      : { name, launch_templates: templates.map(({ id }) => id) };
  });
}

function regionsComment({ regions, everyTemplate }: Watched): string {
  if (regions !== null)
    return 'All quotas of these regions, and the launch templates that they name.';
  return everyTemplate
    ? 'All quotas and all launch templates of every region that the service lists.'
    : 'All quotas of every region that the service lists.';
}

/** Writes the name of each template behind its ID. */
function nameTemplates(document: Document, { regions }: Watched): void {
  for (const [i, templates] of [...(regions?.values() ?? [])].entries()) {
    const ids = document.getIn(['accounts', 0, 'regions', i, 'launch_templates'], true);
    if (!isSeq(ids) || templates === 'all') continue;
    for (const [at, { name }] of templates.entries()) {
      const id = ids.items[at];
      if (isScalar(id) && name !== '') id.comment = ` ${name}`;
    }
  }
}

/** Puts a comment before a key. */
function comment(map: unknown, name: string, text: string): void {
  if (!isMap(map)) return;
  const key = map.items
    .map((pair) => pair.key)
    .find((each) => isScalar(each) && each.value === name);
  if (isScalar(key)) key.commentBefore = ` ${text}`;
}
