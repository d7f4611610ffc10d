/**
 * Replaces everything that identifies the account of a recording: account numbers, IDs, names and texts. The same
 * value has the same pseudonym in the whole recording. Only the public vocabulary of the service remains.
 */
import { createHmac } from 'node:crypto';
import type { ParameterValue } from '../protocol/parameters.ts';

/** Fields whose strings are words of the service, the same for every account, or times. */
const publicFields: ReadonlySet<string> = new Set([
  'Code',
  'CreationTime',
  'DiskType',
  'InstanceChargeType',
  'InstanceType',
  'InternetChargeType',
  'Region',
  'RegionName',
  'RegionState',
  'Zone',
  'ZoneId',
  'ZoneName',
  'ZoneState',
]);

/** Fields that can hold a secret, or what a template starts on its machines. A recording lacks them. */
const secretFields = /password|secret|token|credential|private|userdata|loginsettings|externalid/i;

/** Fields whose numbers belong to an account. All other numbers are quotas, versions and sizes. */
const accountNumbers = /^(AppId|ProjectId|CreateUserId)$|Uin$/;

/** The filters whose values are words of the service. */
const publicFilters: ReadonlySet<string> = new Set(['zone', 'quota-type']);

/** A region such as `ap-guangzhou`, or a zone of it. */
const place = /^(af|ap|eu|me|na|sa)-[a-z]+(-[a-z]+)*(-\d{1,2})?$/;

/** An ID such as `lt-b8v1kcyq`. */
const id = /^([a-z][a-z0-9]{0,11})-([0-9a-z]{8,64})$/;

type Fields = Readonly<Record<string, ParameterValue>>;

export class Pseudonyms {
  readonly #key: Uint8Array;

  /** @param key random and never stored. With it, a reader of the recording could find the value behind a pseudonym */
  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** The fields of an answer, or the parameters of a request. Those that can hold a secret are left out. */
  fields(fields: Fields): Fields {
    const kept = Object.entries(fields).filter(([name]) => !secretFields.test(name));
    return Object.fromEntries(kept.map(([name, value]) => [name, this.#replace(value, name)]));
  }

  #replace(value: ParameterValue, field: string): ParameterValue {
    if (typeof value === 'string') return publicFields.has(field) ? value : this.#text(value);
    if (typeof value === 'number') return accountNumbers.test(field) ? this.#number(value) : value;
    if (value === null || typeof value === 'boolean') return value;
    if (isList(value)) return value.map((item) => this.#replace(item, field));
    if (isIndexed(value)) {
      const items = Object.entries(value);
      return Object.fromEntries(items.map(([index, item]) => [index, this.#replace(item, field)]));
    }
    return field === 'Filters' ? this.#filter(value) : this.fields(value);
  }

  #filter(filter: Fields): Fields {
    const { Name: name, Values: values } = filter;
    if (typeof name !== 'string' || values === undefined) return this.fields(filter);
    return {
      Name: name,
      Values: publicFilters.has(name) ? values : this.#replace(values, 'Values'),
    };
  }

  #text(text: string): string {
    if (text === '' || place.test(text)) return text;
    const [, prefix, rest] = id.exec(text) ?? [];
    if (prefix === undefined || rest === undefined) return `text-${this.#letters(text, 8)}`;
    return `${prefix}-${this.#letters(text, rest.length)}`;
  }

  #number(number: number): number {
    // As many digits as the account numbers of the service have.
    return 1_000_000_000 + (this.#digest(String(number)).readUInt32BE() % 999_999_999);
  }

  #letters(text: string, length: number): string {
    return this.#digest(text).toString('hex').slice(0, length);
  }

  #digest(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text).digest();
  }
}

/** A list in the text form is a map by index. */
function isIndexed(value: Fields): boolean {
  const names = Object.keys(value);
  return names.length > 0 && names.every((name) => /^\d+$/.test(name));
}

function isList(value: ParameterValue): value is readonly ParameterValue[] {
  return Array.isArray(value);
}
