// How English writes amounts and lists. Refuses nothing: what it is handed was judged before.

/** A whole amount: `1 234 567`, with a plain space, and a real minus sign. */
export function money(amount: string | number | bigint): string {
  const text = amount.toString();
  const digits = text.replace('-', '').replace(/\B(?=(\d{3})+$)/g, ' ');
  return text.startsWith('-') ? `−${digits}` : digits;
}

export function listed<One>(some: readonly One[], shown: (one: One) => string): string {
  return some.map(shown).join(', ');
}
