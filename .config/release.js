// What a release needs, as far as a machine without accounts can say it.
//   node .config/release.js --dry-run     checks everything, packs, and prints what a person has to do
//   node .config/release.js --tag=v0.1.0  the same, and what is still to be done is a mistake (release.yml)
//   node .config/release.js --rename      writes the names of release.json to every file
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: { 'dry-run': { type: 'boolean' }, rename: { type: 'boolean' }, tag: { type: 'string' } },
});
const read = (path) => readFileSync(path, 'utf8');
const json = (path) => JSON.parse(read(path));
const run = (program, ...args) =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const firstOf = (path, pattern) => pattern.exec(read(path))?.[1] ?? 'nothing';

const chart = 'config/helm/cvm-quota-monitor';
const { version, name, homepage } = json('package.json');
const names = json('.config/release.json');
const present = {
  owner: new URL(homepage).pathname.split('/')[1],
  image: firstOf(`${chart}/values.yaml`, /^ {2}repository: (.+)$/m),
};

if (options.rename) {
  const files = run('git', 'grep', '-lIe', present.owner, '-e', present.image).trim().split('\n');
  for (const file of files.filter((each) => each !== '.config/release.json')) {
    const text = read(file)
      .replaceAll(present.image, names.image)
      .replaceAll(new RegExp(`\\b${present.owner}\\b`, 'g'), names.owner);
    writeFileSync(file, text);
  }
  console.log(
    `${files.length} files name ${names.owner} and ${names.image}. Next: npm run generate`,
  );
  process.exit();
}

const mistakes = [];
const toDo = [];
const check = (what, found, expected) => {
  const right = found === expected;
  console.log(`${right ? 'ok     ' : 'MISTAKE'} ${what}: ${found}`);
  if (!right) mistakes.push(`${what} is ${found}, and must be ${expected}`);
};

console.log(`Version ${version}`);
check('package-lock.json', json('package-lock.json').version, version);
check('version of the chart', firstOf(`${chart}/Chart.yaml`, /^version: (.+)$/m), version);
check('appVersion of the chart', firstOf(`${chart}/Chart.yaml`, /^appVersion: (.+)$/m), version);
check('label of the image', firstOf('Dockerfile', /image\.version="(.+)"/), version);
check('newest version of CHANGELOG.md', firstOf('CHANGELOG.md', /^## (\S+) \//m), version);
const date = firstOf('CHANGELOG.md', /^## \S+ \/ (.+)$/m);
if (!/^\d{4}-\d\d-\d\d$/.test(date))
  toDo.push(`Write the date of the release to CHANGELOG.md (now: ${date}).`);

console.log('\nNames (.config/release.json)');
check('owner in the links', present.owner, names.owner);
check('image of the chart', present.image, names.image);
if (Object.values(names).some((each) => each.includes('example')))
  toDo.push(
    'Write your names to .config/release.json, and run: npm run release -- --rename && npm run generate',
  );

console.log('\nImages by digest');
const images = [
  ...read('Dockerfile').matchAll(/^ARG \w+_IMAGE=(.+)$/gm),
  ...[
    'config/compose.yaml',
    'config/compose.cluster.yaml',
    '.github/workflows/ci.yml',
    '.github/workflows/release.yml',
    '.github/workflows/scheduled.yml',
  ].flatMap((path) => [...read(path).matchAll(/(?:image|container): (\S+\/\S+)$/gm)]),
].map(([, image]) => image);
const bundled = read(`${chart}/values.yaml`).matchAll(
  /repository: (.+)\n\s+tag: (\S+)\n\s+digest: (\S+)$/gm,
);
for (const [, repository, tag, digest] of bundled) images.push(`${repository}:${tag}@${digest}`);
for (const image of new Set(images)) {
  const [tagged, digest = 'no digest'] = image.split('@');
  check(
    tagged,
    digest,
    /^sha256:[0-9a-f]{64}$/.test(digest) ? digest : 'a digest of 64 hexadecimal digits',
  );
}

console.log('\nRepository');
check(
  `tag v${version}`,
  run('git', 'tag', '--list', `v${version}`).trim() || 'none',
  options.tag ?? 'none',
);
check('changed files', run('git', 'status', '--porcelain').trim() || 'none', 'none');

console.log('\nPacked');
const directory = mkdtempSync(join(tmpdir(), 'release-'));
try {
  if (mistakes.length > 0) throw new Error('nothing is packed');
  run('sh', '.config/tool', 'helm', 'lint', '--strict', '--quiet', chart);
  run('sh', '.config/tool', 'helm', 'package', chart, '--destination', join(directory, 'chart'));
  mkdirSync(join(directory, 'package'));
  run('npm', 'pack', '--silent', '--pack-destination', join(directory, 'package'));
  for (const what of readdirSync(directory)) {
    const [file] = readdirSync(join(directory, what));
    const sum = createHash('sha256').update(readFileSync(join(directory, what, file)));
    console.log(`ok      ${what} ${file} sha256:${sum.digest('hex')}`);
  }
} catch (error) {
  mistakes.push(error.message);
} finally {
  rmSync(directory, { recursive: true });
}

if (options.tag !== undefined) mistakes.push(...toDo.splice(0));
toDo.push(
  `Run .ci/run, and npm run bench against the last release.`,
  `git tag --sign v${version} && git push origin v${version}: release.yml makes image, chart, package and signatures.`,
  `Approve the package: npm stage list ${name}, then npm stage approve ID. npm stages no package that it does not know: publish the first version with the .tgz of the release (npm publish --access public), then name release.yml as its trusted publisher.`,
  `Make image and chart public where ${names.image} is.`,
  `Upload config/grafana/dashboard.json to grafana.com.`,
);
console.log(`\nWhat a person has to do\n${toDo.map((each, i) => `${i + 1}. ${each}`).join('\n')}`);
if (mistakes.length > 0) {
  console.error(`\nThis cannot be released:\n${mistakes.map((each) => `- ${each}`).join('\n')}`);
  process.exitCode = 1;
}
