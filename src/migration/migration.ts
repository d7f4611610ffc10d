/** Copies every record from one place to another one: from files to a cluster, or back. The source never changes. */
import type { TargetRecord } from '../model/record.ts';
import { targetKey } from '../model/target.ts';
import { formatRecord } from '../state/record-file.ts';
import { StoreError } from '../state/store.ts';

/** What a place has. */
export interface Contents {
  readonly records: readonly TargetRecord[];
  /** What holds no record, and why. It is not copied. */
  readonly damaged: readonly { readonly name: string; readonly reason: string }[];
}

/** A place with records, that no daemon uses at present. */
export interface Place {
  /** For messages. */
  readonly name: string;
  /** @throws StoreError when something cannot be read, so that nothing is known about it */
  read(): Promise<Contents>;
  /**
   * Replaces records of one account.
   *
   * @throws StoreError
   */
  write(account: string, records: readonly TargetRecord[]): Promise<void>;
}

export interface CopiedAccount {
  readonly account: string;
  readonly records: number;
  /** Those of them that the destination did not have. */
  readonly written: number;
}

export interface Migrated {
  readonly accounts: readonly CopiedAccount[];
  readonly damaged: Contents['damaged'];
}

export interface MigrationOptions {
  /** Whether other records of the same accounts are replaced. Records that only the destination has stay. */
  readonly replaces: boolean;
  /** Called when an account is copied. */
  readonly onCopied: (account: CopiedAccount) => void;
}

/**
 * Copies what the destination does not have. A migration that ended half way can be run again.
 *
 * @throws StoreError `found` when the destination has other records of the same accounts; nothing is written then
 */
export async function migrate(
  from: Place,
  to: Place,
  { onCopied, replaces }: MigrationOptions,
): Promise<Migrated> {
  const source = await from.read();
  const present = new Map(
    (await to.read()).records.map((record) => [targetKey(record.target), record]),
  );
  if (!replaces) refuseOthers(source.records, present, to);
  const copied: CopiedAccount[] = [];
  for (const [account, records] of byAccount(source.records)) {
    const missing = records.filter((record) => !isSame(record, present));
    if (missing.length > 0) await to.write(account, missing);
    const result = { account, records: records.length, written: missing.length };
    copied.push(result);
    onCopied(result);
  }
  return { accounts: copied, damaged: source.damaged };
}

/** In the order of their names. */
function byAccount(
  records: readonly TargetRecord[],
): readonly (readonly [string, readonly TargetRecord[]])[] {
  const accounts = new Map<string, TargetRecord[]>();
  for (const record of records) {
    const { account } = record.target;
    const others = accounts.get(account);
    if (others === undefined) accounts.set(account, [record]);
    else others.push(record);
  }
  return [...accounts].toSorted(([a], [b]) => a.localeCompare(b));
}

function isSame(record: TargetRecord, others: ReadonlyMap<string, TargetRecord>): boolean {
  const other = others.get(targetKey(record.target));
  return other !== undefined && formatRecord(other) === formatRecord(record);
}

function refuseOthers(
  records: readonly TargetRecord[],
  present: ReadonlyMap<string, TargetRecord>,
  { name }: Place,
): void {
  const source = new Map(records.map((record) => [targetKey(record.target), record]));
  const migrated = new Set(records.map(({ target }) => target.account));
  const others = [...present.values()].filter(
    (record) => migrated.has(record.target.account) && !isSame(record, source),
  );
  if (others.length === 0) return;
  const accounts = [...new Set(others.map(({ target }) => target.account))];
  throw new StoreError(
    'found',
    `${name} has other records of ${accounts.join(', ')}: nothing was written; pass --replace to replace them, which loses their counters`,
  );
}
