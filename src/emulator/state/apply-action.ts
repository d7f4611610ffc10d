/**
 * Carries out each kind of action on the state. The service calls it for actions of code, of the control API and of
 * the timeline; `read-scenario.ts` does so on a trial state, to find entries of a timeline that are impossible.
 */
import type { z } from 'zod';
import type { Action, ActionOf } from '../scenario/action.ts';
import {
  chargeTypeOf,
  diskSchema,
  diskSelectors,
  isZoneOf,
  placementGroupSchema,
  subnetSchema,
  zoneSchema,
} from '../scenario/region.ts';
import { activitySchema, scalingGroupSchema, type Activity } from '../scenario/scaling.ts';
import { isoSeconds } from '../scenario/schema-parts.ts';
import {
  highestVersion,
  highestUsedVersion,
  templateSchema,
  versionSchema,
  withCreationTimes,
  type Template,
  type TemplateVersion,
} from '../scenario/template.ts';
import {
  checkState,
  idOf,
  nameOf,
  StateError,
  stateErrorOf,
  type EmulatorState,
  type StateChange,
} from './state.ts';

/** The most activities of a region. Older ones are dropped, so that a timeline can repeat for ever. */
const maxActivities = 10_000;

/** Gets each change that a client can notice: none when a value stays as it is. */
type Notice = (change: Omit<StateChange, 'at' | 'account' | 'region'>) => void;

/**
 * Changes the state by an action of a kind. Checks everything before its first change, so that an action that throws
 * StateError has changed nothing. `atMs` is in milliseconds since the Unix epoch.
 */
type Apply<Name extends Action['do']> = (
  state: EmulatorState,
  action: ActionOf<Name>,
  notice: Notice,
  atMs: number,
) => void;

/**
 * Carries out one action, and adds what a client can notice to `state.changes`. An action is applied whole or not at
 * all.
 *
 * @param atMs the time of the action, in milliseconds since the Unix epoch
 * @returns the problem when an object does not exist, or the change is not allowed; `null` when the action is done
 */
export function applyAction<Name extends Action['do']>(
  state: EmulatorState,
  action: ActionOf<Name> & { readonly do: Name },
  atMs: number,
): StateError | null {
  return stateErrorOf(() => {
    const at = new Date(atMs).toISOString();
    const { name: account } = state.account(action.account);
    const region = 'region' in action ? action.region : '';
    const notice: Notice = (change) => {
      state.changes.add({ at, account, region, ...change });
    };
    const apply: Apply<Name> = appliers[action.do];
    apply(state, action, notice, atMs);
  });
}

