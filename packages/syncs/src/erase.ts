// The statements of erasure for the tables of syncs in the event store. Mutations are stored there as text, so they
// contain hashes of keys.

/** Expressions for the hash of a row, which marks it for erasure. */
export const syncRowMarks = {
  staged: `concat(run_id, ' ', hex(sipHash128(key, source_key)))`,
  planned: `concat(run_id, '.', toString(number))`,
  confirmed: `concat(sync_id, ' ', hex(sipHash128(key)))`,
} as const

/**
 * The mutations that remove the marked rows of runs and syncs. Each mutation can be repeated. `runs` and `syncs` are
 * lists of SQL literals as text; '' for no runs. The query `marked` selects the marks.
 */
export const syncRowRemovals = ({ runs, syncs, marked }: { runs: string; syncs: string; marked: string }): string[] => {
  const { staged, planned, confirmed } = syncRowMarks
  return [
    ...(runs === ''
      ? []
      : [
          `alter table sync_outcomes delete where run_id in (${runs}) and ${planned} in ${marked}`,
          `alter table sync_changes delete where run_id in (${runs}) and ${planned} in ${marked}`,
          `alter table sync_staged delete where run_id in (${runs}) and ${staged} in ${marked}`,
        ]),
    `alter table sync_confirmed delete where sync_id in (${syncs})
      and ${confirmed} in ${marked}`,
  ]
}
