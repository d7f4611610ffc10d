/** What `CycleJobs` adds to BullMQ: the shape of a job, and a worker that extends leases. */
import { Worker } from 'bullmq';
import type { Lease } from './lease.ts';

/** A job, as Redis has it. */
export interface JobData {
  readonly account: string;
  /** Since when no daemon that got the job has the account configured, in milliseconds since the Unix epoch. */
  readonly unknownSinceMs?: number;
}

/** Names the one job of an account in the queue. */
export const jobIdOf = (account: string): string => `cycle@${account}`;

/** A worker of BullMQ that extends the lease of each job whose lock it has renewed, and ends those whose lock is lost. */
export class LeaseWorker extends Worker<JobData, void> {
  /** By account. Set before the first job. */
  leases: ReadonlyMap<string, Lease> = new Map();

  /** BullMQ calls it for all jobs of this daemon, several times in the time of the lock. */
  override async extendJobLocks(jobIds: string[], tokens: string[], lockMs: number) {
    const askedAtMs = performance.now();
    const lost = await super.extendJobLocks(jobIds, tokens, lockMs);
    for (const id of jobIds) {
      const lease = this.leases.get(id.slice(jobIdOf('').length));
      if (lost.includes(id)) lease?.end();
      else lease?.extend(askedAtMs);
    }
    return lost;
  }
}
