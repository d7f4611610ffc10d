/**
 * Keeps in the records since when launches are blocked, judged as pages judge them. The poller calls it after each
 * round in a region.
 */
import { isDenied } from '../collectors/collector-set.ts';
import { blockedSinceAfter, judgeTargets } from '../model/launches/judge-region.ts';
import { isFresh, type BlockedSince } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import type { PollerOptions } from './poller-contracts.ts';

/**
 * Stores since when the launches of a region are blocked, after its targets were polled. Does nothing in a region without
 * launches. A record that cannot be stored gets its times in the next round. Never rejects.
 */
export async function dateLaunches(
  account: string,
  region: string,
  {
    clock,
    collectors,
    plan,
    published,
    settings,
    update,
  }: Pick<PollerOptions, 'clock' | 'collectors' | 'plan' | 'published' | 'settings' | 'update'>,
): Promise<void> {
  const targets = plan.current.targetsOf(account);
  const recordsOf = (some: readonly Target[]) =>
    some.flatMap((target) => published.get(targetKey(target)) ?? []);
  const records = recordsOf(targets.filter((target) => target.region === region));
  const hasLaunches = records.some(
    (record) => collectors.of(record.target).launchFacts(record).launches !== undefined,
  );
  if (!hasLaunches) return;
  const nowMs = clock.now();
  const { staleAfterMs } = settings();
  const answered = collectors.answeredAccounts(recordsOf(targets));
  const facts = records.map((record) => {
    const isFreshNow = isFresh(record, nowMs, staleAfterMs);
    return collectors.launchFacts(record, isFreshNow, isDenied(record, answered));
  });
  const judged = judgeTargets({ account, region }, facts);
  const dating = records.map(async ({ durable, target }, i) => {
    const blockedSinceOf = (before: BlockedSince) =>
      blockedSinceAfter(before, judged[i] ?? [], nowMs);
    // The same object: nothing changed.
    if (blockedSinceOf(durable.blockedSince) === durable.blockedSince) return;
    const updated = await update(target, (record) => {
      const blockedSince = blockedSinceOf(record.durable.blockedSince);
      return { record: { ...record, durable: { ...record.durable, blockedSince } }, changes: [] };
    });
    // The target of DescribeAutoScalingActivities names the scaling groups whose launches are blocked (`foretold`), and
    // must name them before its next poll. No target comes or goes, so the result does not matter.
    if (updated !== null) plan.follow(updated);
  });
  await Promise.all(dating);
}