const appliers: { readonly [Name in Action['do']]: Apply<Name> } = {
  'set-used': (state, action) => {
    state.quota(action).used = action.used;
  },
  'set-limit': (state, action, notice) => {
    const quota = state.quota(action);
    const { limit: old_value } = quota;
    const { limit: new_value, zone, quota_type } = action;
    if (new_value === old_value) return;
    quota.limit = new_value;
    const kind = new_value > old_value ? 'quota-limit-raised' : 'quota-limit-lowered';
    notice({ kind, zone, quota_type, old_value, new_value });
  },
  'set-stock': (state, action, notice) => {
    const { zone, instance_type, charge_type, stock: new_value } = action;
    const zones =
      zone === undefined ? state.region(action).zones : [state.zone({ ...action, zone })];
    const sold = zones.flatMap(({ name, instance_types: types }) =>
      types
        .filter(({ type }) => type === instance_type)
        .filter((type) => charge_type === undefined || chargeTypeOf(type) === charge_type)
        .map((type) => ({ zone: name, type })),
    );
    const where = zone ?? action.region;
    checkState(sold.length > 0, 'instance_type', `${where} does not sell this instance type`);
    for (const { zone: name, type } of sold) {
      const { stock: old_value } = type;
      if (old_value === new_value) continue;
      type.stock = new_value;
      const entry = { zone: name, instance_type, charge_type: chargeTypeOf(type) };
      notice({ kind: 'stock-changed', ...entry, old_value, new_value });
    }
  },
  'set-subnet': (state, action) => {
    const subnet = state.byId(action, 'subnet_id', (region) => region.subnets);
    Object.assign(subnet, objectOf(subnetSchema, action, subnet));
  },
  // The new entry is the last one, which counts. One about the same disks is removed; its `omit` and `fields` stay.
  'set-disk': (state, action) => {
    const { disks } = state.region(action);
    const { disk_type: type, zone } = action;
    if (zone !== undefined) state.zone({ ...action, zone });
    const disk = objectOf(diskSchema, action, { type });
    const former = disks.find((entry) => diskSelectors.every((key) => entry[key] === disk[key]));
    if (former !== undefined) remove(disks, former);
    disks.push({ ...former, ...disk });
  },
  'set-placement-group': (state, action) => {
    const group = state.byId(action, 'placement_group_id', (region) => region.placement_groups);
    Object.assign(group, objectOf(placementGroupSchema, action, group));
  },
  'set-scaling-group': (state, action) => {
    const group = state.byId(action, 'scaling_group_id', (region) => region.scaling_groups);
    Object.assign(group, objectOf(scalingGroupSchema, action, group));
  },
  'add-activity': (state, action, _notice, atMs) => {
    const group = state.byId(action, 'scaling_group_id', (region) => region.scaling_groups);
    const { activities, name } = state.region(action);
    const { activity_id: id = freeActivityId(activities) } = action;
    checkNew(activities.map(idOf), id, 'activity_id', name);
    const others = { id, scaling_group: group.id, start_time: isoSeconds(atMs) };
    activities.push(objectOf(activitySchema, action, others));
    if (activities.length > maxActivities) activities.shift();
  },
  'set-default-version': (state, action, notice) => {
    const template = state.template(action);
    const { version: new_value } = existingVersion(template, action.version);
    const { default_version: old_value, id: template_id } = template;
    if (new_value === old_value) return;
    template.default_version = new_value;
    notice({ kind: 'default-version-changed', template_id, old_value, new_value });
  },
  'create-version': (state, action, notice, atMs) => {
    const template = state.template(action);
    const highest = highestUsedVersion(template);
    const { version = highest + 1 } = action;
    checkState(version > highest, 'version', `must be more than ${highest}`);
    const others = { version, creation_time: isoSeconds(atMs) };
    template.versions.push(objectOf(versionSchema, action, others));
    template.highest_version = version;
    notice({ kind: 'version-created', template_id: template.id, new_value: version });
  },
  'delete-version': (state, action, notice) => {
    const template = state.template(action);
    const version = existingVersion(template, action.version);
    const { version: old_value } = version;
    const isDefault = old_value === template.default_version;
    checkState(!isDefault, 'version', `version ${old_value} is the default version`);
    template.highest_version = highestUsedVersion(template);
    remove(template.versions, version);
    notice({ kind: 'version-deleted', template_id: template.id, old_value });
  },
  'create-template': (state, action, notice, atMs) => {
    const { template_id: id } = action;
    const { launch_templates: templates, name } = state.region(action);
    checkNew(templates.map(idOf), id, 'template_id', name);
    templates.push(withCreationTimes(objectOf(templateSchema, action, { id }), atMs));
    notice({ kind: 'template-created', template_id: id });
  },
  'delete-template': (state, action, notice) => {
    remove(state.region(action).launch_templates, state.template(action));
    notice({ kind: 'template-deleted', template_id: action.template_id });
  },
  'add-zone': (state, action, notice) => {
    const { zone: name } = action;
    const region = state.region(action);
    checkNew(region.zones.map(nameOf), name, 'zone', region.name);
    checkState(isZoneOf(region.name, name), 'zone', `${name} is not a zone of ${region.name}`);
    region.zones.push(objectOf(zoneSchema, action, { name }));
    notice({ kind: 'zone-appeared', zone: name });
  },
  'remove-zone': (state, action, notice) => {
    remove(state.region(action).zones, state.zone(action));
    notice({ kind: 'zone-disappeared', zone: action.zone });
  },
  'month-turn': (state, action) => {
    for (const { zones } of state.account(action.account).regions) {
      for (const { prepaid } of zones) if (prepaid !== undefined) prepaid.used = 0;
    }
  },
};

/**
 * The object that an action makes or changes, read by its schema: the fields of the action that the schema has, too, and
 * the fields of `others` that the action does not say.
 *
 * @throws StateError with the first problem of the object
 */
function objectOf<S extends z.ZodObject>(schema: S, action: Action, others: object): z.output<S> {
  const given = Object.entries(action).filter(
    ([key, value]) => Object.hasOwn(schema.shape, key) && value !== undefined,
  );
  const result = schema.safeParse({ ...others, ...Object.fromEntries(given) });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new StateError(issue?.path.map(String) ?? [], issue?.message ?? '');
}

/** @throws StateError at the field `part` when the region has an object of this ID or name already */
function checkNew(existing: readonly string[], id: string, part: string, region: string): void {
  checkState(!existing.includes(id), part, `${region} has ${id} already`);
}

/** An ID with a number that is higher than that of every other ID with a number. */
function freeActivityId(activities: readonly Activity[]): string {
  const numbers = activities.map(({ id }) => Number(/^asa-(0\d{7})$/.exec(id)?.[1] ?? 0));
  return `asa-${String(Math.max(0, ...numbers) + 1).padStart(8, '0')}`;
}

/** The version of a number, or the highest one for `latest`. @throws StateError when there is none */
function existingVersion(template: Template, wanted: number | 'latest'): TemplateVersion {
  const number = wanted === 'latest' ? highestVersion(template) : wanted;
  const found = template.versions.find(({ version }) => version === number);
  checkState(found !== undefined, 'version', `${template.id} has no version ${number}`);
  return found;
}

/** Removes an element that the list has. */
function remove<T>(list: T[], element: T): void {
  list.splice(list.indexOf(element), 1);
}
