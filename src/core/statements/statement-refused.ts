// Why there is no statement: the month cannot be stated, and the sentence says what is in the way.

export type RefusalCode = 'PERIOD_NOT_ENDED' | 'BOOKS_MOVE' | 'NOTHING_READ' | 'BEFORE_ACCOUNT' | 'AMOUNTS_TOO_LARGE';

export class StatementRefused extends Error {
  override readonly name = 'StatementRefused';
  readonly code: RefusalCode;
  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}
