import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeConnector, writeCatalog } from './make-connector.ts'

const files = [
  'tsconfig.base.json',
  'connectors/index.ts',
  'connectors/load-described.ts',
  'connectors/described.test.ts',
  'connectors/tsconfig.json',
  'connectors/package.json',
]
const connectors = [
  'connectors/destinations/webhook',
  'connectors/sources/http',
  'connectors/sources/arrival.ts',
  'connectors/wire/access/elements.ts',
  'connectors/wire/normalization',
  'connectors/wire/s3',
]
const packages = ['kernel', 'contract', 'connector-kit']

// The folder is inside the repository, so that external packages are found.
let root: string
beforeAll(async () => {
  mkdirSync('.cache', { recursive: true })
  root = mkdtempSync(join(process.cwd(), '.cache/connector-'))
  for (const path of [...files, ...connectors, ...packages.map((name) => `packages/${name}`)])
    cpSync(path, join(root, path), { recursive: true, filter: (from) => !from.includes('node_modules') })
  mkdirSync(join(root, 'connectors/data-sources'))
  mkdirSync(join(root, 'node_modules/@tributary'), { recursive: true })
  for (const name of packages) symlinkSync(join('../../packages', name), join(root, 'node_modules/@tributary', name))
  await writeCatalog(root)
})
afterAll(() => {
  if (root !== undefined) rmSync(root, { recursive: true, force: true })
})

const run = (command: string, args: string[]): { status: number | null; output: string } => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8' })
  return { status, output: `${stdout}${stderr}` }
}

const check = () => run(process.execPath, [join(process.cwd(), 'scripts/check-connectors.ts')])
const catalog = (): string => readFileSync(join(root, 'connectors/catalog.generated.ts'), 'utf8')

it('a new connector compiles and passes its test immediately, is in the catalog, and the check lists the open work', {
  timeout: 180_000,
}, async () => {
  const before = catalog()
  await makeConnector(root, 'google-sheets', 'code')
  const entry = /  \{\n    slug: "google-sheets",.*?\n  \},\n/s.exec(catalog())?.[0] ?? 'none'
  expect(entry).toContain("(await import('./destinations/google-sheets/definition.ts')).googleSheets")
  expect(catalog().replace(entry, '')).toBe(before)
  expect(run('tsc', ['-b', 'connectors'])).toEqual({ status: 0, output: '' })
  const tests = run('vitest', ['run', '--root', root, 'connectors/destinations/google-sheets'])
  expect([tests.status, tests.output]).toEqual([0, expect.stringMatching(/\d passed/)])
  const { status, output } = check()
  expect(status).toBe(1)
  expect(output).not.toContain('webhook')
  expect(output).not.toContain('catalog.generated.ts')
  expect(output).toContain('connectors/destinations/google-sheets\n')
  expect(output).toMatch(/definition\.ts:\d+ says TODO: say in one sentence what it is for\./)
  expect(output).toMatch(/definition\.ts:\d+ says TODO: say what there is more of, or what changes, at the vendor\./)
  expect(output).toContain('logo.svg:1 says TODO: draw a logo')
  expect(output).toContain('google-sheets.test.ts:')
})

it('a new description passes its test immediately, is in the catalog, and the check lists the open work', {
  timeout: 180_000,
}, async () => {
  await makeConnector(root, 'new-vendor', 'description')
  expect(catalog()).toContain("(await import('./load-described.ts')).loadDescribed('new-vendor')")
  const tests = run('vitest', ['run', '--root', root, 'connectors/described.test.ts'])
  expect([tests.status, tests.output]).toEqual([0, expect.stringMatching(/\d passed/)])
  const { output } = check()
  expect(output).toContain('connectors/destinations/new-vendor\n')
  expect(output).toMatch(/description\.json:\d+ says TODO: say in one sentence what it is for\./)
  expect(output).toMatch(/guide\.md:\d+ says TODO: say what is sent, and what is refused\./)
})

it.each(['webhook', 'Google', 'google_sheets', '../elsewhere', ''])(
  'the connector script rejects the name "%s"',
  async (slug) => {
    await expect(makeConnector(root, slug, 'description')).rejects.toThrow(/already exists|is no name/)
  },
)

it('an incomplete folder, and a catalog that does not match the folders, are reported', () => {
  const folder = join(root, 'connectors/destinations/forgotten')
  mkdirSync(folder, { recursive: true })
  expect(check().output).toContain(
    'connectors/destinations/forgotten\n  There is no definition.ts\n  There is no logo.svg\n',
  )
  writeFileSync(join(folder, 'definition.ts'), "export { webhook as forgotten } from '../webhook/definition.ts'\n")
  writeFileSync(join(folder, 'logo.svg'), 'logo.png')
  const lines = [
    'Its slug is "webhook", not the name of its folder',
    'The logo is not one SVG element',
    'There is no test: *.test.ts',
  ]
  const { output } = check()
  expect(output).toContain(`connectors/destinations/forgotten\n${lines.map((line) => `  ${line}\n`).join('')}`)
  expect(output).toContain('connectors/catalog.generated.ts\n  It is not what the folders say: run npm run connector\n')
})
