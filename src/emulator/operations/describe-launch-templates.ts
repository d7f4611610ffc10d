/**
 * DescribeLaunchTemplates. Clients use it to find templates (docs/service.md, sections 6 and 7). Not
 * published, so we chose: at most 100 IDs, and an unknown ID is refused with LaunchTemplateNotFound.
 */
import { check } from '../protocol/service-error.ts';
import type { Region } from '../scenario/region.ts';
import { isoSeconds } from '../scenario/schema-parts.ts';
import { highestVersion, type Template } from '../scenario/template.ts';
import { templateId } from '../scenario/vocabulary.ts';
import { listOperation } from './list.ts';

const malformedIdCode = 'InvalidParameterValue.LaunchTemplateIdMalformed';
/** The error code for a template that the region does not have. */
export const notFoundCode = 'InvalidParameterValue.LaunchTemplateNotFound';

export const describeLaunchTemplates = listOperation<Template>({
  rowsOf: ({ region }) => region.launch_templates,
  setName: 'LaunchTemplateSet',
  idsName: 'LaunchTemplateIds',
  id: templateId,
  malformedIdCode,
  unknownIdCode: notFoundCode,
  conflictCode: 'InvalidParameterCombination',
  filters: { LaunchTemplateName: ({ name }) => name },
  answerRow: (template, { account }) => ({
    LaunchTemplateId: template.id,
    LaunchTemplateName: template.name,
    DefaultVersionNumber: template.default_version,
    LatestVersionNumber: highestVersion(template),
    LaunchTemplateVersionCount: template.versions.length,
    CreatedBy: account.uin,
    CreationTime: isoSeconds(Date.parse(template.creation_time ?? '')),
  }),
});

/** @throws ServiceError when the ID is malformed; with `code` when the region has no such template */
export function existingTemplate(id: string, region: Region, code = notFoundCode): Template {
  check(templateId.safeParse(id).success, malformedIdCode);
  const template = region.launch_templates.find((candidate) => candidate.id === id);
  check(template !== undefined, code);
  return template;
}
