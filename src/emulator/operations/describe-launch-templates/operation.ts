/** DescribeLaunchTemplates, with which clients discover templates (service-facts.md, section 6). */
import { refuseUnknown } from '../../protocol/parameters.ts';
import type { Account, Template } from '../../resources/model.ts';
import type { Operation } from '../operation.ts';
import { pageOf, slice } from '../paging.ts';
import { rowOf } from '../row.ts';

export const describeLaunchTemplates: Operation = (parameters, { account, region }) => {
  refuseUnknown(parameters, ['Offset', 'Limit']);
  const templates = [...region.templates.values()];
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
