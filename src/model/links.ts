/** The configured links to other systems. docs/configuration.md explains them; `expose/tables/` fills them. */

/** Templates of addresses. `null` for a link that is not configured. */
export interface Links {
  /** The address of a dashboard; may have placeholders. */
  readonly grafana: string | null;
  /** The folder of the runbooks; may have placeholders. */
  readonly runbooks: string | null;
}

export const linkPlaceholders = ['account', 'region', 'zone', 'quota_type', 'template_id'] as const;

/** The values of the placeholders of a link. An absent value becomes an empty text. */
export type LinkValues = Readonly<
  Partial<Record<(typeof linkPlaceholders)[number], string | null>>
>;

/** The address of a template. Values are encoded, so that they stay inside their part of the address. */
export function fillLink(template: string, values: LinkValues): string {
  return linkPlaceholders.reduce(
    (text, name) => text.replaceAll(`{${name}}`, () => encodeURIComponent(values[name] ?? '')),
    template,
  );
}

/** The address of an alert's runbook: the folder, and the name of the alert with `.md`. `null` without one of them. */
export function runbookLink(folder: string | null, alert: string | undefined, values: LinkValues) {
  if (folder === null || alert === undefined) return null;
  return `${fillLink(folder, values).replace(/\/$/, '')}/${alert}.md`;
}
