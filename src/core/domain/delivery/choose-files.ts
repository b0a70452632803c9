// Chooses which files of a month a target is sent for import by programs: the whole format the
// first time, later only the changes from the revision that the target holds to the newest one.
// Where that is not certain, or a revision has no file of changes, the whole format replaces
// everything. A mail that may have arrived is sent again with the same files, or not at all.

import type { Instant } from '../instant.ts';

/** A file of a revision that was issued. */
export interface SentFile {
  readonly revision: number;
  /** Name of the file's format. */
  readonly format: string;
  readonly fileName: string;
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string;
}

/**
 * The files of one format to send. `first`: the whole, because the target has nothing yet. `delta`:
 * changes to import after what the target has. `replaces`: the whole, in place of all that the
 * target has.
 */
export interface Portion<File extends SentFile = SentFile> {
  /** Name of the format of whole files; changes have a format of their own. */
  readonly of: string;
  readonly how: 'first' | 'delta' | 'replaces';
  /** In the order in which they are imported. */
  readonly files: readonly File[];
  /** The newest revision that the target has; `null` when it has none. */
  readonly after: { readonly revision: number; readonly at: Instant } | null;
}

interface Month<File> {
  /** The revision that is sent. */
  readonly revision: number;
  /** The files of each revision up to `revision`. */
  readonly issued: readonly File[];
  /** The files that reached the target, or may have; none of a later revision than `revision`. */
  readonly brought: readonly (SentFile & { readonly at: Instant; readonly isCertain: boolean })[];
  /**
   * The files that an earlier attempt of the same delivery may have brought. The delivery then
   * sends these files again, and no others. Absent when no attempt is in doubt.
   */
  readonly again?: readonly File[] | undefined;
}

/**
 * Chooses the files of one format. `of` is the format of whole files, `name` the format of its
 * changes alone (`null`: it has none). Returns `null` when the revision has no file to send.
 */
export function choosePortion<File extends SentFile>(
  { of, name }: { readonly of: string; readonly name: string | null },
  { revision, issued, brought, again }: Month<File>,
): Portion<File> | null {
  const filesOf = (format: string | null, number: number): File[] =>
    issued.filter((file) => file.format === format && file.revision === number);
  const repeated = again?.filter(({ format }) => format === of || format === name);
  const newest = repeated ?? filesOf(of, revision);
  if (newest.length === 0) return null;
  const last = brought
    .filter(({ format }) => format === of || format === name)
    .toSorted((a, b) => a.revision - b.revision || Number(a.isCertain) - Number(b.isCertain))
    .at(-1);
  if (last === undefined) return { of, how: 'first', files: newest, after: null };
  const steps = Array.from({ length: revision - last.revision }, (_, i) =>
    filesOf(name, last.revision + 1 + i),
  );
  const isWay =
    repeated?.some(({ format }) => format === name) ??
    (last.isCertain && steps.length > 0 && steps.every(({ length }) => length > 0));
  return {
    of,
    how: isWay ? 'delta' : 'replaces',
    files: isWay ? (repeated ?? steps.flat()) : newest,
    after: last,
  };
}
