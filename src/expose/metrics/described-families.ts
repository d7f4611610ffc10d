/** Metric families whose HELP texts are in a group of `help.json`. */
import { family, type FamilyOf, type Samples } from '../../model/metric-family.ts';
import { english } from '../../model/texts/texts.ts';

/** Families with samples of one type of source. */
export type Families<Source> = readonly FamilyOf<Source>[];

/**
 * The families of a group, in the order of the exposition. The compiler finds one without HELP, and a HELP without family.
 *
 * @param help by the name of the family
 * @param values what stands in the HELP texts in place of names in braces
 */
export function describedFamilies<Source, Help extends Readonly<Record<string, string>>>(
  help: Help,
  rows: Readonly<Record<keyof Help, (source: Source) => Samples>>,
  values: Readonly<Record<string, string>> = {},
): Families<Source> {
  return Object.entries<(source: Source) => Samples>(rows).map(([name, samplesOf]) =>
    family(name, english.word(help[name] ?? '', values), samplesOf),
  );
}
