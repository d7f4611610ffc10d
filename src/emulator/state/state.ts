/**
 * The state of the emulated service: the accounts of a scenario as they are now, in the words of the scenario.
 * Timeline, control API and code change it with the same actions.
 */
import type { Account } from '../scenario/account.ts';
import type { Action } from '../scenario/action.ts';
import { isZoneOf, type Quota, type Region, type Subnet, type Zone } from '../scenario/region.ts';
import {
  defaultVersionProblem,
  highestUsedVersion,
  isoSeconds,
  highestExistingVersion,
  withCreationTimes,
  type Template,
  type TemplateVersion,
} from '../scenario/template.ts';
import { msOf, durationOfMs } from '../scenario/schema-parts.ts';
import { type ChargeType, type QuotaType, type StockLevel } from '../scenario/vocabulary.ts';
import { BoundedLog } from './bounded-log.ts';
import { KeyStore } from './key-store.ts';

const keptChanges = 100_000;

/** A change that the state does not allow. `path` is the place of the mistake in the scenario or action. */
export class StateError extends Error {
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

/** Where something is. Without an account, it is the first one. */
type RegionReference = Pick<ActionOf<'set-used'>, 'account' | 'region'>;
type QuotaReference = Pick<ActionOf<'set-used'>, 'account' | 'region' | 'zone' | 'quota_type'>;
type TemplateReference = Pick<ActionOf<'delete-template'>, 'account' | 'region' | 'template_id'>;
type SubnetReference = Pick<ActionOf<'set-subnet'>, 'account' | 'region' | 'subnet_id'>;

/** Every method throws {@link StateError} if an object does not exist or the change is not allowed. */
export class EmulatorState {
  /** The latest 100,000 changes, oldest first. */
  readonly changes = new BoundedLog<StateChange>(keptChanges);
  readonly keys = new KeyStore();
  readonly accounts: readonly Account[];
  readonly #startMs: number;

  /** A copy of the accounts that can be changed. */
  constructor(accounts: readonly Account[], startMs: number) {
    this.accounts = structuredClone(accounts);
    this.#startMs = startMs;
    for (const account of this.accounts) {
      for (const key of account.keys) {
        this.keys.add({ account, key, untilMs: this.expiryMs(key.valid_for) });
      }
      for (const region of account.regions) {
        region.launch_templates = region.launch_templates.map((each) =>
          withCreationTimes(each, startMs),
        );
      }
    }
  }

  /** The end of something that is valid for so long after the start. */
  expiryMs(validFor: string | undefined): number {
    return validFor === undefined ? Infinity : this.#startMs + msOf(validFor);
  }

  /** The accounts as in a scenario that begins now: what ends later is valid for what is left of its time. */
  accountsAt(nowMs: number): Account[] {
    const accounts = structuredClone([...this.accounts]);
    const ending = accounts.flatMap(({ keys, oidc_providers: providers }) => [
      ...keys,
      ...providers.flatMap(({ tokens }) => tokens),
    ]);
    for (const each of ending) {
      if (each.valid_for === undefined) continue;
      each.valid_for = durationOfMs(Math.max(0, this.expiryMs(each.valid_for) - nowMs));
    }
    return accounts;
  }

  /** @param name defaults to the first account */
  account(name?: string): Account {
    const account =
      name === undefined ? this.accounts[0] : this.accounts.find((each) => each.name === name);
    return existing(account, 'account', `no account ${name ?? 'at all'}`);
  }

  region({ account: name, region }: RegionReference): Region {
    const account = this.account(name);
    const found = account.regions.find((each) => each.name === region);
    return existing(found, 'region', `account ${account.name} has no region ${region}`);
  }

  zone(place: RegionReference & { readonly zone: string }): Zone {
    const found = this.region(place).zones.find(({ name }) => name === place.zone);
    return existing(found, 'zone', `${place.region} has no zone ${place.zone}`);
  }

  quota(place: QuotaReference): Quota {
    const { zone, quota_type: type } = place;
    const region = this.region(place);
    const isRegional = type === 'image' || type === 'disaster_recover_group';
    if (isRegional && zone !== undefined) {
      throw new StateError(['zone'], `${type} is a quota of the whole region`);
    }
    if (isRegional)
      return existing(region[type], 'quota_type', `${region.name} has no ${type} quota`);
    if (zone === undefined) throw new StateError(['zone'], `is required for ${type}`);
    const quota = this.zone({ ...place, zone })[type];
    return existing(quota, 'quota_type', `${zone} has no ${type} quota`);
  }

  template(place: TemplateReference): Template {
    const { template_id: id } = place;
    const found = this.region(place).launch_templates.find((each) => each.id === id);
    return existing(found, 'template_id', `${place.region} has no template ${id}`);
  }

  subnet(place: SubnetReference): Subnet {
    const found = this.region(place).subnets.find(({ id }) => id === place.subnet_id);
    return existing(found, 'subnet_id', `${place.region} has no subnet ${place.subnet_id}`);
  }

  /** @param atMs time of the action */
  apply(action: Action, atMs: number): void {
    const at = new Date(atMs).toISOString();
    const { name: account } = this.account(action.account);
    const region = 'region' in action ? action.region : '';
    for (const change of this.#changed(action, atMs)) {
      this.changes.add({ at, account, region, ...change });
    }
  }

