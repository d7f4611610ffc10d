/** The text of the configuration that `init` writes. */
import { stringify } from 'yaml';

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
export function configText({ account, credentials, endpoint, regions }: Answers): string {
  return `# The configuration of cvm-quota-monitor. docs/configuration.md explains every key.
# After an edit, check it with: cvm-quota-monitor check-config --config.file=FILE

poll:
  # A cron expression: every five minutes.
  schedule: '*/5 * * * *'
${endpoint === null ? '' : stringify({ api: { endpoint } })}accounts:
  # The label \`account\` of all metrics.
  - ${keyOfAccount({ name: account })}
    # Where the credentials come from. They never stand in this file.
    ${keyOfAccount({ credentials })}
    # Also stock and subnets of what the launch templates would start.
    launches: true
    # The regions whose quotas are watched, and the launch templates of each.
    ${keyOfAccount({ regions: regionsValue(regions) })}
`;
}

/** YAML with the indentation of an account. */
function keyOfAccount(value: object): string {
  return stringify(value, { lineWidth: 0 }).trimEnd().replaceAll('\n', '\n    ');
}

function regionsValue(regions: Answers['regions']): unknown {
  if (regions === null) return { launch_templates: 'all' };
  return [...regions].map(([name, templates]) =>
    templates.length === 0 ? name : { name, launch_templates: templates },
  );
}
