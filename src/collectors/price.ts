/**
 * The kind for whether the service prices the versions of one template in each zone: InquiryPriceRunInstances. With the
 * code that refuses a price, the service would refuse a launch, too.
 */
import { z } from 'zod';
import type { Parameter } from '../api/request.ts';
import { readFields } from '../api/response.ts';
import { CodedError } from '../model/coded-error.ts';
import { reasonOfCode } from '../model/launches/codes.ts';
import type { PriceAnswer } from '../model/launches/launch.ts';
import { regionFactsOf, type RegionFacts } from '../model/launches/region-facts.ts';
import { optionsOf } from '../model/launches/options.ts';
import { snapshotGauge } from '../model/metric-family.ts';
import { snapshotSchema } from '../model/poll-outcome.ts';
import { recordSchema } from '../model/record.ts';
import { count, text, timeMs, type Stored } from '../model/stored.ts';
import { areInSameHour, hourMs } from '../model/target.ts';
import { defineCollector } from './collector.ts';
import { diskCollector } from './disk.ts';
import { launchConfiguration, type LaunchKeys } from './keys.ts';
import { areLaunchesJudged, asksAbout } from './launch-settings.ts';
import { launchTemplateOperation } from './launch-template-list.ts';
import { launchesOfTemplate } from './launch-template/default-launch.ts';
import { isTemplateRecord, type LaunchTemplateRecord } from './launch-template/launch-template.ts';
import { placementGroupCollector, subnetCollector } from './resources.ts';
import { uniqueBy } from './rows.ts';
import { stockCollector } from './stock/stock.ts';

/** What one request asks about: a version in a zone. `imageId`: empty if the version names none, or it cannot be read. */
const optionSchema = z.object({ version: count, zone: text, imageId: text });
type PricedOption = Stored<typeof optionSchema>;

const stored = recordSchema({
  target: {
    resource: z.object({ template_id: text }),
    /** What the polls ask about. Empty without a judged launch in a known zone. */
    options: z.array(optionSchema),
    intervalMs: count,
  },
  durable: {},
  snapshot: snapshotSchema({
    /**
     * The last answer about each option, also of an earlier poll. `code`: why the price was refused, `null` for a price. An
     * option whose request failed otherwise has none.
     */
    answers: z.array(optionSchema.extend({ code: text.nullable(), atMs: timeMs })),
  }),
});
type PriceRecord = Stored<typeof stored>;

/** The options of the launches of a template, in the zones that are known, with the image of the version. */
function optionsToPrice(
  { observed: { snapshot }, target }: LaunchTemplateRecord,
  facts: RegionFacts,
): readonly PricedOption[] {
  const versions = [snapshot?.defaultVersion, ...(snapshot?.askedVersions ?? [])];
  return launchesOfTemplate(snapshot, target).flatMap((launch) => {
    if ('unjudged' in launch || launch.version === null) return [];
    const { version } = launch;
    const imageId = versions.find((each) => each?.version === version)?.imageId ?? '';
    return optionsOf(launch, facts).flatMap(({ zone }) =>
      zone === null || zone === '' ? [] : [{ version, zone, imageId }],
    );
  });
}

/** The answer about an option. `undefined` for one that is new, or that has another image. */
function answerTo({ imageId, version, zone }: PricedOption, { observed }: PriceRecord) {
  return observed.snapshot?.answers.find(
    (each) => each.zone === zone && each.version === version && each.imageId === imageId,
  );
}

/** Whether to ask about an option: at once if it is new, then once an hour, and each time while it is refused. */
function isOptionDue(option: PricedOption, record: PriceRecord, nowMs: number): boolean {
  const last = answerTo(option, record);
  return last?.code !== null || !areInSameHour(record.target, last.atMs, nowMs);
}

function parametersFor({ imageId, version, zone }: PricedOption, template: string): Parameter[] {
  return [
    ['LaunchTemplate.LaunchTemplateId', template],
    ['LaunchTemplate.LaunchTemplateVersion', String(version)],
    ['Placement.Zone', zone],
    ['InstanceCount', '1'],
    ...(imageId === '' ? [] : [['ImageId', imageId] as const]),
  ];
}

