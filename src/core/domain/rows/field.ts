// The declaration of one field of a row: its form, whether it may be missing, and its place in the
// service's JSON and in our tables. Everything that reads, writes, carries or compares rows is
// derived from it; no list of fields is written twice.

/**
 * `id`: 1 to 200 characters. `text`: up to 10,000 characters. `word`: a text with few values, of
 * which `words` are known; any other value is read, and is a finding. `one-of`: one of `words`; any
 * other value is refused. `integer`: exact and safe. `instant`: a date-time with a zone in JSON,
 * milliseconds in our tables. `flag`: absent means false. `texts`: a list of texts, which no column
 * batch can hold. `remark`: a text that no check judges and that therefore never makes a row
 * faulty: values of other types become JSON text, and what cannot be stored becomes null.
 */
export type Form =
  | 'id'
  | 'text'
  | 'word'
  | 'one-of'
  | 'integer'
  | 'instant'
  | 'flag'
  | 'texts'
  | 'remark';

export interface Field {
  readonly form: Form;
  /** The field may be absent or null, and then is null in the row. */
  readonly isOptional: boolean;
  readonly words: readonly string[];
  /** Column batches store the text's hash beside it. */
  readonly isHashed: boolean;
  /** Column in our tables; `null` when it is the field's name in snake case. */
  readonly column: string | null;
  /**
   * Keys that lead to the field in the service's JSON; `null` when the only key is the field's own
   * name.
   */
  readonly path: readonly string[] | null;
  /**
   * The field may be missing only together with the objects on its path: where these objects are,
   * the field must be there too.
   */
  readonly isRequiredInside: boolean;
}

export interface NamedField extends Omit<Field, 'column' | 'path'> {
  readonly name: string;
  readonly column: string;
  readonly path: readonly string[];
}

type FormFor<Value> = Value extends number
  ? 'integer' | 'instant'
  : Value extends boolean
    ? 'flag'
    : Value extends readonly string[]
      ? 'texts'
      : 'id' | 'text' | 'word' | 'one-of' | 'remark';

/**
 * The fields of a row type. A table that forgets a field of the row, or gives it a form of another
 * type, does not compile.
 */
export type FieldsOf<Row> = {
  readonly [Name in keyof Row]-?: Field & {
    readonly form: FormFor<NonNullable<Row[Name]>>;
    readonly isOptional: null extends Row[Name] ? true : false;
  };
};

type Plain<F extends Form> = Field & { readonly form: F; readonly isOptional: false };

function plain<F extends Form>(form: F, words: readonly string[] = []): Plain<F> {
  return {
    form,
    isOptional: false,
    words,
    isHashed: false,
    column: null,
    path: null,
    isRequiredInside: false,
  };
}

export const id = (): Plain<'id'> => plain('id');
export const text = (): Plain<'text'> => plain('text');
export const word = (known: readonly string[]): Plain<'word'> => plain('word', known);
export const oneOf = (allowed: readonly string[]): Plain<'one-of'> => plain('one-of', allowed);
export const integer = (): Plain<'integer'> => plain('integer');
export const instant = (): Plain<'instant'> => plain('instant');
export const texts = (): Plain<'texts'> => plain('texts');
export const flag = (): Plain<'flag'> => plain('flag');

/** `path` is as in `Field`; `null` when the field's own name leads to it. */
export const remark = (path: readonly string[] | null = null) => ({
  ...optional(plain('remark')),
  path,
});

export function optional<F extends Field>(
  field: F,
): Omit<F, 'isOptional'> & { readonly isOptional: true } {
  return { ...field, isOptional: true };
}

export function hashed<F extends Field>(field: F): F {
  return { ...field, isHashed: true };
}

/** Returns the fields in the order in which they were written down. */
export function namedFields<Row>(fields: FieldsOf<Row>): readonly NamedField[] {
  return Object.entries<Field>(fields as Readonly<Record<string, Field>>).map(([name, field]) => ({
    ...field,
    name,
    column: field.column ?? columnOf(name),
    path: field.path ?? [name],
  }));
}

/** Returns the name in snake case: `balanceAfter` → `balance_after`. */
export function columnOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
