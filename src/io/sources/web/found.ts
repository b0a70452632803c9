// What a reader of an answer's body says: the part that was wanted, or why it cannot be had from these bytes.

/** `cut`: the text ended or broke off, asking again may help. `unknown`: it is whole, but not what is known. */
export type Unreadable = { readonly ok: false; readonly fault: 'cut' | 'unknown'; readonly reason: string };
export type Found<Value> = { readonly ok: true; readonly value: Value } | Unreadable;

export function cut(reason: string): Unreadable {
  return { ok: false, fault: 'cut', reason };
}

export function unknown(reason: string): Unreadable {
  return { ok: false, fault: 'unknown', reason };
}
