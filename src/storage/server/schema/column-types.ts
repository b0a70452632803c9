// What columns hold, where reading and writing differ.

import type { ColumnType, InsertType, SelectType } from 'kysely';

/** Written as text, read as a value. */
export type Json = ColumnType<unknown, string, string>;

export type Bytes = ColumnType<Buffer, Uint8Array, Uint8Array>;

/** Of a row that is never changed. */
export type Kept<T> = ColumnType<SelectType<T>, InsertType<T>, never>;
