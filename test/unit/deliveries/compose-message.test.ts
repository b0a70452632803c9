// What mails say: the month's figures, which add up, findings, nights; in both languages. Text from
// outside does no harm.

import { expect, test } from 'vitest';
import type { DeliveryContent } from '../../../src/core/domain/delivery/delivery.ts';
import type {
  MonthColumn,
  MonthFigures,
  OpenNow,
  Parcel,
  ReportParcel,
} from '../../../src/core/domain/delivery/delivery-channel.ts';
import { composeMessage } from '../../../src/io/deliveries/compose-message.ts';
import {
  DEFAULT_TEMPLATE_FOLDER,
  loadMailTemplates,
} from '../../../src/service/templates/load-template.ts';
import { englishIn } from '../../support/english-words.ts';

const templates = loadMailTemplates(DEFAULT_TEMPLATE_FOLDER);
const FIGURES: MonthFigures = {
  currency: 'XOF',
  openingBalance: 1_000_000,
  collected: 2_345_678,
  disbursed: 300_000,
  fees: 45_678,
  reversals: -5_000,
  adjustments: 0,
  otherMovements: 0,
  closingBalance: 2_995_000,
  closingReserved: 20_000,
  availableAtClose: 2_975_000,
  recorded: { balance: 2_995_000, reserved: 20_000, available: 2_975_000 },
  due: { balance: 2_995_000, reserved: 20_000, available: 2_975_000 },
  verdict: { state: 'clean', missing: [] },
};
const COLUMN: MonthColumn = {
  opening: 1_000_000,
  collected: 2_345_678,
  disbursed: 300_000,
  fees: 45_678,
  reversals: -5_000,
  adjustments: 0,
  otherMovements: 0,
  ahead: 0,
  gap: 0,
  recorded: 2_995_000,
  due: 2_995_000,
};
const FILE = {
  fileName: 'RELEVE_M1_2026-10_r1.pdf',
  mediaType: 'application/pdf',
  size: 1,
  sha256: '',
  revision: 1,
  format: 'pdf',
};
const REPORT: ReportParcel = {
  merchantName: 'Boutique Awa',
  revision: 1,
  figures: FIGURES,
  column: COLUMN,
  doubted: null,
  reasons: {
    fr: ['Aucun constat confirmé dans le mois.'],
    en: ['No confirmed finding in the month.'],
  },
  toDo: { fr: [], en: [] },
  files: [{ ...FILE, read: () => Promise.reject(new Error('not read here')) as never }],
  portions: [],
  verifierKey: null,
  chain: null,
};

function composed(
  content: DeliveryContent,
  language: 'fr' | 'en',
  report: ReportParcel | null = null,
  more: Partial<Parcel> = {},
) {
  const parcel: Parcel = {
    id: 'delivery-1',
    target: 'a@b.example',
    createdAt: 0,
    sentAt: 0,
    content,
    report,
    ...more,
  };
  return composeMessage(parcel, { template: templates[language], language });
}

const statement = {
  topic: 'statement',
  merchant: 'M1',
  period: '2026-10',
  reportId: 'r',
  language: 'fr',
} as const;

test('a statement gives what is due and the column of its first page, with narrow spaces', () => {
  const { subject, text } = composed(statement, 'fr', REPORT);
  expect(subject).toBe('Relevé mensuel — octobre 2026, livres conformes — Boutique Awa (M1)');
  expect(text).toContain(
    [
      'Solde à l’ouverture, comptabilisé par le service : 1 000 000',
      'Encaissé (brut) : 2 345 678',
      'Commissions : −45 678',
      'Décaissé : −300 000',
      'Contre-passations : −5 000',
      'Solde comptabilisé par le service, et dû : 2 995 000\n',
    ]
      .join('\n')
      .replace(/(?<=\d) (?=\d)/g, '\u202f'),
  );
  expect(text).toContain(
    'Solde dû au 31 octobre 2026 : 2 995 000 XOF\nLivres conformes : le solde comptabilisé par le service, 2 995 000 XOF, est le solde dû.'.replace(
      /(?<=\d) (?=\d)/g,
      '\u202f',
    ),
  );
  expect(text).toContain(
    'dont réservé pour des décaissements en cours : 20 000 ; disponible : 2 975 000'.replace(
      /(?<=\d) (?=\d)/g,
      '\u202f',
    ),
  );
  expect(text).toContain('Aucun constat confirmé dans le mois.');
  expect(text).toContain('Pièces jointes : RELEVE_M1_2026-10_r1.pdf.');
  expect(text).not.toContain('À faire');
});

