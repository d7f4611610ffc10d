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

/** Lists the survivors that survivors.json does not name, and the names of mutants that are killed now. */
class Survivors {
  onMutationTestReportReady({ files }) {
    for (const [file, { mutants, source }] of Object.entries(files)) {
      const reasons = survivors[file] ?? {};
      const namesOf = (...statuses) =>
        new Set(
          mutants
            .filter(({ status }) => statuses.includes(status))
            .map((mutant) => nameOf(mutant, source)),
        );
      const alive = namesOf('Survived', 'NoCoverage');
      for (const name of alive)
        if (!(name in reasons)) console.log(`survives without a reason: ${file}: ${name}`);
      for (const name of namesOf('Killed', 'Timeout')) {
        if (name in reasons && !alive.has(name))
          console.log(`is killed now, remove it: ${file}: ${name}`);
      }
    }
  }
}

export const strykerPlugins = [
  { kind: 'Ignore', name: 'texts', value: texts },
  { kind: 'Reporter', name: 'survivors', injectableClass: Survivors },
];
