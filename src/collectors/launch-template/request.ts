/** The request of DescribeLaunchTemplateVersions. */
import type { Parameter } from '../../api/request.ts';

/** Maximum number of rows in one page of the service (docs/service.md, section 8). */
const pageSize = 100;
/**
 * The largest possible version number. It is sent because the default of the service, 30, hides all versions
 * above 30.
 */
const maxVersion = 2_147_483_647;

/** The request for the versions from `offset` on, with any numbers. */
export function versionParameters(templateId: string, offset: number): Parameter[] {
  return [
    ['LaunchTemplateId', templateId],
    ['MinVersion', '0'],
    ['MaxVersion', String(maxVersion)],
    ['Offset', String(offset)],
    ['Limit', String(pageSize)],
  ];
}
