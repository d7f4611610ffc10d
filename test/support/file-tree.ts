/** The content of a directory, so that a test can compare two times. */
import { constants, lstatSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

export interface FileEntry {
  sizeBytes: number;
  uid: number;
  gid: number;
  /** Type and permissions, as in `Stats.mode`. */
  mode: number;
  /** Everything that a write, or a change of owner or permissions, would change. */
  state: string;
}

/** Every file, directory and link below `root`, by its path from there. Links are not followed. */
export function fileTree(root: string): Map<string, FileEntry> {
  const paths = readdirSync(root, { recursive: true, withFileTypes: true }).map((entry) =>
    join(entry.parentPath, entry.name),
  );
  return new Map(
    paths.map((path) => {
      const { size, uid, gid, mode, mtimeMs, ctimeMs } = lstatSync(path);
      const state = [size, uid, gid, mode, mtimeMs, ctimeMs].join(' ');
      return [`/${relative(root, path)}`, { sizeBytes: size, uid, gid, mode, state }];
    }),
  );
}

/** Whether a user, with a group of the same number, may write to a file or directory. */
export function isWritableBy(id: number, { uid, gid, mode }: FileEntry): boolean {
  if ((mode & constants.S_IFMT) === constants.S_IFLNK) return false;
  const digit = uid === id ? 6 : gid === id ? 3 : 0;
  return ((mode >> digit) & 2) !== 0;
}

/** The paths that were added, removed or changed between two trees, sorted. */
export function changedPaths(
  before: ReadonlyMap<string, FileEntry>,
  after: ReadonlyMap<string, FileEntry>,
): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path)?.state !== after.get(path)?.state).sort();
}
