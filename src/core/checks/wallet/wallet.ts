// The wallet as stated, against the head of the ledger, the open holds and its own identity.

import { compared, draftOf, type KindPage, NO_FINDINGS, type WalletCheck } from '../check.ts';

const base = 'line 1 CASHIN_CREDIT 1000 1000/0 CI-1\n    op CI-1 SUCCEEDED 1000';
const sound = `
    ${base}
    wallet 1000/0`;
export const WALLET_EVIDENCE = [{ what: 'wallet', sequence: null, reference: null, note: null }] as const;

const identity: KindPage<'WALLET_IDENTITY_BROKEN'> = {
  kind: 'WALLET_IDENTITY_BROKEN',
  explanation: 'available is not balance − reserved in the wallet itself.',
  fires: `
    ${base}
    wallet 1000/0 available=900`,
  quiet: sound,
};

export const identityCheck: WalletCheck = {
  says: [identity],
  find({ wallet }) {
    const due = wallet.balance - wallet.reserved;
    if (wallet.available === due) return NO_FINDINGS;
    return [
      draftOf(
        identity,
        { available: wallet.available, due },
        {
          ...compared({ expected: due, actual: wallet.available }),
          evidence: WALLET_EVIDENCE,
          newestEvidence: wallet.updatedAt,
        },
      ),
    ];
  },
};

const balance: KindPage<'WALLET_BALANCE_MISMATCH'> = {
  kind: 'WALLET_BALANCE_MISMATCH',
  explanation:
    'The wallet’s balance is not that of any line between the head of the ledger read before it and the one read after.',
  fires: `
    ${base}
    wallet 1200/0`,
  quiet: sound,
};

const reserved: KindPage<'WALLET_RESERVED_MISMATCH'> = {
  kind: 'WALLET_RESERVED_MISMATCH',
  explanation:
    'The wallet’s reserved amount is not that of any line between the head of the ledger read before it and the one read after.',
  fires: `
    ${base}
    wallet 1000/300`,
  quiet: sound,
};

export const headCheck: WalletCheck = {
  says: [balance, reserved],
  find({ wallet, heads }) {
    const exact = heads.some((head) => head.balance === wallet.balance && head.reserved === wallet.reserved);
    if (exact) return NO_FINDINGS;
    const head = heads[0] ?? { sequence: 0, balance: 0, reserved: 0 };
    const nearest = heads.find((one) => one.balance === wallet.balance) ?? head;
    const parts = { evidence: WALLET_EVIDENCE, newestEvidence: wallet.updatedAt };
    const at = head.sequence === 0 ? null : head.sequence;
    const findings = [];
    if (wallet.balance !== nearest.balance) {
      const figures = { balance: wallet.balance, head: at, due: nearest.balance };
      findings.push(
        draftOf(balance, figures, { ...parts, ...compared({ expected: nearest.balance, actual: wallet.balance }) }),
      );
    }
    if (wallet.reserved !== nearest.reserved) {
      const figures = { reserved: wallet.reserved, head: at, due: nearest.reserved };
      findings.push(
        draftOf(reserved, figures, { ...parts, ...compared({ expected: nearest.reserved, actual: wallet.reserved }) }),
      );
    }
    return findings;
  },
};

const holds: KindPage<'OPEN_HOLDS_MISMATCH'> = {
  kind: 'OPEN_HOLDS_MISMATCH',
  explanation:
    'The recorded reserved amount at the head of the ledger is not the sum of the holds that are still open.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/250 CI-1
    op CI-1 SUCCEEDED 1000
    wallet 1000/250`,
  quiet: sound,
};

export const openHoldsCheck: WalletCheck = {
  says: [holds],
  find({ heads, held }) {
    const head = heads[0];
    if (head === undefined || BigInt(head.reserved) === held) return NO_FINDINGS;
    const figures = { sequence: head.sequence, reserved: head.reserved, held };
    const evidence = [
      { what: 'line', sequence: String(head.sequence), reference: null, note: 'head of the ledger' } as const,
    ];
    return [draftOf(holds, figures, { ...compared({ expected: held, actual: head.reserved }), evidence })];
  },
};
