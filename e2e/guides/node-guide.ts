import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { guideCode, guideFolder, type Installed, install, runGuide, writeGuideFile } from './guide.ts'

/** Packages with their exact versions, in the notation of npm. */
export type NodeGuide = { slug: string; packages: readonly string[] }

const folderOf = ({ slug, packages }: NodeGuide): string =>
  guideFolder(`${slug}-${packages[0]?.replaceAll(/[^\w.]+/g, '-') ?? ''}`)

/** Installs the packages of a guide, without peer dependencies, because the platform of a phone is not on npm. */
export const installNodeGuide = (guide: NodeGuide): Installed => {
  const folder = folderOf(guide)
  if (existsSync(join(folder, 'node_modules'))) return {}
  writeGuideFile(folder, 'package.json', '{"private":true,"type":"module"}')
  const flags = [
    '--ignore-scripts',
    '--legacy-peer-deps',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--save-exact',
  ]
  return install('npm', ['install', ...flags, ...guide.packages], folder)
}

type Values = { origin: string; writeKey: string }

// This code runs before the code of the guide. It allows only requests to this machine, and prints each address on
// standard output.
const guard = `const ask = globalThis.fetch
globalThis.fetch = (address, options) => {
  const { origin, hostname } = new URL(address instanceof Request ? address.url : address)
  console.log('asks ' + origin)
  return hostname === '127.0.0.1' ? ask(address, options) : Promise.reject(new TypeError('not this machine'))
}
`

/** Runs the JavaScript of a guide with the current Node. */
export const runNodeGuide = (guide: NodeGuide, values: Values) => {
  const folder = folderOf(guide)
  writeGuideFile(folder, 'guard.mjs', guard)
  const program = writeGuideFile(folder, 'guide.mjs', guideCode(guide.slug, 'javascript', values))
  return runGuide(process.execPath, ['--import', './guard.mjs', program], folder)
}

/**
 * Runs the JavaScript of a guide for React Native. The libraries are bundled unchanged, with a replacement for
 * `react-native` that simulates a telephone. Events are sent after one second, not after thirty.
 */
export const runReactNativeGuide = async (guide: NodeGuide, values: Values) => {
  const folder = folderOf(guide)
  writeGuideFile(folder, 'guard.mjs', guard)
  const code = guideCode(guide.slug, 'javascript', values)
  const sooner = code.replace('createClient({', 'createClient({\n  flushInterval: 1,')
  if (sooner === code) throw new Error('The guide makes its client in another way')
  const bundle = await rolldown({
    input: writeGuideFile(folder, 'guide.mjs', sooner),
    platform: 'node',
    logLevel: 'silent',
    external: ['react-native-get-random-values', '@react-native-async-storage/async-storage'],
    resolve: { alias: { 'react-native': fileURLToPath(new URL('./telephone.js', import.meta.url)) } },
  })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  const program = writeGuideFile(folder, 'bundle.mjs', output[0].code)
  return runGuide(process.execPath, ['--import', './guard.mjs', program], folder)
}
