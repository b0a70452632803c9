// The double-entry journal "MM" (monnaie électronique) of a month. Each line that moves the balance
// is one entry that balances in itself; entries come with their lines, and the statement holds
// those that have no line, and the totals.

import type { Amount } from '../domain/amount.ts';
import type { Finding } from '../domain/finding.ts';
import { declared } from '../kernel/checks/port/kinds.ts';

export interface Account {
  readonly number: string;
  readonly label: string;
}

/** SYSCOHADA révisé, to be confirmed by the merchant's accountant. */
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
  // 4718 is that of contributions and mergers.
  linkReceivable: { number: '5188', label: 'Autres valeurs à encaisser, paiements par lien' },
  transfers: { number: '585', label: 'Virements de fonds' },
  exchangeLoss: { number: '676', label: 'Pertes de change' },
  exchangeGain: { number: '776', label: 'Gains de change' },
} as const satisfies Readonly<Record<string, Account>>;

/** What an account is for; its number and name are configuration. */
export type AccountRole = keyof typeof DEFAULT_ACCOUNTS;
export const ACCOUNT_ROLES = Object.keys(DEFAULT_ACCOUNTS) as readonly AccountRole[];

/** What is on such an account is open until another row clears it. */
export function isOpenItem(role: AccountRole): boolean {
  return role === 'customers' || role === 'suppliers' || isSuspense(role);
}

export function isSuspense(role: AccountRole): role is SuspenseRoot['role'] {
  return role === 'suspenseDebit' || role === 'suspenseCredit';
}

/** A month knows its balance, which is worth what the rate of the day makes of it. */
export function isHeld(role: AccountRole): boolean {
  return role === 'wallet' || role === 'linkReceivable';
}

/** Charges and products, in SYSCOHADA classes 6, 7 and 8, are closed with their year. */
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
  /** Accounts for some of what a role holds: the first rule that fits a posting decides. */
  readonly rules: readonly PostingRule[];
  /**
   * Auxiliary accounts of customers and suppliers where no rule says otherwise: one for each
   * operator, or none.
   */
  readonly auxiliaries: 'operator' | 'none';
  /** Taxes that commissions contain: of those that apply, the one whose `from` is the latest. */
  readonly taxes: readonly FeeTax[];
  /**
   * By `YYYY-MM`: the commissions withheld in the month clear the invoice on the service's account
   * of a supplier.
   */
  readonly commissionInvoices?: Readonly<Record<string, CommissionInvoice>>;
  /**
   * `line`: one entry for each line. `day`: collections and payouts together, by day and operator.
   */
  readonly entries: 'line' | 'day';
  /** Absent: in the wallet's currency. */
  readonly books?: Books | undefined;
  /**
   * In plain-text journals. `posted`: each month begins with the balance; `asserted`: only the
   * first of the books does.
   */
  readonly opening: 'asserted' | 'posted';
}

export interface Books {
  /** ISO 4217, with its decimals: amounts in books are whole numbers of the smallest unit. */
  readonly currency: string;
  readonly decimals: number;
  /**
   * `units` of the currency `of` are `worth` in that of the books, from a day on (`YYYY-MM-DD`):
   * the latest is in force.
   */
  readonly rates: readonly Readonly<{ of: string; from: string; units: number; worth: number }>[];
}

/** `14.94`: amounts in books are far below 2^52. */
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
 * What a rule may ask of a line (`kind`, `description`) and of its operation, to know which account
 * it is posted to.
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
  /** Whose account it replaces; of suspense, only for adjustments that no finding names. */
  readonly role: AccountRole;
  /** All that are named must fit: `*` is any text, capitals do not matter. */
  readonly when: Readonly<Partial<Record<PostingField, readonly string[]>>>;
  /** Null: that of the role. */
  readonly account: Account | null;
  /** The field whose text is the auxiliary account; null: none. */
  readonly auxiliary: Exclude<PostingField, 'kind' | 'description'> | null;
  /**
   * Of customers and suppliers: what is collected or paid out is a sale or an expense, and its
   * entry has the invoice as well, against this account. The account of the role comes to 0.
   */
  readonly counterpart?: Account | undefined;
}

/** The rules that give the wallet accounts of its own. */
export function walletRules({ rules }: Pick<JournalSettings, 'rules'>): JournalSettings['rules'] {
  return rules.filter(({ role, account }) => role === 'wallet' && account !== null);
}

