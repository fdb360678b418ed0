import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type DestinationDefinition, definitionProblems } from '@tributary/connector-kit'

/** Where a destination is registered, as paths from the root, and what stands there. */
export const registrations = (slug: string): { file: string; text: string }[] => [
  { file: 'tsconfig.json', text: `"connectors/destinations/${slug}"` },
  { file: 'tsconfig.tests.json', text: `"connectors/destinations/${slug}"` },
  { file: 'apps/server/tsconfig.json', text: `"../../connectors/destinations/${slug}"` },
  { file: 'apps/server/package.json', text: `"@tributary/destination-${slug}"` },
  { file: 'apps/server/src/catalog.ts', text: `'@tributary/destination-${slug}'` },
  { file: 'package-lock.json', text: `"connectors/destinations/${slug}"` },
]

const isDefinition = (value: unknown): value is DestinationDefinition =>
  typeof value === 'object' && value !== null && 'slug' in value && 'deliver' in value && 'actions' in value

/** Tests that run nothing of the connector, or that wait to be written. */
const testProblems = (folder: string): string[] => {
  const tests = globSync('src/**/*.test.ts', { cwd: folder })
  if (tests.length === 0) return ['There is no test: src/*.test.ts']
  const texts = tests.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
  const problems: string[] = []
  if (!/\bdeliver\b|runConnector/.test(texts)) problems.push('No test delivers anything')
  if (!/[tT]estConnection|runConnectionTest/.test(texts)) problems.push('No test tries the test of the connection')
  if (!/ConfigurationError/.test(texts)) problems.push('No test shows that events are held while the set-up is wrong')
  return problems
}

/** Lines that say what is still to be done. */
const openWork = (folder: string): string[] =>
  globSync('src/**/*.ts', { cwd: folder }).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .flatMap((line, at) => {
        const todo = /\bTODO\b.*/.exec(line)?.[0]
        return todo === undefined ? [] : [`${file}:${at + 1} says ${todo}`]
      }),
  )

const folderProblems = async (root: string, slug: string): Promise<string[]> => {
  const folder = join(root, 'connectors/destinations', slug)
  const entry = join(folder, 'src/index.ts')
  if (!existsSync(entry)) return ['There is no src/index.ts']
  const unregistered = registrations(slug)
    .filter(({ file, text }) => !readFileSync(join(root, file), 'utf8').includes(text))
    .map(({ file }) => `It is not registered in ${file}`)
  const exported: Record<string, unknown> = await import(pathToFileURL(entry).href)
  const definitions = Object.values(exported).filter(isDefinition)
  const [definition] = definitions
  if (definition === undefined || definitions.length > 1)
    return [...unregistered, `src/index.ts exports ${definitions.length} definitions, not one`]
  const misnamed = definition.slug === slug ? [] : [`Its slug is "${definition.slug}", not the name of its folder`]
  // Its open work names the places; what the definition says of it would be the same once more.
  const open = openWork(folder)
  const own = definitionProblems(definition).filter((problem) => !problem.includes('TODO'))
  return [...unregistered, ...misnamed, ...own, ...testProblems(folder), ...open]
}

/** What the destinations of a working copy lack, by the name of their folder; those that are complete have no entry. */
export const connectorProblems = async (root: string): Promise<Map<string, string[]>> => {
  const slugs = readdirSync(join(root, 'connectors/destinations'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
  const problems = new Map<string, string[]>()
  for (const slug of slugs.toSorted()) {
    const own = await folderProblems(root, slug)
    if (own.length > 0) problems.set(slug, own)
  }
  return problems
}
