/**
 * The state for users of the emulator. It is always up to date, and every change is validated. Each method
 * throws InvalidInputError for invalid input, and StateError if an object does not exist or the change is
 * not allowed.
 */
import type { BoundedLog } from '../resources/bounded-log.ts';
import type {
  EmulatorState,
  QuotaPlace,
  RegionPlace,
  TemplatePlace,
} from '../resources/emulator-state.ts';
import type { Account } from '../resources/accounts.ts';
import type { Quota } from '../resources/quotas.ts';
import type { Region } from '../resources/regions.ts';
import type { StateChange } from '../resources/state-change.ts';
import type { Template } from '../resources/templates.ts';
import { actionSchema, applyAction, type Action } from '../scenario/actions.ts';
import type {
  QuotaInput,
  TemplateContentInput,
  VersionContentInput,
  ZoneQuotasInput,
} from '../scenario/scenario-input.ts';
import { inScenarioWords, type InCode } from '../input/words.ts';
import { validate } from '../input/validate.ts';

export type NewQuota = InCode<QuotaInput>;
export type NewVersion = InCode<VersionContentInput>;
export type NewTemplate = TemplatePlace & InCode<TemplateContentInput>;
export type NewZone = RegionPlace & { readonly zone: string } & InCode<ZoneQuotasInput>;

export class LiveState {
  readonly #state: EmulatorState;
  readonly #catchUp: () => void;

  /** @param catchUp applies the due entries of the timeline */
  constructor(state: EmulatorState, catchUp: () => void) {
    this.#state = state;
    this.#catchUp = catchUp;
  }

  get accounts(): readonly Account[] {
    return this.#now().accounts;
  }

  /** The latest 100,000 changes, oldest first. */
  get changes(): BoundedLog<StateChange> {
    return this.#now().changes;
  }

  /** @param name defaults to the first account */
  account(name?: string): Account {
    return this.#now().account(name);
  }

  region(place: RegionPlace): Region {
    return this.#now().region(place);
  }

  quota(place: QuotaPlace): Quota {
    return this.#now().quota(place);
  }

  template(place: TemplatePlace): Template {
    return this.#now().template(place);
  }

  setUsed(change: QuotaPlace & { readonly used: number }): void {
    this.#do('set-used', change);
  }

  setLimit(change: QuotaPlace & { readonly limit: number }): void {
    this.#do('set-limit', change);
  }

  /**
   * Sets the used figure of every prepaid quota to 0, as the service does when a month begins.
   *
   * @param account defaults to the first account
   */
  monthTurn(account?: string): void {
    this.#do('month-turn', { account });
  }

  setDefaultVersion(change: TemplatePlace & { readonly version: number | 'latest' }): void {
    this.#do('set-default-version', change);
  }

  /**
   * Adds a version.
   *
   * @returns its number: the given one, or one more than the highest number that was ever used
   */
  createVersion(change: TemplatePlace & NewVersion & { readonly version?: number }): number {
    this.#do('create-version', change);
    return this.#state.template(change).highestVersion;
  }

  /** Deletes a version. The default version cannot be deleted. */
  deleteVersion(change: TemplatePlace & { readonly version: number | 'latest' }): void {
    this.#do('delete-version', change);
  }

  createTemplate(change: NewTemplate): void {
    this.#do('create-template', change);
  }

  deleteTemplate(place: TemplatePlace): void {
    this.#do('delete-template', place);
  }

  addZone(change: NewZone): void {
    this.#do('add-zone', change);
  }

  removeZone(change: RegionPlace & { readonly zone: string }): void {
    this.#do('remove-zone', change);
  }

  #now(): EmulatorState {
    this.#catchUp();
    return this.#state;
  }

  #do(name: Action['do'], change: object): void {
    const action = { ...inScenarioWords(change), do: name };
    applyAction(this.#now(), validate(actionSchema, action, name));
  }
}
