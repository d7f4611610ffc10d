/** What the page says about a cluster: what keeps its daemons from polling, the daemons, and the cycles of accounts. */
import { html } from 'hono/html';
import {
  configurationsOf,
  lateCycles,
  type ClusterAccount,
  type ClusterMember,
  type ClusterStatus,
} from '../../model/cluster-status.ts';
import { counted } from '../text.ts';
import { exactTime, tag, time, type Html } from '../tables/html.ts';
import type { Section } from './table.ts';

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
    found.push([
      `${counted(late.length, 'due cycle')} not begun by any daemon.`,
      html`The oldest was due at ${exactTime(oldestMs)}.`,
    ]);
  }
  return found;
}

/** Rows are new objects: what they say depends on each other, so their text is not remembered. */
export function clusterSections(cluster: ClusterStatus, nowMs: number, today: string): Section[] {
  const { accounts, members } = cluster;
  const own = members.find(({ isThis }) => isThis)?.configuration;
  const late = new Set(lateCycles(cluster, nowMs).map(({ account }) => account));
  const daemons: Section<ClusterMember> = {
    id: 'daemons',
    title: 'Daemons',
    caption: 'The daemons that share the accounts. Each of them shows the same targets.',
    rows: members.map((member) => ({ ...member })),
    empty: 'Redis has told of no daemon yet.',
    table: {
      heads: {
        name: 'Daemon',
        'detail version': 'Version',
        'detail started': 'Started',
        'detail configuration': 'Configuration',
        figure: 'Silent for',
      },
      cells: ({ configuration, isThis, name, silentMs, startedAtMs, version }) => ({
        name: { texts: [name, isThis ? 'this page' : ''] },
        'detail version': { texts: [version] },
        'detail started': { html: time(startedAtMs, today) },
        'detail configuration': {
          html: html`<code>${configuration}</code>
            ${configuration === (own ?? configuration) ? '' : tag('low', 'differs')}`,
        },
        figure: { texts: [`${(silentMs / 1_000).toFixed(1)} s`] },
      }),
    },
  };
  const cycles: Section<ClusterAccount> = {
    id: 'cycles',
    title: 'Cycles of accounts',
    caption: 'Which daemon polled an account last, and which cycle no daemon has begun.',
    rows: accounts.map((each) => ({ ...each })),
    empty: 'No account is configured.',
    table: {
      heads: {
        name: 'Account',
        'detail daemon': 'Daemon',
        'detail cycle': 'Last cycle',
        'detail waiting': 'Waiting',
      },
      cells: ({ account, begunAtMs, isRunning, polledBy, waitingSinceMs }) => {
        const begun = time(begunAtMs, today);
        const due = time(waitingSinceMs, today);
        const lateTag = late.has(account) ? tag('low', 'late') : '';
        return {
          name: { texts: [account] },
          'detail daemon': { texts: [polledBy ?? ''] },
          'detail cycle': { html: isRunning ? html`${begun} ${tag('fine', 'running')}` : begun },
          'detail waiting': { html: due === null ? null : html`due ${due} ${lateTag}` },
        };
      },
    },
  };
  return [daemons, cycles];
}
