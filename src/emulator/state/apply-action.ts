/**
 * Carries out each kind of action on the state. The service calls it for actions of code, of the control API and of
 * the timeline; `read-scenario.ts` does so on a trial state, to find entries of a timeline that are impossible.
 */
import type { z } from 'zod';
import type { Action, ActionOf } from '../scenario/action.ts';
import { diskSelectors, isZoneOf, placementGroupSchema, subnetSchema } from '../scenario/region.ts';
import { scalingGroupSchema, withStartTime, type Activity } from '../scenario/scaling.ts';
import { isoSeconds } from '../scenario/schema-parts.ts';
import {
  highestVersion,
  highestUsedVersion,
  templateSchema,
  withCreationTimes,
  type Template,
  type TemplateVersion,
} from '../scenario/template.ts';
import { checkState, existing, StateError, type EmulatorState, type StateChange } from './state.ts';

/** The most activities of a region. Older ones are dropped, so that a timeline can repeat for ever. */
const maxActivities = 10_000;

/** What carries out an action of one kind. */
type Apply<Name extends Action['do']> = (
  state: EmulatorState,
  action: ActionOf<Name>,
  atMs: number,
) => Changes;
type Changes = readonly Omit<StateChange, 'at' | 'account' | 'region'>[];

/**
 * Carries out one action, and adds what a client can notice to `state.changes`. An action is applied whole or not at
 * all.
 *
 * @param atMs the time of the action, in milliseconds since the Unix epoch
 * @throws StateError when an object does not exist, or the change is not allowed
 */
export function applyAction(state: EmulatorState, action: Action, atMs: number): void {
  const at = new Date(atMs).toISOString();
  const { name: account } = state.account(action.account);
  const region = 'region' in action ? action.region : '';
  for (const change of changeState(state, action, atMs)) {
    state.changes.add({ at, account, region, ...change });
  }
}

/** Changes the state. Returns the changes that a client can notice: none when a value stays as it is. */
function changeState(state: EmulatorState, action: Action, atMs: number): Changes {
  switch (action.do) {
    case 'set-used':
      state.quota(action).used = action.used;
      return [];
    case 'set-limit':
      return setLimit(state, action);
    case 'set-stock':
      return setStock(state, action);
    case 'set-subnet':
      return change(state.subnet(action), action, subnetSchema);
    case 'set-disk':
      setDisk(state, action);
      return [];
    case 'set-placement-group':
      return change(state.placementGroup(action), action, placementGroupSchema);
    case 'set-scaling-group':
      return change(state.scalingGroup(action), action, scalingGroupSchema);
    case 'add-activity':
      addActivity(state, action, atMs);
      return [];
    case 'set-default-version':
      return setDefaultVersion(state, action);
    case 'create-version':
      return createVersion(state, action, atMs);
    case 'delete-version':
      return deleteVersion(state, action);
    case 'create-template':
      return createTemplate(state, action, atMs);
    case 'delete-template':
      remove(state.region(action).launch_templates, state.template(action));
      return [{ kind: 'template-deleted', template_id: action.template_id }];
    case 'add-zone':
      return addZone(state, action);
    case 'remove-zone':
      remove(state.region(action).zones, state.zone(action));
      return [{ kind: 'zone-disappeared', zone: action.zone }];
    case 'month-turn':
      for (const { zones } of state.account(action.account).regions) {
        for (const { prepaid } of zones) if (prepaid !== undefined) prepaid.used = 0;
      }
      return [];
  }
}

function setLimit(state: EmulatorState, action: ActionOf<'set-limit'>): Changes {
  const quota = state.quota(action);
  const { limit: old_value } = quota;
  const { limit: new_value, zone, quota_type } = action;
  if (new_value === old_value) return [];
  quota.limit = new_value;
  const kind = new_value > old_value ? 'quota-limit-raised' : 'quota-limit-lowered';
  return [{ kind, zone, quota_type, old_value, new_value }];
}

function setStock(state: EmulatorState, action: ActionOf<'set-stock'>): Changes {
  const { zone, instance_type, charge_type, stock: new_value } = action;
  const zones = zone === undefined ? state.region(action).zones : [state.zone({ ...action, zone })];
  const sold = zones.flatMap(({ name, instance_types: types }) =>
    types
      .filter(({ type }) => type === instance_type)
      .filter(({ charge_types: [soldFor] }) => charge_type === undefined || soldFor === charge_type)
      .map((type) => ({ zone: name, type })),
  );
  const where = zone ?? action.region;
  checkState(sold.length > 0, 'instance_type', `${where} does not sell this instance type`);
  return sold.flatMap(({ zone: name, type }): Changes => {
    const { stock: old_value } = type;
    if (old_value === new_value) return [];
    type.stock = new_value;
    const entry = { zone: name, instance_type, charge_type: type.charge_types[0] };
    return [{ kind: 'stock-changed', ...entry, old_value, new_value }];
  });
}