test('a broken month says what the merchant has to do, and what proves it comes after all else', () => {
  const report: ReportParcel = {
    ...REPORT,
    toDo: {
      fr: ['Écrire au service : la lettre est à la page 2 du PDF.', '1. Écriture à demander : …'],
      en: ['Write to the service.'],
    },
    files: [...REPORT.files, { ...REPORT.files[0]!, fileName: 'RELEVE_M1_2026-10_r1.tlog-proof' }],
    verifierKey: 'pointage/k+1+A',
    chain: { lines: 12, head: 'a'.repeat(64) },
  };
  const { text, html } = composed(statement, 'fr', report);
  expect(text).toContain(
    '\n\nÀ faire par le marchand\nÉcrire au service : la lettre est à la page 2 du PDF.\n\n1. Écriture à demander : …\n\nPièces jointes : ',
  );
  const [body, foot] = text.split('-- \n');
  for (const word of ['verify.py', 'pointage/k+1+A', 'haîne']) {
    expect(body).not.toContain(word);
    expect(foot).toContain(word);
  }
  expect(html).toContain('<b>À faire par le marchand</b>');
  // A gateway that does not know an ending holds the mail back.
  expect(text).not.toMatch(/tlog-proof(?!\.txt)/);
});

test('the same in English; a revision says so; a difference and findings are named', () => {
  const figures: MonthFigures = {
    ...FIGURES,
    due: { balance: 2_994_953, reserved: 20_000, available: 2_974_953 },
    verdict: { state: 'broken', missing: [] },
  };
  const reasons = {
    fr: [],
    en: ['+47: The figures\ndiffer.', 'Findings of the month: 1 critical, 2 warnings.'],
  };
  const { subject, text } = composed(statement, 'en', {
    ...REPORT,
    ...{ merchantName: null, revision: 2, figures, reasons, column: { ...COLUMN, due: 2_994_953 } },
  });
  expect(subject).toBe('Monthly statement — October 2026, revision 2, books broken — M1');
  expect(text).toContain('replaces the one before');
  const sentence =
    'The merchant owes the service 47 XOF: recorded balance 2,995,000, balance due 2,994,953.';
  expect(text).toContain(
    `Balance due on 31 October 2026: 2,994,953 XOF\nBooks do not agree.\n\n${sentence}`,
  );
  expect(text).toContain(
    '\n\n+47: The figures differ.\n\nFindings of the month: 1 critical, 2 warnings.\n\n',
  );
  expect(text).toContain(
    'Balance recorded by the service: 2,995,000\nItems in suspense: −47\nBalance due: 2,994,953\n\n',
  );
  expect(text).not.toContain('Books agree');
});

test('the chain of the lines goes into the mail of a statement, the head of the log into that of a night', () => {
  const chain = {
    lines: 843,
    head: '1fb636a38fef6b8cad26fb8f1fc738b1b8a45c1b6f4c664144a65001f5e76fb4',
  };
  expect(composed(statement, 'fr', { ...REPORT, chain }).text).toContain(
    'à l’émission : 843:1fb636a38fef. Ce message, gardé',
  );
  expect(composed(statement, 'fr', REPORT).text).not.toContain('Chaîne');
});

test('a proof among the files comes with one sentence that says what to do with it, and the key', () => {
  const proof = { ...REPORT.files[0]!, fileName: 'RELEVE_M1_2026-10_r1.tlog-proof' };
  const files = [...REPORT.files, proof];
  const verifierKey = 'books.example/log+5d3edca1+AepK';
  const { text } = composed(statement, 'fr', { ...REPORT, files, verifierKey });
  expect(text).toContain(
    'RELEVE_M1_2026-10_r1.tlog-proof.txt, à conserver avec ces fichiers, prouve',
  );
  expect(text).toContain(`la clé ${verifierKey} `);
  const english = composed({ ...statement, language: 'en' }, 'en', {
    ...REPORT,
    files,
    verifierKey,
  });
  expect(english.text).toContain(`and the key ${verifierKey} `);
  expect(composed(statement, 'fr', REPORT).text).not.toContain('prouve');
});

