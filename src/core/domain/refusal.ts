// Why a row or a file cannot be read: one clause in English, and what it is made of by name, from
// which `words` says it in other languages. A clause never quotes more than a little of what stood
// there.

interface RefusalFigures {
  /** `found`: `list`, `object`, or the value as JSON, cut. */
  readonly ROW_OTHER: { readonly found: string };
  readonly FIELD_MISSING: { readonly field: string };
  readonly FIELD_OTHER: {
    readonly field: string;
    readonly found: string;
    readonly wanted: string;
    /** What `wanted` goes on with: the words allowed, or a month; null: nothing. */
    readonly of: string | null;
  };
  readonly FIELD_TOO_LONG: {
    readonly field: string;
    readonly length: number;
    readonly longest: number;
  };
  readonly FIELD_NOT_UTF8: { readonly field: string };
  readonly FIELD_BEYOND_BOUNDS: {
    readonly field: string;
    readonly bound: 'values' | 'depth' | 'key' | 'text' | 'nul' | 'number';
    readonly found: number;
    /** Null: there is no number that is too much. */
    readonly most: number | null;
  };
  readonly OTHER_MERCHANT: { readonly found: string; readonly due: string };
  readonly NOT_UTF8: Record<never, never>;
  readonly LONE_SURROGATE: { readonly isEscaped: boolean };
  /** `found`: the character at `offset`; null: the text ends there. */
  readonly NOT_JSON: {
    readonly found: string | null;
    readonly offset: number;
    readonly wanted: string;
  };
  readonly NESTED_TOO_DEEP: { readonly most: number };
  readonly KEY_TWICE: { readonly key: string };
  readonly NOT_ONE_VALUE: Record<never, never>;
  readonly NOT_A_LIST: Record<never, never>;
  readonly LIST_BROKEN: Record<never, never>;
  readonly TOO_LARGE: { readonly of: 'line' | 'file' };
  readonly NOT_A_FILE: { readonly file: string };
  readonly NOT_OPENED: { readonly file: string; readonly cause: string };
  readonly CONTAINER_OTHER: {
    readonly file: string;
    readonly found: 'UTF16' | 'GZIP' | 'ARRAY' | 'SPREAD';
  };
  readonly NOT_UNPACKED: { readonly cause: string };
  readonly OTHER_COPY_READ: { readonly file: string };
  readonly VERSIONS_CONTRADICT: { readonly reference: string; readonly at: string };
  readonly CONTENTS_EXCLUDE: { readonly reference: string; readonly times: number };
  readonly NONE_THERE: { readonly answered: string };
}

export type RefusalCode = keyof RefusalFigures;

export type Refusal = {
  readonly [Code in RefusalCode]: { readonly code: Code } & RefusalFigures[Code];
}[RefusalCode];

export interface Refused {
  /** Names the field and the value: `amount is 12.5, not a whole number`. */
  readonly reason: string;
  readonly refusal: Refusal;
}
