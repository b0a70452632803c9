// The double-entry journal "MM" (monnaie électronique) of a month. Each line that moves the balance
// is one entry that balances in itself. The statement's lines carry their entries; the statement
// holds the entries that have no line, and the totals.

import type { Amount } from '../domain/amount.ts';
import type { Finding } from '../domain/finding.ts';
import { declared } from '../kernel/checks/port/kinds.ts';

export interface Account {
  readonly number: string;
  readonly label: string;
}

/** Accounts of the SYSCOHADA révisé, which the merchant's accountant must confirm. */
const DEFAULT_ACCOUNTS = {
  wallet: { number: '552', label: 'Monnaie électronique, téléphone portable' },
  fees: { number: '6317', label: 'Frais sur instruments de monnaie électronique' },
  feeTax: { number: '4454', label: 'TVA récupérable sur services' },
  customers: { number: '411', label: 'Clients' },
  suppliers: { number: '401', label: 'Fournisseurs' },
  suspenseDebit: { number: '4711', label: 'Débiteurs divers, en attente de régularisation' },
  suspenseCredit: { number: '4712', label: 'Créditeurs divers, en attente de régularisation' },
  transit: { number: '518', label: 'Autres valeurs à l’encaissement' },
  openingResult: { number: '130', label: 'Résultat en instance d’affectation' },
  // Not 4718, because that is the account of contributions and mergers.
  linkReceivable: { number: '5188', label: 'Autres valeurs à encaisser, paiements par lien' },
  transfers: { number: '585', label: 'Virements de fonds' },
  exchangeLoss: { number: '676', label: 'Pertes de change' },
  exchangeGain: { number: '776', label: 'Gains de change' },
} as const satisfies Readonly<Record<string, Account>>;

/** What an account is for; its number and name are configuration. */
export type AccountRole = keyof typeof DEFAULT_ACCOUNTS;
export const ACCOUNT_ROLES = Object.keys(DEFAULT_ACCOUNTS) as readonly AccountRole[];

/** Returns whether an amount on the role's account is open until another row clears it. */
export function isOpenItem(role: AccountRole): boolean {
  return role === 'customers' || role === 'suppliers' || isSuspense(role);
}

export function isSuspense(role: AccountRole): role is SuspenseRoot['role'] {
  return role === 'suspenseDebit' || role === 'suspenseCredit';
}

/**
 * Returns whether a month knows the balance of the role's account. In other books such a balance is
 * worth what the rate of the day makes of it.
 */
export function isHeld(role: AccountRole): boolean {
  return role === 'wallet' || role === 'linkReceivable';
}

/**
 * Returns whether the account is closed with its year: charges and products, in SYSCOHADA classes
 * 6, 7 and 8.
 */
export function isClosed(account: string): boolean {
  return /^[678]/.test(account);
}

export type HeldAccount = Pick<AccountTotals, 'role' | 'account' | 'label' | 'balance'>;

export interface JournalSettings {
  readonly code: string;
  readonly label: string;
  /** True where the company has other merchants, with journals of their own. */
  readonly isShared?: true;
  /** The journal of payments by link and their payouts, whose money is not in the wallet. */
  readonly links: { readonly code: string; readonly label: string };
  readonly accounts: Readonly<Record<AccountRole, Account>>;
  /**
   * Rules that give a part of what a role holds other accounts. The first rule that fits a posting
   * decides.
   */
  readonly rules: readonly PostingRule[];
  /**
   * Auxiliary accounts of customers and suppliers where no rule says otherwise: one for each
   * operator, or none.
   */
  readonly auxiliaries: 'operator' | 'none';
  /** Taxes that commissions contain: of those that apply, the one whose `from` is the latest. */
  readonly taxes: readonly FeeTax[];
  /**
   * Invoices for the commissions of a month, by `YYYY-MM`. The commissions withheld in the month
   * clear its invoice on the account that the service has as a supplier.
   */
  readonly commissionInvoices?: Readonly<Record<string, CommissionInvoice>>;
  /**
   * `line`: one entry for each line. `day`: collections and payouts together, by day and operator.
   */
  readonly entries: 'line' | 'day';
  /** Absent when the books are in the wallet's currency. */
  readonly books?: Books | undefined;
  /**
   * How plain-text journals begin. `posted`: each month begins with an entry of the balance.
   * `asserted`: only the first month of the books does.
   */
  readonly opening: 'asserted' | 'posted';
}

