/** What `init` asks the service: the regions of an account, and their launch templates. */
import { silentObserver } from '../../../api/observer.ts';
import { collectors } from '../../../collectors/collectors.ts';
import type { LaunchTemplateListSnapshot } from '../../../collectors/launch-template-list/answer.ts';
import { launchTemplateListTarget } from '../../../collectors/launch-template-list/launch-template-list.ts';
import type { RegionListSnapshot } from '../../../collectors/region-list/answer.ts';
import { regionListTarget } from '../../../collectors/region-list/region-list.ts';
import type { Config } from '../../../config/config.ts';
import { readBuildInfo, userAgentOf } from '../../../daemon/build-info.ts';
import { Clients } from '../../../daemon/clients.ts';
import type { Surroundings } from '../../../daemon/surroundings.ts';
import type { Snapshot } from '../../../model/snapshot.ts';
import type { Target } from '../../../model/target.ts';
import type { FoundTemplate } from './config-text.ts';

export interface Service {
  /** @throws CodedError */
  readonly regions: () => Promise<readonly string[]>;
  /** @throws CodedError */
  readonly templates: (region: string) => Promise<readonly FoundTemplate[]>;
  readonly close: () => void;
}

const maxTemplates = 10_000;

/** @param config has one account */
export function serviceOf(config: Config, surroundings: Surroundings): Service {
  const account = config.accounts[0]?.name ?? '';
  const clients = new Clients(config, {
    ...surroundings,
    collectors,
    observer: silentObserver,
    userAgent: userAgentOf(readBuildInfo(surroundings.env)),
  });
  const { signal } = new AbortController();
  const ask = async (target: Target) =>
    (await clients.poll(target, { signal, deadlineMs: Infinity })).snapshot;
  return {
    regions: async () => {
      const snapshot = await ask(regionListTarget(account));
      return isRegionList(snapshot) ? snapshot.regions : [];
    },
    templates: async (region) => {
      const everyTemplate = { names: null, tags: {} };
      const target = launchTemplateListTarget({ account, region }, everyTemplate, maxTemplates);
      const snapshot = await ask(target);
      return isTemplateList(snapshot) ? snapshot.templates : [];
    },
    close: () => {
      clients.close();
    },
  };
}

function isRegionList(snapshot: Snapshot): snapshot is RegionListSnapshot {
  return snapshot.kind === 'region-list';
}

function isTemplateList(snapshot: Snapshot): snapshot is LaunchTemplateListSnapshot {
  return snapshot.kind === 'launch-template-list';
}
