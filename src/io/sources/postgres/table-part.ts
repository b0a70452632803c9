// Describes one part of the books in the operator's database: what to select for each field, by the
// type of its column. Converts nothing that could lose information: a numeric column is read as its
// digits.

import pg from 'pg';
import { columnOf } from '../../../core/domain/rows/field.ts';
import { failureOf } from './postgres-failure.ts';
import {
  invalidSettings,
  namesIn,
  PART_FIELDS,
  type PartField,
  type PartMapping,
  type PostgresSettings,
  type TableColumn,
  type TableOfPart,
  type TablePart,
} from './postgres-settings.ts';

const SMALL_INTEGERS = [20, 21, 23];
const NUMERIC = 1700;
const FLOATS = [700, 701];
const TEXTS = [25, 1042, 1043];
const TIMESTAMP = 1114;
const TIMESTAMP_WITH_ZONE = 1184;
const LISTS_OF_TEXT = [1009, 1015];

/**
 * Asks the database for the types of the mapped columns. Throws `SourceFailed` when a column cannot
 * be used.
 */
export async function describeTable(
  client: pg.Client,
  asking: {
    readonly settings: PostgresSettings;
    readonly part: TablePart;
    readonly mapping: PartMapping;
  },
): Promise<TableOfPart> {
  const { settings, part, mapping } = asking;
  const from = `${fromClause(mapping)} as books`;
  let names: readonly (string | null)[];
  let types: readonly number[];
  try {
    const there = await client.query(`select * from ${from} limit 0`);
    const known = new Set(there.fields.map((field) => field.name));
    names = PART_FIELDS[part].map(({ name, form }) => {
      if (Object.hasOwn(mapping.columns, name)) return mapping.columns[name]!;
      // The column of a field that no check reads may be missing.
      return form === 'remark' && !known.has(columnOf(name)) ? null : columnOf(name);
    });
    const wanted = [mapping.merchantColumn, ...names.filter((name) => name !== null)];
    const answer = await client.query(
      `select ${wanted.map(quoted).join(', ')} from ${from} limit 0`,
    );
    types = answer.fields.map((field) => field.dataTypeID);
  } catch (error) {
    throw failureOf(error, `looking at the ${part}`);
  }
  const rest = types.slice(1).values();
  const columns = PART_FIELDS[part].map((field, index): TableColumn => {
    const name = names[index]!;
    if (name === null)
      return { field, form: 'text', selected: 'null::text', value: 'null', isText: true };
    return describeColumn(field, {
      name,
      type: rest.next().value!,
      part,
      timeZone: settings.timeZone,
    });
  });
  const label = 'relation' in mapping.from ? mapping.from.relation : part;
  return { part, label, from, merchant: quoted(mapping.merchantColumn), columns };
}

function describeColumn(
  field: PartField,
  column: {
    readonly name: string;
    readonly type: number;
    readonly part: TablePart;
    readonly timeZone: string | null;
  },
): TableColumn {
  const { type } = column;
  // Without the alias, `order by` would sort by the selected text of the same name.
  const value = `books.${quoted(column.name)}`;
  const asText: TableColumn = {
    field,
    form: 'text',
    selected: `${value}::text`,
    value,
    isText: TEXTS.includes(type),
  };
  if (field.form === 'integer' && SMALL_INTEGERS.includes(type)) {
    return { field, form: 'int8', selected: `${value}::int8`, value, isText: false };
  }
  if (field.form === 'integer' && type === NUMERIC) {
    return { field, form: 'digits', selected: `trim_scale(${value})::text`, value, isText: false };
  }
  if (field.form === 'integer' && FLOATS.includes(type)) return { ...asText, form: 'digits' };
  if (field.form === 'instant' && type === TIMESTAMP_WITH_ZONE) {
    return { field, form: 'microseconds', selected: value, value, isText: false };
  }
  if (field.form === 'instant' && type === TIMESTAMP) {
    if (column.timeZone === null) {
      throw invalidSettings(
        `column '${column.name}' of ${column.part} is a timestamp without a zone, and timeZone is not set`,
      );
    }
    const zoned = `(${value} at time zone ${literal(column.timeZone)})`;
    return { field, form: 'microseconds', selected: zoned, value: zoned, isText: false };
  }
  if (field.form === 'texts' && LISTS_OF_TEXT.includes(type))
    return { ...asText, selected: `to_json(${value})::text` };
  return asText;
}

function fromClause(mapping: PartMapping): string {
  if ('select' in mapping.from) return `(${mapping.from.select}\n)`;
  return namesIn(mapping.from.relation)!.map(quoted).join('.');
}

/** Quotes a name, so that PostgreSQL reads exactly this name. */
function quoted(name: string): string {
  return pg.escapeIdentifier(name);
}

export function literal(text: string): string {
  return pg.escapeLiteral(text);
}

/** SQL of a constant list of texts. */
export function literals(texts: Iterable<string>): string {
  return `array[${[...texts].map(literal).join(', ')}]::text[]`;
}
