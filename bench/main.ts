// npm run bench: measures every promised figure against a baseline of the same run. The exit code is 1 if a figure is
// missed. `npm run bench -- start latency` measures only these figures; `npm run bench -- log` shows the cost of the
// log alone.
import { measureAcknowledged, reportLogAlone, shapes } from './figures/acknowledged.ts'
import { measureAudiences } from './figures/audiences.ts'
import { measureBacklog } from './figures/backlog.ts'
import { measureCluster } from './figures/cluster.ts'
import { measureConfigurationCache } from './figures/configuration-cache.ts'
import { measureConnectors } from './figures/connectors.ts'
import { measureConversions } from './figures/conversions.ts'
import { measureDeliveries } from './figures/deliveries.ts'
import { measureDescribed } from './figures/described.ts'
import { measureExplorer } from './figures/explorer.ts'
import { measureFlood } from './figures/flood.ts'
import { measureFullLoad } from './figures/full-load.ts'
import { measureHostile } from './figures/hostile.ts'
import { measureIdle } from './figures/idle.ts'
import { measureLatency } from './figures/latency.ts'
import { measureMapping } from './figures/mapping.ts'
import { measureMetering } from './figures/metering.ts'
import { measureOneByOne } from './figures/one-by-one.ts'
import { measureProfile } from './figures/profile.ts'
import { measureProfileFields } from './figures/profile-fields.ts'
import { measureProfileNeighbors } from './figures/profile-neighbors.ts'
import { measureProfiles } from './figures/profiles.ts'
import { measureSignals } from './figures/signals.ts'
import { measureStart } from './figures/start.ts'
import { measureStored } from './figures/stored.ts'
import { measureSyncs } from './figures/syncs.ts'
import { measureUnconnected } from './figures/unconnected.ts'
import { measureValidation } from './figures/validation.ts'
import { measureWaiting } from './figures/waiting.ts'
import { measureWeb } from './figures/web.ts'
import { measureWebLive } from './figures/web-live.ts'
import { type Figure, printFigures } from './harness.ts'
import { startBench } from './product.ts'

const acknowledged = async (): Promise<Figure[]> => {
  const figures: Figure[] = []
  for (const shape of shapes) {
    const bench = await startBench({ env: shape.roles === undefined ? {} : { TRIBUTARY_ROLES: shape.roles } })
    await using _ = bench.product
    figures.push(await measureAcknowledged(shape, bench, 3))
  }
  return figures
}

const parts: Record<string, () => Promise<Figure[]>> = {
  start: measureStart,
  connectors: measureConnectors,
  acknowledged,
  latency: () => measureLatency(15),
  idle: measureIdle,
  'configuration-cache': measureConfigurationCache,
  explorer: () => measureExplorer(5_000_000),
  audiences: measureAudiences,
  signals: measureSignals,
  conversions: measureConversions,
  described: measureDescribed,
  syncs: measureSyncs,
  stored: () => measureStored(8),
  profiles: measureProfiles,
  'profile-fields': measureProfileFields,
  'profile-neighbors': measureProfileNeighbors,
  cluster: () => measureCluster(6, 60_000),
  metering: () => measureMetering(200_000),
  unconnected: () => measureUnconnected(60_000),
  backlog: () => measureBacklog(1_000_000),
  'mapped-backlog': () => measureBacklog(1_000_000, true),
  deliveries: () => measureDeliveries(40_000),
  'one-by-one': () => measureOneByOne(20_000),
  flood: measureFlood,
  'full-load': measureFullLoad,
  hostile: measureHostile,
  profile: measureProfile,
  waiting: measureWaiting,
  validation: measureValidation,
  mapping: measureMapping,
  web: measureWeb,
  'web-live': measureWebLive,
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => name !== 'log' && parts[name] === undefined)
if (unknown.length > 0) {
  process.stderr.write(`Unknown: ${unknown.join(', ')}. There are: log, ${Object.keys(parts).join(', ')}\n`)
  process.exit(2)
}
if (asked.includes('log')) await reportLogAlone(5)

const figures: Figure[] = []
for (const [name, measure] of Object.entries(parts)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  process.stdout.write(`measuring: ${name}\n`)
  try {
    figures.push(...(await measure()))
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    figures.push({ figure: name, target: 'to be measured', measured: text.split('\n')[0] ?? '', pass: false })
    process.stderr.write(`${text}\n`)
  }
}
process.exit(printFigures(figures) ? 0 : 1)
