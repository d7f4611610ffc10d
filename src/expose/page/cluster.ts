/** What the page says about a cluster: what keeps its daemons from polling, and the daemons. */
import { html } from 'hono/html';
import {
  configurationsOf,
  lateCycles,
  type ClusterMember,
  type ClusterStatus,
} from '../../model/cluster-status.ts';
import { counted, shortened } from '../text.ts';
import { exactTime, tag, time, type Html } from '../tables/html.ts';
import type { Section } from './table.ts';

/** Maximum number of accounts that a problem names. The JSON API names all of them. */
const maxNamed = 5;

/** A problem of the monitor itself. */
export type Trouble = readonly [what: string, more: Html | string];

/** What keeps the daemons from polling as configured. */
export function clusterTroubles(cluster: ClusterStatus, nowMs: number): Trouble[] {
  const configurations = configurationsOf(cluster.members);
  const late = lateCycles(cluster, nowMs);
  const found: Trouble[] = [];
  if (cluster.problem !== null) {
    found.push([
      'This daemon does not poll.',
      `What it shows is from before, and becomes stale. Counters of changes are absent while reading fails. ${cluster.problem}`,
    ]);
  }
  if (configurations > 1) {
    found.push([
      `The daemons have ${configurations} different configurations.`,
      'What is polled depends on the daemon that takes the cycle.',
    ]);
  }
  if (late.length > 0) {
    const oldestMs = Math.min(...late.map(({ waitingSinceMs }) => waitingSinceMs));
    const accounts = late.map(({ account }) => account);
    const named = shortened(accounts, maxNamed).join(', ');
    found.push([
      `${counted(late.length, 'due cycle')} not begun by any daemon.`,
      html`The oldest was due at ${exactTime(oldestMs)}. Accounts: ${named}.`,
    ]);
  }
  return found;
}

/** Rows are new objects: what they say depends on each other, so their text is not remembered. */
export function daemonsSection({ members }: ClusterStatus): Section<ClusterMember> {
  const own = members.find(({ isThis }) => isThis)?.configuration;
  return {
    id: 'daemons',
    title: 'Daemons',
    caption: 'The daemons that share the accounts. Each of them shows the same targets.',
    rows: members.map((member) => ({ ...member })),
    empty: 'Redis has told of no daemon yet.',
    show: ({ configuration, isThis, name, silentMs, startedAtMs, version }, { today }) => ({
      cells: [
        { role: 'name', title: 'Daemon', texts: [name, isThis ? 'this page' : ''] },
        { role: 'detail version', title: 'Version', texts: [version] },
        { role: 'detail started', title: 'Started', html: time(startedAtMs, today) },
        {
          role: 'detail configuration',
          title: 'Configuration',
          html: html`<code>${configuration}</code>
            ${configuration === (own ?? configuration) ? '' : tag('low', 'differs')}`,
        },
        { role: 'figure', title: 'Silent for', texts: [`${(silentMs / 1_000).toFixed(1)} s`] },
      ],
    }),
  };
}
