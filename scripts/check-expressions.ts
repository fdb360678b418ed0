// Finds regular expressions that take more than linear time for some text, with an analyzer and with texts of 60,000
// characters. Results are cached in .cache. Part of `npm run check`.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type Expression, expressionsOf } from './expressions/collect.ts'
import { exceptions, maxExceptions } from './expressions/exceptions.ts'

/**
 * Paths that are not checked, because their code reads no untrusted text: tests and their kit, benches, developer
 * commands, and the build.
 */
const leftOut =
  /\.(?:test|spec)\.tsx?$|\/testing\/|\/bench\/|^(?:e2e|bench|scripts)\/|^packages\/test-kit\/|^apps\/web\/vite\.config\.ts$/

const cacheFile = '.cache/expressions.json'
type Cache = { version: string; files: Record<string, Expression[]>; linear: string[] }

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22)

/** A hash that identifies the analyzer and this check. Cached results are valid while the hash stays the same. */
const version = hashOf(
  ['node_modules/recheck/package.json', ...globSync('scripts/expressions/*.ts').toSorted()]
    .map((file) => readFileSync(file, 'utf8'))
    .join(process.version),
)

const readCache = (): Cache => {
  const empty: Cache = { version, files: {}, linear: [] }
  if (!existsSync(cacheFile)) return empty
  try {
    const kept = JSON.parse(readFileSync(cacheFile, 'utf8')) as Cache
    return kept.version === version ? kept : empty
  } catch {
    return empty
  }
}

const lengthOf = (expression: { source: string } | undefined): number => expression?.source.length ?? 0

/**
 * Analyzes expressions in as many threads as there are processors, long ones first. Returns the problems, or null, in
 * the same order.
 */
const analyzed = async (expressions: readonly { source: string; flags: string }[]): Promise<(string | null)[]> => {
  const results: (string | null)[] = []
  // If a long expression began last, it would delay the end.
  const order = [...expressions.keys()].sort((a, b) => lengthOf(expressions[b]) - lengthOf(expressions[a]))
  let next = 0
  const work = async (): Promise<void> => {
    const thread = new Worker(new URL('./expressions/analyze-thread.ts', import.meta.url))
    for (let index = order[next++]; index !== undefined; index = order[next++]) {
      thread.postMessage(expressions[index])
      const [problem] = (await once(thread, 'message')) as [string | null]
      results[index] = problem
    }
    await thread.terminate()
  }
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, work))
  return results
}

const old = readCache()
const cache: Cache = { version, files: {}, linear: [] }
const files = globSync('{packages,apps,connectors,scripts,bench,e2e}/**/*.{ts,tsx,mjs,js}', {
  exclude: (name) => /^(?:node_modules|dist|results)$|\/(?:node_modules|dist|results)$/.test(name),
}).filter((file) => !leftOut.test(file))

const found = files.toSorted().flatMap((file) => {
  const text = readFileSync(file, 'utf8')
  const key = hashOf(file + text)
  const expressions = old.files[key] ?? expressionsOf(file, text)
  cache.files[key] = expressions
  return expressions.map((expression) => ({ file, expression }))
})

const keyOf = ({ source, flags }: { source: string; flags: string }): string => `${source}/${flags}`
const exceptionOf = (file: string, source: string) =>
  exceptions.find((exception) => exception.file === file && exception.source === source)
const known = new Map(
  found.flatMap(({ file, expression }) =>
    'source' in expression && exceptionOf(file, expression.source) === undefined
      ? [[keyOf(expression), expression] as const]
      : [],
  ),
)
const linear = new Set(old.linear)
const unknown = [...known.values()].filter((expression) => !linear.has(keyOf(expression)))
cache.linear.push(...[...known.keys()].filter((key) => linear.has(key)))
const results = await analyzed(unknown)
const fresh = new Map(unknown.map((expression, index) => [keyOf(expression), results[index] ?? null]))
// Only results without a problem are cached, so that a problem is reported until it is fixed.
for (const [key, problem] of fresh) if (problem === null) cache.linear.push(key)
mkdirSync(dirname(cacheFile), { recursive: true })
writeFileSync(cacheFile, JSON.stringify(cache))

const problems: string[] = []
const used = new Set<(typeof exceptions)[number]>()
for (const { file, expression } of found) {
  const place = `${file}:${expression.line}`
  if ('made' in expression) {
    problems.push(`${place} makes an expression of a text that is not constant: ${expression.made}`)
    continue
  }
  const problem = fresh.get(keyOf(expression))
  const exception = exceptionOf(file, expression.source)
  if (exception !== undefined) used.add(exception)
  else if (typeof problem === 'string') problems.push(`${place} /${expression.source}/${expression.flags}: ${problem}`)
}
if (exceptions.length > maxExceptions) problems.push(`${exceptions.length} exceptions, of ${maxExceptions}`)
for (const exception of exceptions) {
  const [file, title] = exception.test
  if (!used.has(exception)) problems.push(`${exception.file} ${exception.source} needs no exception any more`)
  else if (!existsSync(file) || !readFileSync(file, 'utf8').includes(title))
    problems.push(`${exception.file} ${exception.source}: ${file} has no test '${title}' of its limit`)
}
for (const problem of problems) console.log(problem)
console.log(
  `${files.length} files, ${known.size} expressions, ${unknown.length} of them new, ${problems.length} problems`,
)
process.exit(problems.length > 0 ? 1 : 0)
