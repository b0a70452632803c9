// What a decoder answers: the value in the domain's words, or one clause that says why the row cannot be read exactly.

export type Decoded<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      /** Names the field and the value: `amount is 12.5, not a whole number`. */
      readonly reason: string;
    };
