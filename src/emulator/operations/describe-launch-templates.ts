/**
 * DescribeLaunchTemplates. Clients use it to find templates (docs/service.md, sections 6 and 7). Not
 * published, so we chose: at most 100 IDs, and an unknown ID is refused with LaunchTemplateNotFound.
 */
import {
  filtersOf,
  isGiven,
  refuseUnknown,
  stringsOf,
  type Filter,
  type Parameters,
} from '../protocol/parameters.ts';
import { ServiceError, unknownFilterError } from '../protocol/service-error.ts';
import type { Region } from '../scenario/region.ts';
import { isoSeconds } from '../scenario/schema-parts.ts';
import { highestVersion, type Template } from '../scenario/template.ts';
import { templateIdPattern } from '../scenario/vocabulary.ts';
import { tagTest, pageOf, withOverrides, type Operation } from './operation.ts';

const maxIds = 100;
/** The error code for a template that the region does not have. */
export const notFoundCode = 'InvalidParameterValue.LaunchTemplateNotFound';

export const describeLaunchTemplates: Operation = (parameters, { account, region }) => {
  refuseUnknown(parameters, ['LaunchTemplateIds', 'Filters', 'Offset', 'Limit']);
  const templates = selectTemplates(parameters, region);
  return {
    TotalCount: templates.length,
    LaunchTemplateSet: pageOf(templates, parameters).map((template) => {
      const row = {
        LaunchTemplateId: template.id,
        LaunchTemplateName: template.name,
        DefaultVersionNumber: template.default_version,
        LatestVersionNumber: highestVersion(template),
        LaunchTemplateVersionCount: template.versions.length,
        CreatedBy: account.uin,
        CreationTime: isoSeconds(Date.parse(template.creation_time ?? '')),
      };
      return withOverrides(row, template);
    }),
  };
};

function selectTemplates(parameters: Parameters, region: Region): readonly Template[] {
  const ids = stringsOf(parameters, 'LaunchTemplateIds');
  if (ids === null) {
    return filtersOf(parameters).reduce<readonly Template[]>(
      (templates, filter) => templates.filter(filterTest(filter)),
      region.launch_templates,
    );
  }
  if (isGiven(parameters, 'Filters')) {
    const message =
      'The parameters `LaunchTemplateIds.N` and `Filters.N` cannot be given together.';
    throw new ServiceError('InvalidParameterCombination', message);
  }
  if (ids.length > maxIds) throw new ServiceError('InvalidParameterValue.LimitExceeded');
  return [...new Set(ids)].map((id) => existingTemplate(id, region));
}

/** @throws ServiceError when the ID is malformed; with `code` when the region has no such template */
export function existingTemplate(id: string, region: Region, code = notFoundCode): Template {
  if (!templateIdPattern.test(id)) {
    throw new ServiceError('InvalidParameterValue.LaunchTemplateIdMalformed');
  }
  const template = region.launch_templates.find((candidate) => candidate.id === id);
  if (template !== undefined) return template;
  throw new ServiceError(code);
}

/** The test of one filter: one matching value is enough. A template must pass the tests of all filters. */
function filterTest(filter: Filter): (template: Template) => boolean {
  const { name, values } = filter;
  if (name === 'LaunchTemplateName') return (template) => values.includes(template.name);
  const hasTag = tagTest(filter);
  if (hasTag === null) throw unknownFilterError(name);
  return ({ tags }) => hasTag(tags);
}