export interface Books {
  /** ISO 4217 code. */
  readonly currency: string;
  /** Decimals of the currency. Amounts in books are whole numbers of its smallest unit. */
  readonly decimals: number;
  /**
   * `units` of the currency `of` are `worth` in the books' currency from a day on (`YYYY-MM-DD`):
   * 655.957 XOF are 1 EUR. The latest rate that has begun is in force.
   */
  readonly rates: readonly Readonly<{ of: string; from: string; units: number; worth: number }>[];
}

/**
 * Formats an amount in books: `14.94`. This is exact because amounts in books are far below 2^52.
 */
export function bookedText(booked: Amount, { decimals }: Pick<Books, 'decimals'>): string {
  return (booked / 10 ** decimals).toFixed(decimals);
}

export interface CommissionInvoice {
  readonly number: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly net: Amount;
  readonly tax: Amount;
}

/**
 * What a rule may ask, to know which account a line is posted to: the line's `kind` and
 * `description`, and the other fields of its operation.
 */
export const FIELDS = [
  'kind',
  'description',
  'operator',
  'country',
  'reference',
  'externalReference',
  'beneficiary',
] as const;
export type PostingField = (typeof FIELDS)[number];

export interface PostingRule {
  /**
   * The role whose account the rule replaces. In suspense it does so only for adjustments that no
   * finding names.
   */
  readonly role: AccountRole;
  /**
   * Every field that is named must fit one of its patterns. `*` matches any text, and capitals do
   * not matter.
   */
  readonly when: Readonly<Partial<Record<PostingField, readonly string[]>>>;
  /** `null` when the rule keeps the role's account. */
  readonly account: Account | null;
  /** The field whose text is the auxiliary account; `null` when the rule gives none. */
  readonly auxiliary: Exclude<PostingField, 'kind' | 'description'> | null;
  /**
   * Account of a sale or an expense, for rules on customers and suppliers only. The entry then
   * posts the invoice against this account as well, so that the role's own account comes to 0.
   */
  readonly counterpart?: Account | undefined;
}

/** Returns the rules that give the wallet sub-accounts. */
export function walletRules({ rules }: Pick<JournalSettings, 'rules'>): JournalSettings['rules'] {
  return rules.filter(({ role, account }) => role === 'wallet' && account !== null);
}

export interface FeeTax {
  /** `TVA`, `TOB`, `TAF`. */
  readonly name: string;
  /** Basis points of the commission without tax. */
  readonly bps: number;
  /** First day on which the tax applies, `YYYY-MM-DD`; `null` when it always applies. */
  readonly from: string | null;
  /** ISO codes of the countries where the tax applies; `null` when it applies in all. */
  readonly countries: readonly string[] | null;
  /** The tax's own account; `null` when it is that of the role `feeTax`. */
  readonly account: Account | null;
  /** `false` when the tax is part of the expense, and only shown beside it. */
  readonly isRecoverable: boolean;
}

export const DEFAULT_JOURNAL: JournalSettings = {
  code: 'MM',
  label: 'Monnaie électronique',
  links: { code: 'PL', label: 'Paiements par lien' },
  accounts: DEFAULT_ACCOUNTS,
  rules: [],
  auxiliaries: 'operator',
  taxes: [],
  entries: 'line',
  opening: 'asserted',
};

