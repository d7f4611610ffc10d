/** Keeps in the records since when launches are blocked, as pages judge them. */
import { isDenied } from '../collectors/collector-set.ts';
import { blockedSinceAfter, judgeTargets } from '../model/launches/judge-region.ts';
import { isFresh, type BlockedSince } from '../model/record.ts';
import { targetKey } from '../model/target.ts';
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
  const nowMs = clock.now();
  const { staleAfterMs } = settings();
  const ofAccount = plan.current
    .targetsOf(account)
    .flatMap((target) => published.get(targetKey(target)) ?? []);
  const answered = collectors.answeredAccounts(ofAccount);
  const records = ofAccount.filter(({ target }) => target.region === region);
  const facts = records.map((record) =>
    collectors.launchFacts(
      record,
      isFresh(record, nowMs, staleAfterMs),
      isDenied(record, answered),
    ),
  );
  if (facts.every(({ launches }) => launches === undefined)) return;
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