test('HTML says what the text says', () => {
  const { text, html } = composed(statement, 'fr', REPORT);
  const plain = html.replace(/<\/td><td[^>]*>/g, ' : ').replace(/<[^>]+>/g, '');
  for (const line of text.split('\n').filter((one) => one !== '' && one !== '-- '))
    expect(plain).toContain(line);
});

test('no text from outside breaks a line of the subject, or is markup', () => {
  const evil = 'Awa\r\nBcc: all@example.com\r\n\r\n<script>alert(1)</script>{period}';
  const { subject, html } = composed({ ...statement, merchant: evil }, 'fr', {
    ...REPORT,
    merchantName: evil,
  });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  expect(subject).not.toMatch(/[\u0000-\u001f\u2028\u2029]/);
  expect(html).not.toContain('<script');
  expect(html).toContain('&lt;script&gt;');
});

test('a name that is written from right to left moves nothing beside it in HTML', () => {
  const { html, subject } = composed(statement, 'fr', {
    ...REPORT,
    merchantName: '\u202eمحل الأمير',
  });
  expect(html).toMatch(/<bdi>[^<]*محل الأمير[^<]*<\/bdi>/);
  expect(subject + html).not.toContain('\u202e');
});

test('findings are listed worst first as they come, with the number of others', () => {
  const found = {
    fingerprint: 'f00d',
    kind: 'BALANCE_DRIFT',
    severity: 'critical',
    message: 'The balance\nmoved.',
    figures: {
      sequence: '7',
      kind: 'CASHIN_CREDIT',
      amount: '1000',
      expected: '1000',
      actual: '1047',
      difference: '47',
      undoneBy: [],
    },
  } as const;
  const content = {
    topic: 'findings',
    merchant: 'M1',
    runId: 7,
    verdict: 'broken',
    findings: [found],
    more: 1_234,
  } as const;
  const { subject, text } = composed(content, 'fr');
  expect(subject).toBe('Constats confirmés : 1\u202f235 — M1');
  expect(text).toContain(
    'critique · Écart de solde · BALANCE_DRIFT · f00d\nAprès la ligne n° 7 (Encaissement, 1\u202f000), le solde doit être de 1\u202f000, ' +
      'mais 1\u202f047 est comptabilisé : écart de 47.',
  );
  expect(text).toContain('… et 1\u202f234 autres.');
  expect(text).toContain('\n\nLe détail : pointage findings show f00d\n\n');
  expect(englishIn(text)).toEqual([]);
  const { figures: _, ...inEnglish } = found;
  const queuedEarlier = { ...content, findings: [inEnglish] };
  expect(composed(queuedEarlier, 'fr').text).toContain('f00d\nThe balance moved.');
  expect(composed(content, 'en').text).toContain(
    'Run 7 confirmed findings, new or back, in the books of M1. Verdict: broken.',
  );
});

test.each([
  ['NOT_BEGUN', 'the planned run has not begun'],
  ['NOT_ENDED', 'the run has not ended'],
  ['NOT_COVERED', 'the run does not cover every merchant'],
] as const)('a night that is %s says what is missing', (kind, says) => {
  const missing = [{ merchant: 'M2', reason: 'TIMEOUT: no answer' }];
  const problem = {
    kind,
    night: Date.UTC(2026, 10, 15, 2),
    runId: 7,
    expected: 10,
    done: 7,
    missing,
  };
  const { subject, text } = composed({ topic: 'run', problem }, 'en');
  expect(subject).toBe(`Nightly check — ${says}`);
  expect(text).toContain(`Night of 2026-11-15 02:00 UTC: ${says}.`);
  expect(text).toContain('Merchants checked: 7 of 10.\n\nM2: TIMEOUT: no answer\n\n… and 2 more.');
});

