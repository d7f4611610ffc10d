import { expect, test } from 'vitest';
import { csvLine } from '../../../../src/expose/web/csv.ts';

test.each([
  [['a', 1, -2, true, null], 'a,1,-2,true,'],
  [['a,b', 'a"b', 'a\nb', ''], '"a,b","a""b","a\nb",'],
  [['=1+1', '+1', '-1', '@x', '\tx'], "'=1+1,'+1,'-1,'@x,'\tx"],
  [['=HYPERLINK("http://x","y")', '\r=1'], `"'=HYPERLINK(""http://x"",""y"")","'\r=1"`],
])('the line of %j', (cells, line) => {
  expect(csvLine(cells)).toBe(`${line}\r\n`);
});
