/**
 * DescribeLaunchTemplateVersions (service.md, sections 2.1, 2.2 and 4.1). Not published, and chosen: at
 * most 100 values in LaunchTemplateVersions.N; a list, and DefaultVersion, are not narrowed by the default
 * range, and a list is paged only when Offset or Limit is given; the rest is in behaviour.ts.
 */
import {
  booleanOf,
  integerOf,
  integersOf,
  isGiven,
  refuseUnknown,
  stringOf,
  type Parameters,
} from '../parameters.ts';
import type { Behaviour } from '../scenario/behaviour.ts';
import { ServiceError, required } from '../service-error.ts';
import type { Account, Region, Template, TemplateVersion } from '../resources/model.ts';
import type { Operation } from './operation.ts';
import { pageOf, slice } from './paging.ts';

const maxListedVersions = 100;
const defaultRange = { min: 0, max: 30 };

export const describeLaunchTemplateVersions: Operation = (parameters, context) => {
  const { account, region, behaviour } = context;
  refuseUnknown(parameters, [
    'LaunchTemplateId',
    'LaunchTemplateVersions',
    'MinVersion',
    'MaxVersion',
    'Offset',
    'Limit',
    'DefaultVersion',
  ]);
  const template = templateOf(parameters, { account, region });
  const page = pageOf(parameters);
  const selected = select(template, parameters, behaviour);
  const isPaged =
    !isGiven(parameters, 'LaunchTemplateVersions') ||
    isGiven(parameters, 'Offset') ||
    isGiven(parameters, 'Limit');
  const shown = isPaged ? slice(selected, page) : selected;
  return {
    TotalCount: behaviour.total_count === 'all' ? template.versions.size : selected.length,
    LaunchTemplateVersionSet: shown.map((version) => versionInfo(version, template, account)),
  };
};

function templateOf(
  parameters: Parameters,
  { account, region }: { account: Account; region: Region },
): Template {
  const id = required(stringOf(parameters, 'LaunchTemplateId'), 'LaunchTemplateId');
  if (!/^lt-[a-z0-9]{8,9}$/.test(id)) {
    throw new ServiceError('InvalidParameterValue.LaunchTemplateIdMalformed');
  }
  const template = region.templates.get(id);
  if (template !== undefined) return template;
  // Which of the two codes means what is not published: here, a template of another region is "not found".
  const isElsewhere = [...account.regions.values()].some((other) => other.templates.has(id));
  throw new ServiceError(
    isElsewhere
      ? 'InvalidParameterValue.LaunchTemplateNotFound'
      : 'InvalidParameterValue.LaunchTemplateIdNotExisted',
  );
}

function select(
  template: Template,
  parameters: Parameters,
  behaviour: Behaviour,
): readonly TemplateVersion[] {
  const listed = integersOf(parameters, 'LaunchTemplateVersions');
  const onlyDefault = booleanOf(parameters, 'DefaultVersion') ?? false;
  const isInRange = rangeOf(parameters, behaviour, listed !== null || onlyDefault);
  if (listed !== null) refuseCombinations(parameters, behaviour);
  const candidates = listed === null ? template.versions.values() : pick(template, listed);
  const direction = behaviour.version_order === 'newest-first' ? -1 : 1;
  return [...candidates]
    .filter(({ version }) => isInRange(version))
    .filter(({ version }) => !onlyDefault || version === template.defaultVersion)
    .sort((a, b) => direction * (a.version - b.version));
}

/** The default bounds hold only where nothing else selects versions. */
function rangeOf(
  parameters: Parameters,
  behaviour: Behaviour,
  isOtherwiseSelected: boolean,
): (version: number) => boolean {
  const defaults = isOtherwiseSelected ? { min: 0, max: Infinity } : defaultRange;
  const min = integerOf(parameters, 'MinVersion') ?? defaults.min;
  const max = integerOf(parameters, 'MaxVersion') ?? defaults.max;
  if (min < 0 || max < 0) {
    throw new ServiceError(
      'InvalidParameterValue',
      'The parameters `MinVersion` and `MaxVersion` must be at least 0.',
    );
  }
  return behaviour.version_range === 'inclusive'
    ? (version) => version >= min && version <= max
    : (version) => version > min && version < max;
}

function refuseCombinations(parameters: Parameters, behaviour: Behaviour): void {
  const excluded =
    behaviour.version_list === 'exclusive'
      ? ['DefaultVersion', 'MinVersion', 'MaxVersion', 'Offset', 'Limit']
      : ['DefaultVersion'];
  const given = excluded.find((name) => isGiven(parameters, name));
  if (given !== undefined) {
    throw new ServiceError(
      'InvalidParameterCombination',
      `The parameters \`LaunchTemplateVersions.N\` and \`${given}\` cannot be given together.`,
    );
  }
}

function pick(template: Template, numbers: readonly number[]): Set<TemplateVersion> {
  if (numbers.length > maxListedVersions) {
    throw new ServiceError('InvalidParameterValue.LimitExceeded');
  }
  const picked = new Set<TemplateVersion>();
  for (const number of numbers) {
    if (number < 1) throw new ServiceError('InvalidParameterValue.LaunchTemplateVersion');
    const version = template.versions.get(number);
    if (version === undefined) {
      throw new ServiceError('InvalidParameterValue.LaunchTemplateIdVerNotExisted');
    }
    picked.add(version);
  }
  return picked;
}

function versionInfo(version: TemplateVersion, template: Template, account: Account) {
  return {
    LaunchTemplateVersion: version.version,
    LaunchTemplateVersionData: version.data,
    CreationTime: version.creationTime,
    LaunchTemplateId: template.id,
    IsDefaultVersion: version.version === template.defaultVersion,
    LaunchTemplateVersionDescription: version.description,
    CreatedBy: account.uin,
  };
}
