import type { Relational } from '@tributary/storage'

/** A trait with its value as JSON text; null when it was too large to be kept. */
export type PersonTrait = { readonly name: string; readonly value: string | null }

export type PersonIdentifier = { readonly type: string; readonly value: string; readonly create_time: Date }

/** Traits of one person that are answered. */
const maxTraits = 2000

/** That nobody has suppressed one of the identifiers of `known`: looked up one by one, since there are few. */
const notSuppressed = `(select count(*) from profile_identifiers s
    cross join lateral (select from privacy_hashes h
      where h.workspace_id = s.workspace_id and h.identifier = s.sequence and h.suppress_time is not null limit 1) as h
    where s.workspace_id = known.workspace_id and s.profile_id = known.profile_id) = 0`

/**
 * The latest of each trait of whoever is known by an identifier, of some names only when they are given; undefined when
 * nobody is, or is suppressed. One query that the connection has prepared.
 */
export const readPersonTraits = async (
  pool: Pick<Relational['pool'], 'query'>,
  workspaceId: string,
  { type, value }: { type: string; value: string },
  names: readonly string[] | null,
): Promise<PersonTrait[] | undefined> => {
  const { rows } = await pool.query<{ name: string | null; value: string | null }>({
    name: 'profile-api-traits',
    text: `select distinct on (t.name) t.name, t.value
      from profile_identifiers known
      join profile_identifiers i on i.workspace_id = known.workspace_id and i.profile_id = known.profile_id
      left join current_traits t on t.workspace_id = i.workspace_id and t.identifier = i.sequence
        and t.name <> '' and ($4::text[] is null or t.name = any($4::text[]))
      where known.workspace_id = $1 and known.value = $2 and known.type = $3 and ${notSuppressed}
      order by t.name, t.time desc, t.event_id desc limit ${maxTraits}`,
    values: [workspaceId, value, type, names],
  })
  if (rows.length === 0) return undefined
  return rows.flatMap((row) => (row.name === null ? [] : [{ name: row.name, value: row.value }]))
}

/** The identifiers of whoever is known by one of them, those seen first before the others; none when nobody is, or is suppressed. */
export const readPersonIdentifiers = async (
  pool: Pick<Relational['pool'], 'query'>,
  workspaceId: string,
  { type, value }: { type: string; value: string },
): Promise<PersonIdentifier[]> => {
  const { rows } = await pool.query<{ type: string; value: string; create_time: Date }>({
    name: 'profile-api-identifiers',
    text: `select i.type, i.value, i.create_time from profile_identifiers known
      join profile_identifiers i on i.workspace_id = known.workspace_id and i.profile_id = known.profile_id
      where known.workspace_id = $1 and known.value = $2 and known.type = $3 and ${notSuppressed} order by i.sequence`,
    values: [workspaceId, value, type],
  })
  return rows
}
