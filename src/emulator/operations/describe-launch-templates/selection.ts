/** The templates that the IDs or filters of a request select. */
import {
  filtersOf,
  isGiven,
  stringsOf,
  type Filter,
  type Parameters,
} from '../../protocol/parameters.ts';
import { ServiceError } from '../../protocol/service-error.ts';
import type { Region } from '../../resources/regions.ts';
import { templateIdPattern } from '../../resources/schema.ts';
import type { Template } from '../../resources/templates.ts';

const mostIds = 100;
const mostFilters = 10;
const mostValues = 5;

/** @throws ServiceError */
export function selectTemplates(parameters: Parameters, region: Region): readonly Template[] {
  const ids = stringsOf(parameters, 'LaunchTemplateIds');
  if (ids === null) {
    const conditions = conditionsOf(filtersOf(parameters));
    return [...region.templates.values()].filter((template) =>
      conditions.every((condition) => condition(template)),
    );
  }
  if (isGiven(parameters, 'Filters')) {
    const message =
      'The parameters `LaunchTemplateIds.N` and `Filters.N` cannot be given together.';
    throw new ServiceError('InvalidParameterCombination', message);
  }
  if (ids.length > mostIds) throw new ServiceError('InvalidParameterValue.LimitExceeded');
  return [...new Set(ids)].map((id) => templateOf(id, region));
}

function templateOf(id: string, region: Region): Template {
  if (!templateIdPattern.test(id)) {
    throw new ServiceError('InvalidParameterValue.LaunchTemplateIdMalformed');
  }
  const template = region.templates.get(id);
  if (template !== undefined) return template;
  throw new ServiceError('InvalidParameterValue.LaunchTemplateNotFound');
}

type Condition = (template: Template) => boolean;

/** A template must match every filter. One matching value of a filter is enough. */
function conditionsOf(filters: readonly Filter[]): readonly Condition[] {
  if (filters.length > mostFilters) throw new ServiceError('InvalidFilterValue.LimitExceeded');
  return filters.map(conditionOf);
}

function conditionOf({ name, values }: Filter): Condition {
  if (values.length > mostValues) throw new ServiceError('InvalidFilterValue.LimitExceeded');
  const isWanted = (value: string | undefined) => value !== undefined && values.includes(value);
  if (name === 'LaunchTemplateName') return (template) => isWanted(template.name);
  if (name === 'tag-key') return ({ tags }) => [...tags.keys()].some(isWanted);
  if (name === 'tag-value') return ({ tags }) => [...tags.values()].some(isWanted);
  if (name.startsWith('tag:')) {
    const key = name.slice('tag:'.length);
    return ({ tags }) => isWanted(tags.get(key));
  }
  const message = `The filter \`${name.slice(0, 100)}\` is not recognized.`;
  throw new ServiceError('InvalidFilter', message);
}
