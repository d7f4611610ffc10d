/**
 * DescribeLaunchTemplateVersions (docs/service.md, sections 6.1, 6.3 and 6.4). Not published, so we
 * chose: LaunchTemplateVersions.N has at most 100 values. The default range does not apply to a list or
 * to DefaultVersion. A list is paged only when Offset or Limit is given. DefaultVersion may not stand beside a
 * list, not even as `false`. `behaviour` of the scenario has the other choices.
 */
import {
  booleanOf,
  integerOf,
  integersOf,
  isGiven,
  refuseUnknown,
  stringOf,
  type Parameters,
} from '../protocol/parameters.ts';
import { check, ServiceError, required } from '../protocol/service-error.ts';
import { defaultZone } from '../scenario/region.ts';
import type { Behaviour } from '../scenario/scenario.ts';
import { isoSeconds } from '../scenario/schema-parts.ts';
import { versionData, type Template, type TemplateVersion } from '../scenario/template.ts';
import { notFoundCode, existingTemplate } from './describe-launch-templates.ts';
import { pageOf, withOverrides, type Operation, type RegionContext } from './operation.ts';

const maxListedVersions = 100;
const defaultRange = { min: 0, max: 30 };
const rangeParameters = ['MinVersion', 'MaxVersion'];
const pagingParameters = ['Offset', 'Limit'];

export const describeLaunchTemplateVersions: Operation = (parameters, context) => {
  const selecting = ['LaunchTemplateId', 'LaunchTemplateVersions', 'DefaultVersion'];
  refuseUnknown(parameters, [...selecting, ...rangeParameters, ...pagingParameters]);
  const template = requestedTemplate(parameters, context);
  const selected = selectVersions(template, parameters, context.behaviour);
  const page = pageOf(selected, parameters);
  const isPaged =
    !isGiven(parameters, 'LaunchTemplateVersions') ||
    pagingParameters.some((name) => isGiven(parameters, name));
  return {
    TotalCount:
      context.behaviour.total_count === 'all' ? template.versions.length : selected.length,
    LaunchTemplateVersionSet: (isPaged ? page : selected).map((version) => {
      const row = {
        LaunchTemplateVersion: version.version,
        LaunchTemplateVersionData: versionData(version, defaultZone(context.region)),
        CreationTime: isoSeconds(Date.parse(version.creation_time ?? '')),
        LaunchTemplateId: template.id,
        IsDefaultVersion: version.version === template.default_version,
        LaunchTemplateVersionDescription: version.description,
        CreatedBy: context.account.uin,
      };
      return withOverrides(row, version);
    }),
  };
};

function requestedTemplate(parameters: Parameters, { account, region }: RegionContext): Template {
  const id = required(stringOf(parameters, 'LaunchTemplateId'), 'LaunchTemplateId');
  // The difference between the two codes is not published. We chose: a template of another region is "not found".
  const isAnywhere = account.regions.some(({ launch_templates: templates }) =>
    templates.some((template) => template.id === id),
  );
  const code = isAnywhere ? notFoundCode : 'InvalidParameterValue.LaunchTemplateIdNotExisted';
  return existingTemplate(id, region, code);
}

/** The versions that the parameters of a request select, and their order. */
function selectVersions(
  template: Template,
  parameters: Parameters,
  behaviour: Behaviour,
): readonly TemplateVersion[] {
  const listed = integersOf(parameters, 'LaunchTemplateVersions');
  const onlyDefault = booleanOf(parameters, 'DefaultVersion') ?? false;
  const isInRange = rangeTest(parameters, behaviour, listed !== null || onlyDefault);
  if (listed !== null) refuseCombinations(parameters, behaviour);
  const candidates = listed === null ? template.versions : versionsOfNumbers(template, listed);
  const direction = behaviour.version_order === 'newest-first' ? -1 : 1;
  return candidates
    .filter(({ version }) => isInRange(version))
    .filter(({ version }) => !onlyDefault || version === template.default_version)
    .toSorted((a, b) => direction * (a.version - b.version));
}

/**
 * The test that MinVersion and MaxVersion make of a version number. Their defaults, 0 and 30, apply only if no other
 * parameter selects versions.
 */
function rangeTest(
  parameters: Parameters,
  behaviour: Behaviour,
  isOtherwiseSelected: boolean,
): (version: number) => boolean {
  const defaults = isOtherwiseSelected ? { min: 0, max: Infinity } : defaultRange;
  const min = integerOf(parameters, 'MinVersion') ?? defaults.min;
  const max = integerOf(parameters, 'MaxVersion') ?? defaults.max;
  const message = 'The parameters `MinVersion` and `MaxVersion` must be at least 0.';
  check(min >= 0 && max >= 0, 'InvalidParameterValue', message);
  return behaviour.version_range === 'inclusive'
    ? (version) => version >= min && version <= max
    : (version) => version > min && version < max;
}

/** Refuses parameters beside LaunchTemplateVersions. Only for requests that have this list. */
function refuseCombinations(parameters: Parameters, behaviour: Behaviour): void {
  const excluded = [
    'DefaultVersion',
    ...(behaviour.version_list === 'exclusive' ? [...rangeParameters, ...pagingParameters] : []),
  ];
  const given = excluded.find((name) => isGiven(parameters, name));
  const message = `The parameters \`LaunchTemplateVersions.N\` and \`${given ?? ''}\` cannot be given together.`;
  check(given === undefined, 'InvalidParameterCombination', message);
}

/** @throws ServiceError for too many numbers, or one that the template does not have */
function versionsOfNumbers(template: Template, numbers: readonly number[]): TemplateVersion[] {
  check(numbers.length <= maxListedVersions, 'InvalidParameterValue.LimitExceeded');
  return [...new Set(numbers)].map((number) => existingVersion(template, number));
}

/** @throws ServiceError for a number that the template does not have. The operation of prices calls it too. */
export function existingVersion(template: Template, number: number): TemplateVersion {
  if (number < 1) throw new ServiceError('InvalidParameterValue.LaunchTemplateVersion');
  const version = template.versions.find((candidate) => candidate.version === number);
  check(version !== undefined, 'InvalidParameterValue.LaunchTemplateIdVerNotExisted');
  return version;
}
