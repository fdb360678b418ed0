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

/** A kind of schema problem, and the time when it last occurred (epoch ms). */
export type SeenProblem = Place & { lastSeen: number }

/** Maximum number of schema versions that are read to find the one that fixed a problem. */
const maxVersions = 20

/**
 * Returns the definition to which the property of a problem belongs, and the name of the property in it. The definition
 * is undefined if the schema does not have it.
 */
const ownerIn = (schema: SourceSchema, { type, event, property }: Place) => {
  const definition = definitionOf(schema, type, event)
  const [first = property, second] = pointerNames(`/${property}`) ?? []
  if (definition === undefined || second === undefined) return { object: definition, name: first }
  const parent = definition.properties.get(first)
  return { object: parent === undefined ? undefined : (parent.items ?? 'anything'), name: second } as const
}

/** Whether a schema allows all events with this problem, whatever their values. Cannot be used for a wrong type. */
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

/** A version of a schema that is checked for a problem; `created` is epoch ms. */
export type SeenVersion = { version: number; schema: SourceSchema; created: number }

/**
 * Returns the version that fixed a problem; `versions` are sorted newest first. From this version on, the schema allows
 * what it did not allow before. A wrong type counts as fixed if the type was changed after its last occurrence, because
 * only a new event can show whether it fits. Returns null if it is not fixed, and undefined if only older versions
 * could show it.
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

/** Finds for each problem of a source the version of its schema that fixed the problem, as `fixedIn` does. */
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
  // Older versions are not read. So a problem that none of these versions has was fixed in the oldest of them, or
  // before.
  const oldest = versions.length === maxVersions ? (versions.at(-1)?.version ?? null) : null
  return found.map((version, index) =>
    version === undefined ? (problems[index]?.problem === 'type' ? null : oldest) : version,
  )
}
