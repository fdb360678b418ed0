// Lists functions of more than 120 lines. Each must be split, or listed here with a reason. Tests, and the suites that
// adapters run, are lists of cases and are excluded. Part of `npm run check`.

import { globSync, readFileSync } from 'node:fs'
import { parseSync } from 'oxc-parser'
import { isRecord } from '../packages/kernel/src/record.ts'

const maxLines = 120

/** Reason: an object whose short closures share variables that nothing else may access. */
const oneState = 'short closures over one state'
/** Reason: a component with the markup of one screen, whose parts would all need the same dozen values. */
const oneScreen = 'the markup of one screen over one state'

/** Reason: code that runs for each event. Another call or object there would be visible in the benchmark. */
const hotPath = 'the hot path of an event'

/** Functions that are allowed to be longer, by file and name, and the reason for each. */
const exceptions: Readonly<Record<string, string>> = {
  'apps/server/src/docs/assets/docs.js ': 'the scope of a script of a page',
  'apps/web/src/features/destinations/mappings/mappings-tab.tsx Mappings': oneScreen,
  'apps/web/src/features/sources/schema/schema-tab.tsx SchemaTab': oneScreen,
  'packages/delivery/src/destination/destination-worker.ts createDestinationWorker': oneState,
  'packages/delivery/src/destination/outcomes.ts createOutcomes': oneState,
  'packages/delivery/src/destination/record-consumer.ts createRecordConsumer': oneState,
  'packages/pipeline/src/process.ts createProcessor': oneState,
  'packages/pipeline/src/steps/normalize.ts normalize': hotPath,
  'packages/pipeline/src/steps/normalize.ts normalizeEvent': hotPath,
  'packages/storage/src/stream/consumer.ts createConsumer': oneState,
}

type Node = { type: string; start: number; end: number } & Record<string, unknown>

const isNode = (value: unknown): value is Node => isRecord(value) && 'type' in value && typeof value.type === 'string'

/** Returns the name of a node's function: the name of the variable, property or method that holds it. */
const nameOf = (node: Node): string | undefined => {
  const holder = node.type === 'VariableDeclarator' ? node['id'] : node['key']
  if (!isNode(holder)) return undefined
  return typeof holder['name'] === 'string' ? holder['name'] : undefined
}

type Found = { name: string; lines: number; line: number }

/** Returns the functions of a file that have a body, nested ones included, with their names. */
const functionsOf = (file: string): Found[] => {
  const text = readFileSync(file, 'utf8')
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  const lineAt = (offset: number): number => starts.findLastIndex((start) => start <= offset) + 1
  const found: Found[] = []
  const visit = (value: unknown, holder: string): void => {
    if (Array.isArray(value)) {
      for (const each of value) visit(each, holder)
      return
    }
    if (!isNode(value)) return
    const own = isNode(value['id']) && typeof value['id']['name'] === 'string' ? value['id']['name'] : holder
    const isFunction = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(value.type)
    if (isFunction && isNode(value['body'])) {
      const [line, last] = [lineAt(value.start), lineAt(value.end)]
      found.push({ name: own, lines: last - line + 1, line })
    }
    const name = nameOf(value) ?? (isFunction ? '' : holder)
    for (const [key, child] of Object.entries(value)) if (key !== 'type') visit(child, name)
  }
  visit(parseSync(file, text).program, '')
  return found
}

const files = globSync(
  [
    'packages/*/{src,bench}/**/*.ts',
    'apps/*/src/**/*.{ts,tsx,js}',
    'connectors/**/*.ts',
    '{scripts,bench,e2e}/**/*.{ts,mjs}',
  ],
  {
    exclude: (name) => name.includes('node_modules'),
  },
).filter((file) => !/\.(test|spec)\.tsx?$|conformance\.ts$|\/migrations\//.test(file))

const used = new Set<string>()
let problems = 0
for (const file of files.toSorted())
  for (const { name, lines, line } of functionsOf(file)) {
    if (lines <= maxLines) continue
    const place = `${file} ${name}`
    used.add(place)
    if (exceptions[place] !== undefined) continue
    problems += 1
    console.log(`${file}:${line} ${name} has ${lines} lines, of ${maxLines}`)
  }
for (const place of Object.keys(exceptions))
  if (!used.has(place)) {
    problems += 1
    console.log(`${place} needs no exception any more`)
  }
console.log(`${files.length} files, ${problems} problems`)
process.exit(problems > 0 ? 1 : 0)
