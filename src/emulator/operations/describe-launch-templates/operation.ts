/**
 * DescribeLaunchTemplates. Clients use it to find templates (docs/service.md, sections 6 and 7). Chosen,
 * because it is not published: at most 100 IDs. An unknown ID is refused with LaunchTemplateNotFound.
 */
import { refuseUnknown } from '../../protocol/parameters.ts';
import type { Account } from '../../resources/accounts.ts';
import type { Template } from '../../resources/templates.ts';
import type { Operation } from '../operation.ts';
import { pageOf, slice } from '../paging.ts';
import { rowOf } from '../row.ts';
import { selectTemplates } from './selection.ts';

export const describeLaunchTemplates: Operation = (parameters, { account, region }) => {
  refuseUnknown(parameters, ['LaunchTemplateIds', 'Filters', 'Offset', 'Limit']);
  const templates = selectTemplates(parameters, region);
  return {
    TotalCount: templates.length,
    LaunchTemplateSet: slice(templates, pageOf(parameters)).map((template) =>
      templateInfo(template, account),
    ),
  };
};

function templateInfo(template: Template, account: Account) {
  const complete = {
    LaunchTemplateId: template.id,
    LaunchTemplateName: template.name,
    DefaultVersionNumber: template.defaultVersion,
    LatestVersionNumber: Math.max(...template.versions.keys()),
    LaunchTemplateVersionCount: template.versions.size,
    CreatedBy: account.uin,
    CreationTime: template.creationTime,
  };
  return rowOf(complete, template.row);
}
