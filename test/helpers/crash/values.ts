/** The values of the emulated account that the crash tests change, and how a scrape shows each of them. */
import type { Emulator } from '../../../src/emulator/emulator.ts';
import type { Random } from '../random.ts';
import type { Samples } from '../samples.ts';
import { discoveredRegion, regions, templateIds, zonesOf } from './world.ts';

/** A value that changes and that a scrape shows. */
export interface WatchedValue {
  /** Whether the scrape shows the present state. */
  isShownIn(samples: Samples): boolean;
  change(random: Random): void;
}

/** A value that leaves its usual state and returns to it. */
export interface FlippingValue extends WatchedValue {
  /** Sets the value to its usual state. */
  rest(): void;
}

/** The steady values. They go from state to state. */
export function steadyValues(emulator: Emulator): readonly WatchedValue[] {
  const values = regions.flatMap((region) => [
    defaultVersion(emulator, region),
    versions(emulator, region),
    limit(emulator, region, 'image'),
    ...zonesOf(region).map((zone) => limit(emulator, region, 'postpaid', zone)),
  ]);
  return [...values, templates(emulator)];
}

/** The flipping values. They leave their usual state and return. */
export function flippingValues(emulator: Emulator): readonly FlippingValue[] {
  return regions.flatMap((region) => [
    flippingDefaultVersion(emulator, region),
    flippingLimit(emulator, region),
  ]);
}

function flippingDefaultVersion(emulator: Emulator, region: string): FlippingValue {
  const place = { region, template_id: templateIds.flipping };
  const labels = { region, template_id: place.template_id };
  const current = () => emulator.state.template(place).default_version;
  const set = (version: number) => {
    emulator.do({ do: 'set-default-version', ...place, version });
  };
  return {
    isShownIn: (samples) =>
      samples.value('cvm_launch_template_default_version', labels) === current(),
    change: () => {
      set(current() === 1 ? 3 : 1);
    },
    rest: () => {
      set(1);
    },
  };
}

function flippingLimit(emulator: Emulator, region: string): FlippingValue {
  const place = { region, zone: zonesOf(region)[0], quota_type: 'spotpaid' as const };
  const labels = { region, zone: place.zone ?? '', quota_type: place.quota_type };
  const current = () => emulator.state.quota(place).limit;
  const set = (newLimit: number) => {
    emulator.do({ do: 'set-limit', ...place, limit: newLimit });
  };
  return {
    isShownIn: (samples) => samples.value('cvm_quota_limit', labels) === current(),
    change: () => {
      set(current() === 100 ? 150 : 100);
    },
    rest: () => {
      set(100);
    },
  };
}

function limit(
  emulator: Emulator,
  region: string,
  quotaType: 'image' | 'postpaid',
  zone?: string,
): WatchedValue {
  const place = { region, quota_type: quotaType, zone };
  const labels = { region, quota_type: quotaType, ...(zone !== undefined && { zone }) };
  const current = () => emulator.state.quota(place).limit;
  return {
    isShownIn: (samples) => samples.value('cvm_quota_limit', labels) === current(),
    change: (random) => {
      const step = random.integer(1, 5) * (random.chance(0.5) ? 1 : -1);
      emulator.do({ do: 'set-limit', ...place, limit: Math.max(10, current() + step) });
    },
  };
}

function defaultVersion(emulator: Emulator, region: string): WatchedValue {
  const place = { region, template_id: templateIds.steady };
  const labels = { region, template_id: place.template_id };
  const template = () => emulator.state.template(place);
  return {
    isShownIn: (samples) =>
      samples.value('cvm_launch_template_default_version', labels) === template().default_version,
    change: (random) => {
      const others = template()
        .versions.map(({ version }) => version)
        .filter((version) => version !== template().default_version);
      emulator.do({ do: 'set-default-version', ...place, version: random.pick(others) });
    },
  };
}

/** The versions of a template. No number is used twice, so two figures identify the set. */
function versions(emulator: Emulator, region: string): WatchedValue {
  const place = { region, template_id: templateIds.steady };
  const labels = { region, template_id: place.template_id };
  const template = () => emulator.state.template(place);
  const numbers = () => template().versions.map(({ version }) => version);
  return {
    isShownIn: (samples) =>
      samples.value('cvm_launch_template_versions', labels) === numbers().length &&
      samples.value('cvm_launch_template_latest_version', labels) === Math.max(...numbers()),
    change: (random) => {
      const deletable = numbers().filter((version) => version !== template().default_version);
      if (deletable.length > random.integer(2, 10)) {
        emulator.do({ do: 'delete-version', ...place, version: random.pick(deletable) });
      } else {
        for (let i = random.integer(1, 2); i > 0; i -= 1)
          emulator.do({ do: 'create-version', ...place });
      }
    },
  };
}

/** The templates that discovery finds. Some are created and deleted; no ID is used twice. */
function templates(emulator: Emulator): WatchedValue {
  const region = discoveredRegion;
  const usual: readonly string[] = Object.values(templateIds);
  const existing = () => emulator.state.region({ region }).launch_templates.map(({ id }) => id);
  let created = 0;
  return {
    isShownIn: (samples) => samples.value('cvm_launch_templates', { region }) === existing().length,
    change: (random) => {
      const deletable = existing().filter((id) => !usual.includes(id));
      if (deletable.length > random.integer(0, 3)) {
        emulator.do({ do: 'delete-template', region, template_id: random.pick(deletable) });
      } else {
        created += 1;
        const templateId = `lt-${String(created).padStart(8, '0')}`;
        emulator.do({
          do: 'create-template',
          region,
          template_id: templateId,
          default_version: 1,
          versions: [1],
        });
      }
    },
  };
}
