// What a decoder answers: the value in the domain's words, or one clause that says why the row cannot be read exactly.

import type { Refused } from '../domain/refusal.ts';

export type Decoded<T> = { readonly ok: true; readonly value: T } | ({ readonly ok: false } & Refused);
