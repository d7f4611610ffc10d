/** Keeps in the records since when launches are blocked, as pages judge them. */
import { isDenied } from '../collectors/collector-set.ts';
import { blockedSinceAfter, judgeTargets } from '../model/launches/judge-region.ts';
import { isFresh, type BlockedSince } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import type { PollerOptions } from './poller-contracts.ts';

/**
 * Stores since when the launches of a region are blocked, after its targets were polled. A record that cannot be stored gets
 * its times in the next round.
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
  const startsAny = records.some(
    (record) => collectors.of(record.target).launchFacts(record).launches !== undefined,
  );
  if (!startsAny) return;
  const nowMs = clock.now();
  const { staleAfterMs } = settings();
  const answered = collectors.answeredAccounts(recordsOf(targets));
  const facts = records.map((record) =>
    collectors.launchFacts(
      record,
      isFresh(record, nowMs, staleAfterMs),
      isDenied(record, answered),
    ),
  );
  const judged = judgeTargets({ account, region }, facts);
  const dating = records.map(async ({ durable, target }, i) => {
    const next = (before: BlockedSince) => blockedSinceAfter(before, judged[i] ?? [], nowMs);
    if (next(durable.blockedSince) === durable.blockedSince) return;
    const updated = await update(target, (record) => {
      const blockedSince = next(record.durable.blockedSince);
      return { record: { ...record, durable: { ...record.durable, blockedSince } }, changes: [] };
    });
    // The plan says what was foretold before the activities of the next cycle.
    if (updated !== null) plan.follow(updated);
  });
  await Promise.all(dating);
}
