import type { Operation, SyncMode } from '@tributary/contract'

/**
 * How a key of the rows that were read compares with what the destination has confirmed. `foreign`: the destination had a row
 * with this key that it did not get from this sync. `duplicate`: several rows have it, or share a primary key.
 */
export const changes = ['added', 'changed', 'unchanged', 'foreign', 'removed', 'duplicate'] as const
export type Change = (typeof changes)[number]

/** What is done about a change: an operation, or nothing: it is left out with its reason, is not valid, or is as it should be. */
export type Action = Exclude<Operation, 'event'> | 'skip' | 'invalid' | 'none'

const always = { unchanged: 'none', duplicate: 'invalid' } as const

/** What each mode does about each change. A removal is of a key that this sync has confirmed, and of no other. */
export const actions: Readonly<Record<SyncMode, Readonly<Record<Change, Action>>>> = {
  FULL_SYNC: { ...always, added: 'upsert', changed: 'upsert', foreign: 'upsert', removed: 'delete' },
  UPSERT_ONLY: { ...always, added: 'upsert', changed: 'upsert', foreign: 'upsert', removed: 'none' },
  UPDATE_ONLY: { ...always, added: 'update', changed: 'update', foreign: 'update', removed: 'none' },
  INSERT_ONLY: { ...always, added: 'insert', changed: 'skip', foreign: 'skip', removed: 'none' },
}

/**
 * What the destination is known to hold of a key: nothing, what this sync has put there, or what was there before. Only in a comparison of
 * a sync that owns its object: what the destination has and this sync did not put there, apart whether a row of the model may be meant.
 */
export const held = { nothing: 0, confirmed: 1, foreign: 2, listed: 3, alike: 4 } as const

/** Why a key stands in the record of a run and is not sent. */
export const reasons = {
  duplicate: 'Several rows have this key',
  skip: 'A row with this key is already there',
} as const

/** A value of SQL for each change, by a name for the change. */
const byChange = (mode: SyncMode, valueOf: (action: Action) => string): string =>
  `transform(change, [${changes.map((change) => `'${change}'`).join(', ')}], [${changes
    .map((change) => `'${valueOf(actions[mode][change])}'`)
    .join(', ')}], '')`

export type DiffOptions = {
  mode: SyncMode
  /** Sends every row again, whatever was confirmed of it; what is there is still known. */
  resync: boolean
  /** The key is the primary key: then rows with one key have one primary key, too. */
  keyIsPrimary: boolean
  /** Only keys that were rejected in the run `{of}`. */
  onlyRejected: boolean
  /** No key is there twice, and no primary key: then rows need not be grouped. */
  rowsAreUnique: boolean
  /** The keys that the destination has are listed: those that are not in the model are removed, whoever put them there. */
  owns: boolean
}

/** Memory that a grouping takes before it goes on on the disk. */
const groupingBytes = 256 * 1024 * 1024

const hashesTwice = (column: string, condition: string): string => `
select count() as n from (
  select sipHash64(${column}) as hash from sync_staged where run_id = {run:String} and ${condition}
  group by hash having count() > 1 limit 1
)`

/**
 * Whether keys, or primary keys, may be there several times among the staged rows of `{run}`; n is 0 where they are not. By their hashes:
 * the little that these have in common costs time alone.
 */
export const repeatedStatement = ({ keyIsPrimary }: Pick<DiffOptions, 'keyIsPrimary'>): string => `
select sum(n) as n from (${hashesTwice('key', "key != ''")}
${keyIsPrimary ? '' : `union all ${hashesTwice('source_key', "problem = ''")}`})
settings max_bytes_before_external_group_by = ${groupingBytes}`

/** The keys of which the destination refused what the run `{of}` sent. */
const rejectedKeys = `
select change.key from sync_changes as change
inner join (
  select number, argMax(status, version) as status from sync_outcomes where run_id = {of:String} group by number
) as told on told.number = change.number
where change.run_id = {of:String} and told.status = 'dead'`

/** How many of the staged rows of `{run}` have a key that was rejected in the run `{of}`. */
export const rejectedCountStatement = `
select count() as n from sync_staged where run_id = {run:String} and key in (${rejectedKeys})`

/**
 * What is left of a key where it is compared as loosely as any destination does: letter case, accents, spaces, the form of a UUID and how a
 * number is written do not count. As a hash: what these have in common by chance is spared, too.
 */
const looseKey = `sipHash64(replaceRegexpOne(replaceAll(replaceRegexpAll(lowerUTF8(normalizeUTF8NFKD(key)),
  '[\\\\p{M}\\\\p{C}\\\\p{Z}\\\\s{}-]', ''), 'ß', 'ss'), '^\\\\+?0*([0-9]+?)(?:\\\\.0*|(\\\\.[0-9]*?)0+)?$', '\\\\1\\\\2'))`

/** Confirmed rows of `{sync}`, of each key the last one. Partitions are syncs, which have keys in common. */
const confirmedBySync = 'select key, hash, held from sync_confirmed final where sync_id = {sync:String}'

/** The same, and what of `{run}` is listed. What the destination may take for a row of the model is nothing that is removed. */
const confirmedOrListed = `
select key, argMax(its_hash, its_held = ${held.confirmed}) as hash,
  multiIf(max(its_held = ${held.confirmed}), ${held.confirmed}, max(its_held = ${held.listed}), ${held.listed},
    max(its_held = ${held.alike}), ${held.alike}, max(its_held)) as held
from (
  select key, hash as its_hash, held as its_held from (${confirmedBySync})
  union all
  select key, toFixedString('', 16), if(${looseKey} in (
    select ${looseKey} from sync_staged where run_id = {run:String} and key != ''
  ), ${held.alike}, ${held.listed})
  from sync_listed where run_id = {run:String}
)
group by key`

