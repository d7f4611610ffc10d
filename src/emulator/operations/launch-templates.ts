/**
 * DescribeLaunchTemplates and DescribeLaunchTemplateVersions (docs/service.md, sections 6 and 7). Not published, so we
 * chose: at most 100 IDs or versions; an unknown ID is refused with LaunchTemplateNotFound. The default range of versions
 * does not apply to LaunchTemplateVersions.N or DefaultVersion. With LaunchTemplateVersions.N, the answer is paged only when
 * Offset or Limit is given, and DefaultVersion is refused, even as `false`. `behaviour` of the scenario has the other choices.
 */
import { check, required } from '../protocol/service-error.ts';
import type { Region } from '../scenario/region.ts';
import { isoSeconds } from '../scenario/schema-parts.ts';
import { highestVersion, type Template, type TemplateVersion } from '../scenario/template.ts';
import { templateId } from '../scenario/vocabulary.ts';
import { idOf } from '../state/state.ts';
import examples from './examples.json' with { type: 'json' };
import { listOperation } from './list.ts';
import lists from './lists.json' with { type: 'json' };
import { operation, pageOf, withOverrides, type RegionContext } from './operation.ts';

const { malformedId, unknownId } = lists.DescribeLaunchTemplates.codes;

export const describeLaunchTemplates = listOperation<Template>('DescribeLaunchTemplates', {
  id: templateId,
  rowsOf: ({ region }) => region.launch_templates,
  computed: (template, { account }) => ({
    LatestVersionNumber: highestVersion(template),
    LaunchTemplateVersionCount: template.versions.length,
    CreatedBy: account.uin,
    // The state has added the times that the scenario leaves out.
    CreationTime: isoSeconds(Date.parse(template.creation_time ?? '')),
  }),
});

/** The most numbers in LaunchTemplateVersions. */
const maxListedVersions = 100;

export const describeLaunchTemplateVersions = operation(
  ({ text, integer, boolean, list }) => ({
    LaunchTemplateId: text,
    LaunchTemplateVersions: list(integer),
    DefaultVersion: boolean,
    MinVersion: integer,
    MaxVersion: integer,
    Offset: integer,
    Limit: integer,
  }),
  ({ LaunchTemplateId: id, LaunchTemplateVersions: listed, DefaultVersion, ...given }, context) => {
    const { account, region, settings } = context;
    const { behaviour } = settings;
    const template = requestedTemplate(required(id, 'LaunchTemplateId'), context);
    check(listed === undefined || DefaultVersion === undefined, 'InvalidParameterCombination');
    // The defaults of the range apply only if no other parameter selects versions.
    const isOtherwiseSelected = listed !== undefined || DefaultVersion === true;
    const { MinVersion: min = 0, MaxVersion: max = isOtherwiseSelected ? Infinity : 30 } = given;
    const message = 'The parameters `MinVersion` and `MaxVersion` must be at least 0.';
    check(min >= 0 && max >= 0, 'InvalidParameterValue', message);
    // Numbers are whole: without its bounds, a range begins one later and ends one earlier.
    const margin = behaviour.version_range === 'inclusive' ? 0 : 1;
    const direction = behaviour.version_order === 'newest-first' ? -1 : 1;
    check((listed?.length ?? 0) <= maxListedVersions, 'InvalidParameterValue.LimitExceeded');
    const requested =
      listed && [...new Set(listed)].map((number) => existingVersion(template, number));
    const selected = (requested ?? template.versions)
      .filter(({ version }) => version >= min + margin && version <= max - margin)
      .filter(({ version }) => DefaultVersion !== true || version === template.default_version)
      .toSorted((a, b) => direction * (a.version - b.version));
    const page = pageOf(selected, given.Offset, given.Limit);
    const isPaged = listed === undefined || given.Offset !== undefined || given.Limit !== undefined;
    const counted = behaviour.total_count === 'all' ? template.versions : selected;
    return {
      TotalCount: counted.length,
      LaunchTemplateVersionSet: (isPaged ? page : selected).map((version) => {
        const row = {
          LaunchTemplateVersion: version.version,
          LaunchTemplateVersionData: versionData(version, region),
          CreationTime: isoSeconds(Date.parse(version.creation_time ?? '')),
          LaunchTemplateId: template.id,
          IsDefaultVersion: version.version === template.default_version,
          LaunchTemplateVersionDescription: version.description,
          CreatedBy: account.uin,
        };
        return withOverrides(row, version);
      }),
    };
  },
);

/** @throws ServiceError when the ID is malformed, or the region has no such template */
function requestedTemplate(id: string, { account, region }: RegionContext): Template {
  // The difference between the two codes is not published. We chose: a template of another region is "not found".
  const ids = account.regions.flatMap(({ launch_templates: templates }) => templates.map(idOf));
  const code = ids.includes(id) ? unknownId : 'InvalidParameterValue.LaunchTemplateIdNotExisted';
  return existingTemplate(id, region, code);
}

/**
 * The template of an ID. `inquiry-price-run-instances.ts` calls this function, too.
 *
 * @throws ServiceError when the ID is malformed; with `code` when the region has no such template
 */
export function existingTemplate(id: string, region: Region, code = unknownId): Template {
  check(templateId.safeParse(id).success, malformedId);
  const template = region.launch_templates.find((candidate) => candidate.id === id);
  check(template !== undefined, code);
  return template;
}

/**
 * The version of a number; the default version without one. `inquiry-price-run-instances.ts` calls this function, too.
 *
 * @throws ServiceError for a number that the template does not have
 */
export function existingVersion(template: Template, number = template.default_version) {
  check(number >= 1, 'InvalidParameterValue.LaunchTemplateVersion');
  const version = template.versions.find((candidate) => candidate.version === number);
  check(version !== undefined, 'InvalidParameterValue.LaunchTemplateIdVerNotExisted');
  return version;
}

/**
 * The LaunchTemplateVersionData of a version: the `data` of the scenario, over those of a complete example whose zone is
 * the first of the region. `inquiry-price-run-instances.ts` calls this function, too.
 */
export function versionData({ data }: TemplateVersion, { name, zones }: Region): object {
  const Placement = { ProjectId: 0, Zone: zones[0]?.name ?? `${name}-1` };
  return { ...examples.LaunchTemplateVersionData, Placement, ...data };
}
