// Why a row or a file cannot be read: one clause in English, and the values it is made of, from
// which `words` says it in other languages. A clause quotes only a little of what was read.

interface RefusalFigures {
  /** `found` is `list`, `object`, or the value as JSON, cut off. */
  readonly ROW_OTHER: { readonly found: string };
  readonly FIELD_MISSING: { readonly field: string };
  readonly FIELD_OTHER: {
    readonly field: string;
    readonly found: string;
    readonly wanted: string;
    /** What follows `wanted`: the allowed words, or a month; `null` when nothing follows. */
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
    /** The largest number allowed; `null` when the bound is not a number. */
    readonly most: number | null;
  };
  readonly OTHER_MERCHANT: { readonly found: string; readonly due: string };
  readonly NOT_UTF8: Record<never, never>;
  readonly LONE_SURROGATE: { readonly isEscaped: boolean };
  /** `found` is the character at `offset`; `null` when the text ends there. */
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
