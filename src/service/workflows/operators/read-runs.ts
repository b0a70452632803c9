// What people and programs ask of runs: the list, one of them, its merchants, what it changed.

export {
  listRunChanges,
  listRunMembers,
  listRuns,
  loadRun,
  loadRunReports,
  type RunRecord,
} from '../../../io/storage/operators/run-records.ts';
