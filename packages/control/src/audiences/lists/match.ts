import type { Tx } from '@tributary/api-kit'
import type { Evaluation } from '@tributary/audiences'
import { type ListKind, type ListReport, listLimits } from '@tributary/contract'
import { badRequest } from '@tributary/kernel'
import { sql } from 'kysely'
import { type ListValue, readValues } from './read-values.ts'

/** The sequence numbers of the identifiers that match the values of a list, and the report about the match. */
export type MatchedValues = { identifiers: string[]; report: ListReport }

type Found = { place: number; identifiers: string[] }

/**
 * Selects identifiers of profiles whose current email or phone trait equals a value. Such a profile need not have the
 * value as an identifier. Earlier values of the trait do not match.
 */
const ofTraits = (workspaceId: string, kind: ListKind) =>
  kind === 'email' || kind === 'phone'
    ? sql`union
      select i.sequence from profile_traits t
      join profile_identifiers i on i.workspace_id = t.workspace_id and i.sequence = t.identifier
      where t.workspace_id = ${workspaceId}::uuid and t.name = ${kind}
        and "left"(t.value, 100) in ("left"(given.trait, 100), "left"(given.plain, 100))
        and t.value in (given.trait, given.plain)
        and t.identifier = (
          select own.sequence from profile_identifiers own
          join current_traits c on c.workspace_id = own.workspace_id and c.identifier = own.sequence and c.name = t.name
          where own.workspace_id = t.workspace_id and own.profile_id = i.profile_id
          order by c.time desc, c.event_id desc limit 1
        )`
    : sql``

const findIdentifiers = async (
  tx: Tx,
  workspaceId: string,
  kind: ListKind,
  values: readonly ListValue[],
): Promise<Found[]> => {
  const traitOf = (index: number) =>
    values.map(({ traits }) => {
      const text = traits[index] ?? traits[0]
      return text === undefined ? null : JSON.stringify(text)
    })
  const { rows } = await sql<Found>`
    select given.place, found.identifiers
    from unnest(${values.map(({ place }) => place)}::integer[], ${values.map(({ identifier }) => identifier)}::text[],
      ${traitOf(0)}::text[], ${traitOf(1)}::text[]) as given (place, value, trait, plain)
    cross join lateral (
      select array_agg(sequence::text) as identifiers from (
        (select i.sequence from profile_identifiers i
        where i.workspace_id = ${workspaceId}::uuid and i.value = given.value and i.type = ${kind}
        ${ofTraits(workspaceId, kind)}) limit ${listLimits.matches + 1}
      ) as each
    ) as found
    where found.identifiers is not null`.execute(tx)
  return rows.filter(({ identifiers }) => identifiers.length <= listLimits.matches)
}

const countProfiles = async (tx: Tx, workspaceId: string, identifiers: readonly string[]): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(distinct profile_id)::int as count from profile_identifiers
    where workspace_id = ${workspaceId}::uuid and sequence = any(${identifiers}::bigint[])`.execute(tx)
  return rows[0]?.count ?? 0
}

/**
 * Finds the identifiers that match values, with the slot and the time limit of an evaluation. A value with more than
 * `listLimits.matches` identifiers matches none. Throws 400 `QUERY_TOO_LARGE` if the search takes too long.
 */
export const matchValues = (
  evaluation: Pick<Evaluation, 'inPlace'>,
  workspaceId: string,
  { kind, values: texts }: { kind: ListKind; values: readonly string[] },
  signal: AbortSignal,
): Promise<MatchedValues> => {
  const { values, invalid, duplicates } = readValues(kind, texts)
  const tooLong = () =>
    badRequest('QUERY_TOO_LARGE', 'Looking up these identifiers takes too long. Import fewer at a time')
  return evaluation.inPlace(
    async (tx) => {
      const rows = await findIdentifiers(tx, workspaceId, kind, values)
      const identifiers = [...new Set(rows.flatMap((row) => row.identifiers))]
      const found = new Set(rows.map(({ place }) => place))
      return {
        identifiers,
        report: {
          found_count: found.size,
          profile_count: await countProfiles(tx, workspaceId, identifiers),
          not_found: values.filter(({ place }) => !found.has(place)).map(({ place }) => place),
          invalid,
          duplicates,
        },
      }
    },
    { workspaceId, slot: 'short', signal },
    tooLong,
  )
}