const NIGHT = {
  topic: 'night',
  night: {
    ...{
      night: 0,
      runId: 7,
      expected: 3,
      done: 3,
      missing: [],
      verdicts: { clean: 2, broken: 1, incomplete: 0 },
    },
    ...{ entriesAdded: 0, news: [], moreNews: 0 },
  },
} as const satisfies DeliveryContent;
const OPEN: OpenNow = {
  counts: { critical: 3, error: 2, warning: 0, info: 0, followers: 4 },
  oldest: { merchant: 'M1', fingerprint: 'c7dd4ef1212bd192', since: 0 },
  largest: [],
  exposure: [
    {
      ...{ currency: 'XOF', state: 'open', findings: 3, stake: '12047' },
      ages: { '0-1': { findings: 2, stake: '12000' }, '>90': { findings: 1, stake: '47' } },
    },
    {
      currency: 'XOF',
      state: 'acknowledged',
      findings: 1,
      stake: '5',
      ages: { '2-7': { findings: 1, stake: '5' } },
    },
    {
      currency: null,
      state: 'open',
      findings: 1,
      stake: null,
      ages: { '2-7': { findings: 1, stake: null } },
    },
  ],
  owners: [{ owner: 'Awa\r\n', findings: 2 }],
};

test('the mail of a night states what is open: an amount for each currency and state, and for each age where there are several', () => {
  const { text, html } = composed(NIGHT, 'fr', null, { open: OPEN });
  const rows = [
    'XOF, 3 ouverts : 12 047 XOF',
    '0–1 jour (2) : 12 000 XOF',
    'plus de 90 jours (1) : 47 XOF',
    'XOF, 1 pris en charge (2–7 jours) : 5 XOF',
    'devise inconnue, 1 ouvert (2–7 jours) : –',
  ];
  expect(text.replace(/[\u202f\u00a0]/g, ' ')).toContain(
    `${rows.join('\n')}\n\nAttribués : Awa (2).\n`,
  );
  expect(html.match(/<tr>/g)).toHaveLength(rows.length);
  const english = composed(NIGHT, 'en', null, { open: { ...OPEN, owners: [] } }).text;
  expect(english).toContain(
    'XOF, 1 acknowledged (2–7 days): 5\u00a0XOF\nunknown currency, 1 open (2–7 days): –\n\nNo finding is new',
  );
});

test.each([
  [['reader'], null, 'coverage'],
  [['investigator'], null, 'coverage open owners news'],
  [['decider'], null, 'coverage open stakes owners largest waiting news'],
  [['publisher'], null, 'coverage waiting held'],
  [['publisher', 'investigator'], null, 'coverage open owners waiting held news'],
  [['auditor'], null, 'coverage log'],
  [['accountant'], 'M1', 'open stakes largest held news'],
  [['accountant'], 'M3', 'open stakes largest held'],
  [undefined, null, 'coverage open stakes owners largest waiting held news log'],
] as const)('the mail of a night has for %j of %s: %s', (roles, merchant, parts) => {
  const all = ['M1', 'M2'].map(
    (name) => ({ merchant: name, verdict: 'broken', findings: [], more: 1 }) as const,
  );
  const news = all.filter((one) => merchant === null || one.merchant === merchant);
  const waiting = [
    {
      ...{
        action: 'settle',
        merchant: 'M1\r\n',
        subject: 'c7dd4ef1212bd192',
        amount: '12047',
        by: '<awa>',
      },
      currency: 'XOF',
      wish: { terms: { ...GROUNDS, lines: [], limit: '12047', until: '2026-12-01T00:00:00.000Z' } },
    },
  ];
  const more = {
    open: {
      ...OPEN,
      largest: [{ ...OPEN.oldest!, item: { balance: '-5', reserved: '0' }, currency: 'XOF' }],
    },
    ...{ heldMonths: [{ merchant: 'M1', period: '2026-10', open: 1, since: [] }], waiting },
    signed: { size: 3, root: 'abcdefghijklmnop' },
    verdict: 'clean' as const,
  };
  const night = { ...NIGHT, night: { ...NIGHT.night, news, moreNews: merchant === null ? 4 : 0 } };
  const content =
    roles === undefined ? night : { ...night, reader: { roles: [...roles], merchant } };
  for (const [language, signs] of [
    ['en', SIGNS_EN],
    ['fr', SIGNS_FR],
  ] as const) {
    const { subject, text, html } = composed(content, language, null, more);
    for (const [said, length] of [
      [text, 200],
      [html, 10],
    ] as const) {
      const plain = said.replace(/[\u202f\u00a0]/g, ' ');
      const seen = Object.entries(signs).filter(([, sign]) =>
        plain.includes(sign.slice(0, length)),
      );
      expect(seen.map(([name]) => name).join(' ')).toBe(parts);
    }
    expect(html).not.toContain('<awa>');
    if (merchant === null) continue;
    expect(`${subject}${text}`).not.toMatch(/M2|1 broken|1 non conforme/);
    expect(subject).toMatch(new RegExp(`${merchant} — (books: clean|livres conformes)$`));
    const unread = composed(content, language, null, { ...more, verdict: null }).text;
    expect(unread).toMatch(
      new RegExp(`${merchant} — (books: incomplete|livres lus incomplètement)`),
    );
    const absent = composed(content, language, null, { ...more, verdict: undefined });
    expect(absent.subject).toMatch(
      new RegExp(`${merchant} — (not part of this night|ne faisait pas partie de cette nuit)$`),
    );
    expect(text.includes(language === 'en' ? 'more merchants' : 'autres marchands')).toBe(false);
  }
});

