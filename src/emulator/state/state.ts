/**
 * The state of the emulated service: the accounts of a scenario as they are now, with the keys of the scenario. The
 * operations read the accounts and add temporary keys; only `apply-action.ts` changes the accounts.
 */
import { suggestion } from '../../validation/nearest.ts';
import type { AccessKey, Account, Role } from '../scenario/account.ts';
import type { ActionOf } from '../scenario/action.ts';
import type { Policy } from '../scenario/policy.ts';
import type { Quota, Region, Zone } from '../scenario/region.ts';
import { isoSeconds, type Path } from '../scenario/schema-parts.ts';
import { withCreationTimes, type Template } from '../scenario/template.ts';
import type { ChargeType, QuotaType, StockLevel } from '../scenario/vocabulary.ts';
import { BoundedLog } from './bounded-log.ts';

const maxChanges = 100_000;

/** The error of an action that names what does not exist, or asks for a change that is not allowed. */
export class StateError extends Error {
  /** The field of the action that is wrong, such as `['version']`. */
  readonly path: Path;

  constructor(path: Path, message: string) {
    super(message);
    this.name = 'StateError';
    this.path = path;
  }
}

/** Runs `work`. @returns the StateError that it throws; `null` when it throws none */
export function stateErrorOf(work: () => void): StateError | null {
  try {
    work();
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    return error;
  }
  return null;
}

/** A change that a client can notice. Used figures are not listed, because they change too often. */
export interface StateChange {
  /** ISO 8601 in UTC. */
  readonly at: string;
  readonly kind:
    | 'default-version-changed'
    | 'version-created'
    | 'version-deleted'
    | 'template-created'
    | 'template-deleted'
    | 'quota-limit-raised'
    | 'quota-limit-lowered'
    | 'zone-appeared'
    | 'zone-disappeared'
    | 'stock-changed';
  readonly account: string;
  readonly region: string;
  readonly zone?: string | undefined;
  readonly quota_type?: QuotaType;
  readonly template_id?: string;
  readonly instance_type?: string;
  readonly charge_type?: ChargeType | undefined;
  /** A version number, a limit or a stock level. */
  readonly old_value?: number | StockLevel;
  readonly new_value?: number | StockLevel;
}

/** A key that can sign requests, with its account and its end: one of the scenario, or a temporary one of a session. */
export interface StoredKey extends Omit<AccessKey, 'policy'> {
  readonly account: Account;
  /** Each of them must allow what the key does. */
  readonly policies: readonly Policy[];
  /** Milliseconds since the Unix epoch. `Infinity` for a key that does not end. */
  readonly untilMs: number;
  /** The role and session name of a temporary key. Absent for a key of the scenario. */
  readonly session?: { readonly role: Role; readonly name: string };
}

/** The fields by which an action names an object. Without `account`, the first account has the object. */
type Reference<Key extends string = never> = Pick<ActionOf<'set-used'>, 'account' | 'region'> &
  Readonly<Record<Key, string>>;

/**
 * The objects of all accounts. The methods that look up an object return the object itself, not a copy, and throw
 * {@link StateError} when there is none.
 */
export class EmulatorState {
  /** The latest 100,000 changes, oldest first. */
  readonly changes = new BoundedLog<StateChange>(maxChanges);
  /** The keys that can sign requests, by SecretId. Expired ones are among them; `authenticate.ts` refuses these. */
  readonly keys = new Map<string, StoredKey>();
  readonly accounts: readonly Account[];

  /**
   * Copies the accounts, so that changes do not reach the scenario.
   *
   * @param startMs the start of the scenario, in milliseconds since the Unix epoch
   */
  constructor(accounts: readonly Account[], startMs: number) {
    this.accounts = structuredClone(accounts);
    const start_time = isoSeconds(startMs);
    for (const account of this.accounts) {
      for (const key of account.keys) {
        const policies = [key.policy ?? []].flat();
        this.keys.set(key.secret_id, { ...key, account, policies, untilMs: Infinity });
      }
      for (const region of account.regions) {
        region.launch_templates = region.launch_templates.map((template) =>
          withCreationTimes(template, startMs),
        );
        region.activities = region.activities.map((activity) => ({ start_time, ...activity }));
      }
    }
  }

  /** @param wanted the name of an account; the first account when absent */
  account(wanted?: string): Account {
    return findAccount(this.accounts, wanted);
  }

  region({ account, region }: Reference): Region {
    const { regions, name } = this.account(account);
    return find(regions, nameOf, 'region', region, `account ${name} has no region`);
  }

  zone(where: Reference<'zone'>): Zone {
    const { zones, name } = this.region(where);
    return find(zones, nameOf, 'zone', where.zone, `${name} has no zone`);
  }

  /** The quota of a zone for a charge type, and of the region for images and placement groups. */
  quota(where: Omit<ActionOf<'set-used'>, 'do' | 'used'>): Quota {
    const { zone, quota_type: type } = where;
    const isRegional = type === 'image' || type === 'disaster_recover_group';
    checkState(!isRegional || zone === undefined, 'zone', `${type} is a quota of the whole region`);
    checkState(isRegional || zone !== undefined, 'zone', `is required for ${type}`);
    const holder: QuotaHolder =
      zone === undefined ? this.region(where) : this.zone({ ...where, zone });
    const { name, [type]: quota } = holder;
    checkState(quota !== undefined, 'quota_type', `${name} has no ${type} quota`);
    return quota;
  }

  /**
   * An object of a region that has an ID.
   *
   * @param part the field of the action that names it, such as `template_id`
   * @param listOf returns the list of the region that has it
   */
  byId<Part extends string, T extends { readonly id: string }>(
    where: Reference<Part>,
    part: Part,
    listOf: (region: Region) => readonly T[],
  ): T {
    const region = this.region(where);
    const what = part.replace('_id', '').replace('_', ' ');
    return find(listOf(region), idOf, part, where[part], `${region.name} has no ${what}`);
  }

  template(where: Reference<'template_id'>): Template {
    return this.byId(where, 'template_id', (region) => region.launch_templates);
  }
}

/** A region or a zone. */
type QuotaHolder = Readonly<Partial<Record<QuotaType, Quota | undefined>> & { name: string }>;

export const idOf = ({ id }: { readonly id: string }) => id;
export const nameOf = ({ name }: { readonly name: string }) => name;

/**
 * @param wanted the name of an account; the first account when absent
 * @throws StateError when there is none
 */
export function findAccount(accounts: readonly Account[], wanted = accounts[0]?.name ?? '') {
  return find(accounts, nameOf, 'account', wanted, 'no account');
}

/**
 * Finds the element of a key.
 *
 * @param part the field of the action that has the key
 * @param problem begins the message; the key follows, and a key that is like it
 * @throws StateError at the field `part` when no element has the key
 */
export function find<T>(
  elements: readonly T[],
  keyOf: (element: T) => string,
  part: string,
  wanted: string,
  problem: string,
): T {
  const found = elements.find((element) => keyOf(element) === wanted);
  if (found !== undefined) return found;
  const hint = suggestion(wanted, elements.map(keyOf));
  throw new StateError([part], `${problem} ${wanted}${hint}`);
}

/** @throws StateError at the field `part`, unless the condition holds */
export function checkState(holds: boolean, part: string, message: string): asserts holds {
  if (!holds) throw new StateError([part], message);
}
