import type { Family } from './family.ts';
import { freshnessFamilies } from './freshness-families.ts';
import { launchTemplateFamilies } from './launch-template-families.ts';
import { quotaFamilies } from './quota-families.ts';

/** Every metric that comes from records, in the order of the exposition. */
export const families: readonly Family[] = [
  ...quotaFamilies,
  ...launchTemplateFamilies,
  ...freshnessFamilies,
];
