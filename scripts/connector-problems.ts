import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataSourceProblems, definitionProblems, logoProblems, sourceProblems } from '@tributary/connector-kit'
import {
  type ConnectorKind,
  catalogFile,
  catalogText,
  connectorSlugs,
  isDescribed,
  readDataSource,
  readDestination,
  readSource,
} from './connector-catalog.ts'

/** Returns problems of tests that do not run the connector, or that are not written yet. */
const testProblems = (folder: string): string[] => {
  const tests = globSync('*.test.ts', { cwd: folder })
  if (tests.length === 0) return ['There is no test: *.test.ts']
  const texts = tests.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
  if (/\btestDestination\(/.test(texts)) return []
  // A connector that does not use HTTP has separate tests instead of the shared ones.
  const problems: string[] = []
  if (!/\bdeliver\b|runConnector/.test(texts)) problems.push('No test delivers anything')
  if (!/[tT]estConnection|runConnectionTest/.test(texts)) problems.push('No test tries the test of the connection')
  if (!/ConfigurationError/.test(texts)) problems.push('No test shows that events are held while the set-up is wrong')
  return problems
}

/** Returns the lines that are marked as open work. */
const openWork = (folder: string): string[] =>
  globSync('**/*.{ts,svg,json,md}', { cwd: folder })
    .toSorted()
    .flatMap((file) =>
      readFileSync(join(folder, file), 'utf8')
        .split('\n')
        .flatMap((line, at) => {
          const todo = /\bTODO\b.*/.exec(line)?.[0]
          return todo === undefined ? [] : [`${file}:${at + 1} says ${todo}`]
        }),
    )

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const namedAs = (slug: string, definition: { slug: string }): string[] =>
  definition.slug === slug ? [] : [`Its slug is "${definition.slug}", not the name of its folder`]

/**
 * Returns the problems of the definition in a folder. If a destination's folder has lines that are marked as open work,
 * only a wrong slug is reported, because these lines are more precise.
 */
const ownProblems = async (root: string, kind: ConnectorKind, slug: string, open: boolean): Promise<string[]> => {
  if (kind === 'sources') {
    const source = await readSource(root, slug)
    return [...namedAs(slug, source), ...sourceProblems(source)]
  }
  if (kind === 'data-sources') {
    const dataSource = await readDataSource(root, slug)
    return [...namedAs(slug, dataSource), ...dataSourceProblems(dataSource)]
  }
  const definition = await readDestination(root, slug)
  return [...namedAs(slug, definition), ...(open ? [] : definitionProblems(definition))]
}

const folderProblems = async (root: string, kind: ConnectorKind, slug: string): Promise<string[]> => {
  const folder = join(root, 'connectors', kind, slug)
  const described = kind === 'destinations' && isDescribed(root, slug)
  const missing = [...(described ? ['description.json', 'guide.md'] : ['definition.ts']), 'logo.svg'].filter(
    (file) => !existsSync(join(folder, file)),
  )
  if (missing.length > 0) return missing.map((file) => `There is no ${file}`)
  const open = openWork(folder)
  const own = await ownProblems(root, kind, slug, open.length > 0).catch((error: unknown) => [wordsOf(error)])
  const logo = open.length > 0 ? [] : logoProblems(readFileSync(join(folder, 'logo.svg'), 'utf8'))
  // `connectors/described.test.ts` tests each description.
  const tested = kind === 'destinations' && !described ? testProblems(folder) : []
  const untested = kind === 'data-sources' && globSync('*.test.ts', { cwd: folder }).length === 0
  return [...own, ...logo, ...open, ...tested, ...(untested ? ['There is no test: *.test.ts'] : [])]
}

/** Returns a problem if the generated catalog differs from the folders. */
const catalogProblems = async (root: string): Promise<string[]> => {
  const file = join(root, catalogFile)
  const there = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return there === (await catalogText(root)) ? [] : ['It is not what the folders say: run npm run connector']
}

/** Returns the problems of the connectors of a working copy, by file or folder. Complete connectors have no entry. */
export const connectorProblems = async (root: string): Promise<Map<string, string[]>> => {
  const problems = new Map<string, string[]>()
  const add = (place: string, own: string[]): void => {
    if (own.length > 0) problems.set(place, own)
  }
  for (const kind of ['data-sources', 'destinations', 'sources'] as const)
    for (const slug of connectorSlugs(root, kind))
      add(`connectors/${kind}/${slug}`, await folderProblems(root, kind, slug))
  add(catalogFile, await catalogProblems(root).catch((error: unknown) => [wordsOf(error)]))
  return problems
}
