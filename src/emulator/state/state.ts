/**
 * The state of the emulated service: the accounts of a scenario as they are now, with the keys of the scenario. The
 * operations read the accounts and add temporary keys; only `apply-action.ts` changes the accounts.
 */
import { suggestion } from '../../validation/nearest.ts';
import type { Account } from '../scenario/account.ts';
import type { ActionOf } from '../scenario/action.ts';
import type { PlacementGroup, Quota, Region, Subnet, Zone } from '../scenario/region.ts';
import { withStartTime, type ScalingGroup } from '../scenario/scaling.ts';
import { withCreationTimes, type Template } from '../scenario/template.ts';
import { msOf } from '../../validation/duration.ts';
import type { ChargeType, QuotaType, StockLevel } from '../scenario/vocabulary.ts';
import { BoundedLog } from './bounded-log.ts';
import { KeyStore } from './key-store.ts';

const maxChanges = 100_000;

/** The error of an action that names what does not exist, or asks for a change that is not allowed. */
export class StateError extends Error {
  /** The field of the action that is wrong, such as `['version']`. */
  readonly path: readonly (string | number)[];

  constructor(path: readonly (string | number)[], message: string) {
    super(message);
    this.name = 'StateError';
    this.path = path;
  }
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

/** The fields by which an action names an object. Without `account`, the first account has the object. */
type RegionReference = Pick<ActionOf<'set-used'>, 'account' | 'region'>;
type QuotaReference = Pick<ActionOf<'set-used'>, 'account' | 'region' | 'zone' | 'quota_type'>;
type Reference<Key extends string> = RegionReference & Readonly<Record<Key, string>>;

/**
 * The objects of all accounts. The methods that look up an object return the object itself, not a copy, and throw
 * {@link StateError} when there is none.
 */
export class EmulatorState {
  /** The latest 100,000 changes, oldest first. */
  readonly changes = new BoundedLog<StateChange>(maxChanges);
  readonly keys = new KeyStore();
  readonly accounts: readonly Account[];
  readonly #startMs: number;

  /**
   * Copies the accounts, so that changes do not reach the scenario.
   *
   * @param startMs the start of the scenario, in milliseconds since the Unix epoch
   */
  constructor(accounts: readonly Account[], startMs: number) {
    this.accounts = structuredClone(accounts);
    this.#startMs = startMs;
    for (const account of this.accounts) {
      for (const key of account.keys) {
        const policies = [key.policy ?? []].flat();
        this.keys.add({
          account,
          key: { ...key, policies },
          untilMs: this.expiryMs(key.valid_for),
        });
      }
      for (const region of account.regions) {
        region.launch_templates = region.launch_templates.map((template) =>
          withCreationTimes(template, startMs),
        );
        region.activities = region.activities.map((activity) => withStartTime(activity, startMs));
      }
    }
  }

  /**
   * When a key or token expires, in milliseconds since the Unix epoch.
   *
   * @param validFor a duration since the start of the scenario; `undefined` means `Infinity`
   */
  expiryMs(validFor: string | undefined): number {
    return validFor === undefined ? Infinity : this.#startMs + msOf(validFor);
  }

  /** A copy of the accounts for a scenario that begins now: `valid_for` is what is left of it at `nowMs`. */
  accountsAt(nowMs: number): Account[] {
    const accounts = structuredClone([...this.accounts]);
    const expiring = accounts.flatMap(({ keys, oidc_providers: providers }) => [
      ...keys,
      ...providers.flatMap(({ tokens }) => tokens),
    ]);
    for (const credential of expiring) {
      if (credential.valid_for === undefined) continue;
      const leftMs = Math.max(0, this.expiryMs(credential.valid_for) - nowMs);
      credential.valid_for = `${Math.round(leftMs)}ms`;
    }
    return accounts;
  }

  /** @param wanted the name of an account; the first account when absent */
  account(wanted?: string): Account {
    const found =
      wanted === undefined ? this.accounts[0] : this.accounts.find(({ name }) => name === wanted);
    const hint = suggestion(wanted, namesOf(this.accounts));
    return existing(found, 'account', `no account ${wanted ?? 'at all'}${hint}`);
  }

  region({ account: name, region }: RegionReference): Region {
    const account = this.account(name);
    const found = account.regions.find((candidate) => candidate.name === region);
    const hint = suggestion(region, namesOf(account.regions));
    return existing(found, 'region', `account ${account.name} has no region ${region}${hint}`);
  }

  zone(where: RegionReference & { readonly zone: string }): Zone {
    const { zones } = this.region(where);
    const found = zones.find(({ name }) => name === where.zone);
    const hint = suggestion(where.zone, namesOf(zones));
    return existing(found, 'zone', `${where.region} has no zone ${where.zone}${hint}`);
  }

  quota(where: QuotaReference): Quota {
    const { zone, quota_type: type } = where;
    const region = this.region(where);
    const isRegional = type === 'image' || type === 'disaster_recover_group';
    const isWhole = !isRegional || zone === undefined;
    checkState(isWhole, 'zone', `${type} is a quota of the whole region`);
    if (isRegional)
      return existing(region[type], 'quota_type', `${region.name} has no ${type} quota`);
    if (zone === undefined) throw new StateError(['zone'], `is required for ${type}`);
    const quota = this.zone({ ...where, zone })[type];
    return existing(quota, 'quota_type', `${zone} has no ${type} quota`);
  }

  template(where: Reference<'template_id'>): Template {
    const { launch_templates: templates } = this.region(where);
    return ofReference(templates, where, 'template_id', 'template');
  }

  subnet(where: Reference<'subnet_id'>): Subnet {
    return ofReference(this.region(where).subnets, where, 'subnet_id', 'subnet');
  }

  scalingGroup(where: Reference<'scaling_group_id'>): ScalingGroup {
    const { scaling_groups: groups } = this.region(where);
    return ofReference(groups, where, 'scaling_group_id', 'scaling group');
  }

  placementGroup(where: Reference<'placement_group_id'>): PlacementGroup {
    const { placement_groups: groups } = this.region(where);
    return ofReference(groups, where, 'placement_group_id', 'placement group');
  }
}

function ofReference<Key extends string, T extends { readonly id: string }>(
  rows: readonly T[],
  where: Reference<Key>,
  key: Key,
  what: string,
): T {
  const wanted = where[key];
  const found = rows.find(({ id }) => id === wanted);
  const hint = suggestion(
    wanted,
    rows.map(({ id }) => id),
  );
  return existing(found, key, `${where.region} has no ${what} ${wanted}${hint}`);
}

/** The names that an unknown one may mean. */
export function namesOf(all: readonly { readonly name: string }[]): readonly string[] {
  return all.map(({ name }) => name);
}

/** @throws StateError at the field `part`, unless the condition holds */
export function checkState(holds: boolean, part: string, message: string): asserts holds {
  if (!holds) throw new StateError([part], message);
}

/** @throws StateError at the field `part` when nothing was found */
export function existing<T>(found: T | undefined, part: string, message: string): T {
  checkState(found !== undefined, part, message);
  return found;
}
