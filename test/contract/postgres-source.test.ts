import { openSource } from '../../src/io/sources/register.ts';
import { type ColumnTypes, insertBooks, openPostgresBooks } from '../support/postgres-books.ts';
import { describeSource, type RawBooks } from './source-contract.ts';

/** Types that a careless operator may have chosen: they hold what no line may hold. */
const LOOSE: ColumnTypes = {
  'ledger_entries.sequence': 'numeric',
  'ledger_entries.amount': 'numeric',
  'ledger_entries.balance_after': 'double precision',
  'ledger_entries.created_at': 'text',
  'operations.amount': 'numeric(20, 2)',
};

/** Column types as an import leaves them of a table that has gaps. */
const DOUBLES: ColumnTypes = {
  'ledger_entries.sequence': 'double precision',
  'ledger_entries.amount': 'double precision',
  'ledger_entries.reserved_after': 'double precision',
  'ledger_entries.created_at': 'text',
  'operations.amount': 'double precision',
  'operations.fees': 'double precision',
};

describeSource('tables in PostgreSQL', {
  publish: (books) => fill(books, {}),
  holdsIllTypedRows: false,
  holdsRepeatedRows: true,
  isStateless: false,
});

describeSource('tables in PostgreSQL with loose types', {
  publish: (books) => fill(books, LOOSE),
  holdsIllTypedRows: true,
  holdsRepeatedRows: true,
  isStateless: false,
});

describeSource('tables in PostgreSQL with numbers in double precision', {
  publish: (books) => fill(books, DOUBLES),
  holdsIllTypedRows: true,
  holdsRepeatedRows: true,
  isStateless: false,
});

async function fill(books: readonly RawBooks[], types: ColumnTypes) {
  const database = await openPostgresBooks(types);
  for (const one of books) await insertBooks(database.client, one);
  const source = await openSource(database.settings.connectionString, {});
  return { source, withdraw: () => database.close() };
}
