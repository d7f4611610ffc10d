/**
 * DescribeLaunchTemplateVersions (docs/service.md, sections 6.1, 6.3 and 6.4). Chosen, because it is not
 * published: LaunchTemplateVersions.N has at most 100 values. The default range does not apply to a list or
 * to DefaultVersion. A list is paged only when Offset or Limit is given. The rest is in behaviour.ts.
 */
import { isGiven, refuseUnknown, stringOf, type Parameters } from '../../protocol/parameters.ts';
import { ServiceError, required } from '../../protocol/service-error.ts';
import type { Account } from '../../resources/accounts.ts';
import type { Region } from '../../resources/regions.ts';
import { templateIdPattern } from '../../resources/schema.ts';
import type { Template, TemplateVersion } from '../../resources/templates.ts';
import type { Operation } from '../operation.ts';
import { pageOf, slice } from '../paging.ts';
import { rowOf } from '../row.ts';
import { selectVersions } from './selection.ts';

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
  const selected = selectVersions(template, parameters, behaviour);
  const isPaged =
    !isGiven(parameters, 'LaunchTemplateVersions') ||
    isGiven(parameters, 'Offset') ||
    isGiven(parameters, 'Limit');
  const shown = isPaged ? slice(selected, page) : selected;
  return {
    TotalCount: behaviour.totalCount === 'all' ? template.versions.size : selected.length,
    LaunchTemplateVersionSet: shown.map((version) => versionInfo(version, template, account)),
  };
};

function templateOf(
  parameters: Parameters,
  { account, region }: { account: Account; region: Region },
): Template {
  const id = required(stringOf(parameters, 'LaunchTemplateId'), 'LaunchTemplateId');
  if (!templateIdPattern.test(id)) {
    throw new ServiceError('InvalidParameterValue.LaunchTemplateIdMalformed');
  }
  const template = region.templates.get(id);
  if (template !== undefined) return template;
  // The difference between the two codes is not published. Here, a template of another region is "not found".
  const isElsewhere = [...account.regions.values()].some((other) => other.templates.has(id));
  throw new ServiceError(
    isElsewhere
      ? 'InvalidParameterValue.LaunchTemplateNotFound'
      : 'InvalidParameterValue.LaunchTemplateIdNotExisted',
  );
}

function versionInfo(version: TemplateVersion, template: Template, account: Account) {
  const complete = {
    LaunchTemplateVersion: version.version,
    LaunchTemplateVersionData: version.data,
    CreationTime: version.creationTime,
    LaunchTemplateId: template.id,
    IsDefaultVersion: version.version === template.defaultVersion,
    LaunchTemplateVersionDescription: version.description,
    CreatedBy: account.uin,
  };
  return rowOf(complete, version.row);
}
