/** The default version of the template of a launch. */
import { bounded, free, unknown, type LaunchPart } from './part.ts';

/** RunInstances refuses more instances. */
const maxInstances = 500;

export const versionPart: LaunchPart<'refused'> = {
  name: 'version',
  operation: 'DescribeLaunchTemplateVersions',
  holds:
    'of a template only. It sets no bound, but a version for more than 500 instances is refused by RunInstances, and holds 500',
  reasons: { refused: { remedy: 'make a default version with a lower InstanceCount.' } },
  judge: ({ count, isVersionKnown, templateId }) => {
    if (templateId === '') return null;
    if (!isVersionKnown || count === null) return unknown;
    return count > maxInstances ? bounded(maxInstances, 'refused', { count }) : free;
  },
  text: ({ roomFor }, { version }, room) => {
    const most = `at most ${room} instances in one launch`;
    return `version ${version ?? ''}: ${roomFor === null ? 'sets no bound' : most}`;
  },
};
