import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeConnector } from './make-connector.ts'

const files = ['tsconfig.base.json', 'tsconfig.json', 'tsconfig.tests.json', 'package-lock.json']
const server = ['apps/server/tsconfig.json', 'apps/server/package.json', 'apps/server/src/catalog.ts']
const packages = ['kernel', 'contract', 'connector-kit']

// Below the repository, so that packages from outside are found there.
let root: string
beforeAll(() => {
  mkdirSync('.cache', { recursive: true })
  root = mkdtempSync(join(process.cwd(), '.cache/connector-'))
  for (const path of [
    ...files,
    ...server,
    'connectors/destinations/webhook',
    ...packages.map((name) => `packages/${name}`),
  ])
    cpSync(path, join(root, path), { recursive: true, filter: (from) => !from.includes('node_modules') })
  mkdirSync(join(root, 'node_modules/@tributary'), { recursive: true })
  for (const name of packages) symlinkSync(join('../../packages', name), join(root, 'node_modules/@tributary', name))
})
afterAll(() => {
  if (root !== undefined) rmSync(root, { recursive: true, force: true })
})

const run = (command: string, args: string[]): { status: number | null; output: string } => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8' })
  return { status, output: `${stdout}${stderr}` }
}

const check = () => run(process.execPath, [join(process.cwd(), 'scripts/check-connectors.ts')])

it('a new connector compiles at once, and the check names what is left to do', { timeout: 180_000 }, () => {
  const folder = makeConnector(root, 'google-sheets')
  expect(run('tsc', ['-b', 'connectors/destinations/google-sheets'])).toEqual({ status: 0, output: '' })
  const { status, output } = check()
  expect(status).toBe(1)
  expect(output).not.toContain('webhook')
  expect(output).toContain('connectors/destinations/google-sheets\n')
  expect(output).toContain('src/definition.ts:9 says TODO: say in one sentence what it is for.')
  expect(output).toMatch(
    /src\/definition\.ts:\d+ says TODO: say what there is more of, or what changes, at the vendor\./,
  )
  expect(output).toContain('src/logo.ts:1 says TODO: draw a logo')
  expect(output).toContain('src/google-sheets.test.ts:')
  expect(output).not.toContain('registered')
  expect(readFileSync(join(folder, 'src/index.ts'), 'utf8')).toBe("export { googleSheets } from './definition.ts'\n")
})

it('names go where those of their kind stand, in their order', () => {
  makeConnector(root, 'zapier')
  const names = (file: string, pattern: RegExp): string[] =>
    [...readFileSync(join(root, file), 'utf8').matchAll(pattern)].map(([, name = '']) => name)
  const wanted = expect.arrayContaining(['google-sheets', 'webhook', 'zapier'])
  for (const [file, pattern] of [
    ['apps/server/package.json', /"@tributary\/destination-([^"]+)"/g],
    ['package-lock.json', /"connectors\/destinations\/([^"]+)": \{/g],
    ['package-lock.json', /"node_modules\/@tributary\/destination-([^"]+)": \{/g],
  ] as const) {
    expect(names(file, pattern)).toEqual(wanted)
    expect(names(file, pattern)).toEqual(names(file, pattern).toSorted())
  }
  expect(readFileSync(join(root, 'apps/server/src/catalog.ts'), 'utf8')).toMatch(
    /\[webhook\b.*\bgoogleSheets, zapier\]\.map/s,
  )
})

it.each(['webhook', 'Google', 'google_sheets', '../elsewhere', ''])('refuses the name "%s"', (slug) => {
  expect(() => makeConnector(root, slug)).toThrow(/already exists|is no name/)
})

it('a folder that lacks tests or its place in the catalogue is not complete', () => {
  const folder = join(root, 'connectors/destinations/forgotten')
  mkdirSync(join(folder, 'src'), { recursive: true })
  expect(check().output).toContain('connectors/destinations/forgotten\n  There is no src/index.ts\n')
  writeFileSync(join(folder, 'src/index.ts'), "export { webhook } from '../../webhook/src/index.ts'\n")
  const lines = [
    ...[...files.slice(1, 3), ...server, 'package-lock.json'].map((file) => `It is not registered in ${file}`),
    'Its slug is "webhook", not the name of its folder',
    'There is no test: src/*.test.ts',
  ]
  expect(check().output).toContain(`connectors/destinations/forgotten\n${lines.map((line) => `  ${line}\n`).join('')}`)
})