/** Adds an entry that counts more than the earlier ones. It takes the place of one about the same disks. */
function setDisk(state: EmulatorState, action: ActionOf<'set-disk'>): void {
  const { disks } = state.region(action);
  const { disk_type: type, zone, usage, charge_type, instance_family, availability } = action;
  if (zone !== undefined) state.zone({ ...action, zone });
  const selection = { type, zone, usage, charge_type, instance_family };
  const former = disks.find((disk) => diskSelectors.every((key) => disk[key] === selection[key]));
  if (former !== undefined) remove(disks, former);
  disks.push({ ...former, ...selection, availability });
}

/**
 * Gives an object those fields of an action that its schema has, too.
 *
 * @throws StateError when the schema refuses what the object becomes
 */
function change(object: object, action: Action, schema: z.ZodObject): Changes {
  const given = Object.entries(action).filter(
    ([key, value]) => Object.hasOwn(schema.shape, key) && value !== undefined,
  );
  const changed = { ...object, ...Object.fromEntries(given) };
  checkWith(schema, changed);
  Object.assign(object, changed);
  return [];
}

/** @throws StateError with the first problem of the value */
function checkWith(schema: z.ZodType, value: unknown): void {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  if (issue !== undefined) throw new StateError(issue.path.map(String), issue.message);
}

function addActivity(state: EmulatorState, action: ActionOf<'add-activity'>, atMs: number): void {
  const { do: _do, account: _account, region: _region, ...rest } = action;
  const { scaling_group_id: scaling_group, activity_id, ...content } = rest;
  state.scalingGroup(action);
  const { activities, name } = state.region(action);
  const id = activity_id ?? freeActivityId(activities);
  const isNew = !activities.some((activity) => activity.id === id);
  checkState(isNew, 'activity_id', `${name} has ${id} already`);
  activities.push(withStartTime({ ...content, id, scaling_group }, atMs));
  if (activities.length > maxActivities) activities.shift();
}

/** An ID with a number that is higher than that of every other ID with a number. */
function freeActivityId(activities: readonly Activity[]): string {
  const numbers = activities.map(({ id }) => Number(/^asa-(0\d{7})$/.exec(id)?.[1] ?? 0));
  return `asa-${String(Math.max(0, ...numbers) + 1).padStart(8, '0')}`;
}

function setDefaultVersion(state: EmulatorState, action: ActionOf<'set-default-version'>): Changes {
  const template = state.template(action);
  const { version: new_value } = existingVersion(template, action.version);
  const { default_version: old_value } = template;
  if (new_value === old_value) return [];
  template.default_version = new_value;
  const { template_id } = action;
  return [{ kind: 'default-version-changed', template_id, old_value, new_value }];
}

const createVersion: Apply<'create-version'> = (state, action, atMs) => {
  const template = state.template(action);
  const { template_id, description, data, omit, fields } = action;
  const highest = highestUsedVersion(template);
  const { version = highest + 1, creation_time = isoSeconds(atMs) } = action;
  checkState(version > highest, 'version', `must be more than ${highest}`);
  template.versions.push({ version, description, creation_time, data, omit, fields });
  template.highest_version = version;
  return [{ kind: 'version-created', template_id, new_value: version }];
};

function deleteVersion(state: EmulatorState, action: ActionOf<'delete-version'>): Changes {
  const template = state.template(action);
  const version = existingVersion(template, action.version);
  const { version: old_value } = version;
  const isDefault = old_value === template.default_version;
  checkState(!isDefault, 'version', `version ${old_value} is the default version`);
  template.highest_version = highestUsedVersion(template);
  remove(template.versions, version);
  return [{ kind: 'version-deleted', template_id: action.template_id, old_value }];
}

const createTemplate: Apply<'create-template'> = (state, action, atMs) => {
  const { do: _do, account: _account, region: _region, template_id: id, ...content } = action;
  const { launch_templates: templates, name } = state.region(action);
  const isNew = !templates.some((template) => template.id === id);
  checkState(isNew, 'template_id', `${name} has ${id} already`);
  checkWith(templateSchema, { ...content, id });
  templates.push(withCreationTimes({ ...content, id }, atMs));
  return [{ kind: 'template-created', template_id: id }];
};

function addZone(state: EmulatorState, action: ActionOf<'add-zone'>): Changes {
  const { do: _do, account: _account, region: _region, zone: name, ...content } = action;
  const region = state.region(action);
  const isNew = !region.zones.some((zone) => zone.name === name);
  checkState(isNew, 'zone', `${region.name} has ${name} already`);
  checkState(isZoneOf(name, region.name), 'zone', `${name} is not a zone of ${region.name}`);
  region.zones.push({ name, state: 'AVAILABLE', ...content });
  return [{ kind: 'zone-appeared', zone: name }];
}

function existingVersion(template: Template, wanted: number | 'latest'): TemplateVersion {
  const number = wanted === 'latest' ? highestVersion(template) : wanted;
  const found = template.versions.find(({ version }) => version === number);
  return existing(found, 'version', `${template.id} has no version ${number}`);
}

function remove<T>(list: T[], element: T): void {
  list.splice(list.indexOf(element), 1);
}
