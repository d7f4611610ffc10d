const isText = ({ type, value, quasis }) =>
  type === 'StringLiteral'
    ? value.includes(' ')
    : type === 'TemplateLiteral' && quasis.some((quasi) => quasi.value.raw.includes(' '));

/** Leaves texts for people unchanged, because tests assert codes and values. Only texts have spaces. */
const texts = {
  shouldIgnore: ({ node }) => (isText(node) ? 'a text for people' : undefined),
};

export const strykerPlugins = [{ kind: 'Ignore', name: 'texts', value: texts }];
