import type { Database } from '@tributary/storage'
import { type Kysely, sql, type Transaction } from 'kysely'
import { type Identifier, previousId } from './identifiers.ts'
import { addProfile, emptyGraph, giveIdentifier, type IdentityGraph, type Operation } from './operations.ts'
import { project } from './projection.ts'
import { touchMoved } from './touches.ts'

export type LedgerTx = Transaction<Database>

/** The event or user that caused an operation; `time` is RFC 3339. */
export type Cause = {
  readonly eventId: string
  readonly sourceId: string | null
  readonly actorId: string | null
  readonly time: string
}

/** An operation as stored in the ledger. */
export type Entry = { readonly operation: Operation; readonly cause: Cause }

/**
 * The state of a ledger: its last sequence, whether profiles were ever split, and how often people were erased or
 * suppressed.
 */
export type LedgerState = {
  readonly sequence: number
  readonly hasSplits: boolean
  /** Whether any alias call named a previous ID. */
  readonly hasPrevious: boolean
  readonly erasures: number
  /** The key for hashing identifiers; undefined before the first erasure. */
  readonly privacyKey: Uint8Array | undefined
}

type LedgerRow = {
  sequence: string
  has_splits: boolean
  has_previous: boolean
  erasures: string
  privacy_key: Uint8Array | null
}

/**
 * Locks the ledger of a workspace until the end of the transaction, so that one transaction at a time appends to it.
 * Undefined if the workspace no longer exists.
 */
export const lockLedger = async (tx: LedgerTx, workspaceId: string): Promise<LedgerState | undefined> => {
  const locked = async (): Promise<LedgerRow | undefined> =>
    (
      await sql<LedgerRow>`select sequence, has_splits, has_previous, erasures, privacy_key from identity_ledgers
        where workspace_id = ${workspaceId}::uuid for update`.execute(tx)
    ).rows[0]
  let row = await locked()
  if (row === undefined) {
    await sql`insert into identity_ledgers (workspace_id) select id from workspaces where id = ${workspaceId}::uuid
      on conflict do nothing`.execute(tx)
    row = await locked()
  }
  return (
    row && {
      sequence: Number(row.sequence),
      hasSplits: row.has_splits,
      hasPrevious: row.has_previous,
      erasures: Number(row.erasures),
      privacyKey: row.privacy_key ?? undefined,
    }
  )
}

/**
 * The part of a ledger's state on which learned facts depend. After a split or a deletion, facts may have to be learned
 * again.
 */
export type Revision = { readonly revision: string; readonly erasures: number }

/** Reads the revisions of ledgers by workspace; a workspace without a ledger is absent. */
export const readRevisions = async (
  db: Kysely<Database>,
  workspaceIds: readonly string[],
): Promise<Map<string, Revision>> => {
  const { rows } = await sql<{ workspace_id: string; revision: string; erasures: string }>`
    select workspace_id, revision, erasures from identity_ledgers
    where workspace_id = any(${workspaceIds}::uuid[])`.execute(db)
  return new Map(
    rows.map(({ workspace_id, revision, erasures }) => [workspace_id, { revision, erasures: Number(erasures) }]),
  )
}

type IdentifierRow = Identifier & { profile_id: string; sequence: string; made: string }

/*
 * The queries below look up rows of a workspace one by one, by an index. `lateral` with a limit or an offset forces
 * this plan. PostgreSQL may have no statistics of a growing table yet, and would then read all rows of the workspace
 * for each batch.
 */

const columns = (identifiers: readonly Identifier[]) =>
  sql`unnest(${identifiers.map(({ type }) => type)}::text[], ${identifiers.map(({ value }) => value)}::text[])`

/** An identifier that a profile has: the sequence of the operation that added it, and its profile. */
export type Bearer = { readonly sequence: number; readonly profileId: string }

/** Returns the identifiers that profiles have, by key; unknown identifiers are absent. */
export const loadBearers = async (
  tx: LedgerTx,
  workspaceId: string,
  identifiers: readonly Identifier[],
): Promise<Map<string, Bearer>> => {
  if (identifiers.length === 0) return new Map()
  const { rows } = await sql<Identifier & { sequence: string; profile_id: string }>`
    select asked.type, asked.value, i.sequence, i.profile_id from ${columns(identifiers)} as asked (type, value)
    cross join lateral (
      select sequence, profile_id from profile_identifiers
      where workspace_id = ${workspaceId}::uuid and value = asked.value and type = asked.type limit 1) i`.execute(tx)
  return new Map(
    rows.map(({ type, value, sequence, profile_id }) => [
      `${type}:${value}`,
      { sequence: Number(sequence), profileId: profile_id },
    ]),
  )
}

/**
 * The part of the graph around some identifiers, and for each identifier, by key, the sequence of the operation that
 * added it.
 */
export type Loaded = { readonly graph: IdentityGraph; readonly sequences: Map<string, number> }

