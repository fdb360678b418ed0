import type { Relational } from '@tributary/storage'

/** A trait with its value as JSON text; null if the value was too large to be stored. */
export type PersonTrait = { readonly name: string; readonly value: string | null }

export type PersonIdentifier = { readonly type: string; readonly value: string; readonly create_time: Date }

/** Maximum number of traits of one person in a response. */
const maxTraits = 2000

/**
 * SQL that returns one row if the identifier `i` is suppressed. It looks up each identifier on its own, since a profile
 * has few.
 */
const suppression = `lateral (select true as suppressed from privacy_hashes h
    where h.workspace_id = i.workspace_id and h.identifier = i.sequence and h.suppress_time is not null limit 1) as h`

/** SQL for all identifiers `i` of the profile that has the identifier `known`, each with whether it is suppressed. */
const ofKnown = `from profile_identifiers known
    join profile_identifiers i on i.workspace_id = known.workspace_id and i.profile_id = known.profile_id
    left join ${suppression} on true`

const isKnown = 'where known.workspace_id = $1 and known.value = $2 and known.type = $3'

/** Returns the SQL that joins the requested traits from the table or view `from`. */
const asked = (
  from: string,
): string => `left join ${from} t on t.workspace_id = i.workspace_id and t.identifier = i.sequence
    and t.name <> '' and ($4::text[] is null or t.name = any($4::text[]))`

/** Suppressed rows come first, so that the limit never cuts them off. */
const traitsByName = {
  name: 'profile-api-traits',
  text: `select h.suppressed, t.name, t.value ${ofKnown} ${asked('profile_traits')} ${isKnown}
    order by h.suppressed, t.name limit ${maxTraits + 1}`,
}

const latestTraits = {
  name: 'profile-api-latest-traits',
  text: `select distinct on (t.name) t.name, t.value ${ofKnown} ${asked('current_traits')} ${isKnown}
    order by t.name, t.time desc, t.event_id desc limit ${maxTraits}`,
}

type TraitRow = { suppressed: true | null; name: string | null; value: string | null }

/**
 * Reads the latest value of each trait, or of the given traits, of the profile with an identifier. Returns undefined if
 * the profile does not exist or is suppressed. The first query takes half the time of the second one, which also
 * compares the times of traits. The second query only runs if two identifiers of the person have the same trait, or
 * there are too many traits.
 */
export const readPersonTraits = async (
  pool: Pick<Relational['pool'], 'query'>,
  workspaceId: string,
  { type, value }: { type: string; value: string },
  names: readonly string[] | null,
): Promise<PersonTrait[] | undefined> => {
  const values = [workspaceId, value, type, names]
  const { rows } = await pool.query<TraitRow>({ ...traitsByName, values })
  if (rows[0] === undefined || rows[0].suppressed === true) return undefined
  const named = (found: readonly TraitRow[]): PersonTrait[] =>
    found.flatMap((row) => (row.name === null ? [] : [{ name: row.name, value: row.value }]))
  const traits = named(rows)
  if (traits.length <= maxTraits && new Set(traits.map(({ name }) => name)).size === traits.length) return traits
  return named((await pool.query<TraitRow>({ ...latestTraits, values })).rows)
}

/**
 * Reads all identifiers of the profile that has this identifier, in the order in which they were first seen. Returns
 * none if the profile does not exist or is suppressed.
 */
export const readPersonIdentifiers = async (
  pool: Pick<Relational['pool'], 'query'>,
  workspaceId: string,
  { type, value }: { type: string; value: string },
): Promise<PersonIdentifier[]> => {
  const { rows } = await pool.query<PersonIdentifier & { suppressed: true | null }>({
    name: 'profile-api-identifiers',
    text: `select h.suppressed, i.type, i.value, i.create_time ${ofKnown} ${isKnown} order by i.sequence`,
    values: [workspaceId, value, type],
  })
  return rows.some(({ suppressed }) => suppressed) ? [] : rows
}
