// The files that no free program reads here, read by the rules published for them and by no code of
// ours: Sage's columns by their places (as two users of the format publish them, one for a real
// file in XOF), Odoo's CSV by the rule of its importer for records of several rows, a FEC by the 18
// columns that the French tax code lists.

export interface BookedRow {
  /** Number of the entry that the row belongs to. Rows of one entry stand together. */
  readonly entry: string;
  readonly journal: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly account: string;
  readonly auxiliary: string;
  readonly piece: string;
  readonly label: string;
  readonly debit: number;
  readonly credit: number;
  /** Only in a FEC: the letter that clears the row; empty: nothing clears it. */
  readonly letter?: string;
  /** Only in a FEC of books in another currency: the signed amount in that currency; NaN: none. */
  readonly foreign?: number;
  /** The currency of `foreign`; empty: none. */
  readonly currency?: string;
}

/**
 * Reads Sage's rows. Throws on a row that is not wholly of the form. The first line is the name of
 * the books. Amounts are whole, or all have as many decimals as the currency.
 */
export function readSageRows(bytes: Uint8Array): {
  readonly owner: string;
  readonly rows: readonly BookedRow[];
} {
  const [owner = '', ...lines] = new TextDecoder('windows-1252').decode(bytes).split('\r\n');
  if (lines.pop() !== '') throw new Error('the last line is not ended');
  let entry = 0;
  let open = 0;
  let decimals: number | undefined;
  const rows = lines.map((line): BookedRow => {
    const at = (from: number, to: number): string => line.slice(from, to).trimEnd();
    const date = /^(\d\d)(\d\d)(\d\d)$/.exec(at(3, 9));
    const amount = /^ *((?:[1-9]\d*|0(?=\.\d*[1-9]))(?:\.(\d+))?)$/.exec(line.slice(84, 104));
    const side = line[83];
    const marker = line[24];
    decimals ??= amount?.[2]?.length ?? 0;
    if (
      line.length !== 138 ||
      date === null ||
      amount === null ||
      (amount[2]?.length ?? 0) !== decimals ||
      (side !== 'D' && side !== 'C') ||
      line[104] !== 'N'
    ) {
      throw new Error(`not a row for Sage: ${line}`);
    }
    if ((marker === 'X') !== (at(25, 38) !== ''))
      throw new Error(`an auxiliary account goes with X: ${line}`);
    if (open === 0) entry += 1;
    const value = Number(amount[1]);
    open += Math.round(value * 1_000) * (side === 'D' ? 1 : -1);
    return {
      entry: String(entry),
      journal: at(0, 3),
      date: `20${date[3]}-${date[2]}-${date[1]}`,
      account: at(11, 24),
      auxiliary: at(25, 38),
      piece: at(38, 51),
      label: at(51, 76),
      debit: side === 'D' ? value : 0,
      credit: side === 'C' ? value : 0,
    };
  });
  if (open !== 0) throw new Error('the last entry does not balance');
  return { owner, rows };
}

/**
 * Reads Odoo's CSV. A row whose cells of the entry are all empty belongs to the entry above. Throws
 * where an id comes twice or holds a full stop.
 */
export function readOdooRows(bytes: Uint8Array): readonly BookedRow[] {
  const [header, ...records] = readCsvRecords(
    new TextDecoder('utf-8', { fatal: true }).decode(bytes),
  );
  const ids = new Set<string>();
  let own: Readonly<Record<string, string>> = {};
  return records.map((cells) => {
    if (cells.length !== header!.length) throw new Error(`${cells.length} cells: ${cells}`);
    const record = Object.fromEntries(cells.map((cell, i) => [header![i]!, cell]));
    if (['id', 'journal_id', 'date', 'ref'].some((field) => record[field] !== '')) own = record;
    for (const id of own === record
      ? [record.id!, record['line_ids/id']!]
      : [record['line_ids/id']!]) {
      if (ids.has(id) || !/^[\w-]+$/.test(id))
        throw new Error(`not an id, or not a new one: '${id}'`);
      ids.add(id);
    }
    return {
      entry: own.id!,
      journal: own.journal_id!,
      date: own.date!,
      account: record['line_ids/account_id']!,
      auxiliary: record['line_ids/partner_id'] ?? '',
      piece: own.ref!,
      label: record['line_ids/name']!,
      debit: Number(record['line_ids/debit']),
      credit: Number(record['line_ids/credit']),
    };
  });
}

const FEC_HEADER =
  'JournalCode JournalLib EcritureNum EcritureDate CompteNum CompteLib CompAuxNum CompAuxLib PieceRef PieceDate EcritureLib ' +
  'Debit Credit EcritureLet DateLet ValidDate Montantdevise Idevise';

