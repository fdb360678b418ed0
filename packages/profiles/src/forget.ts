import { createHmac, randomBytes } from 'node:crypto'
import { type Database, deleteListIdentifiers, deleteProfileTraits, touchProfiles } from '@tributary/storage'
import { type Kysely, sql } from 'kysely'
import { deleteConsents } from './consents.ts'
import { type Identifier, identifierKey, previousId } from './identifiers.ts'
import { appendEntries, type Entry, type LedgerTx, loadGraph, lockLedger } from './ledger.ts'
import { ownerOf } from './owners/owner.ts'

/** Returns the keyed hash that replaces a deleted identifier, as 64 hexadecimal digits. */
export const identifierHash = (key: Uint8Array, identifier: Identifier): string =>
  createHmac('sha256', key).update(identifierKey(identifier)).digest('hex')

/** The first character of the text that replaces a deleted value in the ledger; no identifier contains it. */
const forgottenMark = '\ufffd'

export type ForgetRequest = {
  readonly requestId: string
  readonly identifiers: readonly Identifier[]
  /** Whether earlier data is erased, and whether later events get no profile. At least one is true. */
  readonly erases: boolean
  readonly suppresses: boolean
  /** The requesting user. */
  readonly actorId: string
  readonly time: Date
}

export type Forgotten = {
  /**
   * The requested identifiers, and all other identifiers of their profiles; identifiers of the same person have the
   * same number.
   */
  readonly identifiers: readonly (Identifier & { readonly person: number })[]
  readonly profiles: number
  /** The ledger position up to which `forgetValues` must run. */
  readonly sequence: number
}

/** A requested ID may be stored as a previous ID that an alias call replaced. */
const namesOf = ({ type, value }: Identifier): Identifier[] =>
  type === 'user_id' || type === 'anonymous_id'
    ? [
        { type, value },
        { type: previousId, value },
      ]
    : [{ type, value }]

const writeHashes = (
  tx: LedgerTx,
  workspaceId: string,
  hashes: readonly Hashed[],
  request: ForgetRequest,
  changed: number,
) => {
  const time = request.time.toISOString()
  return sql`
    insert into privacy_hashes
      (workspace_id, hash, type, owner, identifier, delete_time, suppress_time, changed, request_id)
    select ${workspaceId}::uuid, hash, type, owner, identifier, ${request.erases ? time : null}::timestamptz,
      ${request.suppresses ? time : null}::timestamptz, ${changed}, ${request.requestId}::uuid
    from json_to_recordset(${JSON.stringify(hashes)}::json) as row
      (hash text, type text, owner numeric, identifier bigint)
    on conflict (workspace_id, hash) do update set
      owner = excluded.owner, identifier = excluded.identifier,
      delete_time = greatest(excluded.delete_time, privacy_hashes.delete_time),
      suppress_time = coalesce(privacy_hashes.suppress_time, excluded.suppress_time),
      changed = excluded.changed, request_id = excluded.request_id`.execute(tx)
}

/** The data that remains of an erased identifier, under its hash. */
type Hashed = { hash: string; type: string; owner: string | null; identifier: number | null }

/** Returns the owner of the identifier's events in the event store; null for types that own no events. */
const owningOf = (workspaceId: string, identifier: Identifier): string | null =>
  identifier.type === 'user_id' || identifier.type === 'anonymous_id' ? ownerOf(workspaceId, identifier) : null

/**
 * Erases or suppresses people in this transaction. Profiles with one of the identifiers are deleted with their traits,
 * and events received until now no longer affect profiles. Suppressed identifiers get no profile from now on. Keyed
 * hashes and a ledger entry about the erasure remain. Values in the ledger remain until `forgetValues`. Undefined if
 * the workspace does not exist.
 */
export const forgetPeople = async (
  tx: LedgerTx,
  workspaceId: string,
  request: ForgetRequest,
): Promise<Forgotten | undefined> => {
  const ledger = await lockLedger(tx, workspaceId)
  if (ledger === undefined) return undefined
  const key = ledger.privacyKey ?? randomBytes(32)
  const asked = request.identifiers.flatMap(namesOf)
  const { graph, sequences } = await loadGraph(tx, workspaceId, asked, ledger.hasSplits)
  const profiles = [...graph.profiles.values()]
  const all = new Map<string, Identifier & { person: number }>()
  for (const [person, { identifiers }] of profiles.entries())
    for (const [each, identifier] of identifiers) all.set(each, { ...identifier, person })
  for (const [index, identifier] of request.identifiers.entries()) {
    const each = identifierKey(identifier)
    if (!all.has(each)) all.set(each, { ...identifier, person: profiles.length + index })
  }
  const hashes = [...all.values()].map((each) => ({
    hash: identifierHash(key, each),
    type: each.type,
    owner: owningOf(workspaceId, each),
    // An erased identifier no longer has a sequence.
    identifier: request.erases ? null : (sequences.get(identifierKey(each)) ?? null),
  }))
  let { sequence } = ledger
  const known = profiles.flatMap(({ identifiers }) => [...identifiers.keys()].map((each) => sequences.get(each)))
  const gone = known.filter((each) => each !== undefined)
  // Later preferences of a suppressed user are not stored, so that earlier ones must not count after the end of it.
  await deleteConsents(tx, workspaceId, gone)
  if (request.erases) {
    await deleteProfileTraits(tx, workspaceId, gone)
    await deleteListIdentifiers(tx, workspaceId, gone)
    const cause = { eventId: '', sourceId: null, actorId: request.actorId, time: request.time.toISOString() }
    const entries = profiles.map(
      ({ id }): Entry => ({ operation: { kind: 'erase', sequence: ++sequence, profile: id }, cause }),
    )
    await appendEntries(tx, workspaceId, entries)
  }
  await writeHashes(tx, workspaceId, hashes, request, ledger.erasures + 1)
  await sql`update identity_ledgers set erasures = erasures + 1, privacy_key = ${key}
    where workspace_id = ${workspaceId}::uuid`.execute(tx)
  if (request.suppresses)
    await touchProfiles(
      tx,
      workspaceId,
      profiles.map(({ id }) => id),
    )
  return { identifiers: [...all.values()], profiles: profiles.length, sequence }
}

