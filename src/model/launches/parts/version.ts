/** The default version of the template of a launch. */
import { bounded, free, unknown, type LaunchPart } from './part.ts';
import { severityOf } from './stock.ts';
import words from './words.json' with { type: 'json' };

/** RunInstances refuses more instances. */
export const maxInstances = 500;

export const versionPart: LaunchPart = {
  name: 'version',
  operation: 'DescribeLaunchTemplateVersions',
  // A code of `refused` stays until somebody changes the version.
  ...words.version,
  judge: (option, { notPermitted, prices, stock }) => {
    const { count, isVersionKnown, templateId, version, zone } = option;
    if (templateId === '') return null;
    if (!isVersionKnown) return unknown;
    const isAsked = !notPermitted.has('InquiryPriceRunInstances');
    const answers = isAsked ? prices.get(templateId) : undefined;
    const answer = answers?.find((each) => each.version === version && each.zone === zone);
    // While the stock is unknown, a quota may place the launch in a zone that is not asked about yet.
    const isYetToAsk = answers !== undefined && stock === null && Boolean(zone);
    const { atMs = isYetToAsk ? null : 0, code: detail = null, reason = null } = answer ?? {};
    if (detail !== null && reason !== null) {
      return { ...bounded(0, reason, option), severity: severityOf(reason, option, stock), detail };
    }
    if (count !== null && count > maxInstances) return bounded(maxInstances, 'refused', option);
    if (count === null || atMs === null) return unknown;
    const pricedAt = `${new Date(atMs).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length)}Z`;
    return { ...free, ...(answer !== undefined && { pricedAt }) };
  },
  text: ({ detail, pricedAt, roomFor }, { version }, room, { say }) => {
    const what = say('version {version}', { version: String(version ?? '') });
    if (roomFor === 0) return say('{what}: refused with {code}', { what, code: detail });
    const held =
      roomFor === null
        ? say('{what}: sets no bound', { what })
        : say('{what}: at most {room} instances in one launch', { what, room });
    if (pricedAt === undefined) return held;
    return `${held}${say(', ')}${say('priced {time}', { time: pricedAt })}`;
  },
};
