// Bundles the program with its libraries. A start then loads some 20 files instead of 660, and a command
// loads only the files that it needs.
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'rolldown';

/** The program needs only these parts of undici. Its entry would load all of undici. */
const partsOfUndici = {
  name: 'parts-of-undici',
  resolveId: (id) => (id === 'undici' ? '\0undici-parts' : null),
  load: (id) =>
    id === '\0undici-parts'
      ? `import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
         import methods from 'undici/lib/api/index.js';
         Object.assign(Dispatcher.prototype, methods);
         export { default as Agent } from 'undici/lib/dispatcher/agent.js';
         export { default as EnvHttpProxyAgent } from 'undici/lib/dispatcher/env-http-proxy-agent.js';
         export { default as Pool } from 'undici/lib/dispatcher/pool.js';`
      : null,
};

/**
 * An import of `node:http` as a module asks for each of its names. One of them makes Node.js load an undici of its own,
 * which takes as long as a twentieth of a start. Libraries that require it do not ask.
 */
const namesOfHttp = {
  name: 'names-of-http',
  resolveId: (id, importer) =>
    id === 'node:http' && !importer.includes('/node_modules/') ? '\0http' : null,
  load: (id) =>
    id === '\0http'
      ? `export const { STATUS_CODES, createServer } = process.getBuiltinModule('node:http');`
      : null,
};

/**
 * What libraries use if it is there. The first is native code, and its installation runs a script; the bundle would
 * contain it and the second only because development needs them. The third is for HTTP/2, which undici uses only if
 * it is told to: it would load a part of Node.js at each start.
 */
const absent = ['msgpackr-extract', 'supports-color', './client-h2.js'];
const withoutAbsent = {
  name: 'without-absent',
  resolveId: (id) => (absent.includes(id) ? '\0absent' : null),
  load: (id) => (id === '\0absent' ? 'module.exports = null;' : null),
};

/** The text of a file, such as the style of the page. Vite reads such an import alike, for tests. */
const textOfFiles = {
  name: 'text-of-files',
  resolveId: (id, importer) => (id.endsWith('?raw') ? `\0${join(dirname(importer), id)}` : null),
  load: (id) =>
    id.endsWith('?raw')
      ? `export default ${JSON.stringify(readFileSync(id.slice(1, -'?raw'.length), 'utf8'))}`
      : null,
};

/** Their licenses require it: a copy of the code contains a copy of the license. */
const licensesOfLibraries = {
  name: 'licenses-of-libraries',
  generateBundle() {
    const libraries = new Set(
      [...this.getModuleIds()].flatMap(
        (id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? [],
      ),
    );
    const texts = [...libraries].toSorted().flatMap((library) => {
      const { name, version } = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8'));
      const files = readdirSync(library).filter((file) => /^(licen[cs]e|notice)/i.test(file));
      if (files.length === 0) throw new Error(`${name} has no file with its license`);
      return files.map(
        (file) => `${name} ${version}\n\n${readFileSync(join(library, file), 'utf8')}`,
      );
    });
    const source = texts.join(`\n${'-'.repeat(80)}\n\n`);
    this.emitFile({ type: 'asset', fileName: 'licenses.txt', source });
  },
};

await build({
  input: {
    main: 'src/main.ts',
    'emulator/emulator': 'src/emulator/emulator.ts',
    // Beside the chunk that starts this thread.
    'chunks/bcrypt-worker': 'src/expose/web-config/bcrypt-worker.ts',
  },
  platform: 'node',
  plugins: [partsOfUndici, namesOfHttp, withoutAbsent, textOfFiles, licensesOfLibraries],
  output: {
    dir: 'dist',
    // As deep as the files of src/ that read a file of the package by a relative path.
    chunkFileNames: 'chunks/[name].js',
    sourcemap: true,
    sourcemapExcludeSources: true,
  },
});

// npm makes it executable at the installation only, and `npx` runs a later build too.
chmodSync('dist/main.js', 0o755);
