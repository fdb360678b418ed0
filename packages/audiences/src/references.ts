import { parseReference, type Tx } from '@tributary/api-kit'
import {
  type AudienceQuery,
  audienceLimits,
  conditionCount,
  listOf,
  listValueCount,
  queriesOf,
  resourceNames,
  tooManyValues,
} from '@tributary/contract'
import { badRequest } from '@tributary/kernel'
import { sql } from 'kysely'
import { audienceName, type KnownAudience, namedIn, readKnown } from './read.ts'

const refuse = (text: string): Error => badRequest('VALIDATION', text, { query: text })

/**
 * Throws 400 for a query that refers to an unknown audience, to the list of another audience, or back to `own` (a
 * resource name; '' for a new audience). Also throws 400 if it has too many conditions or levels, including those of
 * the audiences to which it refers. This is a pure function.
 */
export const checkReferences = (query: AudienceQuery, own: string, known: readonly KnownAudience[]): void => {
  const byName = new Map(known.map((each) => [each.name, each]))
  type Weight = { conditions: number; values: number }
  const weightOf = (tree: AudienceQuery, depth: number, of: string): Weight => {
    const list = listOf(tree)
    if (list !== undefined && list.name !== of) throw refuse('A list is imported, and cannot be a condition')
    if (depth > audienceLimits.depth)
      throw refuse(`Audiences can name each other over at most ${audienceLimits.depth} levels`)
    const weight = { conditions: conditionCount(tree), values: listValueCount(tree) }
    for (const name of namedIn(tree)) {
      parseReference(resourceNames.audience, 'query', name)
      if (name === own) throw refuse('An audience cannot depend on itself')
      const other = byName.get(name)
      if (other === undefined) throw refuse('This query names an audience that does not exist')
      const { conditions, values } = weightOf(other.query, depth + 1, name)
      weight.conditions += conditions
      weight.values += values
      // Checked after each reference, which bounds the work of the recursion.
      if (weight.conditions > audienceLimits.conditions)
        throw refuse(`At most ${audienceLimits.conditions} conditions, those of other audiences included`)
      if (weight.values > audienceLimits.values) throw refuse(`${tooManyValues}, those of other audiences included`)
    }
    return weight
  }
  weightOf(query, 1, own)
}

/** Takes a lock on all audiences of the workspace until the transaction ends, and returns them. */
export const lockAudiences = async (tx: Tx, workspaceId: string): Promise<KnownAudience[]> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`audiences ${workspaceId}`}, 0))`.execute(tx)
  return await readKnown(tx, workspaceId)
}

/** Creates the function that finds the query of a referenced audience. */
export const lookUp = (known: readonly KnownAudience[]): ((name: string) => AudienceQuery | undefined) => {
  const byName = new Map(known.map((each) => [each.name, each]))
  return (name) => byName.get(name)?.query
}

/** Throws 400 if a changed query would make a dependent audience too deep, too long, or circular. */
export const checkDependents = (
  workspaceId: string,
  id: string,
  query: AudienceQuery,
  known: readonly KnownAudience[],
) => {
  const name = audienceName(workspaceId, id)
  const changed = known.map((each) => (each.name === name ? { ...each, query } : each))
  for (const each of changed) if (each.text.includes('"audience"')) checkReferences(each.query, each.name, changed)
}

const ofNow: ReadonlySet<string> = new Set(['today', 'within_last', 'before_last', 'within_next', 'after_next'])

/**
 * Whether a query compares dates of traits or properties with the time of evaluation, directly or by a referenced
 * audience.
 */
export const comparesWithNow = (
  query: AudienceQuery,
  queryOf: (name: string) => AudienceQuery | undefined,
  depth = 1,
): boolean =>
  queriesOf(query).some(({ selectedAttributes }) => selectedAttributes.some(({ operator }) => ofNow.has(operator))) ||
  (depth < audienceLimits.depth &&
    namedIn(query).some((name) => {
      const other = queryOf(name)
      return other !== undefined && comparesWithNow(other, queryOf, depth + 1)
    }))