/** How many keys are confirmed of `{sync}`, or are there in an object that it owns. */
export const confirmedCountStatement = (owns: boolean): string => `
select count() as n from (${owns ? confirmedOrListed : confirmedBySync}) where held in (${held.confirmed}, ${held.listed}, ${held.alike})
settings do_not_merge_across_partitions_select_final = 1, max_bytes_before_external_group_by = ${groupingBytes}`

/**
 * The rows of `{run}`, of each key one with how many there are, and how many of these can be sent. Grouping all of them takes three times
 * as long as what is done with them.
 */
const stagedRows = ({
  keyIsPrimary,
  onlyRejected,
  rowsAreUnique,
}: Omit<DiffOptions, 'mode' | 'resync' | 'owns'>): string => {
  const rows = `from sync_staged where run_id = {run:String} and key != '' ${onlyRejected ? `and key in (${rejectedKeys})` : ''}`
  if (rowsAreUnique)
    return `select key, source_key, hash, materialize(1) as found, problem = '' as usable, false as shared ${rows}`
  const twice = keyIsPrimary
    ? 'false'
    : `source_key in (select source_key from sync_staged where run_id = {run:String} and problem = ''
         group by source_key having count() > 1)`
  return `
    select key, any(source_key) as source_key, any(hash) as hash, count() as found, countIf(problem = '') as usable,
      max(twice) as shared
    from (select key, source_key, hash, problem, ${twice} as twice ${rows})
    group by key`
}

/**
 * The statement that compares the staged rows of `{run}` with what is confirmed of `{sync}`, and writes down each key about which
 * something is to be done or said, numbered from 1: first those that are sent, by key, then the others. A key whose row cannot
 * be sent is in the model all the same: it is not removed. Both tables are in the order of keys, and are read in it; rows that are as
 * they were, most of them as a rule, are left out by numbers alone before anything is said of the others.
 */
export const diffStatement = ({ mode, resync, owns, ...rows }: DiffOptions): string => {
  const rejected = rows.onlyRejected ? `and key in (${rejectedKeys})` : ''
  const isSame = resync ? 'false' : 'staged.hash = confirmed.hash'
  return `
insert into sync_changes (run_id, number, key, source_key, change, operation, hash, rows, reason)
select {run:String}, rowNumberInAllBlocks() + 1, key, source_key, change, operation, hash, usable, reason
from (
  select if(found = 0, confirmed.key, staged.key) as key, staged.source_key as source_key, staged.hash as hash, usable,
    multiIf(found = 0, if(confirmed.held in (${held.confirmed}, ${held.listed}), 'removed', ''), usable = 0, '', found > 1 or shared, 'duplicate',
      confirmed.held = ${held.nothing}, 'added', confirmed.held = ${held.confirmed}, 'changed', 'foreign') as change,
    ${byChange(mode, (action) => action)} as action,
    if(action in ('skip', 'invalid'), '', action) as operation,
    multiIf(action = 'invalid', '${reasons.duplicate}', action = 'skip', '${reasons.skip}', '') as reason
  from (${stagedRows(rows)}) as staged
  full outer join (${owns ? confirmedOrListed : `${confirmedBySync} ${rejected}`}) as confirmed on staged.key = confirmed.key
  where not (found = 1 and usable = 1 and not shared and confirmed.held = ${held.confirmed} and ${isSame})
    and action not in ('', 'none')
  order by operation = '', key
)
settings optimize_aggregation_in_order = 1, join_algorithm = 'full_sorting_merge', join_use_nulls = 0,
  do_not_merge_across_partitions_select_final = 1, max_bytes_before_external_group_by = ${groupingBytes}`
}

/** Writes down the rows that cannot be sent, behind the `{behind}` keys of the diff. */
export const invalidStatement = ({ onlyRejected }: Pick<DiffOptions, 'onlyRejected'>): string => `
insert into sync_changes (run_id, number, key, source_key, change, operation, hash, rows, reason)
select {run:String}, {behind:UInt64} + rowNumberInAllBlocks() + 1, key, source_key, 'invalid', '', '', 1, problem
from (select key, source_key, problem from sync_staged where run_id = {run:String} and problem != ''
  ${onlyRejected ? `and key in (${rejectedKeys})` : ''} order by source_key)`

/**
 * Writes down what the destination has confirmed in `{run}`: what was delivered and removed, and of what was left out that it has
 * a row of its own; `blocked` are events that are stored, but keep to no schema. What was rejected stays as it was confirmed before, so that it goes again.
 */
export const confirmStatement = `
insert into sync_confirmed (sync_id, key, hash, held, version)
select {sync:String}, change.key, change.hash,
  multiIf(change.operation = 'delete', ${held.nothing}, told.status = 'filtered', ${held.foreign}, ${held.confirmed}), {version:UInt64}
from sync_changes as change
inner join (
  select number, argMax(status, version) as status from sync_outcomes where run_id = {run:String} group by number
) as told on told.number = change.number
where change.run_id = {run:String} and change.operation != ''
  and (told.status in ('delivered', 'blocked') or (told.status = 'filtered' and change.operation = 'insert'))`

/** The keys of a run by change, operation and last outcome: how many, and of how many rows. */
export const countStatement = `
select change, operation, status, count() as keys, sum(rows) as rows
from (
  select planned.change as change, planned.operation as operation, planned.rows as rows, told.status as status
  from sync_changes as planned
  left join (
    select number, argMax(status, version) as status from sync_outcomes where run_id = {run:String} group by number
  ) as told on told.number = planned.number
  where planned.run_id = {run:String}
)
group by change, operation, status`