/** Adds what a refusal means for a launch. */
const withReason = (answer: PricedOption & Pick<PriceAnswer, 'code' | 'atMs'>): PriceAnswer => {
  return { ...answer, reason: answer.code === null ? null : reasonOfCode(answer.code) };
};

/** Any price is enough: its amount is not read. */
const answerSchema = z.object({ Price: z.looseObject({}) });

export const priceCollector = defineCollector<PriceRecord, LaunchKeys>({
  ...asksAbout<PriceRecord['target']>(({ options }) => options.map(({ zone }) => zone)),
  kind: 'price',
  operation: 'InquiryPriceRunInstances',
  noun: 'prices',
  follows: [launchTemplateOperation],
  // `check` asks only for the templates whose launches these block already (commands/poll-all.ts), so these come first.
  waitsFor: [stockCollector, subnetCollector, diskCollector, placementGroupCollector].map(
    ({ operation }) => operation,
  ),
  isLaunchPart: true,
  resourceLabels: ['template_id'],
  configuration: launchConfiguration,
  plan: (settings, facts, records) => {
    if (!areLaunchesJudged(settings)) return [];
    // Known stock gives the zones; until then, zones with a quota do. A poll that had nothing to ask found no stock.
    const hasStock = facts.some(({ stock }) => stock && stock.asked.length > 0);
    // What a poll found last counts also after a failure, so that a failure asks about no other zones.
    const lastFacts = facts.map((each) => {
      return { ...each, isUp: true, quotas: hasStock ? [] : each.quotas };
    });
    const regionFacts = regionFactsOf(lastFacts);
    return records.filter(isTemplateRecord).map((record) => {
      const { resource } = record.target;
      const options = optionsToPrice(record, regionFacts);
      return { ...settings.target, resource, options, intervalMs: hourMs };
    });
  },
  needsPoll: (record, nowMs) =>
    record.observed.freshness.failure !== null ||
    record.target.options.some((option) => isOptionDue(option, record, nowMs)),
  poll: async (ask, record, nowMs) => {
    const { options, resource } = record.target;
    const answers = [];
    const missing: string[] = [];
    for (const option of options) {
      const last = answerTo(option, record);
      if (last !== undefined && !isOptionDue(option, record, nowMs)) {
        answers.push(last);
        continue;
      }
      try {
        const parameters = parametersFor(option, resource.template_id);
        await ask(parameters, (response) => readFields(response, answerSchema));
        answers.push({ ...option, code: null, atMs: nowMs });
      } catch (error) {
        if (!(error instanceof CodedError)) throw error;
        const { code } = error;
        if (reasonOfCode(code) !== null) answers.push({ ...option, code, atMs: nowMs });
        // The target fails if there is no other option, or if the keys or a permission are wrong, which all options need.
        else if (options.length === 1 || /^(AuthFailure|UnauthorizedOperation)/.test(code))
          throw error;
        else missing.push(`${option.zone}: ${code}`);
      }
    }
    return { snapshot: { answers, missing }, anomalies: [] };
  },
  stored,
  families: [
    snapshotGauge(
      'cvm_launch_refused',
      'Always 1, for each code with which InquiryPriceRunInstances refuses a version of the template in a zone. Only codes that last until the version is changed have a series.',
      ({ answers }) => {
        const refused = answers.map(withReason).filter(({ reason }) => reason === 'refused');
        const oneOfEachCode = uniqueBy(refused, ({ code, version }) => `${version} ${code}`);
        return oneOfEachCode.map(({ code, version }) => ({ labels: { version, code }, value: 1 }));
      },
      ['version', 'code'],
    ),
  ],
  launchFacts: (record) => {
    const { options, resource } = record.target;
    const answers = options.map(
      (option) => answerTo(option, record) ?? { ...option, code: null, atMs: null },
    );
    return { prices: { templateId: resource.template_id, answers: answers.map(withReason) } };
  },
  json: ({ answers }) => ({
    prices: answers.map(({ atMs, code, imageId, version, zone }) => ({
      version,
      zone,
      image_id: imageId,
      refused_with: code,
      asked_at: new Date(atMs).toISOString(),
    })),
  }),
});
