// The compliance file of a simulated merchant ("Compliance file"): deposited, looked at, and deposited again where it was
// rejected. Keeps no bytes of a document, only where it would be found.

import type { ComplianceStatus } from '../../core/domain/published/payout.ts';
import type { MerchantPlan } from '../model/plan.ts';
import { drawDigits, drawUuid, type Random, seedRandom } from '../model/random.ts';
import { type ComplianceFile, DOCUMENT_KEYS, type DocumentKey } from '../model/served-dashboard.ts';

/** What a deposit states in words; after a rejection, what is absent stays as it was. */
export type DepositedTexts = Partial<
  Pick<
    ComplianceFile,
    | 'legalName'
    | 'legalForm'
    | 'activity'
    | 'rccmNumber'
    | 'dfeNumber'
    | 'address'
    | 'managerName'
    | 'managerIdType'
    | 'managerIdNumber'
  >
>;

/** Key → extension of the file. */
export type DepositedFiles = Partial<Readonly<Record<DocumentKey, string>>>;

/** A file whose history is not simulated. */
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

/** The part of a dashboard that holds it. */
interface Holder {
  readonly plan: MerchantPlan;
  readonly seed: string;
  compliance: ComplianceFile | null;
}

/** PENDING from now on. The first deposit has all mandatory texts and all files; that is left to the caller. */
export function deposit(holder: Holder, texts: DepositedTexts, files: DepositedFiles): ComplianceFile {
  const { plan, seed, compliance: before } = holder;
  const file: ComplianceFile = {
    id: before?.id ?? drawUuid(fileRandom(plan, seed)),
    status: 'PENDING',
    legalName: texts.legalName ?? before?.legalName ?? '',
    legalForm: texts.legalForm ?? before?.legalForm ?? null,
    activity: texts.activity ?? before?.activity ?? '',
    rccmNumber: texts.rccmNumber ?? before?.rccmNumber ?? '',
    dfeNumber: texts.dfeNumber ?? before?.dfeNumber ?? null,
    address: texts.address ?? before?.address ?? '',
    managerName: texts.managerName ?? before?.managerName ?? '',
    managerIdType: texts.managerIdType ?? before?.managerIdType ?? null,
    managerIdNumber: texts.managerIdNumber ?? before?.managerIdNumber ?? null,
    documents: { ...before?.documents, ...placesOf(plan, files, before?.documents) } as ComplianceFile['documents'],
    rejectionReason: null,
  };
  holder.compliance = file;
  return file;
}

/** What the service's operator makes of a file that is PENDING. */
export function review(
  holder: Holder,
  outcome: { readonly to: 'APPROVED' | 'REJECTED'; readonly reason: string | null },
): void {
  if (holder.compliance === null) return;
  holder.compliance = { ...holder.compliance, status: outcome.to, rejectionReason: outcome.reason };
}

function fileRandom({ reference }: MerchantPlan, seed: string): Random {
  return seedRandom(`${seed}/${reference}/compliance`);
}

/** A document that was sent again is found elsewhere. */
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