/** Maximum ledger entries per statement. */
const stretch = 50_000

type Mention = {
  sequence: string
  type: string
  value: string
  by_type: string
  by_value: string
  members: Identifier[] | null
}

/**
 * Replaces the values of identifiers in a workspace's ledger by hashes, up to an entry. The resulting profiles stay the
 * same. The call can be repeated.
 */
export const forgetValues = async (
  db: Kysely<Database>,
  workspaceId: string,
  request: { identifiers: readonly Identifier[]; sequence: number },
): Promise<void> => {
  const row = await db
    .selectFrom('identity_ledgers')
    .select('privacy_key')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  const key = row?.privacy_key ?? undefined
  if (key === undefined || request.identifiers.length === 0) return
  const hashes = new Map(
    request.identifiers.map((each) => [identifierKey(each), `${forgottenMark}${identifierHash(key, each)}`]),
  )
  const values = request.identifiers.map(({ value }) => value)
  const valueOf = (type: string, value: string): string => hashes.get(identifierKey({ type, value })) ?? value
  const found: object[] = []
  for (let after = 0; after < request.sequence; after += stretch) {
    const { rows } = await sql<Mention>`
      select sequence, type, value, by_type, by_value, members from identity_operations
      where workspace_id = ${workspaceId}::uuid and sequence > ${after}
        and sequence <= ${Math.min(after + stretch, request.sequence)}
        and (value = any(${values}::text[]) or by_value = any(${values}::text[]) or kind = 'split')`.execute(db)
    for (const { sequence, type, value, by_type, by_value, members } of rows)
      found.push({
        sequence: Number(sequence),
        value: valueOf(type, value),
        by_value: valueOf(by_type, by_value),
        members: members?.map((each) => ({ type: each.type, value: valueOf(each.type, each.value) })) ?? null,
      })
  }
  if (found.length === 0) return
  // Uses one transaction, because a partial replacement would result in different profiles.
  await db.transaction().execute(async (tx) => {
    await lockLedger(tx, workspaceId)
    await sql`
      update identity_operations o set value = row.value, by_value = row.by_value, members = row.members
      from jsonb_to_recordset(${JSON.stringify(found)}::jsonb) as row
        (sequence bigint, value text, by_value text, members jsonb)
      where o.workspace_id = ${workspaceId}::uuid and o.sequence = row.sequence`.execute(tx)
  })
}

/** Returns the hashes of a value as an identifier of each type for which hashes exist. */
export const hashesOfValue = async (db: Kysely<Database>, workspaceId: string, value: string): Promise<string[]> => {
  const { rows } = await sql<{ type: string; key: Uint8Array }>`
    select distinct h.type, l.privacy_key as key
    from privacy_hashes h join identity_ledgers l on l.workspace_id = h.workspace_id
    where h.workspace_id = ${workspaceId}::uuid`.execute(db)
  return rows.map(({ type, key }) => identifierHash(key, { type, value }))
}

/** Lifts the suppression of an identifier, in this transaction; returns false if the identifier is not suppressed. */
export const releaseSuppression = async (tx: LedgerTx, workspaceId: string, hash: string): Promise<boolean> => {
  const ledger = await lockLedger(tx, workspaceId)
  if (ledger === undefined) return false
  const { numAffectedRows } = await sql`
    update privacy_hashes set suppress_time = null, refused_events = 0, changed = ${ledger.erasures + 1}
    where workspace_id = ${workspaceId}::uuid and hash = ${hash} and suppress_time is not null`.execute(tx)
  if ((numAffectedRows ?? 0n) === 0n) return false
  const { rows } = await sql<{ id: string }>`
    select i.profile_id as id from privacy_hashes h
    join profile_identifiers i on i.workspace_id = h.workspace_id and i.sequence = h.identifier
    where h.workspace_id = ${workspaceId}::uuid and h.hash = ${hash}`.execute(tx)
  await touchProfiles(
    tx,
    workspaceId,
    rows.map(({ id }) => id),
  )
  // The changed number makes processes check cached rejections again.
  await sql`update identity_ledgers set erasures = erasures + 1 where workspace_id = ${workspaceId}::uuid`.execute(tx)
  return true
}
