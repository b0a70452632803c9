// Names of cells and ranges in formulas, and formulas that are declared by the keys of columns or
// rows. Sheet names are ours and hold no apostrophe, so quoting them is enough.

/** A1, B1 … AA1: the letters of a column, 1 the first. */
export function columnLetters(column: number): string {
  const rest = (column - 1) % 26;
  const letter = String.fromCharCode(65 + rest);
  return column > 26 ? columnLetters((column - 1 - rest) / 26) + letter : letter;
}

export interface Place {
  readonly sheet: string;
  readonly column: number;
  readonly row: number;
}

/** `'Par jour'!$C$7`. */
export function placeName({ sheet, column, row }: Place): string {
  return `'${sheet}'!$${columnLetters(column)}$${row}`;
}

/**
 * Rows of one sheet that belong to one table. Where it has no row, `last` is the empty row after
 * the header.
 */
export interface RowRange {
  readonly sheet: string;
  readonly first: number;
  readonly last: number;
}

export function rowRange(sheet: string, first: number, rows: number): RowRange {
  return { sheet, first, last: first + Math.max(rows, 1) - 1 };
}

/** `'Par jour'!$C$6:$C$36`. */
export function rangeName({ sheet, first, last }: RowRange, column: number): string {
  const letters = columnLetters(column);
  return `'${sheet}'!$${letters}$${first}:$${letters}$${last}`;
}

/** The sum of a column over a table that may go on in further sheets. */
export function sumOver(parts: readonly RowRange[], column: number): string {
  return `SUM(${parts.map((part) => rangeName(part, column)).join(',')})`;
}

export interface MatchedSum {
  readonly keyColumn: number;
  /** A cell, or a text in double quotes. */
  readonly key: string;
  readonly column: number;
}

/** The sum of a column over the rows whose key cell equals `key`, without regard to case. */
export function sumWhere(
  parts: readonly RowRange[],
  { keyColumn, key, column }: MatchedSum,
): string {
  return parts
    .map((part) => `SUMIF(${rangeName(part, keyColumn)},${key},${rangeName(part, column)})`)
    .join('+');
}

export function countWhere(
  parts: readonly RowRange[],
  { keyColumn, key }: Omit<MatchedSum, 'column'>,
): string {
  return parts.map((part) => `COUNTIF(${rangeName(part, keyColumn)},${key})`).join('+');
}

/** The first sheet has the name itself, the next is its second part. */
const partName = (name: string, part: number): string =>
  part === 0 ? name : `${name} ${part + 1}`;

/** The sheets that `rows` rows need, each with its range; one, empty, when there is none. */
export function partsOf(
  name: string,
  rows: number,
  { rowsPerSheet, firstRow }: { readonly rowsPerSheet: number; readonly firstRow: number },
): readonly RowRange[] {
  return Array.from({ length: Math.max(1, Math.ceil(rows / rowsPerSheet)) }, (_, part) =>
    rowRange(partName(name, part), firstRow, Math.min(rowsPerSheet, rows - part * rowsPerSheet)),
  );
}

/**
 * `charged - recomputed` with the cells in the place of the keys; `ABS` and its like, in capitals,
 * are functions.
 */
export function bodyOf(declared: string, cell: CellOfKey): string {
  return filledBody(tokensOf(declared), cell);
}

export type CellOfKey = (key: string, isAbove: boolean) => string;

/** Every second one is a key. */
export function tokensOf(declared: string): readonly string[] {
  return declared.replaceAll(' ', '').split(/(\^?[a-z]\w*)/);
}

export function filledBody(tokens: readonly string[], cell: CellOfKey): string {
  let body = tokens[0]!;
  for (let i = 1; i < tokens.length; i += 2) {
    const isAbove = tokens[i]!.startsWith('^');
    body += cell(isAbove ? tokens[i]!.slice(1) : tokens[i]!, isAbove) + tokens[i + 1]!;
  }
  return body;
}
