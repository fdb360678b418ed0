import type { Db } from '@tributary/api-kit'
import {
  definitionOf,
  type ObjectSchema,
  parseSourceSchema,
  pointerNames,
  type SourceSchema,
  type Violation,
} from '@tributary/contract'

type Place = Pick<Violation, 'type' | 'event' | 'property' | 'problem'>

/** A kind of problem, and when it was seen last (epoch ms). */
export type SeenProblem = Place & { lastSeen: number }

/** Versions that are read at most to find the one with which something was fixed. */
const maxVersions = 20

/** The definition that has the property, and the property's name; undefined when the schema does not get that far. */
const ownerIn = (schema: SourceSchema, { type, event, property }: Place) => {
  const definition = definitionOf(schema, type, event)
  const [first = property, second] = pointerNames(`/${property}`) ?? []
  if (definition === undefined || second === undefined) return { object: definition, name: first }
  const parent = definition.properties.get(first)
  return { object: parent === undefined ? undefined : (parent.items ?? 'anything'), name: second } as const
}

/** Whether a schema allows all such events, whatever their values. Not for a wrong type. */
const allows = (schema: SourceSchema, place: Place): boolean => {
  if (place.problem === 'new_event') return definitionOf(schema, place.type, place.event) !== undefined
  const { object, name } = ownerIn(schema, place)
  if (object === undefined || object === 'anything') return object === 'anything'
  return place.problem === 'missing' ? !object.required.has(name) : object.properties.has(name)
}

const typeIn = (schema: SourceSchema, place: Place): ObjectSchema | string | undefined => {
  const { object, name } = ownerIn(schema, place)
  return object === 'anything' ? object : object?.properties.get(name)?.type
}

/** A version of a schema in which a problem is searched. */
export type SeenVersion = { version: number; schema: SourceSchema; created: number }

/**
 * The version with which a problem was fixed, of these versions, newest first: from it on, the schema allows what it did not allow before.
 * A wrong type counts as fixed when the type was changed after it was seen last, since only the next event can show more. Null while
 * it is not fixed, and undefined when only older versions can show it.
 */
export const fixedIn = (versions: readonly SeenVersion[], problem: SeenProblem): number | null | undefined => {
  let fixed: number | null = null
  const types: [number, ReturnType<typeof typeIn>][] = []
  for (const { version, schema, created } of versions) {
    if (problem.problem !== 'type') {
      if (!allows(schema, problem)) return fixed
      fixed = version
      continue
    }
    const type = typeIn(schema, problem)
    if (created > problem.lastSeen) {
      types.push([version, type])
      continue
    }
    for (const [later, other] of types) {
      if (other === undefined || other === type) break
      fixed = later
    }
    return fixed
  }
  return undefined
}

/** Finds for each problem of a source with which version of its schema it was fixed, as `fixedIn` says. */
export const readFixedVersions = async (
  db: Db,
  sourceId: string,
  problems: readonly SeenProblem[],
): Promise<(number | null)[]> => {
  const versions: SeenVersion[] = []
  let found = problems.map((problem) => fixedIn(versions, problem))
  while (found.includes(undefined) && versions.length < maxVersions) {
    const row = await db
      .selectFrom('source_schemas')
      .select(['version', 'schema', 'create_time'])
      .where('source_id', '=', sourceId)
      .$if(versions.length > 0, (select) => select.where('version', '<', versions.at(-1)?.version ?? 0))
      .orderBy('version', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (row === undefined) break
    const { version, schema, create_time } = row
    versions.push({ version, schema: parseSourceSchema(schema), created: create_time.getTime() })
    found = problems.map((problem) => fixedIn(versions, problem))
  }
  // Older versions are not read: a problem that none of these has was fixed with the oldest of them, or before.
  const oldest = versions.length === maxVersions ? (versions.at(-1)?.version ?? null) : null
  return found.map((version, index) =>
    version === undefined ? (problems[index]?.problem === 'type' ? null : oldest) : version,
  )
}
