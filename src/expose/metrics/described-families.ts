/**
 * Makes metric families with the HELP texts of one group of `help.json`, such as `launch`. The other files of this folder
 * define their families with it.
 */
import { family, type FamilyOf, type Samples } from '../../model/metric-family.ts';
import { english } from '../../model/texts/texts.ts';

/** Families whose samples are taken from one type of source, such as an evaluated record. */
export type Families<Source> = readonly FamilyOf<Source>[];

/**
 * The families of a group, in the order of `samplesByName`, which is that of the exposition. The compiler finds a family
 * without HELP, and a HELP without family.
 *
 * @param help the HELP texts by the name of the family
 * @param samplesByName the functions that take the samples of a source, by the name of the family
 * @param values replace names in braces in the HELP texts, such as `{parts}`. Defaults to none
 */
export function describedFamilies<Source, Help extends Readonly<Record<string, string>>>(
  help: Help,
  samplesByName: Readonly<Record<keyof Help, (source: Source) => Samples>>,
  values: Readonly<Record<string, string>> = {},
): Families<Source> {
  return Object.entries<(source: Source) => Samples>(samplesByName).map(([name, samplesOf]) =>
    family(name, english.word(help[name] ?? '', values), samplesOf),
  );
}
