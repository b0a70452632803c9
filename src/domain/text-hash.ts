// The hash of a text, for lists that cannot hold the texts themselves. Not for secrets; that two texts share one is a
// suspicion, never a finding.

const SEED_A = 0x811c9dc5;
const SEED_B = 0x9e3779b9;

/** A safe integer ≥ 0 from two independent multiplicative hashes, over four characters at a time where all are ASCII. */
export function hashText(text: string): number {
  const { length } = text;
  const even = length & ~3;
  let a = SEED_A;
  let b = SEED_B;
  let bits = 0;
  let at = 0;
  for (; at < even; at += 4) {
    const first = text.charCodeAt(at);
    const second = text.charCodeAt(at + 1);
    const third = text.charCodeAt(at + 2);
    const fourth = text.charCodeAt(at + 3);
    bits |= first | second | third | fourth;
    const word = first | (second << 8) | (third << 16) | (fourth << 24);
    a = mixA(a, word);
    b = mixB(b, word);
  }
  let left = 0;
  for (; at < length; at += 1) {
    const unit = text.charCodeAt(at);
    bits |= unit;
    left |= unit << (8 * (at - even));
  }
  return bits > 0x7f ? hashUnits(text) : finish(mixA(a, left), mixB(b, left), length);
}

/** Over UTF-16 units, one at a time. */
function hashUnits(text: string): number {
  let a = SEED_A;
  let b = SEED_B;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    a = mixA(a, unit);
    b = mixB(b, unit);
  }
  return finish(a, b, text.length);
}

/** Turned, for a product carries what differs upwards only. */
function mixA(a: number, word: number): number {
  const mixed = Math.imul(a ^ word, 0xcc9e2d51);
  return (mixed << 15) | (mixed >>> 17);
}

function mixB(b: number, word: number): number {
  return Math.imul(b ^ word, 0x85ebca6b) ^ (b >>> 15);
}

function finish(a: number, b: number, length: number): number {
  const high = Math.imul(a ^ length, 0x1b873593);
  const low = Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  return ((high ^ (high >>> 15)) >>> 0) * 0x200000 + ((low ^ (low >>> 16)) >>> 11);
}