/** One entry: Σ debit = Σ credit. */
export interface JournalEntry {
  /**
   * The number of a line's entry has the line's sequence: `MM-2026-10-000812`. Any other entry is
   * numbered by what it is about: `…-000812-E`, `…-S-1f2e3d4c`. An entry never changes its number,
   * whatever is stated beside it.
   */
  readonly number: string;
  /** `YYYY-MM-DD`, in the period's zone. */
  readonly date: string;
  /**
   * The operation's reference, so that a reversal has the same piece as its original; or else
   * `LINE-` and the sequence.
   */
  readonly piece: string;
  /** Date of the invoice that the piece is, `YYYY-MM-DD`; absent when it is the entry's date. */
  readonly pieceDate?: string;
  /**
   * The day whose tax and currency rates the entry takes, `YYYY-MM-DD`, because the entry that it
   * undoes had them. Absent when these are the rates of `date`.
   */
  readonly ratesOf?: string | undefined;
  /**
   * What the entry is made of:
   * - `line`: a line of the ledger
   * - `day`: the lines of a day
   * - `drift`: a line at which the recorded balance does not follow
   * - `suspense`: an amount without a line, known to be missing or charged wrongly
   * - `rounding`: the rounding of a tax
   * - `invoice`: an invoice for commissions
   * - `ahead`: lines that are dated after the period and stand before its end
   * - `rest`: an amount that no finding names
   * - `joining`: takes over what the month before has booked otherwise
   * - `conversion`: what rounding and rates leave on accounts of books in another currency
   * - `reversal`: takes back an entry of the revision before
   * - `opening`, in a year only: the balances that it begins with
   * - `transit`, in a year only: an operation that ended in it and has its line in the next; or the
   * same of the year before, taken back on the first day
   * - `payment`, `paymentFee`: a payment by link, or the payments of a day
   * - `payout`, `payoutFee`: a payout of payments by link
   * - `feeRounding`: a month's commissions of payments by link, less what was booked one by one
   */
  readonly source: EntrySource;
  /** Sequence of the line that the entry is of, or about; `null` when there is none. */
  readonly sequence: number | null;
  readonly operationReference: string | null;
  readonly operator: string | null;
  /** `links` in the journal of payments by link; absent in the wallet's journal. */
  readonly journal?: 'links';
  readonly rows: readonly JournalRow[];
}

export type EntrySource =
  | 'line'
  | 'drift'
  | 'suspense'
  | 'rounding'
  | 'invoice'
  | 'ahead'
  | 'rest'
  | 'joining'
  | 'day'
  | 'conversion'
  | 'reversal'
  | 'opening'
  | 'transit'
  | 'payment'
  | 'paymentFee'
  | 'payout'
  | 'payoutFee'
  | 'feeRounding';

export interface JournalRow {
  readonly role: AccountRole;
  readonly account: string;
  readonly accountLabel: string;
  /** Account of the single customer, supplier …; `null` when the row has none. */
  readonly auxiliary: Account | null;
  /**
   * One of `debit` and `credit` is 0, the other positive. Both are 0 in a row that has an amount in
   * the books' currency alone.
   */
  readonly debit: Amount;
  readonly credit: Amount;
  /**
   * Debit − credit in the smallest unit of the books' currency; absent when the books are in the
   * wallet's currency.
   */
  readonly booked?: Amount;
  /**
   * Present when this row and other rows of its account come to 0 together, in the books' currency
   * too, and all of them lie in the stated period.
   */
  readonly letter?: Letter;
}

export interface Letter {
  /** The same on all rows that clear each other, and on no other row of the account. */
  readonly code: string;
  /** Date of the last row that has the letter, `YYYY-MM-DD`. */
  readonly date: string;
}

