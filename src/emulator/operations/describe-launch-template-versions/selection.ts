/** The versions of a template that the parameters of a request select, and their order. */
import {
  booleanOf,
  integerOf,
  integersOf,
  isGiven,
  type Parameters,
} from '../../protocol/parameters.ts';
import { ServiceError } from '../../protocol/service-error.ts';
import type { Template, TemplateVersion } from '../../resources/templates.ts';
import type { Behaviour } from '../../scenario/behaviour.ts';

const maxListedVersions = 100;
const defaultRange = { min: 0, max: 30 };

/** @throws ServiceError */
export function selectVersions(
  template: Template,
  parameters: Parameters,
  behaviour: Behaviour,
): readonly TemplateVersion[] {
  const listed = integersOf(parameters, 'LaunchTemplateVersions');
  const onlyDefault = booleanOf(parameters, 'DefaultVersion') ?? false;
  const isInRange = rangeOf(parameters, behaviour, listed !== null || onlyDefault);
  if (listed !== null) refuseCombinations(parameters, behaviour);
  const candidates = listed === null ? template.versions.values() : pick(template, listed);
  const direction = behaviour.versionOrder === 'newest-first' ? -1 : 1;
  return [...candidates]
    .filter(({ version }) => isInRange(version))
    .filter(({ version }) => !onlyDefault || version === template.defaultVersion)
    .sort((a, b) => direction * (a.version - b.version));
}

/** The default bounds apply only if no other parameter selects versions. */
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
  return behaviour.versionRange === 'inclusive'
    ? (version) => version >= min && version <= max
    : (version) => version > min && version < max;
}

function refuseCombinations(parameters: Parameters, behaviour: Behaviour): void {
  const excluded =
    behaviour.versionList === 'exclusive'
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
