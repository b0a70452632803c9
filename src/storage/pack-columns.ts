// Packs rows that came by COPY in the binary format, on the thread that reads them for another.

import { hashPacked, type Packer, packText, shareText } from '../packed/pack.ts';
import { ENTRY_NUMBER, ENTRY_WORD } from '../packed/packed-entry.ts';
import { OPERATION_NUMBER, OPERATION_WORD } from '../packed/packed-operation.ts';
import { NO_TEXT } from '../packed/slab.ts';
import type { CopySlots } from '../rows/copy-binary/copy-rows.ts';
import { ENTRY_TABLE } from '../rows/entry-fields.ts';
import type { RowTable } from '../rows/row-table.ts';
import { MOVED_WORD, VERSION_TABLE } from './operation-rows.ts';

interface PackPlan {
  /** Place of each field among the words or the numbers of a row; −1: it is not there. */
  readonly word: number;
  readonly number: number;
  readonly isFlag: boolean;
  /** Neighbouring rows have the same text. */
  readonly isShared: boolean;
}

type Places = Readonly<Record<string, number>>;

function planOf(table: RowTable<unknown>, words: Places, numbers: Places): readonly PackPlan[] {
  return table.fields.map(({ name, form, store }) => ({
    word: words[name] ?? -1,
    number: numbers[name] ?? -1,
    isFlag: form === 'flag',
    isShared: store === 'word' || name === 'operationReference' || name === 'description',
  }));
}

const ENTRY_PLAN = planOf(ENTRY_TABLE, ENTRY_WORD, ENTRY_NUMBER);
const VERSION_PLAN = planOf(VERSION_TABLE, { ...OPERATION_WORD, moved: MOVED_WORD }, OPERATION_NUMBER);

export interface CopySpan {
  readonly slots: CopySlots;
  readonly span: { readonly bytes: Buffer; readonly view: DataView };
}

export function packEntryRow(packer: Packer, from: CopySpan): void {
  const { words, numbers } = packer.slab;
  packFields(packer, from, ENTRY_PLAN);
  const id = words[packer.rows * packer.form.words + ENTRY_WORD.id]!;
  numbers[packer.rows * packer.form.numbers + ENTRY_NUMBER.idHash] = hashPacked(packer, id);
  packer.rows += 1;
}

export function packVersionRow(packer: Packer, from: CopySpan): void {
  packFields(packer, from, VERSION_PLAN);
  packer.rows += 1;
}

const TWO_TO_32 = 2 ** 32;

function packFields(packer: Packer, { slots, span }: CopySpan, plan: readonly PackPlan[]): void {
  const { words, numbers } = packer.slab;
  const firstWord = packer.rows * packer.form.words;
  const firstNumber = packer.rows * packer.form.numbers;
  for (let i = 0; i < plan.length; i += 1) {
    const { word, number, isFlag, isShared } = plan[i]!;
    const start = slots.starts[i]!;
    const length = slots.lengths[i]!;
    if (number >= 0) {
      const value = length < 0 ? Number.NaN : span.view.getInt32(start) * TWO_TO_32 + span.view.getUint32(start + 4);
      numbers[firstNumber + number] = value;
    } else if (isFlag) words[firstWord + word] = span.bytes[start]!;
    else if (length < 0) words[firstWord + word] = NO_TEXT;
    else {
      // At the end of what was received there may not be enough to compare.
      const shares = isShared && start + 4 <= span.bytes.length;
      const end = start + length;
      words[firstWord + word] = shares ? shareText(packer, span, start, end) : packText(packer, span, start, end);
    }
  }
}