export interface JournalSection extends Pick<JournalSettings, 'code' | 'label' | 'entries'> {
  /** `posted` where the books begin in this month, or where each month is to begin by itself. */
  readonly opening: JournalSettings['opening'];
  /** The journal of payments by link; absent where it has no entry. */
  readonly links?: JournalSettings['links'];
  /**
   * The books' currency, with the rates up to the period's end. Absent when that is the wallet's
   * currency. Amounts of this section are in the wallet's currency unless they are named `booked`.
   */
  readonly books?: Books;
  /**
   * In the smallest unit of the books' currency: how many entries have an amount in it, and their
   * sums by account. The entry of a year's opening balances is not included.
   */
  readonly booked?:
    | { readonly entryCount: number; readonly accounts: readonly BookedTotals[] }
    | undefined;
  readonly entryCount: number;
  /** First number among the entries of lines, or of days; `null` when there is none. */
  readonly firstNumber: string | null;
  /** Last number among the entries of lines, or of days; `null` when there is none. */
  readonly lastNumber: string | null;
  /**
   * The lines that move the balance: how many there are, and what they did to the wallet's account.
   */
  readonly lines: { readonly count: number; readonly debit: Amount; readonly credit: Amount };
  /**
   * Entries that are not of one line, by date. At most 500 drifts have entries of their own; the
   * drifts beyond these are in one entry.
   */
  readonly others: readonly JournalEntry[];
  /** Accounts with a movement, by number. The wallet's account is always among them. */
  readonly accounts: readonly AccountTotals[];
  readonly debit: Amount;
  readonly credit: Amount;
  /**
   * The wallet's account, sub-accounts included: opening and closing are the balances that the
   * service confirms.
   */
  readonly wallet: {
    readonly account: string;
    readonly opening: Amount;
    readonly debit: Amount;
    readonly credit: Amount;
    /** opening + debit − credit = `reconciliation.balance.recorded`. */
    readonly closing: Amount;
    /** An account of money must not be in credit: true when closing < 0. */
    readonly isInCredit: boolean;
    /** Days on which it stood below 0 after some line, ascending. */
    readonly daysInCredit: readonly string[];
  };
  /**
   * The balances that a year begins with, as one entry of a journal of its own. Absent in a month,
   * and where all balances are 0.
   */
  readonly carried?: {
    readonly code: string;
    readonly label: string;
    readonly entry: JournalEntry;
  };
  /**
   * What is open on the accounts of suspense at the end of a year, by piece. Its total is the
   * balance of these accounts. Absent in a month.
   */
  readonly suspense?: SuspenseSection;
  /**
   * Taxes that commissions contain, by operator and tax, rounded once for each month. Empty when no
   * tax is configured.
   */
  readonly taxes: readonly TaxRow[];
  /** `null` where operations were not read; `circumstances.notChecked` then says why. */
  readonly controls: JournalControls | null;
  /**
   * What the books hold at the end for each place that a finding names. The next month goes on from
   * it. Empty in a year.
   */
  readonly named: readonly NamedPlace[];
  /** How this month numbers and names its accounts, so that the next month can compare. */
  readonly terms: JournalTerms;
  /**
   * What the month before had left when this month was stated; absent when nothing was known of it.
   */
  readonly goesOnFrom?: BooksBefore;
}

/**
 * The cause of one or more findings. It is in suspense on one account under one piece, so that it
 * can be cleared there.
 */
export interface SuspenseRoot {
  readonly fingerprint: string;
  readonly piece: string;
  readonly role: Extract<AccountRole, 'suspenseDebit' | 'suspenseCredit'>;
  /** Sequence of the line at fault; `null` when there is none. */
  readonly sequence: number | null;
}

/**
 * A place that a finding names. Exactly one of three is not `null`: `line`; `operation`, for an
 * amount that the operation lacks and no line has; or `drift`, the sequence of a line at which the
 * recorded balance does not follow.
 */
export interface NamedPlace {
  readonly line: number | null;
  readonly operation: string | null;
  readonly drift: number | null;
  readonly root: SuspenseRoot;
  /** The earliest day whose rates one of its entries takes, `YYYY-MM-DD`. */
  readonly ratesOf: string;
  /**
   * Balances (debit − credit, never 0) of all the place's entries up to the end of the month,
   * without the wallet's account.
   */
  readonly rows: readonly NamedBalance[];
}

export interface NamedBalance
  extends Pick<JournalRow, 'role' | 'account' | 'accountLabel' | 'auxiliary'> {
  readonly balance: Amount;
}

/** How a month numbers its accounts, so that the next month can compare. */
export interface JournalTerms {
  readonly code: string;
  /** Currency of the books; `null` when it is the wallet's. */
  readonly currency: string | null;
  readonly accounts: Readonly<Record<AccountRole, string>>;
  /**
   * Numbers of the accounts that rules and taxes give the role besides its own. Absent in
   * statements of a version that did not keep them.
   */
  readonly given?: Readonly<Partial<Record<AccountRole, readonly string[]>>>;
}

