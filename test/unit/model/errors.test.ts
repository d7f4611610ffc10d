import { expect, it } from 'vitest';
import { codeOf, messageOf } from '../../../src/model/errors.ts';
import { parseJson } from '../../../src/model/json.ts';

it.each([
  [new Error('full'), 'full'],
  ['full', 'full'],
  [undefined, 'undefined'],
])('messageOf reads whatever was thrown: %s', (thrown, message) => {
  expect(messageOf(thrown)).toBe(message);
});

it.each([
  ['a failed system call', Object.assign(new Error('full'), { code: 'ENOSPC' }), 'ENOSPC'],
  ['an error without a code', new Error('full'), undefined],
  ['an error with a number as its code', Object.assign(new Error('full'), { code: 28 }), undefined],
  ['an object that is no error', { code: 'ENOSPC' }, undefined],
  ['a text', 'ENOSPC', undefined],
  ['nothing', undefined, undefined],
])('codeOf reads the code of %s', (_, thrown, code) => {
  expect(codeOf(thrown)).toBe(code);
});

it.each([
  ['{"a":1}', { a: 1 }],
  ['{"a":1', null],
])('jsonOf reads %s as %j', (text, value) => {
  expect(parseJson(text)).toEqual(value);
});
