import type { LaunchTemplateListSnapshot } from './record.ts';

/** The launch templates of a region in the JSON interface. */
export function launchTemplateListJson({ templates }: LaunchTemplateListSnapshot) {
  return {
    templates: templates.map(({ id, name, defaultVersion, latestVersion, versions }) => ({
      template_id: id,
      name,
      default_version: defaultVersion,
      latest_version: latestVersion,
      versions,
    })),
  };
}
