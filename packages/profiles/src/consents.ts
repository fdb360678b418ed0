import { consentPreferencesOf } from '@tributary/connector-kit'
import { jsonMembers } from '@tributary/kernel'
import { sql } from 'kysely'
import type { LedgerTx } from './ledger.ts'
import { isLater } from './trait-changes.ts'

/** Limits of categories with consent: their number, and the characters of a name, as of those that destinations require. */
const consentLimits = { categories: 200, nameLength: 100 } as const

/**
 * The categories with consent in an event, sorted. Every other category has none. `identifier` is the sequence of the
 * operation that added the identifier that owns the event; `time` is RFC 3339.
 */
export type GivenConsent = {
  readonly identifier: number
  readonly granted: readonly string[]
  readonly time: string
  readonly event_id: string
}

const isStorable = (name: string): boolean =>
  name.length <= consentLimits.nameLength && !name.includes('\0') && name.isWellFormed()

/**
 * Returns the categories with consent in the JSON text of an event's context; undefined if it has no preferences.
 * Categories beyond the limits count as without consent.
 */
export const grantedIn = (context: string): readonly string[] | undefined => {
  const consent = jsonMembers(context).get('consent')
  if (consent === undefined) return undefined
  const preferences = consentPreferencesOf({ context: { consent: JSON.parse(consent) as unknown } })
  return (
    preferences &&
    Object.keys(preferences)
      .filter((name) => preferences[name] === true && isStorable(name))
      .toSorted()
      .slice(0, consentLimits.categories)
  )
}

/**
 * Stores consents. Each identifier keeps its latest one by time, and for equal times that of the later event ID, in any
 * order and with repetitions. The transaction must hold the ledger's lock.
 */
export const writeConsents = async (
  tx: LedgerTx,
  workspaceId: string,
  consents: readonly GivenConsent[],
): Promise<void> => {
  if (consents.length === 0) return
  const latest = new Map<number, GivenConsent>()
  for (const each of consents) {
    const known = latest.get(each.identifier)
    if (known === undefined || isLater(each, known)) latest.set(each.identifier, each)
  }
  await sql`
    insert into profile_consents as kept (workspace_id, identifier, granted, time, event_id)
    select ${workspaceId}::uuid, identifier, granted, time, event_id
    from jsonb_to_recordset(${JSON.stringify([...latest.values()])}::jsonb) as row
      (identifier bigint, granted text[], time timestamptz, event_id text)
    on conflict (workspace_id, identifier) do update set granted = excluded.granted, time = excluded.time,
      event_id = excluded.event_id
    where (excluded.time, excluded.event_id) > (kept.time, kept.event_id)`.execute(tx)
}

/** Removes the consents of identifiers. */
export const deleteConsents = async (
  tx: LedgerTx,
  workspaceId: string,
  identifiers: readonly number[],
): Promise<void> => {
  await sql`delete from profile_consents
    where workspace_id = ${workspaceId}::uuid and identifier = any(${identifiers}::bigint[])`.execute(tx)
}
