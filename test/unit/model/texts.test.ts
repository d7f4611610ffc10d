import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { otherChargeTypes, unjudgedChargeType } from '../../../src/collectors/launch-settings.ts';
import { launchParts } from '../../../src/model/launches/parts/parts.ts';
import { languageOf, textsOf } from '../../../src/model/texts/texts.ts';
import chinese from '../../../src/model/texts/zh-CN.json' with { type: 'json' };

/** What rows of tables say in English: the compiler does not find one that lacks a translation. */
const words = [
  ...collectors.all.flatMap(({ changeTexts, noun, quotaNames, resourceLabels, table }) => [
    ...[noun, ...resourceLabels.map((label) => label.replaceAll('_', ' '))],
    ...[...Object.values(quotaNames), ...Object.values(changeTexts)],
    ...(table ? [table.title, table.nameLabel, ...table.columns.map(({ label }) => label)] : []),
  ]),
  ...launchParts.flatMap(({ name, reasons }) => [
    name,
    ...Object.keys(reasons).map((reason) => reason.replaceAll('-', ' ')),
  ]),
  ...otherChargeTypes.flatMap((type) => unjudgedChargeType(type) ?? []),
];
const namesIn = (text: string) =>
  text
    .match(/(?<=\{)\w+/g)
    ?.toSorted()
    .join(' ');

const source = join(import.meta.dirname, '../../../src');
const code = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join(source, file), 'utf8'))
  .join('');
const isSaid = (text: string) => code.includes(`'${text}'`) || code.includes(`"${text}"`);

it.each([
  ['values of English', ([text, translated]) => namesIn(text) === namesIn(translated)],
  ['sentences that are said', ([text]) => words.includes(text) || isSaid(text)],
] satisfies [string, (entry: [string, string]) => boolean][])(
  'a translation has the %s',
  (_what, isRight) => {
    expect(Object.entries(chinese).filter((entry) => !isRight(entry))).toEqual([]);
  },
);

it('what tables of the program say has a translation', () => {
  expect(words.filter((word) => !Object.hasOwn(chinese, word))).toEqual([]);
});

it('a sentence has its values, and in English a number its noun', () => {
  const sentence = '{count} of {all target|targets} not polled yet';
  const [english, inChinese] = [textsOf('en'), textsOf('zh-CN')];

  expect(english.say(sentence, { count: 1, all: 1 })).toBe('1 of 1 target not polled yet');
  expect(english.say(sentence, { count: 1, all: 1_250 })).toBe('1 of 1,250 targets not polled yet');
  expect(inChinese.say(sentence, { count: 1, all: 2 })).toBe('2 个目标中有 1 个尚未轮询');
  expect(english.say('{what}: unknown', { what: '{count}' })).toBe('{count}: unknown');
  expect(inChinese.word('of another program {to}', { to: null })).toBe('of another program –');
});

test.each([
  ['zh', 'zh-CN'],
  ['zh_CN.UTF-8', 'zh-CN'],
  ['zh-Hans', 'zh-CN'],
  ['ZH-TW', 'zh-CN'],
  ['en_GB.UTF-8', 'en'],
  ['fr', null],
  ['C', null],
  ['zhx', null],
  ['', null],
])('the language of %j is %j', (tag, language) => {
  expect(languageOf(tag)).toBe(language);
});
