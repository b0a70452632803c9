// Which files of a month a place is sent of what programs import: all of it the first time, later
// only what takes the place from the revision that it holds to the newest one. Where that is not
// sure, or there is no delta, the whole in the place of everything. A mail that may have arrived is
// sent again as it was, or not at all.

import type { Instant } from '../instant.ts';

/** A file of a revision that was issued. */
export interface SentFile {
  readonly revision: number;
  /** Name of the format. */
  readonly format: string;
  readonly fileName: string;
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string;
}

/**
 * first: whole, where nothing was brought before · delta: to be imported after that · replaces:
 * whole, in the place of all that is there.
 */
export interface Portion<File extends SentFile = SentFile> {
  /** The format of the whole. */
  readonly of: string;
  readonly how: 'first' | 'delta' | 'replaces';
  /** In the order in which they are imported. */
  readonly files: readonly File[];
  /** What was brought last; null: nothing. */
  readonly after: { readonly revision: number; readonly at: Instant } | null;
}

interface Month<File> {
  /** The revision that is sent. */
  readonly revision: number;
  /** The files of each revision up to it. */
  readonly issued: readonly File[];
  /** To the place, or perhaps; nothing of a later revision. */
  readonly brought: readonly (SentFile & { readonly at: Instant; readonly isCertain: boolean })[];
  /** What the same delivery may have brought after that: it brings these again, and no others. */
  readonly again?: readonly File[] | undefined;
}

/**
 * `of`: a format; `name`: that of its changes alone. Null: the revision has no file of the format.
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
