import type { Operation, SyncMode } from '@tributary/contract'
import { keyJson, type ValueKind } from './value-kinds.ts'

/**
 * How a key of the rows that were read compares with the rows that the destination has confirmed. With `foreign`, the
 * destination had a row with this key that is not from this sync. With `duplicate`, several rows have the key, or share
 * a primary key. With `sent_again`, the row equals its confirmed state, and is sent because the run sends all rows.
 */
export const changes = ['added', 'changed', 'sent_again', 'unchanged', 'foreign', 'removed', 'duplicate'] as const
export type Change = (typeof changes)[number]

/**
 * The action of a run for a change: an operation, 'skip' with a reason, 'invalid', or 'none' if the row is up to date.
 */
export type Action = Exclude<Operation, 'event'> | 'skip' | 'invalid' | 'none'

const always = { unchanged: 'none', duplicate: 'invalid' } as const

/** The action of each mode for each change. Only keys that this sync has confirmed are removed. */
export const actions: Readonly<Record<SyncMode, Readonly<Record<Change, Action>>>> = {
  FULL_SYNC: {
    ...always,
    added: 'upsert',
    changed: 'upsert',
    sent_again: 'upsert',
    foreign: 'upsert',
    removed: 'delete',
  },
  UPSERT_ONLY: {
    ...always,
    added: 'upsert',
    changed: 'upsert',
    sent_again: 'upsert',
    foreign: 'upsert',
    removed: 'none',
  },
  UPDATE_ONLY: {
    ...always,
    added: 'update',
    changed: 'update',
    sent_again: 'update',
    foreign: 'update',
    removed: 'none',
  },
  INSERT_ONLY: { ...always, added: 'insert', changed: 'skip', sent_again: 'skip', foreign: 'skip', removed: 'none' },
}

/**
 * The known state of a key at the destination: nothing, the row of this sync, or a row that existed before. Two more
 * values are for the comparison of a sync that owns its object. A listed key is at the destination and not from this
 * sync. An alike key is a listed key that may be another spelling of a key of the model.
 */
export const held = { nothing: 0, confirmed: 1, foreign: 2, listed: 3, alike: 4 } as const

/** The reason why a key of a run is not sent. */
export const reasons = {
  duplicate: 'Several rows have this key',
  skip: 'A row with this key is already there',
  same: 'The destination takes this key for the same as the key ',
} as const

/** Returns an SQL expression that has a value for each change, by the name of the change. */
const byChange = (mode: SyncMode, valueOf: (action: Action) => string): string =>
  `transform(change, [${changes.map((change) => `'${change}'`).join(', ')}], [${changes
    .map((change) => `'${valueOf(actions[mode][change])}'`)
    .join(', ')}], '')`

export type DiffOptions = {
  mode: SyncMode
  /** Whether every row is sent again, even if it is confirmed. The confirmed keys are kept. */
  resync: boolean
  /** Whether the key is the primary key, so that rows with the same key also share the primary key. */
  keyIsPrimary: boolean
  /** Whether only keys that were rejected in the run `{of}` are sent. */
  onlyRejected: boolean
  /** Whether no key and no primary key occurs twice, so that rows need not be grouped. */
  rowsAreUnique: boolean
  /**
   * Whether the keys of the destination are listed. Keys that are not in the model are removed, whatever their origin.
   */
  owns: boolean
  /** Whether the keys that the destination treats as the same are stored for `{run}`. */
  knowsSame?: boolean
  /** The kind of the keys, by which the keys of removed rows are converted to JSON. */
  keyKind?: ValueKind
}

/** Maximum bytes of memory for a grouping before it continues on disk. */
const groupingBytes = 256 * 1024 * 1024

const hashesTwice = (column: string, condition: string): string => `
select count() as n from (
  select sipHash64(${column}) as hash from sync_staged where run_id = {run:String} and ${condition}
  group by hash having count() > 1 limit 1
)`

/**
 * The statement that finds whether keys, or primary keys, occur several times among the staged rows of `{run}`; n is 0
 * if not. It compares hashes: a rare collision only costs time.
 */
