/** The metrics of the launch templates of a region, from DescribeLaunchTemplates (docs/service.md, section 7). */
import { sampleOf, type Family } from '../../model/metric-family.ts';
import type { LaunchTemplateListRecord } from './record.ts';

export const launchTemplateListFamilies: readonly Family<LaunchTemplateListRecord>[] = [
  {
    name: 'cvm_launch_templates',
    type: 'gauge',
    help: 'How many selected templates DescribeLaunchTemplates lists. From the last successful poll.',
    samples: ({
      record: {
        counted: { inventory },
      },
      isFresh,
    }) =>
      sampleOf(
        isFresh && inventory !== null ? inventory.known.length + inventory.unidentified : null,
      ),
  },
  {
    name: 'cvm_launch_templates_created_total',
    type: 'counter',
    help: 'How many templates DescribeLaunchTemplates listed that the previous successful poll did not list.',
    samples: ({ record }) => sampleOf(record.counted.templatesCreated),
  },
  {
    name: 'cvm_launch_templates_deleted_total',
    type: 'counter',
    help: 'How many templates DescribeLaunchTemplates no longer listed, but the previous successful poll listed.',
    samples: ({ record }) => sampleOf(record.counted.templatesDeleted),
  },
];