/** What a month has left in the books, as it was issued. */
export interface BooksBefore extends Pick<JournalSection, 'named' | 'terms'> {
  /** `YYYY-MM`. */
  readonly period: string;
  readonly accounts: readonly Pick<
    AccountTotals,
    'role' | 'account' | 'label' | 'opening' | 'debit' | 'credit'
  >[];
  /**
   * The rates and decimals that the month was issued at, and its accounts in the books' currency.
   * Absent when the books are in the wallet's currency.
   */
  readonly books?: Pick<Books, 'decimals' | 'rates'> & {
    readonly accounts: readonly BookedTotals[];
  };
}

export interface SuspenseSection {
  readonly accounts: readonly string[];
  /** Oldest first; at most 500. */
  readonly rows: readonly SuspenseRow[];
  readonly count: number;
  readonly total: Pick<SuspenseRow, 'ages' | 'balance'>;
}

export interface SuspenseRow {
  readonly account: string;
  readonly piece: string;
  /** Date of the piece's first entry, `YYYY-MM-DD`. */
  readonly date: string;
  /** Age in days at the year's end. */
  readonly age: number;
  /** Debit − credit. */
  readonly balance: Amount;
  /**
   * The balance in the column of its age, and 0 in the others: up to 30 days, up to 60, up to 90,
   * older.
   */
  readonly ages: readonly Amount[];
}

export interface BookedTotals extends Pick<JournalRow, 'account' | 'debit' | 'credit'> {
  /**
   * What the account held at the start in the books' currency: as the issued months have posted it,
   * or else at the rate of the day before. `null` where the month does not know the account's
   * balance.
   */
  readonly opening: Amount | null;
  /**
   * Debit − credit of the same rows in the wallet's currency. Rows that round to 0 in the books'
   * currency are left out of all sums here.
   */
  readonly foreign: Amount;
}

export interface AccountTotals extends Pick<JournalRow, 'role' | 'account' | 'debit' | 'credit'> {
  readonly label: string;
  /**
   * Opening balance (à nouveau). In a year it is 0 for accounts that are closed with the year.
   * `null` where it is not known: in a month it is known only for the wallet's accounts, each
   * sub-account by itself, and for what the service owes for payments by link.
   */
  readonly opening: Amount | null;
  /** opening + debit − credit. */
  readonly balance: Amount;
}

/** Commissions posted in the month under one tax: whole = net + tax. */
export interface TaxRow {
  readonly operator: string | null;
  readonly name: string;
  readonly bps: number;
  readonly net: Amount;
  readonly tax: Amount;
  readonly whole: Amount;
}

/**
 * Compares what is posted with what operations state, for commissions (`fees`), collections
 * (`customers`) and payouts (`suppliers`): posted = stated + otherMonth − undone + priced + rest.
 * `suspended` compares what is in suspense at the end of the period, for the places that findings
 * name, with the items of the statement.
 */
export type JournalControls = Readonly<
  Record<'fees' | 'customers' | 'suppliers' | 'suspended', JournalControl>
>;

export interface JournalControl {
  /**
   * Σ of the role's rows: debit − credit for fees and suppliers, credit − debit for customers and
   * suspense. Taxes are included.
   */
  readonly posted: Amount;
  /**
   * What the operations that succeeded in the month state. In `suspended`, the sum of the items
   * that are not settled.
   */
  readonly stated: Amount;
  /**
   * Amount of lines whose operation succeeded in another month, less the amount of operations that
   * have their lines in another month. In `suspended`, the amount of lines on their way.
   */
  readonly otherMonth: Amount;
  /**
   * Amount of reversals in the month, and of operations that succeeded in it and were undone with
   * no line for either.
   */
  readonly undone: Amount;
  /** What the price asks for beyond what operations state. */
  readonly priced: Amount;
  /** 0, or the amount that is posted and that no field above explains. */
  readonly rest: Amount;
}

// Tells which findings are about the money lines of their operation, as the kinds of findings
// declare it.

/**
 * Returns whether the finding says that its operation's lines are not those that the operation asks
 * for, even if they move the same money.
 */
export function isOfPostings(finding: Pick<Finding, 'kind'>): boolean {
  const { subject, effect, figure } = declared(finding);
  if (subject !== 'operation' || figure?.endsWith('reserved') === true) return false;
  return effect === 'lack' || effect === 'amount' || effect === 'surplus';
}
