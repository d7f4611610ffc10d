/** The daemons that share the accounts, and the cycles of the accounts. */
import { html } from 'hono/html';
import {
  configurationsOf,
  lateCycles,
  type ClusterAccount,
  type ClusterMember,
  type ClusterStatus,
} from '../../../model/cluster-status.ts';
import { counted } from '../../number-format.ts';
import { duration, exactTime, moment, type Html } from './format.ts';
import { pageOf } from './paging.ts';
import type { StatusQuery } from './query.ts';
import { id, none, tag } from './rows.ts';
import { sorted, type Orders } from './sorting.ts';
import { tableSection, type Row } from './table.ts';

interface Shown {
  readonly cluster: ClusterStatus;
  readonly query: StatusQuery;
  readonly nowMs: number;
}

const memberOrders: Orders<ClusterMember> = {
  name: ({ name }) => name,
  version: ({ version }) => version,
  started: ({ startedAtMs }) => startedAtMs,
  configuration: ({ configuration }) => configuration,
  heard: ({ silentMs }) => silentMs,
};

const cycleOrders: Orders<ClusterAccount> = {
  account: ({ account }) => account,
  daemon: ({ polledBy }) => polledBy,
  begun: ({ begunAtMs }) => begunAtMs,
  waiting: ({ waitingSinceMs }) => waitingSinceMs,
};

export function daemonSection({ cluster, nowMs, query }: Shown): Html {
  const { members } = cluster;
  const own = members.find(({ isThis }) => isThis)?.configuration;
  const rows = sorted(members, memberOrders, query.orders['daemons']);
  const page = pageOf(rows, query.pages['daemons'] ?? 1);
  const row = (member: ClusterMember): Row => {
    const differs = own !== undefined && member.configuration !== own;
    return {
      className: differs ? 'warning' : 'fine',
      cells: [
        html`${id(member.name)} ${member.isThis ? tag('muted', 'this page') : ''}`,
        member.version,
        html`${moment(member.startedAtMs, nowMs)}`,
        html`<code>${member.configuration}</code> ${differs ? tag('warning', 'differs') : ''}`,
        html`${duration(member.silentMs)} ago`,
      ],
    };
  };
  return tableSection({
    id: 'daemons',
    title: 'Daemons',
    caption: 'The daemons that share the accounts. Each of them shows the same targets.',
    empty: 'Redis has told of no daemon yet.',
    columns: [
      { label: 'Daemon', className: 'name', order: 'name' },
      { label: 'Version', className: 'figure', order: 'version' },
      { label: 'Started', className: 'figure', order: 'started' },
      { label: 'Configuration', className: 'figure', order: 'configuration' },
      { label: 'Heard', className: 'figure', order: 'heard' },
    ],
    rows: page.rows.map(row),
    page,
    query,
  });
}

export function cycleSection({ cluster, nowMs, query }: Shown): Html {
  const asked = cluster.accounts.filter(
    ({ account }) => query.account === '' || account === query.account,
  );
  const rows = sorted(longestWaitFirst(asked), cycleOrders, query.orders['cycles']);
  const page = pageOf(rows, query.pages['cycles'] ?? 1);
  const late = new Set(lateCycles(cluster, nowMs).map(({ account }) => account));
  const row = ({
    account,
    begunAtMs,
    isRunning,
    polledBy,
    waitingSinceMs,
  }: ClusterAccount): Row => ({
    className: late.has(account) ? 'warning' : 'fine',
    cells: [
      id(account),
      polledBy === null ? none : id(polledBy),
      begunAtMs === null
        ? none
        : html`${moment(begunAtMs, nowMs)} ${isRunning ? tag('up', 'running') : ''}`,
      waitingSinceMs === null
        ? none
        : html`due ${moment(waitingSinceMs, nowMs)}
          ${late.has(account) ? tag('warning', 'late') : ''}`,
    ],
  });
  return tableSection({
    id: 'cycles',
    title: 'Cycles of accounts',
    caption: 'Which daemon polled an account last. The cycle that waits longest is first.',
    empty: 'Nothing matches the filter.',
    columns: [
      { label: 'Account', className: 'name', order: 'account' },
      { label: 'Daemon', className: 'figure', order: 'daemon' },
      { label: 'Last cycle', className: 'figure', order: 'begun' },
      { label: 'Waiting', className: 'figure', order: 'waiting' },
    ],
    rows: page.rows.map(row),
    page,
    query,
  });
}

/** What keeps the daemons from polling as configured. */
export function clusterTroubles(cluster: ClusterStatus, nowMs: number): Html[] {
  const { members, problem } = cluster;
  const configurations = configurationsOf(members);
  const late = lateCycles(cluster, nowMs);
  const found: Html[] = [];
  if (problem !== null) {
    found.push(
      html`<strong>This daemon does not poll.</strong> What it shows is from before, and becomes
        stale. Counters of changes are absent while reading fails. ${problem}`,
    );
  }
  if (configurations > 1) {
    found.push(
      html`<strong>The daemons have ${configurations} different configurations.</strong> What is
        polled depends on the daemon that takes the cycle.`,
    );
  }
  if (late.length > 0) {
    const oldestMs = Math.min(...late.map(({ waitingSinceMs }) => waitingSinceMs));
    found.push(
      html`<strong
          >No daemon takes ${counted(late.length, 'cycle')} that ${late.length === 1 ? 'is' : 'are'}
          due.</strong
        >
        The oldest was due at ${exactTime(oldestMs)} and has not begun.`,
    );
  }
  return found;
}

function longestWaitFirst(accounts: readonly ClusterAccount[]): readonly ClusterAccount[] {
  const sinceMs = (each: ClusterAccount) => each.waitingSinceMs ?? Infinity;
  return accounts.toSorted((a, b) => (sinceMs(a) === sinceMs(b) ? 0 : sinceMs(a) - sinceMs(b)));
}
