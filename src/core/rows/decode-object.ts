// The strict decoder: takes the fields of a row out of a parsed JSON object, or says in one clause which of them cannot be
// read exactly. It is the judge of every quicker way to read the same row. Coerces nothing; ignores fields nobody asks for.

import { assertNever } from '../domain/invariant.ts';
import type { Decoded } from './decoded.ts';
import type { Form, NamedField } from './field.ts';
import type { RowTable } from './row-table.ts';
import {
  decodedFrom,
  type Fields,
  fieldsOf,
  isNothing,
  own,
  takeFlag,
  takeId,
  takeInstant,
  takeInteger,
  takeObject,
  takeOneOf,
  takeRemark,
  takeText,
} from './take-fields.ts';

/** The first fault in the order of the table is the one that is named. */
export function createDecoder<Row>({ fields }: RowTable<Row>): (value: unknown) => Decoded<Row> {
  return (value) => {
    const given = fieldsOf(value);
    const row: Record<string, unknown> = {};
    for (const field of fields) row[field.name] = takeField(given, field.path, field);
    return decodedFrom(given, row as Row);
  };
}

function takeField(given: Fields, path: readonly string[], field: NamedField): unknown {
  const { form, words } = field;
  if (form === 'remark') return takeRemark(given, path);
  const [name, ...inside] = path;
  const mayBeAbsent = field.isOptional && (path === field.path || !field.isRequiredInside);
  if (mayBeAbsent && isNothing(own(given.row, name!))) return null;
  if (inside.length === 0) return takeValue(given, name!, { form, words });
  return takeObject(given, name!, (inner) => takeField(inner, inside, field));
}

type JudgedField = Pick<NamedField, 'words'> & { readonly form: Exclude<Form, 'remark'> };

function takeValue(given: Fields, name: string, { form, words }: JudgedField): unknown {
  switch (form) {
    case 'id':
      return takeId(given, name);
    case 'text':
    case 'word':
      return takeText(given, name);
    case 'one-of':
      return takeOneOf(given, name, words);
    case 'integer':
      return takeInteger(given, name);
    case 'instant':
      return takeInstant(given, name);
    case 'flag':
      return takeFlag(given, name);
    default:
      return assertNever(form);
  }
}
