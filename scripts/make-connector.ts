import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { connectorFiles, identifierOf } from './connector-template.ts'

type JsonObject = Record<string, unknown>

const slugForm = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

const change = (file: string, edit: (text: string) => string): void => {
  const before = readFileSync(file, 'utf8')
  const after = edit(before)
  if (after === before) throw new Error(`${file} is not as expected: register the connector there by hand`)
  writeFileSync(file, after)
}

const changeJson = (file: string, edit: (value: JsonObject) => void): void =>
  change(file, (text) => {
    const value = JSON.parse(text) as JsonObject
    edit(value)
    return `${JSON.stringify(value, undefined, 2)}\n`
  })

/** An object with one more entry, in its place among those that begin with the same words: all others stay. */
const withEntry = (object: JsonObject, words: string, slug: string, value: unknown): JsonObject => {
  const entries = Object.entries(object)
  const key = words + slug
  const behind = entries.findIndex(([name]) => name.startsWith(words) && name > key)
  const last = entries.findLastIndex(([name]) => name.startsWith(words)) + 1
  return Object.fromEntries(entries.toSpliced(behind < 0 ? last : behind, 0, [key, value]))
}

const withDependency = (owner: JsonObject, slug: string): JsonObject =>
  withEntry(owner['dependencies'] as JsonObject, '@tributary/destination-', slug, '0.1.0')

/** Adds the reference before that of the webhook, which every one of these files has. */
const addReference = (file: string, slug: string): void =>
  change(file, (text) =>
    text.replace(
      /( *)\{\s*"path": "([^"]*connectors\/destinations\/)webhook"\s*\}/,
      (webhook, indent: string, before: string) =>
        [`${indent}{\n${indent}  "path": "${before}${slug}"\n${indent}}`, webhook].join(',\n'),
    ),
  )

const addToCatalog = (file: string, slug: string): void =>
  change(file, (text) => {
    const name = identifierOf(slug)
    return text
      .replace(/^import \{ webhook \}/m, `import { ${name} } from '@tributary/destination-${slug}'\n$&`)
      .replace(/,?\s*\](?=\.map\(\(definition\))/, `, ${name}]`)
  })

const addToLock = (file: string, slug: string): void =>
  changeJson(file, (lock) => {
    const packages = lock['packages'] as Record<string, JsonObject>
    const server = packages['apps/server']
    if (server !== undefined) server['dependencies'] = withDependency(server, slug)
    const {
      private: _private,
      type: _type,
      exports: _exports,
      ...own
    } = JSON.parse(connectorFiles(slug)['package.json'] ?? '{}') as JsonObject
    const added = withEntry(packages, 'connectors/destinations/', slug, own)
    const link = { resolved: `connectors/destinations/${slug}`, link: true }
    lock['packages'] = withEntry(added, 'node_modules/@tributary/destination-', slug, link)
  })

const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')

/**
 * Makes the folder of a new destination and registers it everywhere, so that it compiles at once. What it still lacks is
 * named by the check of the connectors. A link takes the place of an installation, since nothing new is needed. Throws
 * when the slug is no name or is taken.
 */
export const makeConnector = (root: string, slug: string): string => {
  const folder = join(root, 'connectors/destinations', slug)
  if (!slugForm.test(slug))
    throw new Error(`"${slug}" is no name: use lower-case letters and digits, words joined by -`)
  if (existsSync(folder)) throw new Error(`connectors/destinations/${slug} already exists`)
  for (const [path, text] of Object.entries(connectorFiles(slug))) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  for (const file of ['tsconfig.json', 'tsconfig.tests.json', 'apps/server/tsconfig.json'])
    addReference(join(root, file), slug)
  changeJson(join(root, 'apps/server/package.json'), (server) => {
    server['dependencies'] = withDependency(server, slug)
  })
  addToCatalog(join(root, 'apps/server/src/catalog.ts'), slug)
  const lock = join(root, 'package-lock.json')
  const stamp = join(root, 'node_modules/.tributary-installed')
  const installed = existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOf(lock)
  addToLock(lock, slug)
  const link = join(root, 'node_modules/@tributary', `destination-${slug}`)
  if (!existsSync(link)) symlinkSync(join('../..', 'connectors/destinations', slug), link)
  if (installed) writeFileSync(stamp, hashOf(lock))
  return folder
}
