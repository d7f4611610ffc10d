/**
 * Random worlds of launches: a configuration, and what the service says in some cycles, odd values and failures
 * included. The same seed makes the same world. `fixtures/launches/worlds.yaml` says what is in one.
 */
import type { FaultRuleInput, ScenarioInput } from '../../src/emulator/emulator.ts';
import type { RegionInput } from './emulator.ts';
import type { Json, RegionConfig } from './launch-answers.ts';
import { Random } from './random.ts';
import { fixtureOf } from './rows.ts';

export interface World {
  readonly seed: number;
  readonly site: 'domestic' | 'international';
  readonly regions: readonly RegionConfig[];
  readonly quota_types: string[];
  readonly overrides: RegionConfig['overrides'];
  readonly stale_after: string;
  /** What the service says in one cycle after the other. */
  readonly moments: readonly Moment[];
}

export interface Moment {
  readonly scenario: ScenarioInput;
  readonly faults: readonly FaultRuleInput[];
  /** Answers that are given otherwise than the scenario says. */
  readonly edits: readonly Edit[];
}

/** A change of the rows of an answer. */
interface Edit {
  readonly operation: string;
  readonly region: string;
  /** The list of rows in the answer. */
  readonly set: string;
  /** The first row stands once more, with these fields. Else the list is {@link Edit.to}. */
  readonly twice?: object;
  readonly to?: Json;
}

const all = fixtureOf<Names>('launches/worlds');
const oddFields = fixtureOf<Names>('launches/odd-values');

/** Values that no field should have. */
const oddValues = [null, 7, -1, 1.5, 'x', 'bad\u0007', true, [], {}, ['x']];

export function worldOf(seed: number): World {
  const random = new Random(seed);
  const { cycles, names, ...world } = made(random, '$world', all);
  const places = (names as string[]).map((region) => ({
    ...all,
    region,
    zones: [1, 2, 3].slice(0, random.integer(1, 3)).map((n) => `${region}-${n}`),
  }));
  const ofEach = (what: string): Json[] => places.map((place) => made(random, what, place));
  const regions = ofEach('$config').map((config, i) => ({
    ...{ ...config, name: names[i], overrides: world.overrides },
    quota_types: world.site === 'international' ? [] : world.quota_types,
  }));
  let inputs: RegionInput[] = ofEach('$input');
  const moments = Array.from({ length: cycles }, (): Moment => {
    const accounts = [{ name: 'production', regions: inputs }];
    const scenario = { site: world.site, requests_per_second: 1_000_000, accounts };
    inputs = ofEach('$input').map((other, i) => changed(random, inputs[i]!, other as RegionInput));
    if (random.chance(0.3)) return { scenario, faults: [], edits: [] };
    return { scenario, faults: ofEach('$faults').flat(), edits: ofEach('$edits').flat() };
  });
  return { seed, ...world, regions, moments };
}

type Names = Readonly<Record<string, Json>>;

/** The words of a map in `worlds.yaml`. Its other keys are {@link Json}. */
interface Words {
  readonly $chance?: number;
  readonly $let?: Names;
  readonly least?: number;
}

/** What a node of `worlds.yaml` makes. */
function made(random: Random, node: Json, names: Names): Json {
  const make = (each: Json, more: object = {}) => made(random, each, { ...names, ...more });
  const isName = typeof node === 'string' && node.startsWith('$');
  if (isName) return node === '$absent' ? undefined : make(names[node.slice(1)]);
  if (Array.isArray(node)) return node.flatMap((each) => (each?.$each ? make(each) : [make(each)]));
  if (typeof node !== 'object' || node === null) return node;
  const { $chance, $each, $field, $let, $odd, $pick, $with, ...rest } = node as Words & Names;
  const listOf = (list: Json): Json[] => (typeof list === 'string' ? names[list.slice(1)] : list);
  if ($pick) return make(random.pick(listOf($pick)));
  if ($chance) return make(random.chance($chance) ? rest.then : rest.else);
  if ($field) {
    const isOdd = random.chance(0.08);
    return make(random.pick(isOdd ? [...oddValues, ...(rest.odd ?? [])] : listOf($field)));
  }
  if ($each) {
    const { as = 'it', chance = 1, least = 0, of = '$it' } = rest;
    const probability: number = make(chance);
    const some = listOf($each).filter(() => random.chance(probability));
    const chosen = some.length < least ? [random.pick(listOf($each))] : some;
    const each = chosen.map((item) => make(of, { [as]: make(item) }));
    return of.$each ? each.flat() : each;
  }
  if ($let) return make(rest, make($let) as Names);
  const own = Object.entries(rest).map(([key, value]) => [key, make(value)] as const);
  const plain = {
    ...make($with),
    ...Object.fromEntries(own.filter(([, each]) => each !== undefined)),
  };
  const odd = oddOf(random, make($odd) as string | undefined);
  const fields: Names = { ...plain.fields, ...odd.fields };
  return { ...plain, ...odd, ...(Object.keys(fields).length > 0 && { fields }) };
}

/** The overrides of a row of the emulator: mostly none. */
function oddOf(random: Random, kind?: string): { omit?: string[]; fields?: object } {
  if (kind === undefined || !random.chance(0.1)) return {};
  const fields: Names = oddFields[kind];
  const name = random.pick(Object.keys(fields));
  if (random.chance(0.25)) return { omit: [name] };
  return { fields: { [name]: random.pick([...oddValues, ...fields[name], ...fields[name]]) } };
}

const mixed = [
  ...(['subnets', 'launch_templates', 'placement_groups'] as const),
  ...(['launch_configurations', 'scaling_groups'] as const),
];

/** A region of which some things became as those of another one. */
function changed(random: Random, before: RegionInput, other: RegionInput): RegionInput {
  if (random.chance(0.35)) return before;
  const mix = (own: Json[] = [], others: Json[] = [], keyOf = (row: Json): string => row.id) => {
    const keys = new Set([...own, ...others].map(keyOf));
    return [...keys].flatMap((key) =>
      (random.chance(0.2) ? others : own).filter((each) => keyOf(each) === key),
    );
  };
  const zones = before.zones?.map((zone, i) => {
    const { instance_types: others, ...quotas } = other.zones![i]!;
    const keyOf = ({ charge_types: charges, type }: Json) => `${type} ${charges}`;
    const instance_types = mix(zone.instance_types, others, keyOf);
    return { ...(random.chance(0.3) ? quotas : zone), name: zone.name, instance_types };
  });
  const rows = mixed.map((name) => [name, mix(before[name], other[name])]);
  const { disks = [] } = random.chance(0.4) ? other : before;
  return { ...before, zones, disks, ...Object.fromEntries(rows) };
}