/** Loads the complete profiles of identifiers, with their rejections and splits. */
export const loadGraph = async (
  tx: LedgerTx,
  workspaceId: string,
  identifiers: readonly Identifier[],
  hasSplits: boolean,
): Promise<Loaded> => {
  const graph = emptyGraph()
  const sequences = new Map<string, number>()
  if (identifiers.length === 0) return { graph, sequences }
  const { rows } = await sql<IdentifierRow>`
    with found as materialized (
      select distinct f.profile_id from ${columns(identifiers)} as asked (type, value)
      cross join lateral (
        select profile_id from profile_identifiers
        where workspace_id = ${workspaceId}::uuid and value = asked.value and type = asked.type limit 1) f)
    select i.type, i.value, found.profile_id, i.sequence, p.sequence as made
    from found
    cross join lateral (
      select sequence from profiles where workspace_id = ${workspaceId}::uuid and id = found.profile_id limit 1) p
    cross join lateral (
      select type, value, sequence from profile_identifiers
      where workspace_id = ${workspaceId}::uuid and profile_id = found.profile_id offset 0) i`.execute(tx)
  for (const { type, value, profile_id, sequence, made } of rows) {
    const profile = graph.profiles.get(profile_id) ?? addProfile(graph, profile_id, Number(made))
    giveIdentifier(graph, profile, { type, value })
    sequences.set(`${type}:${value}`, Number(sequence))
  }
  if (rows.length === 0) return { graph, sequences }
  const { rows: refused } = await sql<Identifier & { profile_id: string }>`
    select profile_id, type, value from identity_operations
    where workspace_id = ${workspaceId}::uuid and kind = 'refuse'
      and profile_id = any(${[...graph.profiles.keys()]}::uuid[])`.execute(tx)
  for (const { profile_id, type, value } of refused) graph.profiles.get(profile_id)?.refused.add(`${type}:${value}`)
  if (hasSplits) {
    const { rows: apart } = await sql<Identifier & { other_type: string; other_value: string }>`
      select a.type, a.value, a.other_type, a.other_value from ${columns([...rows, ...identifiers])} as asked (type, value)
      cross join lateral (
        select * from profile_identifiers_apart
        where workspace_id = ${workspaceId}::uuid and value = asked.value and type = asked.type offset 0) a`.execute(tx)
    for (const { type, value, other_type, other_value } of apart) {
      const keys = graph.apart.get(`${type}:${value}`) ?? new Set()
      graph.apart.set(`${type}:${value}`, keys.add(`${other_type}:${other_value}`))
    }
  }
  return { graph, sequences }
}

/** A row of the table that stores an operation. */
type Row = {
  sequence: number
  kind: Operation['kind']
  profile_id: string
  other_id: string | null
  type: string
  value: string
  by_type: string
  by_value: string
  alias: boolean
  reason: string
  members: readonly Identifier[] | null
  event_id: string
  source_id: string | null
  actor_id: string | null
  time: string
}

const rowOf = ({ operation, cause }: Entry): Row => {
  const identifier = 'identifier' in operation ? operation.identifier : undefined
  const by = 'by' in operation ? operation.by : undefined
  return {
    sequence: operation.sequence,
    kind: operation.kind,
    profile_id: operation.profile,
    other_id: operation.kind === 'merge' ? operation.merged : operation.kind === 'split' ? operation.made : null,
    type: identifier?.type ?? '',
    value: identifier?.value ?? '',
    by_type: by?.type ?? '',
    by_value: by?.value ?? '',
    alias: 'alias' in operation && operation.alias,
    reason: operation.kind === 'refuse' ? operation.reason : '',
    members: operation.kind === 'split' ? operation.identifiers : null,
    event_id: cause.eventId,
    source_id: cause.sourceId,
    actor_id: cause.actorId,
    time: cause.time,
  }
}

/** The columns of an operation in the table. */
export type OperationRow = Omit<Row, 'sequence' | 'time'> & { sequence: string; time: Date }

/** Converts a row of the table to its operation. */
export const operationOf = (row: OperationRow): Operation => {
  const sequence = Number(row.sequence)
  const profile = row.profile_id
  const other = row.other_id ?? ''
  const identifier = { type: row.type, value: row.value }
  const by = { type: row.by_type, value: row.by_value }
  const { alias } = row
  switch (row.kind) {
    case 'create':
      return { kind: 'create', sequence, profile, identifier }
    case 'link':
      return { kind: 'link', sequence, profile, identifier, by, alias }
    case 'merge':
      return { kind: 'merge', sequence, profile, merged: other, identifier, by, alias }
    case 'refuse':
      return { kind: 'refuse', sequence, profile, identifier, by, reason: row.reason === 'split' ? 'split' : 'limit' }
    case 'split':
      return { kind: 'split', sequence, profile, made: other, identifiers: row.members ?? [] }
    case 'erase':
      return { kind: 'erase', sequence, profile }
  }
}

/**
 * Appends entries, whose sequences continue that of the ledger, and applies them to the profiles, in this transaction.
 */
export const appendEntries = async (tx: LedgerTx, workspaceId: string, entries: readonly Entry[]): Promise<void> => {
  const last = entries.at(-1)
  if (last === undefined) return
  await sql`
    insert into identity_operations
      (workspace_id, sequence, kind, profile_id, other_id, type, value, by_type, by_value, alias, reason, members,
       event_id, source_id, actor_id, time)
    select ${workspaceId}::uuid, sequence, kind, profile_id, other_id, type, value, by_type, by_value, alias, reason,
      members, event_id, source_id, actor_id, time
    from jsonb_to_recordset(${JSON.stringify(entries.map(rowOf))}::jsonb) as row
      (sequence bigint, kind text, profile_id uuid, other_id uuid, type text, value text, by_type text, by_value text,
       alias boolean, reason text, members jsonb, event_id text, source_id uuid, actor_id uuid, time timestamptz)
  `.execute(tx)
  await project(
    tx,
    workspaceId,
    entries.map(({ operation, cause }) => ({ operation, time: cause.time })),
  )
  await touchMoved(tx, workspaceId, entries)
  const splits = entries.some(({ operation }) => operation.kind === 'split')
  const previous = entries.some(({ operation: each }) => 'identifier' in each && each.identifier.type === previousId)
  await sql`update identity_ledgers set sequence = ${last.operation.sequence},
    has_splits = has_splits or ${splits}, has_previous = has_previous or ${previous},
    revision = revision + ${splits ? 1 : 0}
    where workspace_id = ${workspaceId}::uuid`.execute(tx)
}
