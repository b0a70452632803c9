// Operations as rows of `operation_versions`: their columns in queries, and how they are copied in. The thread that reads the mirror
// loads this file: no Kysely.

import type { DescribedOperation, Operation } from '../../../../core/domain/operation.ts';
import { createRecordReader, selectList } from '../../../../core/rows/copy-binary/copy-rows.ts';
import { copyColumns } from '../../../../core/rows/copy-binary/write-copied.ts';
import { flag } from '../../../../core/rows/field.ts';
import {
  copyDescribed,
  copyOperation,
  DESCRIBED_FIELDS,
  DESCRIBED_TABLE,
  OPERATION_FIELDS,
  OPERATION_TABLE,
} from '../../../../core/rows/operation-fields.ts';
import { createCursorType, type RowCursor } from '../../../../core/rows/row-cursor.ts';
import { createRowTable, type RowTable } from '../../../../core/rows/row-table.ts';
import type { CopyTarget } from './copy.ts';

/** An operation on its way into the mirror, with the number of its version, 1 for the first seen. */
export interface OperationRow {
  readonly operation: DescribedOperation;
  readonly version: number;
}

/** The columns of an operation that are judged, from `alias`. */
export function operationColumns(alias: string): string {
  return selectList(OPERATION_TABLE, { alias });
}

/** All columns of an operation. */
export function describedColumns(alias: string): string {
  return selectList(DESCRIBED_TABLE, { alias });
}

/** An operation from a record of a query with parameters; `prefix` as given to `columnsOf`. */
export const operationOf = createRecordReader(OPERATION_TABLE);
export const readDescribed = createRecordReader(DESCRIBED_TABLE);

const VERSION = { name: 'version', type: 'int4', valueOf: ({ version }: OperationRow) => version } as const;
const COLUMNS = copyColumns(DESCRIBED_TABLE, ({ operation }: OperationRow) => operation);

export const OPERATION_TARGET: CopyTarget<OperationRow> = {
  table: 'operation_versions',
  columns: [VERSION, ...COLUMNS],
};

const VERSION_ALONE = [VERSION, ...COLUMNS.filter(({ name }) => name === 'reference')];

export const MOVED_TARGET: CopyTarget<OperationRow> = { table: 'moved_operation_versions', columns: VERSION_ALONE };
export const DEPARTED_TARGET: CopyTarget<OperationRow> = {
  table: 'departed_operation_versions',
  columns: VERSION_ALONE,
};

/** A version as the mirror gives it. */
export interface VersionRow extends Operation {
  /** Its successor has another createdAt, and so comes elsewhere in the stream. */
  readonly moved: boolean;
}

export const VERSION_TABLE = createRowTable<VersionRow>({ ...OPERATION_FIELDS, moved: flag() });
/** With the texts, for statements. */
const DESCRIBED_VERSION_TABLE: RowTable<VersionRow> = createRowTable<VersionRow & DescribedOperation>({
  ...DESCRIBED_FIELDS,
  moved: flag(),
});

/** A form of versions in a stream. */
export interface VersionForm {
  readonly table: RowTable<VersionRow>;
  readonly createCursor: () => RowCursor<VersionRow>;
  /** Gives an operation that outlives the row. */
  readonly copy: (row: VersionRow) => Operation;
}

export const VERSIONS: VersionForm = {
  table: VERSION_TABLE,
  createCursor: createCursorType(VERSION_TABLE),
  copy: copyOperation,
};

/** With the texts. */
export const DESCRIBED_VERSIONS: VersionForm = {
  table: DESCRIBED_VERSION_TABLE,
  createCursor: createCursorType(DESCRIBED_VERSION_TABLE),
  copy: (row) => copyDescribed(row as VersionRow & DescribedOperation),
};