const GROUNDS = { balance: '-5', reserved: '0', difference: null, evidence: [] };

const SIGNS_EN = {
  coverage: 'Books that agree: 2',
  open: 'Findings open when this was sent: 3 critical, 2 errors, 4 that follow from others.',
  stakes: 'XOF, 3 open: 12,047 XOF',
  owners: 'Assigned: Awa (2).',
  largest: 'The largest difference in XOF: −5 XOF',
  waiting:
    'Waits for a second person: settle M1, c7dd4ef1212bd192: 12,047 XOF, up to 12,047, until 2026-12-01 00:00, proposed by <awa>.',
  held: 'Statements held when this was sent: 1 — M1 2026-10',
  news: 'M1 — books: broken',
  log: 'Log of evidence: 3 leaves, root abcdefghijkl.',
};
const SIGNS_FR = {
  coverage: 'Livres conformes : 2',
  open: 'Constats ouverts à l’heure de cet envoi : 3 critiques',
  stakes: 'XOF, 3 ouverts : 12 047 XOF',
  owners: 'Attribués : Awa (2).',
  largest: 'Le plus gros écart en XOF : −5 XOF',
  waiting:
    'En attente d’une deuxième personne : régulariser M1, c7dd4ef1212bd192 : 12 047 XOF, jusqu’à 12 047, jusqu’au 01/12/2026 00:00, proposé par <awa>.',
  held: 'Relevés retenus à l’heure de cet envoi : 1 — M1 2026-10',
  news: 'M1 — livres non conformes',
  log: 'abcdefghijkl',
};

/** Templates with an address of the console; an address that ends in a slash is the same. */
const linked = loadMailTemplates(DEFAULT_TEMPLATE_FOLDER, 'https://books.example/');

test('mails lead into the console where its address is known, and have no link where it is not', () => {
  const news = [
    {
      merchant: 'A&B "1"',
      verdict: 'broken',
      more: 0,
      findings: [
        {
          fingerprint: 'a1b2c3d4e5f60718',
          kind: 'BALANCE_DRIFT',
          severity: 'critical',
          message: 'It moved.',
        },
      ],
    },
  ] as const;
  const heldMonths = [{ merchant: 'M1', period: '2026-10', open: 1, since: [] }];
  const largest = [{ ...OPEN.oldest!, item: { balance: '5', reserved: '0' }, currency: 'XOF' }];
  const parcel: Parcel = {
    ...{
      id: 'd',
      target: 'a@b.example',
      createdAt: 0,
      sentAt: 0,
      report: null,
      heldMonths,
      open: { ...OPEN, largest },
    },
    content: { ...NIGHT, night: { ...NIGHT.night, news } },
  };
  const { text, html } = composeMessage(parcel, { template: linked.en, language: 'en' });
  const finding = 'https://books.example/console/findings';
  const links = [
    'https://books.example/',
    `${finding}/c7dd4ef1212bd192?merchant=M1`,
    `${finding}/c7dd4ef1212bd192?merchant=M1`,
    'https://books.example/console/merchants/M1/months/2026-10',
    `${finding}/a1b2c3d4e5f60718?merchant=A%26B%20%221%22`,
  ];
  expect(text.split('\n').filter((line) => line.startsWith('https:'))).toEqual(links);
  expect([...html.matchAll(/<a href="([^"]*)">/g)].map(([, url]) => url)).toEqual(links);
  expect(html).toContain('<a href="https://books.example/">This morning</a>');
  const without = composeMessage(parcel, { template: templates.en, language: 'en' });
  expect(`${without.text}${without.html}`).not.toMatch(/https:|<a /);
});
