// The compliance file of a simulated merchant ("Compliance file"): deposited, reviewed, and
// deposited again where it was rejected. Keeps the address of each document and no bytes.

import type { ComplianceStatus } from '../../core/domain/published/payout.ts';
import type { MerchantPlan } from '../model/plan.ts';
import { drawDigits, drawUuid, type Random, seedRandom } from '../model/random.ts';
import {
  COMPLIANCE_FIELDS,
  type ComplianceFile,
  DOCUMENT_KEYS,
  type DocumentKey,
} from '../model/served-dashboard.ts';

/** The texts of a deposit. After a rejection, texts that are absent stay as they were. */
export type DepositedTexts = Partial<
  Omit<ComplianceFile, 'id' | 'status' | 'documents' | 'rejectionReason'>
>;

/** For each deposited document the extension of its file, for example `pdf`. */
export type DepositedFiles = Partial<Readonly<Record<DocumentKey, string>>>;

/** Returns a compliance file in a given state, without a history. */
export function plannedFile(
  plan: MerchantPlan,
  { seed, status }: { readonly seed: string; readonly status: ComplianceStatus },
): ComplianceFile {
  const random = fileRandom(plan, seed);
  return {
    id: drawUuid(random),
    status,
    legalName: plan.legalName ?? plan.name,
    legalForm: 'SARL',
    activity: 'Commerce',
    rccmNumber: `RCCM-${drawDigits(random, 8)}`,
    dfeNumber: `DFE-${drawDigits(random, 7)}`,
    address: '1, rue de Nulle Part',
    managerName: 'Personne Fictive',
    managerIdType: null,
    managerIdNumber: drawDigits(random, 10),
    documents: placesOf(plan, Object.fromEntries(DOCUMENT_KEYS.map((key) => [key, 'pdf']))),
    rejectionReason: status === 'REJECTED' ? 'Document illisible' : null,
  };
}

/** The part of a dashboard that holds the compliance file. */
interface Holder {
  readonly plan: MerchantPlan;
  readonly seed: string;
  compliance: ComplianceFile | null;
}

/**
 * Deposits texts and files; the compliance file is PENDING from now on. The caller must see to it
 * that the first deposit has all mandatory texts and all files.
 */
export function deposit(
  holder: Holder,
  texts: DepositedTexts,
  files: DepositedFiles,
): ComplianceFile {
  const { plan, seed, compliance: before } = holder;
  const documents = {
    ...before?.documents,
    ...placesOf(plan, files, before?.documents),
  } as ComplianceFile['documents'];
  const first = before ?? { ...NO_TEXTS, id: drawUuid(fileRandom(plan, seed)) };
  const file = { ...first, ...texts, status: 'PENDING', documents, rejectionReason: null } as const;
  holder.compliance = file;
  return file;
}

/**
 * All texts as `null`, in the order in which they are served. A first deposit replaces the
 * mandatory ones.
 */
const NO_TEXTS = Object.fromEntries(
  COMPLIANCE_FIELDS.map((name) => [name, null]),
) as unknown as ComplianceFile;

function fileRandom({ reference }: MerchantPlan, seed: string): Random {
  return seedRandom(`${seed}/${reference}/compliance`);
}

/** Returns the address of each document. A document that was sent again gets a new address. */
function placesOf(
  { reference }: MerchantPlan,
  files: DepositedFiles,
  before?: Readonly<Record<DocumentKey, string>>,
): ComplianceFile['documents'] {
  const host = `https://files.example/${reference.toLowerCase()}`;
  const places = Object.entries(files).map(([key, extension]) => {
    const earlier = /-(\d+)\.\w+$/.exec(before?.[key as DocumentKey] ?? '')?.[1];
    const version = before === undefined ? '' : `-${Number(earlier ?? 1) + 1}`;
    return [key, `${host}/${key}${version}.${extension}`];
  });
  return Object.fromEntries(places) as ComplianceFile['documents'];
}
