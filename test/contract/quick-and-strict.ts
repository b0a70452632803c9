// Reads lines the quick way, packed and unpacked, and the strict way, and demands that all say the same of each.

import { expect } from 'vitest';
import { createPacker, hasRoom, packRaw } from '../../src/packed/pack.ts';
import { allocateSlab, openSlab } from '../../src/packed/slab.ts';
import { openRows, rawRowOf } from '../../src/packed/unpack.ts';
import type { Decoded } from '../../src/rows/decoded.ts';
import { parseStrictJson } from '../../src/sources/decode/strict-json.ts';
import { type createSlots, INSTANT, INTEGER } from '../../src/sources/file/plain-line.ts';
import type { PackedPlan, RowPlan } from '../../src/sources/file/row-plan.ts';
import { createRowReader, type LineSpan, readRow, scanRow, skimRow } from '../../src/sources/file/row-reader.ts';
import type { Raw } from './source-rows.ts';

/** All lines in one span, as a chunk of a file would hold them. */
export function spanOf(lines: readonly Buffer[], isValid: boolean): LineSpan {
  const bytes = Buffer.from(new Uint8Array(Buffer.concat(lines)).buffer);
  return { bytes, view: new DataView(bytes.buffer), end: bytes.length, isValid };
}

function decodeStrictly<Row>(plan: RowPlan<Row>, line: Buffer): Decoded<Row> | 'blank' {
  const text = line.subarray(0, -1);
  if (/^[ \t\r]*$/.test(text.toString('latin1'))) return 'blank';
  const parsed = parseStrictJson(text);
  return parsed.ok ? plan.decode(parsed.value) : parsed;
}

/** Each line ends with its line feed. Put sound lines first: their shapes are then known when the others come. */
export function expectAgreement<Row>(plan: RowPlan<Row>, lines: readonly Buffer[]): void {
  const span = spanOf(lines, false);
  const reader = createRowReader(plan);
  const skimmer = createRowReader(plan);
  let at = 0;
  for (const line of lines) {
    const expected = decodeStrictly(plan, line);
    const next = readRow(reader, span, at);
    const shown = line.toString('latin1').slice(0, 600);
    expect(next, shown).toBe(at + line.length);
    const said = { found: reader.found, row: reader.row, reason: reader.found === 'fault' ? reader.reason : null };
    if (expected === 'blank') expect(reader.found, shown).toBe('blank');
    else if (expected.ok) expect(said, shown).toEqual({ found: 'row', row: expected.value, reason: null });
    else expect(said, shown).toEqual({ found: 'fault', row: null, reason: expected.reason });
    expect(skimRow(skimmer, span, at), shown).toBe(next);
    if (skimmer.found === 'keys' && expected !== 'blank' && expected.ok)
      expectKeys(plan, skimmer.slots, expected.value);
    at = next;
  }
  if (plan.packed !== null) expectSamePacked(plan, plan.packed, lines);
}

/** Lines go through a slab as they go from thread to thread; those that are not packed come out as they stand. */
function expectSamePacked<Row>(plan: RowPlan<Row>, packed: PackedPlan<Row>, lines: readonly Buffer[]): void {
  const span = spanOf(lines, false);
  const reader = createRowReader(plan);
  const slab = openSlab(allocateSlab(packed.form));
  const packer = createPacker(packed.form, slab);
  const pack = packed.createPacking();
  let at = 0;
  for (const _ of lines) {
    const next = scanRow(reader, span, at);
    if (!hasRoom(packer, next - at)) break;
    if (reader.found !== 'keys' || !pack(packer, span, reader.slots)) packRaw(packer, span, at, next);
    at = next;
  }
  const unpacker = packed.createUnpacker();
  openRows(unpacker, slab, packer.rows);
  lines.slice(0, packer.rows).forEach((line, row) => {
    const raw = rawRowOf(unpacker, row);
    const shown = line.toString('latin1').slice(0, 600);
    if (raw !== null) expect(Buffer.from(raw), shown).toEqual(line);
    else expect({ ok: true, value: packed.unpack(unpacker, row) }, shown).toEqual(decodeStrictly(plan, line));
  });
}

/** What was skimmed as a plain number must be what the whole row says. */
function expectKeys<Row>(plan: RowPlan<Row>, slots: ReturnType<typeof createSlots>, row: Row): void {
  for (const key of plan.keys) {
    const field = plan.fields.indexOf(key);
    const value = (row as Raw)[key];
    const isPlain = slots.kinds[field] === INTEGER || slots.kinds[field] === INSTANT;
    if (isPlain) expect(slots.numbers[field]).toBe(value);
  }
}