/**
 * Reads a FEC. Throws unless all cells that must be filled are; dates are days; one of the two
 * amounts is 0; a number is never taken up again; and a letter has its date, which no row of it is
 * later than, and its rows come to 0 on each account and auxiliary account.
 */
export function readFecRows(bytes: Uint8Array): readonly BookedRow[] {
  const [header, ...lines] = new TextDecoder('iso-8859-15', { fatal: true })
    .decode(bytes)
    .split('\r\n');
  if (header !== FEC_HEADER.replaceAll(' ', '\t') || lines.pop() !== '')
    throw new Error('not a FEC');
  const closed = new Set<string>();
  let last = '';
  const open = new Map<string, number>();
  const rows = lines.map((line) => {
    const cells = line.split('\t');
    const [
      journal,
      journalName,
      entry,
      date,
      account,
      accountName,
      auxiliary,
      auxiliaryName,
      piece,
      pieceDate,
    ] = cells;
    const [label, debit, credit, letter, letteredOn, validated, foreign, currency] =
      cells.slice(10);
    const filled = [journal, journalName, entry, account, accountName, piece, label];
    const days = [date, pieceDate, validated].map((day) =>
      Date.parse(day!.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')),
    );
    const amounts = [debit, credit].map((amount) =>
      /^\d+,\d{2,3}$/.test(amount!) ? Number(amount!.replace(',', '.')) : NaN,
    );
    // Programs that check a FEC refuse both separators in one file, and ask for three digits;
    // importers take labels of 250 characters.
    if (line.includes('|') || !/^\d{3}/.test(account!) || label!.length > 250)
      throw new Error(`not as programs take it: ${line}`);
    if (cells.length !== 18 || filled.includes('') || [...days, ...amounts].some(Number.isNaN)) {
      throw new Error(`not a row of a FEC: ${line}`);
    }
    if (!/^(?:-?[1-9]\d*,00\t[A-Z]{3}|\t)$/.test(`${foreign}\t${currency}`))
      throw new Error(`currency: ${line}`);
    if ((amounts[0] === 0) === (amounts[1] === 0))
      throw new Error(`one of debit and credit: ${line}`);
    if ((auxiliary === '') !== (auxiliaryName === ''))
      throw new Error(`an auxiliary account has a name: ${line}`);
    if (
      !/^(?:[\w-]{3,}\t\d{8}|\t)$/.test(`${letter}\t${letteredOn}`) ||
      (letter !== '' && letteredOn! < date!)
    ) {
      throw new Error(`a letter and its date: ${line}`);
    }
    const key = `${account} ${auxiliary} ${letter}`;
    const cleared = currency === '' ? amounts[0]! - amounts[1]! : Number.parseFloat(foreign!);
    if (letter !== '') open.set(key, (open.get(key) ?? 0) + cleared);
    if (entry !== last) closed.add(last);
    if (closed.has(entry!)) throw new Error(`the number ${entry} comes again`);
    last = entry!;
    const day = new Date(days[0]!).toISOString().slice(0, 10);
    return {
      entry: entry!,
      journal: journal!,
      date: day,
      account: account!,
      auxiliary: auxiliary!,
      piece: piece!,
      label: label!,
      debit: amounts[0]!,
      credit: amounts[1]!,
      letter: letter!,
      foreign: Number.parseFloat(foreign!),
      currency: currency!,
    };
  });
  const wrong = [...open].filter(([, sum]) => sum !== 0);
  if (wrong.length > 0) throw new Error(`letters that clear nothing: ${JSON.stringify(wrong)}`);
  return rows;
}

/** Reads CSV as RFC 4180 has it, with commas. */
function readCsvRecords(text: string): readonly (readonly string[])[] {
  const records: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  while (cell.lastIndex < text.length) {
    const found = cell.exec(text);
    if (found === null) throw new Error(`not RFC 4180 at ${cell.lastIndex}`);
    records.at(-1)!.push(found[1]?.replaceAll('""', '"') ?? found[2]!);
    if (found[3] === '\r\n') records.push([]);
  }
  return records.slice(0, -1);
}

/** Returns the sums of debit and of credit by account. */
export function sumsByAccount(
  rows: readonly BookedRow[],
): ReadonlyMap<string, readonly [number, number]> {
  const sums = new Map<string, readonly [number, number]>();
  for (const { account, debit, credit } of rows) {
    const [debits, credits] = sums.get(account) ?? [0, 0];
    sums.set(account, [debits + debit, credits + credit]);
  }
  return sums;
}
