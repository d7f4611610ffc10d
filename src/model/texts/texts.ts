/**
 * What people read on the page and in the table of `check`, in their language. The code has the English sentences, and each
 * other language a table that translates them: the compiler finds a sentence that a table lacks, and a value that it needs.
 */
import chinese from './zh-CN.json' with { type: 'json' };

export const languages = ['en', 'zh-CN'] as const;
export type Language = (typeof languages)[number];

type Table = Readonly<Record<keyof typeof chinese, string>>;
const tables: Readonly<Record<Language, Partial<Table>>> = { en: {}, 'zh-CN': chinese };

/** The names in the braces of a sentence. */
type NamesIn<Sentence extends string> = Sentence extends `${string}{${infer Inside}}${infer Rest}`
  ? NameOf<Inside> | NamesIn<Rest>
  : never;
type NameOf<Inside extends string> = Inside extends `${infer Name} ${string}` ? Name : Inside;

/** A value of a sentence. A number is written as {@link numberText} does. */
export type Value = string | number | null;
type Values<Sentence extends string> = [NamesIn<Sentence>] extends [never]
  ? readonly []
  : readonly [values: Readonly<Record<NamesIn<Sentence>, Value>>];

/** The texts of a language, a parameter of every function that renders for people. */
export interface Texts {
  readonly language: Language;
  /** The parameters with which links of the page keep the language. Empty if its address does not name one. */
  readonly parameters: Readonly<Record<string, string>>;
  /**
   * A sentence with its values. `{count}` stands for a value, and `{count quota|quotas}` in English for a number with its
   * noun.
   */
  readonly say: <Sentence extends keyof Table>(
    sentence: Sentence,
    ...values: Values<Sentence>
  ) => string;
  /**
   * As `say`, for an English text that is known only at run time, such as a HELP text, a title, or the name of a part of a
   * launch. The compiler cannot check such a text. One without a translation stays English: a kind that is added to the
   * program may have no translations.
   */
  readonly word: (text: string, values?: Readonly<Record<string, Value>>) => string;
}

/** @param parameters see {@link Texts}. Default: none */
export function textsOf(language: Language, parameters: Texts['parameters'] = {}): Texts {
  const table = new Map(Object.entries(tables[language]));
  const word: Texts['word'] = (text, values = {}) => filled(table.get(text) ?? text, values);
  return { language, parameters, word, say: (sentence, ...[values]) => word(sentence, values) };
}

/** The texts in English: for logs, metrics and JSON, and where no language is chosen. */
export const english = textsOf('en');

/** A text with its values in place of the braces. A name without a value stays in its braces. */
function filled(text: string, values: Readonly<Record<string, Value>>): string {
  const part = /\{(\w+)(?: ([^{}|]+)\|([^{}]+))?\}/g;
  return text.replaceAll(part, (whole, name: string, one?: string, many?: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    const shown = typeof value === 'string' ? value : numberText(value);
    return one === undefined ? shown : `${shown} ${value === 1 ? one : many}`;
  });
}

const wholeNumbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** Rounded to a whole number, such as `1,250`; `–` for `null`, an unknown number. */
export function numberText(value: number | null): string {
  return value === null ? '–' : wholeNumbers.format(value);
}

/** The language of a tag such as `zh-Hans-CN`, or of a locale such as `zh_CN.UTF-8`. `null` for another language. */
export function languageOf(tag: string): Language | null {
  const [language = ''] = tag.toLowerCase().split(/[-_.@]/, 1);
  return languages.find((each) => each.split('-', 1).includes(language)) ?? null;
}