export interface FeeTax {
  /** `TVA`, `TOB`, `TAF`. */
  readonly name: string;
  /** Basis points of the commission without tax. */
  readonly bps: number;
  /** First day, `YYYY-MM-DD`; null: always. */
  readonly from: string | null;
  /** ISO codes; null: everywhere. */
  readonly countries: readonly string[] | null;
  /** Its own account; null: that of the role `feeTax`. */
  readonly account: Account | null;
  /** False: it is part of the expense, and only shown beside it. */
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
   * `MM-2026-10-000812`: of a line, by its sequence. Of another, by what it is about: `…-000812-E`,
   * `…-S-1f2e3d4c`. An entry never changes its number, whatever is stated beside it.
   */
  readonly number: string;
  /** `YYYY-MM-DD`, in the period's zone. */
  readonly date: string;
  /**
   * The operation's reference, so that a reversal has its original's piece; else `LINE-` and the
   * sequence.
   */
  readonly piece: string;
  /** Of an invoice, its own; absent: that of the entry. */
  readonly pieceDate?: string;
  /**
   * The day whose rates it takes, of taxes and of currencies, where those are not the rates of
   * `date`: what it undoes had them.
   */
  readonly ratesOf?: string | undefined;
  /**
   * `line`: a line of the ledger · `drift`: the balance recorded at a line does not follow ·
   * `suspense`: what is known to be missing, or charged wrongly, and has no line · `rounding`: of a
   * tax · `invoice`: for commissions · `rest`: what no finding names · `joining`: takes over what
   * the month before has booked otherwise · `day`: lines of a day · `conversion`: in books of
   * another currency, what rounding and rates leave on accounts · `reversal`: takes back an entry
   * of the revision before. Of a year alone: `opening`, the balances that it begins with;
   * `transit`, what ended in it and has its line in the next, and the same taken back on the first
   * day of that. Of payments by link: `payment`, `paymentFee`, each of one or of those of a day;
   * `payout`, `payoutFee`; `feeRounding`, what a month's commissions are in sum beyond what was
   * booked one by one.
   */
  readonly source: EntrySource;
  /** The line that it is of, or about. */
  readonly sequence: number | null;
  readonly operationReference: string | null;
  readonly operator: string | null;
  /** Of the journal of payments by link; absent: of the wallet's. */
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
  /** Of a customer, a supplier …; null: none. */
  readonly auxiliary: Account | null;
  /** One of the two is 0, the other positive. */
  readonly debit: Amount;
  readonly credit: Amount;
  /**
   * Debit − credit in the smallest unit of the books' currency; absent: they are in the wallet's.
   */
  readonly booked?: Amount;
  /**
   * With other rows of its account it comes to 0, all of them in the stated period, and in the
   * books' currency too.
   */
  readonly letter?: Letter;
}

export interface Letter {
  /** The same on all that clear each other, and on no others of the account. */
  readonly code: string;
  /** Of the last of them, `YYYY-MM-DD`. */
  readonly date: string;
}

export interface JournalSection extends Pick<JournalSettings, 'code' | 'label' | 'entries'> {
  /** `posted`: the books begin in this month, or each month is to begin by itself. */
  readonly opening: JournalSettings['opening'];
  /** Absent where it has no entry. */
  readonly links?: JournalSettings['links'];
  /** With the rates up to its end; absent: in the wallet's currency, as all amounts here are. */
  readonly books?: Books;
  /**
   * In the smallest unit of that currency: entries that have an amount in it, and their sums by
   * account; without the entry of a year's opening balances.
   */
  readonly booked?:
    | { readonly entryCount: number; readonly accounts: readonly BookedTotals[] }
    | undefined;
  readonly entryCount: number;
  /** Of entries of lines, each or those of a day; null when there is none. */
  readonly firstNumber: string | null;
  readonly lastNumber: string | null;
  /**
   * Of lines that move the balance, alone: their number, and what they did to the wallet's account.
   */
  readonly lines: { readonly count: number; readonly debit: Amount; readonly credit: Amount };
  /**
   * Entries that are not of one line, by date. At most 500 drifts; what is beyond is in one entry.
   */
  readonly others: readonly JournalEntry[];
  /** Accounts with a movement, and always the wallet's, by number. */
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
   * Of a year: the balances that it begins with, as one entry of a journal of its own. Absent in a
   * month, and where all are 0.
   */
  readonly carried?: {
    readonly code: string;
    readonly label: string;
    readonly entry: JournalEntry;
  };
  /**
   * Of a year: what is open on the accounts of suspense at its end, by piece. Its total is their
   * balance.
   */
  readonly suspense?: SuspenseSection;
  /**
   * What commissions contain, by operator and tax: rounded once for each. Empty when no tax is
   * configured.
   */
  readonly taxes: readonly TaxRow[];
  /** Null where operations were not read: `circumstances.notChecked` says why. */
  readonly controls: JournalControls | null;
  /**
   * What the books hold at the end of each place that a finding names; the next month goes on from
   * it. Empty in a year.
   */
  readonly named: readonly NamedPlace[];
  /** How this month numbers and names its accounts, for the next to compare. */
  readonly terms: JournalTerms;
  /** What the month before had left when this one was stated; absent: nothing was known of it. */
  readonly goesOnFrom?: BooksBefore;
}

