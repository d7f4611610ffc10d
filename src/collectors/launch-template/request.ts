/** DescribeLaunchTemplateVersions: what is asked. */
import type { Parameter } from '../../api/request.ts';

/** The most rows that the service returns in one page (docs/service.md, section 8). */
const pageSize = 100;
/**
 * The largest number that a version can have. Sent because the service's default of 30 hides all versions
 * above 30.
 */
const maxVersion = 2_147_483_647;

/** Asks for the versions from `offset` on, whatever their numbers. */
export function versionParameters(templateId: string, offset: number): Parameter[] {
  return [
    ['LaunchTemplateId', templateId],
    ['MinVersion', '0'],
    ['MaxVersion', String(maxVersion)],
    ['Offset', String(offset)],
    ['Limit', String(pageSize)],
  ];
}
