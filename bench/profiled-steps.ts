import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A frame of a stack, and the place of its function in the built file, both from 0. */
type Call = { functionName: string; url: string; lineNumber: number; columnNumber: number }
type Node = { id: number; callFrame: Call; children?: number[] }
/** A profile that Node writes with `--cpu-prof`. Times in µs of the monotonic clock. */
type Profile = { nodes: Node[]; startTime: number; samples: number[]; timeDeltas: number[] }

/** A part of the time of a profile, µs of the monotonic clock. */
export type Window = { from: number; to: number }

/**
 * Steps by the path of the source. A sample counts for the step of the innermost function that has one, so that the work
 * of Node and of small helpers counts for its caller.
 */
const steps: readonly (readonly [RegExp, string])[] = [
  [/node_modules\/undici\//, 'HTTP client'],
  [/connector-kit\/src\/http\//, 'HTTP client'],
  [/connectors\/destinations\//, 'connector: builds and signs the request'],
  [/collect\/src\/admission/, 'admission'],
  [/collect\/src\/body|http\/src\/bodies/, 'body: receive and parse'],
  [/collect\/src\/(credentials|quota)|write-key-cache/, 'key and quota'],
  [/collect\/src\/(answer|refusal)/, 'answer'],
  [/collect\/src\//, 'collection, other steps'],
  [/\/log\/sqlite\/(writer|packing|backend|worker|appender|producers|segment)\.ts$/, 'log: write'],
  [/storage\/src\/log\/compression/, 'log: compress and expand'],
  [/storage\/src\/log\/file-journal/, 'journal'],
  [/storage\/src\/log\//, 'log: read'],
  [/event-store\/row-binary/, 'rows for the event store'],
  [/storage\/src\/event-store|@clickhouse/, 'event store: client'],
  [/pipeline\/src\/rows\//, 'rows and records'],
  [/pipeline\/src\/branches\/deliver/, 'stream: append'],
  [/pipeline\/src\/branches\//, 'pipeline: store and publish'],
  [/pipeline\/src\/(steps|event-path|process)|storage\/src\/requests|contract\/src\/events/, 'steps of an event'],
  [/pipeline\/src\//, 'pipeline: loops'],
  [/delivery\/src\/log\/(attempts|outcome-log)/, 'delivery log'],
  [/delivery\/src\/log\//, 'records: read and parse'],
  [/delivery\/src\/destination\/(gate|readiness)|connector-kit\/src\/mapping/, 'gate and mapping'],
  [/delivery\/src\/destination\//, 'queue, dispatch, outcomes'],
  [/delivery\/src\//, 'delivery, other'],
  [/packages\/(profiles|audiences)\/src\//, 'profiles'],
  [/packages\/signals\/src\//, 'signals'],
  [/node_modules\/pg(-|\/)|drizzle|kysely|postgres/, 'database client'],
  [/thread-board|work-share|in-work/, 'thread board and shares'],
  [/apps\/server\/src\/threads\//, 'messages between threads'],
  [/apps\/server\/src\/http\//, 'HTTP server'],
  [/^node:(_http|internal\/http)/, 'HTTP server'],
  [/^node:internal\/(worker|per_context\/messageport)/, 'messages between threads'],
  [/^node:(internal\/timers|timers)/, 'timers'],
]

/** Returns the path of the source of each function, by the maps beside the built files. */
const createSources = () => {
  const maps = new Map<string, SourceMap | undefined>()
  const mapOf = (url: string): SourceMap | undefined => {
    if (!maps.has(url)) {
      const file = `${fileURLToPath(url)}.map`
      maps.set(url, existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : undefined)
    }
    return maps.get(url)
  }
  return ({ url, lineNumber, columnNumber }: Call): string => {
    if (!url.startsWith('file:') || !url.endsWith('.mjs') || url.includes('node_modules')) return url
    const entry = mapOf(url)?.findEntry(lineNumber, columnNumber)
    return entry !== undefined && 'originalSource' in entry ? entry.originalSource : url
  }
}

const stepOf = (sources: ReturnType<typeof createSources>, call: Call): string | undefined => {
  if (call.functionName === '(idle)') return 'idle'
  if (call.functionName === '(garbage collector)') return 'garbage collection'
  const source = sources(call)
  return steps.find(([pattern]) => pattern.test(source))?.[1]
}

/** Returns the name of the step for each node: its own, or that of the nearest caller with one. */
const stepsOfNodes = (nodes: readonly Node[], sources: ReturnType<typeof createSources>): Map<number, string> => {
  const names = new Map<number, string>()
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const visit = ({ id, callFrame, children = [] }: Node, inherited: string): void => {
    const name = stepOf(sources, callFrame) ?? inherited
    names.set(id, name)
    for (const child of children) {
      const node = byId.get(child)
      if (node !== undefined) visit(node, name)
    }
  }
  const [root] = nodes
  if (root !== undefined) visit(root, 'Node and native code')
  return names
}

/** Returns the part of the busy time, from 0 to 1, that each step of one profile takes within a window. */
const sharesOf = (profile: Profile, window: Window): Map<string, number> => {
  const names = stepsOfNodes(profile.nodes, createSources())
  const sums = new Map<string, number>()
  let [time, busy] = [profile.startTime, 0]
  profile.samples.forEach((id, index) => {
    const took = profile.timeDeltas[index + 1] ?? 0
    time += profile.timeDeltas[index] ?? 0
    const name = names.get(id) ?? 'idle'
    if (time < window.from || time > window.to || name === 'idle') return
    busy += took
    sums.set(name, (sums.get(name) ?? 0) + took)
  })
  return new Map([...sums].map(([name, took]) => [name, took / busy]))
}

/** Which thread wrote a profile: the entry that it runs. */
const threads: readonly (readonly [RegExp, string])[] = [
  [/delivery-thread\.mjs$/, 'delivery'],
  [/pipeline-thread\.mjs$/, 'pipeline'],
  [/profiles-thread\.mjs$/, 'profiles'],
  [/signals-thread\.mjs$/, 'signals'],
  [/log-thread\.mjs$/, 'log-writer'],
  [/watchdog-thread\.mjs$/, 'watchdog'],
  [/main\.mjs$/, 'MainThread'],
]

/** Returns the shares of all profiles in a folder, by the name of the thread. */
export const profiledSteps = (folder: string, window: Window): Map<string, Map<string, number>> => {
  const found = new Map<string, Map<string, number>>()
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))) {
    const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile
    const urls = new Set(profile.nodes.map(({ callFrame }) => callFrame.url))
    const thread = threads.find(([pattern]) => [...urls].some((url) => pattern.test(url)))?.[1]
    if (thread !== undefined) found.set(thread, sharesOf(profile, window))
  }
  return found
}