export const repeatedStatement = ({ keyIsPrimary }: Pick<DiffOptions, 'keyIsPrimary'>): string => `
select sum(n) as n from (${hashesTwice('key', "key != ''")}
${keyIsPrimary ? '' : `union all ${hashesTwice('source_key', "problem = ''")}`})
settings max_bytes_before_external_group_by = ${groupingBytes}`

/** Selects the keys that the destination rejected in the run `{of}`. */
const rejectedKeys = `
select change.key from sync_changes as change
inner join (
  select number, argMax(status, version) as status from sync_outcomes where run_id = {of:String} group by number
) as told on told.number = change.number
where change.run_id = {of:String} and told.status = 'dead'`

/** Selects the number of staged rows of `{run}` with a key that was rejected in the run `{of}`. */
export const rejectedCountStatement = `
select count() as n from sync_staged where run_id = {run:String} and key in (${rejectedKeys})`

/**
 * Normalizes a key for a comparison that is as loose as that of any destination. It ignores letter case, accents,
 * spaces, the form of a UUID and the form of a number. The result is a hash; keys that have the same hash by chance are
 * not removed, either.
 */
const looseKey = `sipHash64(replaceRegexpOne(replaceAll(replaceRegexpAll(lowerUTF8(normalizeUTF8NFKD(key)),
  '[\\\\p{M}\\\\p{C}\\\\p{Z}\\\\s{}-]', ''), 'ß', 'ss'), '^\\\\+?0*([0-9]+?)(?:\\\\.0*|(\\\\.[0-9]*?)0+)?$', '\\\\1\\\\2'))`

/**
 * Selects the confirmed rows of `{sync}`, the last one of each key. Each sync has its own partition, so keys of several
 * syncs are separate.
 */
const confirmedBySync = 'select key, hash, held from sync_confirmed final where sync_id = {sync:String}'

/**
 * Selects the confirmed rows, and the listed keys of `{run}`. A listed key that may be another spelling of a key of the
 * model gets the state `alike`, and is not removed.
 */
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

/** Selects the number of confirmed keys of `{sync}`, or of keys in an object that the sync owns. */
export const confirmedCountStatement = (owns: boolean): string => `
select count() as n from (${owns ? confirmedOrListed : confirmedBySync}) where held in (${held.confirmed}, ${held.listed}, ${held.alike})
settings do_not_merge_across_partitions_select_final = 1, max_bytes_before_external_group_by = ${groupingBytes}`

const sameKeys = 'from sync_same_keys where run_id = {run:String}'

/**
 * Selects the confirmed rows for the comparison, if the destination treats several keys as the same. The kept key takes
 * over the state of the other keys and is sent again. The others are not removed.
 */
const confirmedAsKept = (confirmed: string, rejected: string): string => `
select key, hash, held from (${confirmed}) where key not in (select key ${sameKeys} and (key != kept or again = 1))
union all
select key, toFixedString('', 16) as hash, group_held as held ${sameKeys} and key = kept and again = 1 ${rejected}`

/**
 * Selects the rows of `{run}`, one per key, with the number of rows of each key, and how many of these can be sent.
 * Grouping all of them takes three times as long as the rest of the statement.
 */
