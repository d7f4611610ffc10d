import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import survivors from './survivors.json' with { type: 'json' };

const isText = ({ type, value, quasis }) =>
  (type === 'StringLiteral' && value.includes(' ')) ||
  (type === 'TemplateLiteral' && quasis.some((quasi) => quasi.value.raw.includes(' ')));

/** Leaves texts for people unchanged, because tests assert codes and values. Only texts have spaces. */
const texts = {
  shouldIgnore: ({ node }) => (isText(node) ? 'a text for people' : undefined),
};

/** The first line of the code of a mutant, and of its replacement. */
function nameOf({ location: { start, end }, replacement }, source) {
  const line = source.split('\n')[start.line - 1];
  const code = line.slice(start.column - 1, end.line === start.line ? end.column - 1 : undefined);
  return `${code.trim()} -> ${replacement.split('\n', 1)[0]}`;
}

/** Whether survivors.json names the mutant, with the reason why no test kills it. */
const isNamed = (file, name) => name in (survivors[file] ?? {});

const isAlive = ({ status }) => status === 'Survived' || status === 'NoCoverage';
const isKilled = ({ status }) => status === 'Killed' || status === 'Timeout';

/** Lists, as they come, the survivors that survivors.json does not name; at the end the names of killed mutants. */
class Survivors {
  onMutantTested(mutant) {
    if (!isAlive(mutant)) return;
    const file = relative('.', mutant.fileName);
    const name = nameOf(mutant, readFileSync(mutant.fileName, 'utf8'));
    if (!isNamed(file, name)) console.log(`survives without a reason: ${file}: ${name}`);
  }

  onMutationTestReportReady({ files }) {
    for (const [file, { mutants, source }] of Object.entries(files)) {
      const names = (mutantsOf) => new Set(mutantsOf.map((mutant) => nameOf(mutant, source)));
      const alive = names(mutants.filter(isAlive));
      for (const name of names(mutants.filter(isKilled))) {
        if (isNamed(file, name) && !alive.has(name)) {
          console.log(`is killed now, remove it: ${file}: ${name}`);
        }
      }
    }
  }
}

export const strykerPlugins = [
  { kind: 'Ignore', name: 'texts', value: texts },
  { kind: 'Reporter', name: 'survivors', injectableClass: Survivors },
];