/** One root is in suspense on one account, under one piece: so it can be cleared there. */
export interface SuspenseRoot {
  readonly fingerprint: string;
  readonly piece: string;
  readonly role: Extract<AccountRole, 'suspenseDebit' | 'suspenseCredit'>;
  /** The line at fault; null: none. */
  readonly sequence: number | null;
}

/**
 * A line; what an operation lacks, without a line; or a line at which the recorded balance does not
 * follow: one of the three is not null.
 */
export interface NamedPlace {
  readonly line: number | null;
  readonly operation: string | null;
  readonly drift: number | null;
  readonly root: SuspenseRoot;
  /** At whose rates its first entry is, `YYYY-MM-DD`. */
  readonly ratesOf: string;
  /**
   * Of all its entries up to the end of the month, without the wallet's account: debit − credit,
   * not 0.
   */
  readonly rows: readonly NamedBalance[];
}

export interface NamedBalance
  extends Pick<JournalRow, 'role' | 'account' | 'accountLabel' | 'auxiliary'> {
  readonly balance: Amount;
}

/**
 * The journal's code, the currency of its books (null: the wallet's), and the number of each role's
 * account.
 */
export interface JournalTerms {
  readonly code: string;
  readonly currency: string | null;
  readonly accounts: Readonly<Record<AccountRole, string>>;
  /** Accounts that rules and taxes give some of a role; absent: of a version that kept none. */
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
   * The rates and decimals that the month was issued at, and its accounts in the books' currency;
   * absent where that is the wallet's.
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
  /** Of the first entry, `YYYY-MM-DD`, and its age in days at the year's end. */
  readonly date: string;
  readonly age: number;
  /** Debit − credit; the same by age: up to 30 days, to 60, to 90, and older. */
  readonly balance: Amount;
  readonly ages: readonly Amount[];
}

export interface BookedTotals extends Pick<JournalRow, 'account' | 'debit' | 'credit'> {
  /**
   * What the account held at the start in the books' currency: as the issued months have posted it,
   * else at the rate of the day before. Null where the month does not know the account's balance.
   */
  readonly opening: Amount | null;
  /**
   * Debit − credit of the same rows in the wallet's currency: rows that are worth less than half of
   * that unit are in neither.
   */
  readonly foreign: Amount;
}

export interface AccountTotals extends Pick<JournalRow, 'role' | 'account' | 'debit' | 'credit'> {
  readonly label: string;
  /**
   * À nouveau, of a year 0 for what is closed with it. Null where it is not known here: in a month,
   * all but what the service owes of payments by link, and the wallet's, of which each sub-account
   * has its own.
   */
  readonly opening: Amount | null;
  /** opening + debit − credit. */
  readonly balance: Amount;
}

/** Commissions posted in the month: whole = net + tax. */
export interface TaxRow {
  readonly operator: string | null;
  readonly name: string;
  readonly bps: number;
  readonly net: Amount;
  readonly tax: Amount;
  readonly whole: Amount;
}

/**
 * What is posted against what operations state, counted each for itself. posted = stated +
 * otherMonth − undone + priced. The same three of each: commissions (fees), collections
 * (customers), payouts (suppliers). And what is in suspense at the end of the period for the places
 * that findings name, against the items of the statement.
 */
export type JournalControls = Readonly<
  Record<'fees' | 'customers' | 'suppliers' | 'suspended', JournalControl>
>;

export interface JournalControl {
  /**
   * Σ of the role's rows: debit − credit for fees and suppliers, credit − debit for customers and
   * suspense; taxes included.
   */
  readonly posted: Amount;
  /**
   * Of the operations that succeeded in the month; of suspense, of the items that are not settled.
   */
  readonly stated: Amount;
  /**
   * Of lines whose operation succeeded in another month, less what has its lines in another; of
   * suspense, of lines on their way.
   */
  readonly otherMonth: Amount;
  /**
   * Of reversals in the month; of operations that succeeded in it also what has a line neither way.
   */
  readonly undone: Amount;
  /** Beyond what operations state, because the price asks for it. */
  readonly priced: Amount;
  /** 0, or something is posted that nothing above explains. */
  readonly rest: Amount;
}

// Which findings are about the money lines of their operation, as their kinds declare it.

/**
 * Lines of its operation are not those that it asks for, also where they move just the money that
 * those would.
 */
export function isOfPostings(finding: Pick<Finding, 'kind'>): boolean {
  const { subject, effect, figure } = declared(finding);
  if (subject !== 'operation' || figure?.endsWith('reserved') === true) return false;
  return effect === 'lack' || effect === 'amount' || effect === 'surplus';
}