  /** Carries out an action. Returns the changes that a client can notice. */
  #changed(action: Action, atMs: number): readonly Changed[] {
    switch (action.do) {
      case 'set-used':
        this.quota(action).used = action.used;
        return [];
      case 'set-limit':
        return this.#setLimit(action);
      case 'set-stock':
        return this.#setStock(action);
      case 'set-subnet': {
        const subnet = this.subnet(action);
        const { available = subnet.available, total = subnet.total } = action;
        if (available > total) {
          throw new StateError(['available'], `cannot be more than total, ${total}`);
        }
        Object.assign(subnet, { available, total });
        return [];
      }
      case 'set-default-version':
        return this.#setDefaultVersion(action);
      case 'create-version':
        return this.#createVersion(action, atMs);
      case 'delete-version':
        return this.#deleteVersion(action);
      case 'create-template':
        return this.#createTemplate(action, atMs);
      case 'delete-template':
        remove(this.region(action).launch_templates, this.template(action));
        return [{ kind: 'template-deleted', template_id: action.template_id }];
      case 'add-zone':
        return this.#addZone(action);
      case 'remove-zone':
        remove(this.region(action).zones, this.zone(action));
        return [{ kind: 'zone-disappeared', zone: action.zone }];
      case 'month-turn':
        for (const { zones } of this.account(action.account).regions) {
          for (const { prepaid } of zones) if (prepaid !== undefined) prepaid.used = 0;
        }
        return [];
    }
  }

  #setLimit(action: ActionOf<'set-limit'>): readonly Changed[] {
    const quota = this.quota(action);
    const { limit: old_value } = quota;
    const { limit: new_value, zone, quota_type } = action;
    if (new_value === old_value) return [];
    quota.limit = new_value;
    const kind = new_value > old_value ? 'quota-limit-raised' : 'quota-limit-lowered';
    return [{ kind, zone, quota_type, old_value, new_value }];
  }

  #setStock(action: ActionOf<'set-stock'>): readonly Changed[] {
    const { zone, instance_type, charge_type, stock: new_value } = action;
    const zones = zone === undefined ? this.region(action).zones : [this.zone({ ...action, zone })];
    const sold = zones.flatMap(({ name, instance_types: types }) =>
      types
        .filter(({ type }) => type === instance_type)
        .filter(({ charge_types: [each] }) => each === (charge_type ?? each))
        .map((type) => ({ zone: name, type })),
    );
    if (sold.length === 0) {
      const message = `${zone ?? action.region} does not sell this instance type`;
      throw new StateError(['instance_type'], message);
    }
    return sold.flatMap(({ zone: name, type }): Changed[] => {
      const {
        stock: old_value,
        charge_types: [each],
      } = type;
      if (old_value === new_value) return [];
      type.stock = new_value;
      const of = { zone: name, instance_type, charge_type: each };
      return [{ kind: 'stock-changed', ...of, old_value, new_value }];
    });
  }

  #setDefaultVersion(action: ActionOf<'set-default-version'>): readonly Changed[] {
    const template = this.template(action);
    const { version: new_value } = existingVersion(template, action.version);
    const { default_version: old_value } = template;
    if (new_value === old_value) return [];
    template.default_version = new_value;
    const { template_id } = action;
    return [{ kind: 'default-version-changed', template_id, old_value, new_value }];
  }

  #createVersion(action: ActionOf<'create-version'>, atMs: number): readonly Changed[] {
    const template = this.template(action);
    const { template_id, description, data, omit, fields } = action;
    const highest = highestUsedVersion(template);
    const { version = highest + 1, creation_time = isoSeconds(atMs) } = action;
    if (version <= highest) throw new StateError(['version'], `must be more than ${highest}`);
    template.versions.push({ version, description, creation_time, data, omit, fields });
    template.highest_version = version;
    return [{ kind: 'version-created', template_id, new_value: version }];
  }

  #deleteVersion(action: ActionOf<'delete-version'>): readonly Changed[] {
    const template = this.template(action);
    const version = existingVersion(template, action.version);
    const { version: old_value } = version;
    if (old_value === template.default_version) {
      throw new StateError(['version'], `version ${old_value} is the default version`);
    }
    template.highest_version = highestUsedVersion(template);
    remove(template.versions, version);
    return [{ kind: 'version-deleted', template_id: action.template_id, old_value }];
  }

  #createTemplate(action: ActionOf<'create-template'>, atMs: number): readonly Changed[] {
    const { do: _do, account: _account, region: _region, template_id: id, ...content } = action;
    const { launch_templates: templates, name } = this.region(action);
    if (templates.some((each) => each.id === id)) {
      throw new StateError(['template_id'], `${name} has ${id} already`);
    }
    const problem = defaultVersionProblem({ ...content, id });
    if (problem !== null) throw new StateError(['default_version'], problem);
    templates.push(withCreationTimes({ ...content, id }, atMs));
    return [{ kind: 'template-created', template_id: id }];
  }

  #addZone(action: ActionOf<'add-zone'>): readonly Changed[] {
    const { do: _do, account: _account, region: _region, zone: name, ...content } = action;
    const region = this.region(action);
    if (region.zones.some((each) => each.name === name)) {
      throw new StateError(['zone'], `${region.name} has ${name} already`);
    }
    if (!isZoneOf(name, region.name)) {
      throw new StateError(['zone'], `${name} is not a zone of ${region.name}`);
    }
    region.zones.push({ name, state: 'AVAILABLE', ...content });
    return [{ kind: 'zone-appeared', zone: name }];
  }
}

type Changed = Omit<StateChange, 'at' | 'account' | 'region'>;
type ActionOf<Name extends Action['do']> = Extract<Action, { do: Name }>;

function existing<T>(found: T | undefined, part: string, message: string): T {
  if (found === undefined) throw new StateError([part], message);
  return found;
}

function existingVersion(template: Template, wanted: number | 'latest'): TemplateVersion {
  const number = wanted === 'latest' ? highestExistingVersion(template) : wanted;
  const found = template.versions.find(({ version }) => version === number);
  return existing(found, 'version', `${template.id} has no version ${number}`);
}

function remove<T>(list: T[], element: T): void {
  list.splice(list.indexOf(element), 1);
}