const stagedRows = ({
  keyIsPrimary,
  onlyRejected,
  rowsAreUnique,
  knowsSame,
}: Omit<DiffOptions, 'mode' | 'resync' | 'owns'>): string => {
  const rows = `from sync_staged where run_id = {run:String} and key != '' ${onlyRejected ? `and key in (${rejectedKeys})` : ''}
    ${knowsSame === true ? `and key not in (select key ${sameKeys} and refused = 1)` : ''}`
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
 * Returns the statement that compares the staged rows of `{run}` with the confirmed rows of `{sync}`. It stores each
 * key that is sent or reported, numbered from 1: first the keys that are sent, in their order, then the others. A key
 * whose row cannot be sent is still in the model, so it is not removed. Both tables are sorted by key, and are read in
 * that order. Most rows are unchanged, so the statement filters them out first, by cheap comparisons.
 */
export const diffStatement = ({ mode, resync, owns, keyKind = 'text', ...rows }: DiffOptions): string => {
  const rejected = rows.onlyRejected ? `and key in (${rejectedKeys})` : ''
  const isSame = resync ? 'false' : 'staged.hash = confirmed.hash'
  const plain = owns ? confirmedOrListed : `${confirmedBySync} ${rejected}`
  const confirmed = rows.knowsSame === true ? confirmedAsKept(plain, rejected) : plain
  return `
insert into sync_changes (run_id, number, key, source_key, change, operation, hash, rows, reason, key_json)
select {run:String}, rowNumberInAllBlocks() + 1, key, source_key, change, operation, hash, usable, reason,
  if(operation = 'delete', ${keyJson(keyKind)}, '')
from (
  select if(found = 0, confirmed.key, staged.key) as key, staged.source_key as source_key, staged.hash as hash, usable,
    multiIf(found = 0, if(confirmed.held in (${held.confirmed}, ${held.listed}), 'removed', ''), usable = 0, '', found > 1 or shared, 'duplicate',
      confirmed.held = ${held.nothing}, 'added', confirmed.held != ${held.confirmed}, 'foreign', staged.hash = confirmed.hash, 'sent_again', 'changed') as change,
    ${byChange(mode, (action) => action)} as action,
    if(action in ('skip', 'invalid'), '', action) as operation,
    multiIf(action = 'invalid', '${reasons.duplicate}', action = 'skip', '${reasons.skip}', '') as reason
  from (${stagedRows(rows)}) as staged
  full outer join (${confirmed}) as confirmed on staged.key = confirmed.key
  where not (found = 1 and usable = 1 and not shared and confirmed.held = ${held.confirmed} and ${isSame})
    and action not in ('', 'none')
  order by operation = '', operation != 'delete', key
)
settings optimize_aggregation_in_order = 1, join_algorithm = 'full_sorting_merge', join_use_nulls = 0,
  do_not_merge_across_partitions_select_final = 1, max_bytes_before_external_group_by = ${groupingBytes}`
}

/** Stores the rows that cannot be sent, numbered after the `{behind}` keys of the comparison. */
export const invalidStatement = ({ onlyRejected }: Pick<DiffOptions, 'onlyRejected'>): string => `
insert into sync_changes (run_id, number, key, source_key, change, operation, hash, rows, reason)
select {run:String}, {behind:UInt64} + rowNumberInAllBlocks() + 1, key, source_key, 'invalid', '', '', 1, problem
from (select key, source_key, problem from sync_staged where run_id = {run:String} and problem != ''
  ${onlyRejected ? `and key in (${rejectedKeys})` : ''} order by source_key)`

/**
 * Selects keys of `{run}` and confirmed keys of `{sync}` after `{after}`, in their order. Keys that match `{plain}` are
 * omitted: the destination treats no other key as the same key.
 */
export const keysToCompareStatement = `
select distinct key from (
  select key from sync_staged where run_id = {run:String} and key > {after:String}
  union all
  select key from (${confirmedBySync}) where held != ${held.nothing} and key > {after:String}
  union all
  select key from sync_listed where run_id = {run:String} and key > {after:String}
) where not match(key, {plain:String}) order by key limit {limit:UInt64}
settings do_not_merge_across_partitions_select_final = 1`

/**
 * Stores keys that the destination treats as the same key, if the model has a row for at least one of them. A confirmed
 * key is kept, otherwise the first key in their order. A key whose row cannot be sent is never kept.
 */
export const sameKeysStatement = (rows: Pick<DiffOptions, 'keyIsPrimary' | 'rowsAreUnique'>): string => `
insert into sync_same_keys (run_id, key, kept, refused, again, held, group_held)
select {run:String}, member.1, kept, member.2 and kept != '' and member.1 != kept, kept != '' and again, member.3, group_held
from (
  select groupArray((key, is_sendable, its_held)) as members,
    argMinIf(key, (its_held != ${held.confirmed}, key), is_sendable = 1) as kept,
    arrayExists(member -> member.1 != kept and member.3 != ${held.nothing}, members) as again,
    multiIf(max(its_held = ${held.confirmed}), ${held.confirmed}, max(its_held)) as group_held
  from (
    select known.key as key, max(known.staged) as is_staged, max(known.sendable) as is_sendable, max(known.held) as its_held,
      if(any(forms.form) = '', key, any(forms.form)) as form
    from (
      select key, 1 as staged, toUInt8(found = 1 and usable = 1 and not shared) as sendable, ${held.nothing} as held
      from (${stagedRows({ ...rows, onlyRejected: false })})
      union all
      select key, 0 as staged, 0 as sendable, held from (${confirmedBySync}) where held != ${held.nothing}
      union all
      select key, 0 as staged, 0 as sendable, ${held.nothing} as held from sync_listed where run_id = {run:String}
    ) as known
    left join (select key, form from sync_key_forms where run_id = {run:String}) as forms on forms.key = known.key
    group by known.key
  )
  group by form having count() > 1 and max(is_staged) = 1
) array join members as member
settings join_algorithm = 'full_sorting_merge', join_use_nulls = 0, do_not_merge_across_partitions_select_final = 1,
  max_bytes_before_external_group_by = ${groupingBytes}`

/**
 * Stores the rows of `{run}` that are refused because the destination treats their key as the same as another key. They
 * are numbered after the previous `{behind}` keys.
 */
export const refusedStatement = ({ onlyRejected }: Pick<DiffOptions, 'onlyRejected'>): string => `
insert into sync_changes (run_id, number, key, source_key, change, operation, hash, rows, reason)
select {run:String}, {behind:UInt64} + rowNumberInAllBlocks() + 1, key, source_key, change, '', hash, 1, reason
from (
  select staged.key as key, staged.source_key as source_key, staged.hash as hash,
    if(same.held = ${held.confirmed}, 'changed', 'added') as change, concat('${reasons.same}', same.kept) as reason
  from (select key, source_key, hash from sync_staged where run_id = {run:String} and problem = ''
    ${onlyRejected ? `and key in (${rejectedKeys})` : ''}) as staged
  inner join (select key, kept, held ${sameKeys} and refused = 1) as same on same.key = staged.key
  order by staged.key
)`

/** Stores the refused rows as rejected, because they are not sent. */
export const refusedOutcomesStatement = `
insert into sync_outcomes (run_id, number, status, reason, version, time)
select run_id, number, 'dead', reason, 0, now64(3, 'UTC') from sync_changes
where run_id = {run:String} and operation = '' and change in ('added', 'changed') and key in (select key ${sameKeys} and refused = 1)`

/** Removes confirmed keys that another key replaced in `{run}`. */
export const replacedStatement = `
insert into sync_confirmed (sync_id, key, hash, held, version)
select {sync:String}, key, toFixedString('', 16), ${held.nothing}, {version:UInt64}
${sameKeys} and key != kept and held != ${held.nothing} and kept in (
  select change.key from sync_changes as change
  inner join (
    select number, argMax(status, version) as status from sync_outcomes where run_id = {run:String} group by number
  ) as told on told.number = change.number
  where change.run_id = {run:String} and change.operation not in ('', 'delete') and told.status = 'delivered'
)`

/**
 * Stores what the destination has confirmed in `{run}`: rows that were delivered or removed, and rows that were skipped
 * because the destination already has a row with the key. Events with the status `blocked` are stored, but do not match
 * the schema. A rejected row keeps its last confirmed state, so it is sent again.
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

/**
 * Returns the change of a planned row for display. An update is never shown as added, because a sync that only updates
 * adds no rows.
 */
export const shownChange = (row: string): string =>
  `if(${row}.operation = 'update' and ${row}.change in ('added', 'changed', 'foreign'), 'updated', ${row}.change)`

/** Counts the keys of a run by change, operation and last outcome: the number of keys, and of their rows. */
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
