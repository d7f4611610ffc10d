import type { KindTable } from '../kind-table.ts';
import type { LaunchTemplateRecord } from './record.ts';

/** The launch templates on the status page and in `check`. */
export const launchTemplateTable: KindTable<LaunchTemplateRecord> = {
  id: 'templates',
  title: 'Launch templates',
  nameLabel: 'Template',
  empty: 'No launch template is configured.',
  columns: [
    { label: 'Default', isNumber: true },
    { label: 'Latest', isNumber: true },
    { label: 'Versions', isNumber: true },
    { label: 'Default runs' },
  ],
  cells: ({ counted: { inventory }, seen: { snapshot } }) => {
    if (snapshot === null) return [null, null, null, null];
    const { defaultVersion, unidentified, versions } = snapshot;
    return [
      defaultVersion && { text: String(defaultVersion.version) },
      { text: String(inventory?.known.at(-1) ?? 0) },
      { text: String(versions.length + unidentified) },
      defaultVersion && {
        text: defaultVersion.instanceType || '–',
        detail: `${defaultVersion.imageId} ${defaultVersion.chargeType}`.trim(),
      },
    ];
  },
};
